"""Evaluations: one a judge identity and requirements version, never overwritten."""

from datetime import datetime

from sqlalchemy import Connection, select

from steelyard.schemas.query import StoredEvaluation
from steelyard.schemas.result import Evaluation

from . import events, hydration, judges
from .outcomes import Outcome, record
from .tables import evaluations as table


def add(c: Connection, project_id: str, evaluation: Evaluation, *, now: datetime) -> bool:
    """Stores an evaluation made elsewhere and makes it the event's current one; False when there is one
    already.

    Raises `NotFound` for an unknown event or judge.
    """
    row = events.row_of(c, project_id, evaluation.event_id, lock=True)
    judges.get(c, evaluation.judge_id)
    there = select(table.c.event_seq).where(
        table.c.event_seq == row.seq,
        table.c.judge_id == evaluation.judge_id,
        table.c.requirements_version == evaluation.requirements_version,
        table.c.unscored.is_(None),
    )
    if c.execute(there).first() is not None:
        return False
    stored = hydration.whole(c, [row])[0]
    outcome = Outcome(
        seq=row.seq, project_id=project_id, event=stored.event, gold=stored.gold, evaluation=evaluation
    )
    record(c, [outcome], now=now)
    return True


def of_event(c: Connection, project_id: str, event_id: str) -> tuple[StoredEvaluation, ...]:
    """Newest first."""
    return events.get(c, project_id, event_id).evaluations
