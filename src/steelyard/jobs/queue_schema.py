"""procrastinate's own tables on PostgreSQL: put there once, then brought up to date by its own migrations.

The version they stand at is kept as the comment of `procrastinate_jobs`, since procrastinate keeps none.
"""

from importlib import resources
from importlib.resources.abc import Traversable
from typing import LiteralString

import psycopg
from psycopg import sql

from steelyard.errors import StoreUnavailable

_PREFIX = "steelyard: procrastinate schema "
_LOCK = 8_321_001
"""Key of the advisory lock under which one process at a time changes the schema."""


def migrations() -> list[Traversable]:
    """procrastinate's migrations, in the order they apply."""
    folder = resources.files("procrastinate.sql") / "migrations"
    return sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )


def installed(connection: psycopg.Connection) -> str | None:
    """The last migration the queue's tables have; None without tables, "" when nobody wrote it down."""
    row = connection.execute(
        "SELECT t::text, obj_description(t, 'pg_class') FROM to_regclass('procrastinate_jobs') AS t"
    ).fetchone()
    if row is None or row[0] is None:
        return None
    comment = row[1] or ""
    return comment.removeprefix(_PREFIX) if comment.startswith(_PREFIX) else ""


def install(conninfo: str) -> None:
    """Makes the queue's tables current, in one transaction; safe to run from many processes at once.

    Tables that procrastinate's own command made, without a version, are taken to be current. Raises
    `StoreUnavailable` when the database does not answer or does not let us.
    """
    every = migrations()
    newest = every[-1].name
    try:
        with psycopg.connect(conninfo, connect_timeout=10) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            version = installed(connection)
            if version == newest:
                return
            if version is None:
                connection.execute(_trusted(resources.files("procrastinate.sql") / "schema.sql"))
            elif version:
                for file in every:
                    if file.name > version:
                        connection.execute(_trusted(file))
            note = sql.SQL("COMMENT ON TABLE procrastinate_jobs IS {}")
            connection.execute(note.format(sql.Literal(_PREFIX + newest)))
    except psycopg.Error as problem:
        raise StoreUnavailable(
            f"the job queue's tables could not be set up: {str(problem).strip().splitlines()[0]}",
            hint="Check that its user may create tables there, then run `steelyard db upgrade`.",
        ) from problem


def _trusted(file: Traversable) -> LiteralString:
    """procrastinate's own SQL, as safe to run as the package itself."""
    return file.read_text(encoding="utf-8")
