"""API keys by the digest of their secret; the secret itself never gets here."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import Key, Scope


def add(
    c: Connection,
    project_id: str,
    *,
    name: str,
    prefix: str,
    digest: str,
    scopes: Sequence[Scope],
    now: datetime,
) -> Key:
    """`digest` is SHA-256 hex of the secret, `prefix` its first characters."""
    raise NotImplementedError


def find(c: Connection, digest: str) -> Key | None:
    """The key that is not revoked with this digest, in any project."""
    raise NotImplementedError


def all_keys(c: Connection, project_id: str) -> tuple[Key, ...]:
    """Newest first, revoked ones too."""
    raise NotImplementedError


def revoke(c: Connection, project_id: str, key_id: str, *, now: datetime) -> Key:
    """Raises `NotFound`; a key already revoked keeps its time."""
    raise NotImplementedError


def touch(c: Connection, used: Mapping[str, datetime]) -> None:
    """Notes when keys (by id) were last used; an earlier time than the one noted changes nothing."""
    raise NotImplementedError
