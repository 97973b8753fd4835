"""Gold labels: amended by a new version, never overwritten; every metric against gold follows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import orjson
from sqlalchemy import Connection, delete, select, update

from steelyard.retrieval.scores import score
from steelyard.schemas.query import Label, StoredEvent

from . import events, hydration, rollups
from .outcomes import Outcome, compared, rescored
from .tables import comparisons
from .tables import events as event_rows
from .tables import labels as table


def add(
    c: Connection,
    project_id: str,
    event_id: str,
    *,
    gold_doc_ids: Sequence[str] | None,
    answer: str | None = None,
    author: str,
    reason: str | None = None,
    origin: Literal["added", "review"] = "added",
    now: datetime,
) -> Label:
    """Amends the event's label and computes its ground-truth and evaluator metrics anew from the stored
    citations.

    Duplicates are removed; `gold_doc_ids` None takes the retrieval label back. Raises `NotFound`.
    """
    row = events.row_of(c, project_id, event_id, lock=True)
    gold = None if gold_doc_ids is None else tuple(dict.fromkeys(gold_doc_ids))
    version = row.label_version + 1
    c.execute(
        table.insert().values(
            event_seq=row.seq,
            version=version,
            gold=None if gold is None else orjson.dumps(gold).decode(),
            answer=None if answer is None else orjson.dumps(answer).decode(),
            origin=origin,
            author=author,
            reason=reason,
            created_at=now,
        )
    )
    stored = hydration.whole(c, [row])[0]
    c.execute(
        update(event_rows)
        .where(event_rows.c.seq == row.seq)
        .values(
            label_version=version,
            labelled=gold is not None,
            scores=None if gold is None else orjson.dumps(score(stored.event, gold=gold).row).decode(),
        )
    )
    _follow(c, project_id, row.seq, stored, gold=gold)
    rollups.mark(c, project_id, [stored.event.created_at], now=now)
    amended = select(table).where(table.c.event_seq == row.seq, table.c.version == version)
    return hydration.label(c.execute(amended).one(), event_id=event_id)


def current(c: Connection, project_id: str, event_id: str) -> Label | None:
    """Raises `NotFound` for an unknown event."""
    versions = history(c, project_id, event_id)
    return versions[0] if versions else None


def history(c: Connection, project_id: str, event_id: str) -> tuple[Label, ...]:
    """All versions, newest first. Raises `NotFound` for an unknown event."""
    row = events.row_of(c, project_id, event_id)
    versions = select(table).where(table.c.event_seq == row.seq).order_by(table.c.version.desc())
    return tuple(hydration.label(one, event_id=event_id) for one in c.execute(versions))


def _follow(
    c: Connection, project_id: str, seq: int, stored: StoredEvent, *, gold: Sequence[str] | None
) -> None:
    """Every evaluation gets its accuracy against the new label; the latest of each judge is compared anew."""
    outcomes = [
        Outcome(seq=seq, project_id=project_id, event=stored.event, gold=gold, evaluation=one.evaluation)
        for one in stored.evaluations
    ]
    rescored(c, outcomes)
    c.execute(delete(comparisons).where(comparisons.c.event_seq == seq))
    newest: dict[str, Outcome] = {}
    for outcome in outcomes:
        newest.setdefault(outcome.evaluation.judge_id, outcome)
    compared(c, list(newest.values()))
