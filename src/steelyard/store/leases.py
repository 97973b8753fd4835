"""Who may evaluate an event now: the truth is the event's own row (status, owner, deadline, attempts), never
a queue."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, text, update

from steelyard.errors import NotFound
from steelyard.schemas.event import Status
from steelyard.schemas.query import ClaimedEvent, EventFilter, Finished, Queue

from . import bodies, rollups
from .clock import now_us
from .columns import microseconds, moment
from .filters import conditions
from .ids import new_id
from .outcomes import Outcome, record
from .tables import event_bodies, events, judges, labels

_WAITING = text("events.status IN ('queued', 'evaluating')")
_GONE = {"owner": None, "lease": None, "deadline": None, "lease_us": None}
_SECOND = 1_000_000


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
    now = now_us(c)
    free = _free(now).limit(limit).with_for_update(skip_locked=True, of=events)
    if project_id is not None:
        free = free.where(events.c.project_id == project_id)
    if event_ids is not None:
        free = free.where(events.c.event_id.in_(event_ids))
    rows = c.execute(free).all()
    _give_up(c, [row for row in rows if row.attempts >= max_attempts], now=now)
    seqs = [row.seq for row in rows if row.attempts < max_attempts]
    if not seqs:
        return ()
    token = new_id()
    length = round(lease_s * _SECOND)
    c.execute(
        update(events)
        .where(events.c.seq.in_(seqs))
        .values(
            status=str(Status.EVALUATING),
            reason=None,
            owner=owner,
            lease=token,
            deadline=now + length,
            lease_us=length,
            attempts=events.c.attempts + 1,
        )
    )
    return tuple(_claimed(row, token) for row in c.execute(_whole(seqs)))


def extend(c: Connection, claims: Sequence[ClaimedEvent], *, lease_s: float) -> tuple[bool, ...]:
    """Prolongs leases still held; False for one that was lost."""
    length = round(lease_s * _SECOND)
    until = now_us(c) + length
    held = [
        c.execute(update(events).where(_held(claim)).values(deadline=until, lease_us=length)).rowcount
        for claim in _in_order(claims)
    ]
    by_lease = {claim.lease: count == 1 for claim, count in zip(_in_order(claims), held, strict=True)}
    return tuple(by_lease[claim.lease] for claim in claims)


def finish(c: Connection, finished: Sequence[Finished], *, now: datetime) -> tuple[bool, ...]:
    """Writes evaluations with their accuracy against the current labels and sets the status, all in this
    transaction.

    False, and nothing written, for one whose lease is no longer held. The judge must be registered
    (`judges.register`); raises `NotFound` when it is not.
    """
    _known_judges(c, finished)
    standing = _still_held(c, [one.claim for one in finished])
    record(
        c,
        [
            Outcome(
                seq=standing[one.claim.lease].seq,
                project_id=one.claim.project_id,
                event=one.claim.event,
                gold=_gold(standing[one.claim.lease]),
                evaluation=one.evaluation,
            )
            for one in finished
            if one.claim.lease in standing
        ],
        now=now,
    )
    return tuple(one.claim.lease in standing for one in finished)


def fail(c: Connection, claim: ClaimedEvent, *, reason: str, now: datetime) -> bool:
    """Sets the status `error` with a reason (one sentence, no secrets); False when the lease is no longer
    held."""
    failed = update(events).where(_held(claim)).values(status=str(Status.ERROR), reason=reason, **_GONE)
    if c.execute(failed).rowcount != 1:
        return False
    rollups.mark(c, claim.project_id, [claim.event.created_at], now=now)
    return True


def release(c: Connection, claims: Sequence[ClaimedEvent], *, delay_s: float = 0.0) -> int:
    """Gives events back unevaluated, to be claimed again after `delay_s`, without using an attempt up;
    returns how many were still held."""
    length = round(delay_s * _SECOND)
    later: dict[str, Any] = {"deadline": now_us(c) + length, "lease_us": length} if length else {}
    back = _GONE | later | {"status": str(Status.QUEUED), "attempts": events.c.attempts - 1}
    return sum(
        c.execute(update(events).where(_held(claim)).values(**back)).rowcount for claim in _in_order(claims)
    )


def release_owner(c: Connection, *, owner_prefix: str) -> int:
    """Gives back everything leased to owners whose name begins so (a process that is known to be dead)."""
    mine = events.c.owner.startswith(owner_prefix, autoescape=True)
    back = update(events).where(_WAITING, events.c.status == str(Status.EVALUATING), mine)
    return c.execute(back.values(status=str(Status.QUEUED), attempts=events.c.attempts - 1, **_GONE)).rowcount


def sweep(c: Connection, *, max_attempts: int, limit: int = 1000) -> int:
    """Puts events with run-out leases back in the queue, or to `error` when their attempts are used up;
    returns how many."""
    now = now_us(c)
    expired = _free(now).where(events.c.status == str(Status.EVALUATING)).limit(limit)
    rows = c.execute(expired.with_for_update(skip_locked=True, of=events)).all()
    _give_up(c, [row for row in rows if row.attempts >= max_attempts], now=now)
    again = [row.seq for row in rows if row.attempts < max_attempts]
    if again:
        back = update(events).where(events.c.seq.in_(again))
        c.execute(back.values(status=str(Status.QUEUED), **_GONE))
    return len(rows)


def waiting(c: Connection, *, limit: int) -> tuple[tuple[str, str], ...]:
    """(project id, event id) of events that could be claimed now, oldest first."""
    rows = c.execute(_free(now_us(c)).limit(limit))
    return tuple((row.project_id, row.event_id) for row in rows)


def queue(c: Connection, *, project_id: str | None = None) -> Queue:
    """What waits."""
    counts = select(events.c.status, func.count(), func.min(events.c.received_at)).where(_WAITING)
    if project_id is not None:
        counts = counts.where(events.c.project_id == project_id)
    found = {status: (n, oldest) for status, n, oldest in c.execute(counts.group_by(events.c.status))}
    queued, oldest = found.get(str(Status.QUEUED), (0, None))
    age = None
    if oldest is not None:
        age = max(0.0, (now_us(c) - microseconds(oldest)) / _SECOND)
    evaluating, _ = found.get(str(Status.EVALUATING), (0, None))
    return Queue(queued=queued, evaluating=evaluating, oldest_age_s=age)


def cancel(c: Connection, project_id: str, filter: EventFilter, *, now: datetime) -> int:
    """Cancels the matching events that wait or are being evaluated; returns how many."""
    wanted = select(events.c.seq, events.c.created_at).where(_WAITING, *conditions(c, project_id, filter))
    return _set(c, project_id, wanted, {"status": str(Status.CANCELLED), "reason": None, **_GONE}, now=now)


def requeue(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    event_ids: Sequence[str] | None = None,
    now: datetime,
    limit: int = 100_000,
) -> int:
    """Queues the matching events to be evaluated (again), whatever their status but `evaluating`; returns how
    many."""
    wanted = select(events.c.seq, events.c.created_at).where(*conditions(c, project_id, filter))
    wanted = wanted.where(events.c.status.not_in([str(Status.EVALUATING), str(Status.QUEUED)])).limit(limit)
    if event_ids is not None:
        wanted = wanted.where(events.c.event_id.in_(event_ids))
    anew = {"status": str(Status.QUEUED), "reason": None, "attempts": 0, **_GONE}
    return _set(c, project_id, wanted, anew, now=now)


def lease_seq(claim: ClaimedEvent) -> int:
    """The event's place in the store, which its lease carries."""
    return int(claim.lease.partition(":")[0])


def _free(now: int) -> Select[*tuple[Any, ...]]:
    """Events that could be claimed at `now`, oldest first.

    A lease that begins more than its own length after `now` betrays a clock that was set back. One that
    begins a little later is a fresh one: whoever took it looked at the clock after us.
    """
    e = events.c
    over = or_(e.deadline.is_(None), e.deadline <= now, e.deadline - 2 * e.lease_us > now + _SECOND)
    wanted = select(e.seq, e.project_id, e.event_id, e.created_at, e.attempts)
    found: Select[*tuple[Any, ...]] = wanted.where(_WAITING, over).order_by(e.created_at, e.seq)
    return found


def _whole(seqs: Sequence[int]) -> Select[*tuple[Any, ...]]:
    e = events.c
    return (
        select(events, event_bodies.c.metadata, event_bodies.c.body, labels.c.gold)
        .join(event_bodies, event_bodies.c.seq == e.seq)
        .outerjoin(labels, and_(labels.c.event_seq == e.seq, labels.c.version == e.label_version))
        .where(e.seq.in_(seqs))
        .order_by(e.created_at, e.seq)
    )


def _claimed(row: Any, token: str) -> ClaimedEvent:
    event = bodies.load(
        event_id=row.event_id, created_at=row.created_at, metadata=row.metadata, body=row.body
    )
    return ClaimedEvent(
        project_id=row.project_id,
        event=event,
        gold=_gold(row),
        lease=f"{row.seq}:{token}",
        attempts=row.attempts,
    )


def _gold(row: Any) -> tuple[str, ...] | None:
    return None if row.gold is None else tuple(orjson.loads(row.gold))


def _held(claim: ClaimedEvent) -> ColumnElement[bool]:
    seq, _, token = claim.lease.partition(":")
    return and_(events.c.seq == int(seq), events.c.lease == token)


def _in_order(claims: Sequence[ClaimedEvent]) -> list[ClaimedEvent]:
    """Always the same order, so that no two writers wait for each other in a circle."""
    return sorted(claims, key=lease_seq)


def _still_held(c: Connection, claims: Sequence[ClaimedEvent]) -> dict[str, Any]:
    """By lease: the event's number and its gold now; the rows stay locked until the commit."""
    tokens = {lease_seq(claim): claim.lease.partition(":")[2] for claim in claims}
    e = events.c
    there = (
        select(e.seq, e.lease, e.label_version)
        .where(e.seq.in_(list(tokens)))
        .order_by(e.seq)
        .with_for_update(of=events)
    )
    held = [row.seq for row in c.execute(there) if row.lease == tokens[row.seq]]
    with_gold = (
        select(e.seq, labels.c.gold)
        .outerjoin(labels, and_(labels.c.event_seq == e.seq, labels.c.version == e.label_version))
        .where(e.seq.in_(held))
    )
    return {f"{row.seq}:{tokens[row.seq]}": row for row in c.execute(with_gold)} if held else {}


def _known_judges(c: Connection, finished: Sequence[Finished]) -> None:
    wanted = {one.evaluation.judge_id for one in finished}
    known = set(c.execute(select(judges.c.judge_id).where(judges.c.judge_id.in_(wanted))).scalars())
    for judge_id in sorted(wanted - known):
        raise NotFound(f"the judge {judge_id!r} is not registered", hint="Call judges.register first.")


def _give_up(c: Connection, rows: Sequence[Any], *, now: int) -> None:
    for row in rows:
        reason = f"evaluation was interrupted {row.attempts} times and is not tried again"
        c.execute(
            update(events)
            .where(events.c.seq == row.seq)
            .values(status=str(Status.ERROR), reason=reason, **_GONE)
        )
        rollups.mark(c, row.project_id, [row.created_at], now=moment(now))


def _set(
    c: Connection, project_id: str, wanted: Select[*tuple[Any, ...]], values: dict[str, Any], *, now: datetime
) -> int:
    rows = c.execute(wanted.order_by(events.c.seq).with_for_update(of=events)).all()
    for start in range(0, len(rows), 500):
        part = [row.seq for row in rows[start : start + 500]]
        c.execute(update(events).where(events.c.seq.in_(part)).values(**values))
    rollups.mark(c, project_id, [row.created_at for row in rows], now=now)
    return len(rows)
