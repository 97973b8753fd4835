"""The hot path: a batch of events into the tables, in as few statements as there can be."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Connection, func, select

from steelyard.retrieval.metrics import gold_of
from steelyard.retrieval.scores import gold_row
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import ErrorBody, Event, Receipt
from steelyard.schemas.sampling import sampled

from . import bodies, rollups
from .bulk import insert_rows
from .columns import microseconds
from .tables import event_bodies, event_seq, events, labels

_CONFLICT = ErrorBody(
    code="conflict",
    message="there is an event with this id and another body",
    field="/event_id",
    hint="Send a new event under a new id.",
)

_COLUMNS = (
    "seq",
    "project_id",
    "event_id",
    "task",
    "task_key",
    "subquery_key",
    "passages",
    "trace_id",
    "created_at",
    "received_at",
    "status",
    "attempts",
    "label_version",
    "labelled",
    "flagged",
    "scores",
    "env",
    "dataset",
    "feature_flag",
    "user_key",
)
_LABEL_COLUMNS = ("event_seq", "version", "gold", "answer", "origin", "created_at")
_PROMOTED = (("env",), ("dataset",), ("feature_flag",), ("user", "user_id"))


def insert(c: Connection, project_id: str, batch: Sequence[Event], *, now: datetime) -> tuple[Receipt, ...]:
    """See `events.insert`."""
    first: dict[str, int] = {}
    for index, event in enumerate(batch):
        first.setdefault(event.event_id, index)
    dumped = [bodies.dump(event) for event in batch]
    fresh = [batch[index] for index in first.values()]
    seqs = _allocate(c, len(fresh))
    rows = [_row(project_id, event, seq=seq, now=now) for event, seq in zip(fresh, seqs, strict=True)]
    there: dict[str, Any] = {}
    if insert_rows(c, events, _COLUMNS, rows, new_only=True) != len(rows):
        there = _there(c, project_id, fresh)
    stored = [(seq, event) for seq, event in zip(seqs, fresh, strict=True) if event.event_id not in there]
    texts = [(seq, *dumped[first[event.event_id]]) for seq, event in stored]
    insert_rows(c, event_bodies, ("seq", "metadata", "body"), texts)
    given = [_label(event, seq=seq, now=now) for seq, event in stored if _has_label(event)]
    insert_rows(c, labels, _LABEL_COLUMNS, given)
    rollups.mark(c, project_id, [event.created_at for _, event in stored], now=now)
    return tuple(
        _receipt(index, batch, dumped, first=first[event.event_id], row=there.get(event.event_id), now=now)
        for index, event in enumerate(batch)
    )


def _allocate(c: Connection, n: int) -> list[int]:
    """The next `n` sequence numbers, ascending; SQLite has but one writer and needs no sequence."""
    if c.dialect.name == "postgresql":
        take = select(event_seq.next_value()).select_from(func.generate_series(1, n))
        return [int(seq) for seq in c.execute(take).scalars()]
    last = c.execute(select(func.max(events.c.seq))).scalar() or 0
    return list(range(last + 1, last + 1 + n))


def _row(project_id: str, event: Event, *, seq: int, now: datetime) -> tuple[object, ...]:
    """In the order of `_COLUMNS`."""
    gold = gold_of(event)
    chosen = sampled(event.sample_rate, trace_id=event.trace_id, event_id=event.event_id)
    metadata = event.metadata
    return (
        seq,
        int(project_id),
        event.event_id,
        event.task,
        task_key(event.task),
        None if event.subquery is None else task_key(event.subquery),
        len(event.context),
        event.trace_id,
        microseconds(event.created_at),
        microseconds(now),
        "queued" if chosen else "not_sampled",
        0,
        int(_has_label(event)),
        gold is not None,
        False,
        None if gold is None else orjson.dumps(gold_row(event, gold=gold)).decode(),
        *(bodies.promoted(metadata, *names) if metadata else None for names in _PROMOTED),
    )


def _has_label(event: Event) -> bool:
    truth = event.ground_truth
    return truth is not None and (truth.gold_doc_ids is not None or truth.answer is not None)


def _label(event: Event, *, seq: int, now: datetime) -> tuple[object, ...]:
    """In the order of `_LABEL_COLUMNS`."""
    gold = gold_of(event)
    answer = event.ground_truth.answer if event.ground_truth else None
    return (
        seq,
        1,
        None if gold is None else orjson.dumps(gold).decode(),
        None if answer is None else orjson.dumps(answer).decode(),
        "logged",
        microseconds(now),
    )


def _there(c: Connection, project_id: str, fresh: Sequence[Event]) -> dict[str, Any]:
    """The rows that were there before, by event id: those inserted just now have no body yet."""
    e = events.c
    found = (
        select(e.event_id, e.created_at, e.received_at, event_bodies.c.metadata, event_bodies.c.body)
        .join(event_bodies, event_bodies.c.seq == e.seq)
        .where(e.project_id == project_id, e.event_id.in_([event.event_id for event in fresh]))
    )
    return {row.event_id: row for row in c.execute(found)}


def _receipt(
    index: int,
    batch: Sequence[Event],
    dumped: Sequence[tuple[str | None, str]],
    *,
    first: int,
    row: Any,
    now: datetime,
) -> Receipt:
    event = batch[index]
    if row is None and index == first:
        return Receipt(index=index, event_id=event.event_id, outcome="accepted")
    if row is None:
        same = bodies.same(dumped[first], dumped[index]) and event.created_at == batch[first].created_at
    else:
        # An event that was given its time on arrival is the same when it arrives again.
        timeless = row.created_at == row.received_at and event.created_at == now
        same = bodies.same((row.metadata, row.body), dumped[index]) and (
            timeless or row.created_at == event.created_at
        )
    if same:
        return Receipt(index=index, event_id=event.event_id, outcome="duplicate")
    return Receipt(index=index, event_id=event.event_id, outcome="rejected", error=_CONFLICT)
