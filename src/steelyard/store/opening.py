"""Opens a store by its database URL: the right engine, the lock, and the schema brought up to date."""

import sqlite3
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError

from steelyard.errors import ConfigurationError

from . import faults, schema
from .lock import FileLock
from .postgres import PostgresStore
from .sqlite import SQLiteStore
from .store import Store

_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
_HINT = "Use sqlite:////absolute/path/steelyard.sqlite or postgresql://USER:PASSWORD@HOST:5432/DATABASE."


def open_store(url: str, *, upgrade: bool = True, read_only: bool = False) -> Store:
    """The store at `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/DATABASE`.

    `upgrade` brings the schema up to date under a lock; without it an old schema is refused. `read_only`
    takes no lock on a SQLite file, so that it can be read beside a running server, and refuses every write.
    Raises `ConfigurationError` (a URL or folder that cannot work, a schema newer than this program),
    `StoreLocked` (another process holds this SQLite file) and `StoreUnavailable` (the database does not
    answer).
    """
    where = _parsed(url)
    store = (
        _open_sqlite(where, read_only=read_only)
        if where.drivername == "sqlite"
        else PostgresStore(where, read_only=read_only)
    )
    try:
        if upgrade and not read_only:
            store.write(schema.upgrade)
        with store.read() as connection:
            schema.check(connection)
    except DatabaseError as problem:
        store.close()
        raise faults.unavailable(where, problem) from problem
    except BaseException:
        store.close()
        raise
    return store


def _parsed(url: str) -> URL:
    try:
        where = make_url(url)
    except (ArgumentError, ValueError):
        # The text is not repeated: it may hold a password.
        raise ConfigurationError(
            "the database URL cannot be read", field="database_url", hint=_HINT
        ) from None
    if where.drivername in _POSTGRESQL:
        return where.set(drivername="postgresql+psycopg")
    if where.drivername != "sqlite":
        raise ConfigurationError(
            f"there is no store for {where.drivername!r} databases", field="database_url", hint=_HINT
        )
    if not where.database or where.database == ":memory:" or where.database.startswith("file:"):
        raise ConfigurationError("a SQLite store needs the path of a file", field="database_url", hint=_HINT)
    return where


def _open_sqlite(where: URL, *, read_only: bool) -> SQLiteStore:
    path = Path(where.database or "")
    if path.is_dir():
        raise ConfigurationError(f"{path} is a folder, not a database file", field="database_url", hint=_HINT)
    if read_only:
        if not path.is_file():
            raise ConfigurationError(
                f"there is no database {path}", field="data", hint="Start `steelyard serve` first."
            )
        return SQLiteStore(where, lock=None)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigurationError(
            f"the folder {path.parent} cannot be made: {problem.strerror}",
            field="data",
            hint="Name another one with --data.",
        ) from problem
    if sqlite3.sqlite_version_info < (3, 37):
        raise ConfigurationError(
            f"Python's SQLite is {sqlite3.sqlite_version}, and 3.37 is the oldest that works",
            hint="Use a newer Python, or PostgreSQL.",
        )
    return SQLiteStore(where, lock=FileLock(path))
