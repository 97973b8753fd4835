"""Who did what: administrative actions and label changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from steelyard.schemas.query import AuditEntry, Page


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
    raise NotImplementedError


def page(c: Connection, project_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[AuditEntry]:
    """Newest first."""
    raise NotImplementedError
