"""The schema's version: read, checked, and brought up to date in one transaction under a lock."""

from sqlalchemy import Connection, inspect, text

from steelyard.errors import ConfigurationError

HEAD = "0001"
"""The revision that this program works with: the newest under `migrations/versions`."""

VERSION_TABLE = "steelyard_schema"

_ADVISORY_LOCK = 7_302_184_551_996_027


def version(c: Connection) -> str | None:
    """The revision of the database, None for an empty one."""
    if not inspect(c).has_table(VERSION_TABLE):
        return None
    found: str | None = c.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    return found


def upgrade(c: Connection) -> None:
    """Brings the schema to `HEAD` within the transaction of `c`: a migration that is interrupted leaves
    nothing behind and is simply begun again. Of several processes one migrates and the others wait for it."""
    if c.dialect.name == "postgresql":
        c.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    found = version(c)
    if found == HEAD:
        return
    _refuse_foreign(c, found)
    # Alembic is slow to import, and nearly every start needs none of it.
    from .migrations import run

    run(c)


def check(c: Connection) -> None:
    """Raises `ConfigurationError` unless the schema is the one this program works with."""
    found = version(c)
    if found == HEAD:
        return
    _refuse_foreign(c, found)
    raise ConfigurationError(
        f"the database's schema is {found or 'missing'}, and this program needs {HEAD}",
        field="database_url",
        hint="Run `steelyard db upgrade` (take a backup first).",
    )


def _refuse_foreign(c: Connection, found: str | None) -> None:
    from .migrations import known

    if found is not None and found not in known():
        raise ConfigurationError(
            f"the database's schema {found!r} is newer than this program, which knows up to {HEAD}",
            field="database_url",
            hint="Update Steelyard, or name another database.",
        )
    if found is None and inspect(c).has_table("events"):
        raise ConfigurationError(
            "the database has tables that Steelyard did not make",
            field="database_url",
            hint="Name an empty database.",
        )
