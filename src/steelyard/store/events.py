"""Events: stored once by their id, read one by one, in pages and as a stream."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.event import Event, Receipt, Status
from steelyard.schemas.query import Count, EventFilter, EventRow, Facets, Page, StoredEvent


def insert(c: Connection, project_id: str, events: Sequence[Event], *, now: datetime) -> tuple[Receipt, ...]:
    """Stores events, one receipt each in their order.

    The same id with the same body again is a `duplicate`, with another body `rejected` with code
    `conflict`; within the batch too. `now` must be the time that `parse_event` was given: an event whose
    `created_at` equals it had none of its own, and is the same when it comes again without. Status is
    `queued` or, by sampling, `not_sampled`.
    """
    raise NotImplementedError


def get(c: Connection, project_id: str, event_id: str) -> StoredEvent:
    """Raises `NotFound`."""
    raise NotImplementedError


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
    raise NotImplementedError


def count(c: Connection, project_id: str, filter: EventFilter, *, cap: int = 10_000) -> Count:
    """How many match, counted up to `cap`."""
    raise NotImplementedError


def facets(c: Connection, project_id: str, filter: EventFilter) -> Facets:
    """Values to filter by, in the filter's time range."""
    raise NotImplementedError


def trace(c: Connection, project_id: str, trace_id: str) -> tuple[StoredEvent, ...]:
    """The events of a trace by time; empty when there is none."""
    raise NotImplementedError


def export(c: Connection, project_id: str, filter: EventFilter, *, chunk: int = 200) -> Iterator[StoredEvent]:
    """Every matching event, oldest first, read in chunks while iterating; events that arrive meanwhile may
    be in."""
    raise NotImplementedError


def statuses(c: Connection, project_id: str, event_ids: Sequence[str]) -> Mapping[str, Status]:
    """Where events stand, by id; unknown ids are absent."""
    raise NotImplementedError


def status_counts(c: Connection, project_id: str) -> Mapping[Status, int]:
    """How many events of each status; statuses without any are 0."""
    raise NotImplementedError


def exists(c: Connection, project_id: str) -> bool:
    """Whether the project has any event."""
    raise NotImplementedError
