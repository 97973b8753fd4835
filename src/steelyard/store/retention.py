"""Deletion, on request or by age and count; what is deleted is looked for and must be gone."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import Deleted


def delete_event(c: Connection, project_id: str, event_id: str, *, now: datetime) -> Deleted:
    """The event with its evaluations, labels and reviews. Raises `NotFound`."""
    raise NotImplementedError


def delete_trace(c: Connection, project_id: str, trace_id: str, *, now: datetime) -> Deleted:
    """All events of a trace. Raises `NotFound`."""
    raise NotImplementedError


def delete_user(c: Connection, project_id: str, user: str, *, now: datetime) -> Deleted:
    """All events whose `metadata.user` (or `metadata.user_id`) is that text; none is no error."""
    raise NotImplementedError


def delete_project(c: Connection, project_id: str) -> Deleted:
    """The project with everything in it, keys too. Raises `NotFound`."""
    raise NotImplementedError


def apply(
    c: Connection,
    project_id: str,
    *,
    before: datetime | None,
    keep: int | None,
    now: datetime,
    limit: int = 1000,
) -> Deleted:
    """Deletes up to `limit` events created before `before` or beyond the newest `keep`; call again until
    `events` is 0."""
    raise NotImplementedError
