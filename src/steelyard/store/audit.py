"""Who did what: administrative actions and label changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Connection, select

from steelyard.schemas.query import AuditEntry, Page, decode_cursor, encode_cursor

from .ids import new_id
from .tables import audit as table


def add(
    c: Connection,
    project_id: str,
    *,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any] | None = None,
    now: datetime,
) -> None:
    """`action` is `noun.verb` (`key.revoke`, `label.amend`); `detail` holds no secrets and no texts of
    users."""
    c.execute(
        table.insert().values(
            id=new_id(),
            project_id=project_id,
            actor=actor,
            action=action,
            subject=subject,
            detail=orjson.dumps(dict(detail or {})).decode(),
            at=now,
        )
    )


def page(c: Connection, project_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[AuditEntry]:
    """Newest first."""
    wanted = select(table).where(table.c.project_id == project_id)
    if cursor is not None:
        (before,) = decode_cursor(cursor, str)
        wanted = wanted.where(table.c.id < before)
    rows = c.execute(wanted.order_by(table.c.id.desc()).limit(limit + 1)).all()
    entries = tuple(
        AuditEntry(
            id=row.id,
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            detail=orjson.loads(row.detail),
            at=row.at,
        )
        for row in rows[:limit]
    )
    return Page(items=entries, next_cursor=encode_cursor(entries[-1].id) if len(rows) > limit else None)
