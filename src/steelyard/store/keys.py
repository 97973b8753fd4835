"""API keys by the digest of their secret; the secret itself never gets here."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from steelyard.errors import InvalidInput, NotFound
from steelyard.schemas.query import Key, Scope

from .ids import new_id
from .tables import api_keys as table


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
    if not scopes:
        raise InvalidInput("a key needs a scope", field="/scopes", hint="Give write, read or admin.")
    key = Key(
        id=new_id(),
        project_id=project_id,
        name=name,
        prefix=prefix,
        scopes=tuple(dict.fromkeys(scopes)),
        created_at=now,
    )
    c.execute(table.insert().values(**key.model_dump() | {"digest": digest, "scopes": " ".join(key.scopes)}))
    return key


def find(c: Connection, digest: str) -> Key | None:
    """The key that is not revoked with this digest, in any project."""
    row = c.execute(select(table).where(table.c.digest == digest, table.c.revoked_at.is_(None))).one_or_none()
    return None if row is None else _key(row)


def all_keys(c: Connection, project_id: str) -> tuple[Key, ...]:
    """Newest first, revoked ones too."""
    mine = select(table).where(table.c.project_id == project_id)
    return tuple(_key(row) for row in c.execute(mine.order_by(table.c.created_at.desc(), table.c.id.desc())))


def revoke(c: Connection, project_id: str, key_id: str, *, now: datetime) -> Key:
    """Raises `NotFound`; a key already revoked keeps its time."""
    mine = (table.c.project_id == project_id, table.c.id == key_id)
    c.execute(update(table).where(*mine, table.c.revoked_at.is_(None)).values(revoked_at=now))
    row = c.execute(select(table).where(*mine)).one_or_none()
    if row is None:
        raise NotFound("there is no such key in this project")
    return _key(row)


def touch(c: Connection, used: Mapping[str, datetime]) -> None:
    """Notes when keys (by id) were last used; an earlier time than the one noted changes nothing."""
    for key_id, at in used.items():
        earlier = table.c.last_used_at.is_(None) | (table.c.last_used_at < at)
        c.execute(update(table).where(table.c.id == key_id, earlier).values(last_used_at=at))


def _key(row: Row[Any]) -> Key:
    return Key(
        id=row.id,
        project_id=row.project_id,
        name=row.name,
        prefix=row.prefix,
        scopes=tuple(row.scopes.split()),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
