"""The queue of documents on which judge and label disagree, some agreements drawn at random among them."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, literal, select, tuple_

from steelyard.schemas.query import (
    Disagreement,
    DisagreementKind,
    EventFilter,
    Page,
    Review,
    decode_cursor,
    encode_cursor,
)

from . import hydration
from .columns import BigInt, microseconds
from .filters import conditions
from .tables import comparisons, events, reviews

_AGREEMENT = str(DisagreementKind.AGREEMENT)


def page(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str,
    kind: DisagreementKind | None = None,
    reviewed: bool | None = False,
    agreements: bool = True,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Disagreement]:
    """Newest event first, documents by position. `reviewed` False: the open ones, True: those decided on that
    still stand, None: both. A disagreement whose label was amended is none any more; its review is kept."""
    wanted = _queue(c, project_id, filter, judge_id=judge_id)
    if kind is not None:
        wanted = wanted.where(comparisons.c.kind == str(kind))
    elif not agreements:
        wanted = wanted.where(comparisons.c.kind != _AGREEMENT)
    if reviewed is not None:
        wanted = wanted.where(comparisons.c.reviewed if reviewed else ~comparisons.c.reviewed)
    if cursor is not None:
        created, seq, position = decode_cursor(cursor, int, int, int)
        wanted = wanted.where(_after(created, seq, position))
    order = (comparisons.c.created_at.desc(), comparisons.c.event_seq.desc(), comparisons.c.position)
    rows = c.execute(wanted.order_by(*order).limit(limit + 1)).all()
    more = len(rows) > limit and limit > 0
    return Page(
        items=tuple(_whole(c, rows[:limit], judge_id=judge_id)),
        next_cursor=_cursor(rows[limit - 1]) if more else None,
    )


def export(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> Iterator[Disagreement]:
    """Every disagreement, reviewed or not, without drawn agreements; newest event first."""
    cursor = None
    while True:
        found = page(
            c,
            project_id,
            filter,
            judge_id=judge_id,
            reviewed=None,
            agreements=False,
            cursor=cursor,
            limit=200,
        )
        yield from found.items
        if found.next_cursor is None:
            return
        cursor = found.next_cursor


def _queue(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> Select[*tuple[Any, ...]]:
    wanted = conditions(c, project_id, filter)
    mine = (comparisons.c.project_id == project_id, comparisons.c.judge_id == judge_id)
    joined = select(comparisons).join(events, events.c.seq == comparisons.c.event_seq)
    return joined.where(*mine, *wanted)


def _after(created: int, seq: int, position: int) -> ColumnElement[bool]:
    place = tuple_(comparisons.c.created_at, comparisons.c.event_seq, types=(BigInt, BigInt))
    here = tuple_(literal(created, BigInt), literal(seq, BigInt))
    return (place < here) | ((place == here) & (comparisons.c.position > position))


def _whole(c: Connection, rows: Sequence[Any], *, judge_id: str) -> Iterator[Disagreement]:
    seqs = sorted({row.event_seq for row in rows})
    wanted = c.execute(select(events).where(events.c.seq.in_(seqs))).all() if seqs else []
    stored = dict(zip((row.seq for row in wanted), hydration.whole(c, wanted), strict=True))
    decided = _reviews(c, seqs, judge_id=judge_id)
    for row in rows:
        event = stored[row.event_seq]
        mine = [one for one in event.evaluations if one.evaluation.judge_id == judge_id]
        verdicts = {one.position: one for one in mine[0].evaluation.passages} if mine else {}
        verdict = verdicts.get(row.position)
        yield Disagreement(
            event_id=event.event.event_id,
            position=row.position,
            passage_id=row.passage_id,
            kind=DisagreementKind(row.kind),
            judge_id=judge_id,
            task=event.event.task,
            text=event.event.context[row.position].text,
            cited=row.cited,
            gold=row.gold,
            probability=verdict.probability if verdict else None,
            reason=verdict.reason if verdict else "",
            created_at=row.created_at,
            review=decided.get((row.event_seq, row.position)) if row.reviewed else None,
        )


def _reviews(c: Connection, seqs: Sequence[int], *, judge_id: str) -> dict[tuple[int, int], Review]:
    from .reviews import review_of

    standing = (
        select(reviews, events.c.event_id)
        .join(events, events.c.seq == reviews.c.event_seq)
        .where(and_(reviews.c.event_seq.in_(seqs), reviews.c.judge_id == judge_id, ~reviews.c.superseded))
    )
    return {(row.event_seq, row.position): review_of(row) for row in c.execute(standing)} if seqs else {}


def _cursor(row: Any) -> str:
    return encode_cursor(microseconds(row.created_at), row.event_seq, row.position)
