"""Browser logins: one-time login tokens and sessions, both by the digest of their secret."""

from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from steelyard.schemas.query import Session

from .ids import new_id
from .tables import logins, sessions


def add_login(c: Connection, *, digest: str, now: datetime, expires_at: datetime) -> None:
    """A login token that works once. `digest` is SHA-256 hex of the token."""
    c.execute(logins.insert().values(digest=digest, created_at=now, expires_at=expires_at))


def use_login(c: Connection, *, digest: str, now: datetime) -> bool:
    """Uses the token up; False when it is unknown, used or expired. Of two at once one gets True."""
    open_token = (logins.c.digest == digest, logins.c.used_at.is_(None), logins.c.expires_at > now)
    return c.execute(update(logins).where(*open_token).values(used_at=now)).rowcount == 1


def add(c: Connection, *, digest: str, csrf: str, now: datetime, expires_at: datetime) -> Session:
    """A session. `digest` is SHA-256 hex of the cookie's secret, `csrf` the secret of its forms."""
    session = Session(id=new_id(), csrf=csrf, created_at=now, expires_at=expires_at)
    c.execute(sessions.insert().values(digest=digest, **session.model_dump()))
    return session


def find(c: Connection, *, digest: str, now: datetime) -> Session | None:
    """The session that has not expired."""
    found = select(sessions).where(sessions.c.digest == digest, sessions.c.expires_at > now)
    row = c.execute(found).one_or_none()
    if row is None:
        return None
    return Session(id=row.id, csrf=row.csrf, created_at=row.created_at, expires_at=row.expires_at)


def end(c: Connection, *, digest: str) -> None:
    """Logs out."""
    c.execute(delete(sessions).where(sessions.c.digest == digest))


def purge(c: Connection, *, now: datetime) -> int:
    """Removes what has expired; returns how many."""
    return sum(
        c.execute(delete(table).where(table.c.expires_at <= now)).rowcount for table in (logins, sessions)
    )
