"""Who may evaluate an event now: the truth is the event's own row (status, owner, deadline, attempts),
never a queue."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import ClaimedEvent, EventFilter, Finished, Queue


def claim(
    c: Connection,
    *,
    owner: str,
    lease_s: float,
    limit: int = 32,
    project_id: str | None = None,
    event_ids: Sequence[str] | None = None,
    max_attempts: int = 5,
) -> tuple[ClaimedEvent, ...]:
    """Leases up to `limit` events that are queued or whose lease has run out, oldest first, to `owner`.

    `project_id` and `event_ids` restrict the choice. Events whose attempts are used up become `error`
    instead. Two claimers never get the same event.
    """
    raise NotImplementedError


def extend(c: Connection, claims: Sequence[ClaimedEvent], *, lease_s: float) -> tuple[bool, ...]:
    """Prolongs leases still held; False for one that was lost."""
    raise NotImplementedError


def finish(c: Connection, finished: Sequence[Finished], *, now: datetime) -> tuple[bool, ...]:
    """Writes evaluations with their accuracy against the current labels and sets the status, all in this
    transaction.

    False, and nothing written, for one whose lease is no longer held. The judge must be registered
    (`judges.register`).
    """
    raise NotImplementedError


def fail(c: Connection, claim: ClaimedEvent, *, reason: str, now: datetime) -> bool:
    """Sets the status `error` with a reason (one sentence, no secrets); False when the lease is no longer
    held."""
    raise NotImplementedError


def release(c: Connection, claims: Sequence[ClaimedEvent], *, delay_s: float = 0.0) -> int:
    """Gives events back unevaluated, to be claimed again after `delay_s`, without using an attempt up;
    returns how many were still held."""
    raise NotImplementedError


def release_owner(c: Connection, *, owner_prefix: str) -> int:
    """Gives back everything leased to owners whose name begins so (a process that is known to be dead)."""
    raise NotImplementedError


def sweep(c: Connection, *, max_attempts: int, limit: int = 1000) -> int:
    """Puts events with run-out leases back in the queue, or to `error` when their attempts are used up;
    returns how many."""
    raise NotImplementedError


def waiting(c: Connection, *, limit: int) -> tuple[tuple[str, str], ...]:
    """(project id, event id) of events that could be claimed now, oldest first."""
    raise NotImplementedError


def queue(c: Connection, *, project_id: str | None = None) -> Queue:
    """What waits."""
    raise NotImplementedError


def cancel(c: Connection, project_id: str, filter: EventFilter, *, now: datetime) -> int:
    """Cancels the matching events that wait or are being evaluated; returns how many."""
    raise NotImplementedError


def requeue(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    event_ids: Sequence[str] | None = None,
    now: datetime,
    limit: int = 100_000,
) -> int:
    """Queues the matching events to be evaluated (again), whatever their status but `evaluating`; returns
    how many."""
    raise NotImplementedError
