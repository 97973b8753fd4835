"""Events: stored once by their id, read one by one, in pages and as a stream."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, literal, select, text, tuple_

from steelyard.errors import NotFound
from steelyard.schemas.event import Event, Receipt, Status
from steelyard.schemas.query import (
    Count,
    EventFilter,
    EventRow,
    Facet,
    Facets,
    Page,
    StoredEvent,
    decode_cursor,
    encode_cursor,
)

from . import hydration, insertion
from .columns import BigInt, microseconds
from .filters import conditions
from .tables import events

_WAITING = text("status IN ('queued', 'evaluating')")
_FAILED = text("status IN ('unscored', 'error', 'cancelled')")
_INDEXED = {
    Status.QUEUED: _WAITING,
    Status.EVALUATING: _WAITING,
    Status.UNSCORED: _FAILED,
    Status.ERROR: _FAILED,
    Status.CANCELLED: _FAILED,
    Status.NOT_SAMPLED: text("status = 'not_sampled'"),
}
"""Written exactly as the partial indexes are, so that they are seen to apply."""

FACET_EVENTS = 10_000
"""Facets are counted over at most so many of the latest matching events."""


def insert(c: Connection, project_id: str, events: Sequence[Event], *, now: datetime) -> tuple[Receipt, ...]:
    """Stores events, one receipt each in their order.

    The same id with the same body again is a `duplicate`, with another body `rejected` with code `conflict`;
    within the batch too. `now` must be the time that `parse_event` was given: an event whose `created_at`
    equals it had none of its own, and is the same when it comes again without. Status is `queued` or, by
    sampling, `not_sampled`.
    """
    return insertion.insert(c, project_id, events, now=now)


def get(c: Connection, project_id: str, event_id: str) -> StoredEvent:
    """Raises `NotFound`."""
    return hydration.whole(c, [row_of(c, project_id, event_id)])[0]


def page(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[EventRow]:
    """Newest first by `created_at`. Pages do not shift when events arrive; raises `InvalidInput` for a bad
    cursor."""
    wanted = select(events).where(*conditions(c, project_id, filter))
    if cursor is not None:
        created, seq = decode_cursor(cursor, int, int)
        wanted = wanted.where(_place() < tuple_(literal(created, BigInt), literal(seq, BigInt)))
    wanted = wanted.order_by(events.c.created_at.desc(), events.c.seq.desc()).limit(limit + 1)
    rows = c.execute(wanted).all()
    lines = hydration.listed(c, rows[:limit])
    more = len(rows) > limit and limit > 0
    return Page(items=lines, next_cursor=_cursor(rows[limit - 1]) if more else None)


def count(c: Connection, project_id: str, filter: EventFilter, *, cap: int = 10_000) -> Count:
    """How many match, counted up to `cap`."""
    some = select(literal(1)).select_from(events).where(*conditions(c, project_id, filter)).limit(cap + 1)
    found = c.execute(select(func.count()).select_from(some.subquery())).scalar_one()
    return Count(value=min(found, cap), exact=found <= cap)


def facets(c: Connection, project_id: str, filter: EventFilter) -> Facets:
    """Values to filter by among the latest matching events, at most 100 of each."""
    names = ("env", "dataset", "feature_flag", "status")
    some = (
        select(*(events.c[name] for name in names))
        .where(*conditions(c, project_id, filter))
        .order_by(events.c.created_at.desc(), events.c.seq.desc())
        .limit(FACET_EVENTS)
    )
    rows = c.execute(some).all()
    counted = {
        name: tuple(
            Facet(value=value, n=n)
            for value, n in sorted(Counter(column).items(), key=lambda pair: (-pair[1], pair[0] or ""))
            if value is not None
        )[:100]
        for name, column in zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True)
    }
    return Facets(**counted, exact=len(rows) < FACET_EVENTS)


def environments(c: Connection, project_id: str, *, limit: int = 100) -> tuple[str, ...]:
    """The environments there are, by name: one look into their index each, however many events."""
    found: list[str] = []
    e = events.c
    while len(found) < limit:
        rest = select(func.min(e.env)).where(e.project_id == project_id, e.env.is_not(None))
        name = c.execute(rest.where(e.env > found[-1]) if found else rest).scalar()
        if name is None:
            break
        found.append(name)
    return tuple(found)


def trace(c: Connection, project_id: str, trace_id: str) -> tuple[StoredEvent, ...]:
    """The events of a trace by time; empty when there is none."""
    e = events.c
    hops = select(events).where(e.project_id == project_id, e.trace_id == trace_id.lower())
    return hydration.whole(c, c.execute(hops.order_by(e.created_at, e.seq)).all())


def export(c: Connection, project_id: str, filter: EventFilter, *, chunk: int = 200) -> Iterator[StoredEvent]:
    """Every matching event, oldest first, read in chunks while iterating; events that arrive meanwhile may be
    in."""
    wanted = select(events).where(*conditions(c, project_id, filter))
    wanted = wanted.order_by(events.c.created_at, events.c.seq).limit(chunk)
    rows = c.execute(wanted).all()
    while rows:
        yield from hydration.whole(c, rows)
        if len(rows) < chunk:
            return
        last = rows[-1]
        place = tuple_(literal(microseconds(last.created_at), BigInt), literal(last.seq, BigInt))
        rows = c.execute(wanted.where(_place() > place)).all()


def statuses(c: Connection, project_id: str, event_ids: Sequence[str]) -> Mapping[str, Status]:
    """Where events stand, by id; unknown ids are absent."""
    e = events.c
    found: dict[str, Status] = {}
    for start in range(0, len(event_ids), 1000):
        some = list(event_ids[start : start + 1000])
        wanted = select(e.event_id, e.status).where(e.project_id == project_id, e.event_id.in_(some))
        found |= {event_id: Status(status) for event_id, status in c.execute(wanted)}
    return found


def status_counts(c: Connection, project_id: str) -> Mapping[Status, int]:
    """How many events of each status; statuses without any are 0.

    Each rare status is counted in an index that holds only such events; the rest of all events are evaluated.
    """
    found = dict.fromkeys(Status, 0)
    mine = select(func.count()).select_from(events).where(events.c.project_id == project_id)
    for status in Status:
        if status is not Status.EVALUATED:
            literally: BindParameter[str] = bindparam(None, str(status), literal_execute=True)
            found[status] = c.execute(mine.where(_INDEXED[status], events.c.status == literally)).scalar_one()
    every = c.execute(mine).scalar_one()
    return found | {Status.EVALUATED: every - sum(found.values())}


def exists(c: Connection, project_id: str) -> bool:
    """Whether the project has any event."""
    some = select(events.c.seq).where(events.c.project_id == project_id).limit(1)
    return c.execute(some).first() is not None


def row_of(c: Connection, project_id: str, event_id: str, *, lock: bool = False) -> Any:
    """The event's row; raises `NotFound`. `lock` keeps others from changing it until the commit."""
    e = events.c
    wanted: Select[*tuple[Any, ...]] = select(events).where(
        e.project_id == project_id, e.event_id == event_id
    )
    row = c.execute(wanted.with_for_update() if lock else wanted).one_or_none()
    if row is None:
        raise NotFound(f"there is no event {event_id!r} in this project")
    return row


def _place() -> Any:
    """Where an event stands in time; compared as plain numbers, as cursors hold them."""
    return tuple_(events.c.created_at, events.c.seq, types=(BigInt, BigInt))


def _cursor(row: Any) -> str:
    return encode_cursor(microseconds(row.created_at), row.seq)
