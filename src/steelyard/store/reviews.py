"""Reviews of disagreements: who was right, judge or label."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from steelyard.errors import InvalidInput, NotFound
from steelyard.retrieval.documents import Documents
from steelyard.schemas.query import (
    Decision,
    DisagreementKind,
    EventFilter,
    Review,
    ReviewedAccuracy,
    ReviewProgress,
)

from . import events, hydration, labels
from .figures import before_and_after
from .filters import conditions
from .ids import new_id
from .tables import comparisons
from .tables import events as event_rows
from .tables import reviews as table


def add(
    c: Connection,
    project_id: str,
    event_id: str,
    *,
    position: int,
    judge_id: str,
    decision: Decision,
    reason: str | None = None,
    reviewer: str,
    now: datetime,
) -> Review:
    """Decides on the document at `position`. `judge_right` on a disagreement amends the label by a new
    version in this transaction; deciding otherwise later takes that amendment back by another.

    Raises `NotFound` when there is nothing to review there, and `InvalidInput` for `judge_right` on a passage
    without an id (a label cannot name it).
    """
    row = events.row_of(c, project_id, event_id, lock=True)
    here = (table.c.event_seq == row.seq, table.c.judge_id == judge_id, table.c.position == position)
    before = c.execute(select(table).where(*here, ~table.c.superseded)).one_or_none()
    item = c.execute(
        select(comparisons).where(
            comparisons.c.event_seq == row.seq,
            comparisons.c.judge_id == judge_id,
            comparisons.c.position == position,
        )
    ).one_or_none()
    decided_on = before or item
    if decided_on is None:
        raise NotFound("there is no disagreement at this passage", field="/position")
    kind = DisagreementKind(decided_on.kind)
    c.execute(update(table).where(*here).values(superseded=True))
    review = Review(
        id=new_id(),
        event_id=event_id,
        judge_id=judge_id,
        position=position,
        kind=kind,
        decision=decision,
        reason=reason,
        reviewer=reviewer,
        created_at=now,
    )
    values = review.model_dump(mode="json", exclude={"event_id", "created_at"})
    c.execute(
        table.insert().values(
            **values, created_at=now, event_seq=row.seq, project_id=project_id, superseded=False
        )
    )
    _amend(c, project_id, row, review, now=now)
    c.execute(
        update(comparisons)
        .where(
            comparisons.c.event_seq == row.seq,
            comparisons.c.judge_id == judge_id,
            comparisons.c.position == position,
        )
        .values(reviewed=True)
    )
    return review


def progress(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> ReviewProgress:
    """How far the queue is."""
    wanted = conditions(c, project_id, filter)
    standing = (
        select(comparisons.c.kind, func.count())
        .join(event_rows, event_rows.c.seq == comparisons.c.event_seq)
        .where(*wanted, comparisons.c.judge_id == judge_id, ~comparisons.c.reviewed)
        .group_by(comparisons.c.kind)
    )
    open_items = dict(tuple(row) for row in c.execute(standing))
    decided = (
        select(table.c.kind, table.c.decision, func.count())
        .join(event_rows, event_rows.c.seq == table.c.event_seq)
        .where(*wanted, table.c.judge_id == judge_id, ~table.c.superseded)
        .group_by(table.c.kind, table.c.decision)
    )
    agreement = str(DisagreementKind.AGREEMENT)
    by_decision = dict.fromkeys(map(str, Decision), 0)
    agreements_reviewed = 0
    for kind, decision, n in c.execute(decided):
        if kind == agreement:
            agreements_reviewed += n
        else:
            by_decision[decision] += n
    reviewed = sum(by_decision.values())
    return ReviewProgress(
        disagreements=reviewed + sum(n for kind, n in open_items.items() if kind != agreement),
        reviewed=reviewed,
        agreements=agreements_reviewed + open_items.get(agreement, 0),
        agreements_reviewed=agreements_reviewed,
        **by_decision,
    )


def accuracy(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> ReviewedAccuracy:
    """Evaluator accuracy with the labels as first given, and as amended, over the latest matching events."""
    original, amended = before_and_after(c, project_id, filter, judge_id=judge_id)
    done = progress(c, project_id, filter, judge_id=judge_id)
    return ReviewedAccuracy(original=original, amended=amended, progress=done)


def export(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None = None
) -> Iterator[Review]:
    """Every review that stands, oldest first."""
    wanted = (
        select(table, event_rows.c.event_id)
        .join(event_rows, event_rows.c.seq == table.c.event_seq)
        .where(*conditions(c, project_id, filter), ~table.c.superseded)
        .order_by(table.c.id)
        .limit(500)
    )
    if judge_id is not None:
        wanted = wanted.where(table.c.judge_id == judge_id)
    rows = c.execute(wanted).all()
    while rows:
        yield from map(review_of, rows)
        rows = c.execute(wanted.where(table.c.id > rows[-1].id)).all()


def review_of(row: Any) -> Review:
    """A row of `reviews` with its event's id."""
    return Review(**{name: getattr(row, name) for name in Review.model_fields})


def _amend(c: Connection, project_id: str, row: Any, review: Review, *, now: datetime) -> None:
    """Brings the label in line with the decision on one document: as the judge has it, or as it was first."""
    stored = hydration.whole(c, [row])[0]
    key = Documents.of(stored.event).keys[review.position]
    gold = stored.gold
    if gold is None or review.kind is DisagreementKind.AGREEMENT:
        return
    judge_says = review.kind is DisagreementKind.FALSE_CITATION
    wanted = judge_says if review.decision is Decision.JUDGE_RIGHT else not judge_says
    if wanted == (key in gold):
        return
    if not isinstance(key, str):
        raise InvalidInput(
            "a label cannot name this passage, for it has no id",
            field="/position",
            hint="Decide that the label is right or that it is unclear, or log passages with ids.",
        )
    labels.add(
        c,
        project_id,
        review.event_id,
        gold_doc_ids=(*gold, key) if wanted else tuple(one for one in gold if one != key),
        answer=stored.label.answer if stored.label else None,
        author=review.reviewer or "",
        reason=review.reason,
        origin="review",
        now=now,
    )
