"""Browser logins: one-time login tokens and sessions, both by the digest of their secret."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import Session


def add_login(c: Connection, *, digest: str, now: datetime, expires_at: datetime) -> None:
    """A login token that works once. `digest` is SHA-256 hex of the token."""
    raise NotImplementedError


def use_login(c: Connection, *, digest: str, now: datetime) -> bool:
    """Uses the token up; False when it is unknown, used or expired. Of two at once one gets True."""
    raise NotImplementedError


def add(c: Connection, *, digest: str, csrf: str, now: datetime, expires_at: datetime) -> Session:
    """A session. `digest` is SHA-256 hex of the cookie's secret, `csrf` the secret of its forms."""
    raise NotImplementedError


def find(c: Connection, *, digest: str, now: datetime) -> Session | None:
    """The session that has not expired."""
    raise NotImplementedError


def end(c: Connection, *, digest: str) -> None:
    """Logs out."""
    raise NotImplementedError


def purge(c: Connection, *, now: datetime) -> int:
    """Removes what has expired; returns how many."""
    raise NotImplementedError
