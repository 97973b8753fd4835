"""What an evaluation and a label bring about: scores, the queue of disagreements, the event's standing."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, delete, select, tuple_, update

from steelyard.retrieval.disagreements import compare
from steelyard.retrieval.scores import Scores, flagged, score
from steelyard.schemas.event import Event, Status
from steelyard.schemas.query import DisagreementKind
from steelyard.schemas.result import Evaluation

from . import rollups
from .tables import comparisons, evaluations, events, reviews
from .upsert import insert

AGREEMENTS_DRAWN = 0.05
"""The share of agreements that is put into the review queue."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """An evaluation of a stored event, whose gold ids now are `gold` (None: unlabelled)."""

    seq: int
    project_id: str
    event: Event
    gold: Sequence[str] | None
    evaluation: Evaluation


def record(c: Connection, outcomes: Sequence[Outcome], *, now: datetime) -> None:
    """Stores evaluations and makes each the current one of its judge and the one its event stands by.

    There is one evaluation an event, judge identity and requirements version: the first one scored stays,
    and only an unscored one is replaced.
    """
    if not outcomes:
        return
    scored = [score(o.event, gold=o.gold, evaluation=o.evaluation) for o in outcomes]
    rows = [_row(outcome, scores) for outcome, scores in zip(outcomes, scored, strict=True)]
    new = insert(c, evaluations)
    replaced = {name: new.excluded[name] for name in rows[0] if name not in _KEY}
    c.execute(
        update(evaluations)
        .where(
            tuple_(evaluations.c.event_seq, evaluations.c.judge_id).in_(
                [(outcome.seq, outcome.evaluation.judge_id) for outcome in outcomes]
            )
        )
        .values(current=False)
    )
    c.execute(
        new.on_conflict_do_update(
            index_elements=_KEY, set_=replaced, where=evaluations.c.unscored.is_not(None)
        ),
        rows,
    )
    key = tuple_(*(evaluations.c[name] for name in _KEY))
    stored = key.in_([tuple(row[name] for name in _KEY) for row in rows])
    c.execute(update(evaluations).where(stored).values(current=True))
    c.execute(
        update(events)
        .where(events.c.seq == bindparam("event"))
        .values(
            status=bindparam("standing"),
            reason=bindparam("why"),
            judge_id=bindparam("judge"),
            flagged=bindparam("flag"),
            owner=None,
            lease=None,
            deadline=None,
            lease_us=None,
        ),
        [_standing(outcome, scores) for outcome, scores in zip(outcomes, scored, strict=True)],
    )
    compared(c, outcomes)
    for project_id in {outcome.project_id for outcome in outcomes}:
        mine = [outcome.event.created_at for outcome in outcomes if outcome.project_id == project_id]
        rollups.mark(c, project_id, mine, now=now)


def rescored(c: Connection, outcomes: Sequence[Outcome]) -> None:
    """Computes stored evaluations' scores anew against gold that has changed."""
    for outcome in outcomes:
        scores = score(outcome.event, gold=outcome.gold, evaluation=outcome.evaluation)
        c.execute(
            update(evaluations)
            .where(
                evaluations.c.event_seq == outcome.seq,
                evaluations.c.judge_id == outcome.evaluation.judge_id,
                evaluations.c.requirements_version == outcome.evaluation.requirements_version,
            )
            .values(scores=_numbers(scores), evaluator=_metrics(scores))
        )


def compared(c: Connection, outcomes: Sequence[Outcome]) -> None:
    """Puts the documents on which judge and label now disagree into the review queue, and takes out the
    others."""
    pairs = [(outcome.seq, outcome.evaluation.judge_id) for outcome in outcomes]
    c.execute(delete(comparisons).where(tuple_(comparisons.c.event_seq, comparisons.c.judge_id).in_(pairs)))
    rows = [row for outcome in outcomes for row in _compared(outcome)]
    if not rows:
        return
    standing = select(reviews.c.event_seq, reviews.c.judge_id, reviews.c.position).where(
        tuple_(reviews.c.event_seq, reviews.c.judge_id).in_(pairs), ~reviews.c.superseded
    )
    seen = {tuple(row) for row in c.execute(standing)}
    for row in rows:
        row["reviewed"] = (row["event_seq"], row["judge_id"], row["position"]) in seen
    c.execute(comparisons.insert(), rows)


_KEY = ["event_seq", "judge_id", "requirements_version"]


def _row(outcome: Outcome, scores: Scores) -> dict[str, Any]:
    evaluation = outcome.evaluation
    return {
        "event_seq": outcome.seq,
        "judge_id": evaluation.judge_id,
        "requirements_version": evaluation.requirements_version,
        "project_id": outcome.project_id,
        "current": True,
        "evaluated_at": evaluation.evaluated_at,
        "unscored": None if evaluation.unscored is None else str(evaluation.unscored.reason),
        "estimated": evaluation.estimated,
        "scores": _numbers(scores),
        "evaluator": _metrics(scores),
        "latency_s": evaluation.usage.latency_s,
        "calls": evaluation.usage.calls,
        "cached_calls": evaluation.usage.cached_calls,
        "cost_usd": evaluation.usage.cost_usd,
        "body": evaluation.model_dump_json(exclude_defaults=True),
    }


def _standing(outcome: Outcome, scores: Scores) -> dict[str, Any]:
    unscored = outcome.evaluation.unscored
    return {
        "event": outcome.seq,
        "standing": str(Status.EVALUATED if unscored is None else Status.UNSCORED),
        "why": None if unscored is None else f"{unscored.reason}: {unscored.detail}",
        "judge": outcome.evaluation.judge_id,
        "flag": flagged(scores),
    }


def _compared(outcome: Outcome) -> list[dict[str, Any]]:
    found = compare(outcome.event, outcome.evaluation, gold=outcome.gold)
    return [
        {
            "event_seq": outcome.seq,
            "judge_id": outcome.evaluation.judge_id,
            "position": one.position,
            "project_id": outcome.project_id,
            "created_at": outcome.event.created_at,
            "kind": str(one.kind),
            "passage_id": one.passage_id,
            "cited": one.cited,
            "gold": one.gold,
        }
        for one in found
        if one.kind is not DisagreementKind.AGREEMENT or _drawn(outcome, one.position)
    ]


def _drawn(outcome: Outcome, position: int) -> bool:
    """By hash, so that the draw is the same however often it is made."""
    text = f"{outcome.event.event_id}\n{outcome.evaluation.judge_id}\n{position}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64 < AGREEMENTS_DRAWN


def _numbers(scores: Scores) -> str:
    return orjson.dumps(scores.row).decode()


def _metrics(scores: Scores) -> str | None:
    return None if scores.evaluator is None else scores.evaluator.model_dump_json()
