"""Rows made into what people ask for: lines of a list, and whole events with all that is known of them."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, and_, select

from steelyard.retrieval.documents import Documents
from steelyard.retrieval.metrics import ground_truth
from steelyard.retrieval.scores import NAMES
from steelyard.schemas.event import Status
from steelyard.schemas.query import EventRow, Label, StoredEvaluation, StoredEvent
from steelyard.schemas.result import Evaluation, EvaluatorMetrics

from . import bodies
from .tables import evaluations, event_bodies, events, labels

_SHOWN = (
    "recall",
    "precision",
    "f1",
    "ndcg",
    "gt_recall",
    "gt_precision",
    "gt_f1",
    "evaluator_precision",
    "evaluator_recall",
    "evaluator_f1",
    "exact_match",
)
_PLACES = {name: NAMES.index(name) for name in _SHOWN}


def listed(c: Connection, rows: Sequence[Any]) -> tuple[EventRow, ...]:
    """Lines of a list from rows of `events`, in their order."""
    e = evaluations.c
    wanted = [row.seq for row in rows if row.judge_id is not None]
    judged = select(e.event_seq, e.judge_id, e.estimated, e.scores, e.latency_s).where(
        e.event_seq.in_(wanted), e.current
    )
    found = {(one.event_seq, one.judge_id): one for one in c.execute(judged)} if wanted else {}
    return tuple(_line(row, found.get((row.seq, row.judge_id))) for row in rows)


def whole(c: Connection, rows: Sequence[Any]) -> tuple[StoredEvent, ...]:
    """Whole events from rows of `events`, in their order."""
    seqs = [row.seq for row in rows]
    if not seqs:
        return ()
    texts = {row.seq: row for row in c.execute(select(event_bodies).where(event_bodies.c.seq.in_(seqs)))}
    current = (
        select(labels)
        .join(events, and_(events.c.seq == labels.c.event_seq, events.c.label_version == labels.c.version))
        .where(labels.c.event_seq.in_(seqs))
    )
    gold = {row.event_seq: row for row in c.execute(current)}
    judged: dict[int, list[Any]] = {}
    e = evaluations.c
    for row in c.execute(
        select(evaluations)
        .where(e.event_seq.in_(seqs))
        .order_by(e.evaluated_at.desc(), e.requirements_version.desc())
    ):
        judged.setdefault(row.event_seq, []).append(row)
    return tuple(_event(row, texts[row.seq], gold.get(row.seq), judged.get(row.seq, [])) for row in rows)


def label(row: Any, *, event_id: str) -> Label:
    """A row of `labels`."""
    return Label(
        event_id=event_id,
        version=row.version,
        gold_doc_ids=None if row.gold is None else tuple(orjson.loads(row.gold)),
        answer=None if row.answer is None else orjson.loads(row.answer),
        origin=row.origin,
        author=row.author,
        reason=row.reason,
        created_at=row.created_at,
    )


def evaluation(row: Any, *, judge_id: str | None) -> StoredEvaluation:
    """A row of `evaluations`; `judge_id` is the judge that the event stands by."""
    return StoredEvaluation(
        evaluation=Evaluation.model_validate_json(row.body),
        evaluator=None if row.evaluator is None else EvaluatorMetrics.model_validate_json(row.evaluator),
        current=row.current and row.judge_id == judge_id,
    )


def _line(row: Any, judged: Any) -> EventRow:
    text = (judged.scores if judged is not None else None) or row.scores
    numbers = orjson.loads(text) if text else None
    return EventRow(
        event_id=row.event_id,
        task=row.task,
        status=Status(row.status),
        reason=row.reason,
        passages=row.passages,
        env=row.env,
        dataset=row.dataset,
        feature_flag=row.feature_flag,
        trace_id=row.trace_id,
        created_at=row.created_at,
        labelled=row.labelled,
        flagged=row.flagged,
        judge_id=row.judge_id,
        estimated=judged is not None and judged.estimated,
        latency_s=None if judged is None else judged.latency_s,
        **({} if numbers is None else {name: numbers[place] for name, place in _PLACES.items()}),
    )


def _event(row: Any, text: Any, gold: Any, judged: Iterable[Any]) -> StoredEvent:
    event = bodies.load(
        event_id=row.event_id, created_at=row.created_at, metadata=text.metadata, body=text.body
    )
    current = None if gold is None else label(gold, event_id=row.event_id)
    truth = None
    if current is not None and current.gold_doc_ids is not None:
        truth = ground_truth(Documents.of(event), current.gold_doc_ids)
    return StoredEvent(
        event=event,
        status=Status(row.status),
        reason=row.reason,
        received_at=row.received_at,
        attempts=row.attempts,
        label=current,
        ground_truth=truth,
        evaluations=tuple(evaluation(one, judge_id=row.judge_id) for one in judged),
    )
