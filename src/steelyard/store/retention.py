"""Deletion, on request or by age and count; what is deleted is looked for and must be gone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, exists, func, select

from steelyard.errors import NotFound, SteelyardError
from steelyard.schemas.query import Deleted

from . import projects, rollups
from .tables import evaluations, event_bodies, events, labels, requirement_lists
from .tables import projects as project_rows

_AT_ONCE = 500


def delete_event(c: Connection, project_id: str, event_id: str, *, now: datetime) -> Deleted:
    """The event with its evaluations, labels and reviews. Raises `NotFound`."""
    gone = _delete(c, project_id, _select(project_id, events.c.event_id == event_id), now=now)
    if not gone.events:
        raise NotFound(f"there is no event {event_id!r} in this project")
    return gone


def delete_trace(c: Connection, project_id: str, trace_id: str, *, now: datetime) -> Deleted:
    """All events of a trace. Raises `NotFound`."""
    gone = _delete(c, project_id, _select(project_id, events.c.trace_id == trace_id.lower()), now=now)
    if not gone.events:
        raise NotFound(f"there is no trace {trace_id!r} in this project")
    return gone


def delete_user(c: Connection, project_id: str, user: str, *, now: datetime) -> Deleted:
    """All events whose `metadata.user` (or `metadata.user_id`) is that text; none is no error."""
    return _delete(c, project_id, _select(project_id, events.c.user_key == user), now=now)


def delete_project(c: Connection, project_id: str) -> Deleted:
    """The project with everything in it, keys too. Raises `NotFound`."""
    project = projects.by_id(c, project_id)
    gone = _delete(c, project_id, _select(project_id), now=project.created_at)
    c.execute(delete(project_rows).where(project_rows.c.id == project_id))
    return gone


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
    gone = Deleted(events=0, evaluations=0, labels=0)
    if before is not None:
        old = _select(project_id, events.c.created_at < before).order_by(events.c.created_at, events.c.seq)
        gone = _delete(c, project_id, old.limit(limit), now=now)
    if keep is not None and gone.events < limit:
        newest = (events.c.created_at.desc(), events.c.seq.desc())
        # The newest come first, so that everything past `keep` may go, whatever part of it this is.
        beyond = _select(project_id).order_by(*newest).limit(limit - gone.events).offset(keep)
        more = _delete(c, project_id, beyond, now=now)
        gone = Deleted(**{name: getattr(gone, name) + getattr(more, name) for name in Deleted.model_fields})
    return gone


def _select(project_id: str, *where: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    wanted: Select[*tuple[Any, ...]] = select(
        events.c.seq, events.c.created_at, events.c.task_key, events.c.subquery_key
    )
    return wanted.where(events.c.project_id == project_id, *where)


def _delete(c: Connection, project_id: str, wanted: Select[*tuple[Any, ...]], *, now: datetime) -> Deleted:
    rows = c.execute(wanted).all()
    gone = {"evaluations": 0, "labels": 0}
    for start in range(0, len(rows), _AT_ONCE):
        seqs = [row.seq for row in rows[start : start + _AT_ONCE]]
        for name, table in (("evaluations", evaluations), ("labels", labels)):
            number = select(func.count()).select_from(table).where(table.c.event_seq.in_(seqs))
            gone[name] += c.execute(number).scalar_one()
        c.execute(delete(events).where(events.c.seq.in_(seqs)))
        _verify(c, seqs)
    keys = {key for row in rows for key in (row.task_key, row.subquery_key) if key is not None}
    _forget_tasks(c, project_id, sorted(keys))
    rollups.mark(c, project_id, [row.created_at for row in rows], now=now)
    return Deleted(events=len(rows), **gone)


def _verify(c: Connection, seqs: Sequence[int]) -> None:
    for column in (events.c.seq, event_bodies.c.seq, evaluations.c.event_seq, labels.c.event_seq):
        if c.execute(select(column).where(column.in_(seqs)).limit(1)).first() is not None:
            raise SteelyardError(
                f"a deletion left rows in {column.table.name}; nothing was deleted",
                hint="This is a bug: please report it.",
            )


def _forget_tasks(c: Connection, project_id: str, task_keys: Sequence[str]) -> None:
    """Requirement lists say what a task was about: they go with the last event of it."""
    for start in range(0, len(task_keys), _AT_ONCE):
        some = task_keys[start : start + _AT_ONCE]
        left = exists().where(
            events.c.project_id == requirement_lists.c.project_id,
            (events.c.task_key == requirement_lists.c.task_key)
            | (events.c.subquery_key == requirement_lists.c.task_key),
        )
        mine = (requirement_lists.c.project_id == project_id, requirement_lists.c.task_key.in_(some))
        c.execute(delete(requirement_lists).where(*mine, ~left))
