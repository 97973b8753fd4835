"""The time by which leases and buckets are held: the database's where many machines share it."""

import time

from sqlalchemy import Connection, text

_POSTGRESQL = text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)")


def now_us(c: Connection) -> int:
    """Microseconds since 1970: PostgreSQL's clock, or this machine's for a SQLite file."""
    if c.dialect.name == "postgresql":
        return int(c.execute(_POSTGRESQL).scalar_one())
    return time.time_ns() // 1000
