"""The queue of documents on which judge and label disagree, some agreements drawn at random among them."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, literal, select, tuple_

from steelyard.retrieval.disagreements import compare
from steelyard.retrieval.documents import Documents
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
    """Newest event first, documents by position. `reviewed` False: the open ones, True: those decided on,
    None: both. Where the judge was right the label was amended, so that the two agree now: such an item keeps
    the kind it was decided on as."""
    after = None if cursor is None else decode_cursor(cursor, int, int, int)
    wanted = conditions(c, project_id, filter)
    rows: list[Any] = []
    for table, state in ((comparisons, ~comparisons.c.reviewed), (reviews, ~reviews.c.superseded)):
        if reviewed is (table is comparisons):
            continue
        mine = [table.c.project_id == project_id, table.c.judge_id == judge_id, state, *wanted]
        if kind is not None:
            mine.append(table.c.kind == str(kind))
        elif not agreements:
            mine.append(table.c.kind != _AGREEMENT)
        time = table.c.created_at if table is comparisons else events.c.created_at
        if after is not None:
            mine.append(_after(after, time, table.c.event_seq, table.c.position))
        found = (
            select(time.label("created_at"), table.c.event_seq, table.c.position, table.c.kind)
            .join(events, events.c.seq == table.c.event_seq)
            .where(*mine)
            .order_by(time.desc(), table.c.event_seq.desc(), table.c.position)
            .limit(limit + 1)
        )
        rows += c.execute(found)
    rows.sort(key=lambda row: (-microseconds(row.created_at), -row.event_seq, row.position))
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


def _after(
    last: Sequence[Any],
    time: ColumnElement[Any],
    seq: ColumnElement[int],
    position: ColumnElement[int],
) -> ColumnElement[bool]:
    place = tuple_(time, seq, types=(BigInt, BigInt))
    here = tuple_(literal(last[0], BigInt), literal(last[1], BigInt))
    after: ColumnElement[bool] = (place < here) | ((place == here) & (position > last[2]))
    return after


def _whole(c: Connection, rows: Sequence[Any], *, judge_id: str) -> Iterator[Disagreement]:
    seqs = sorted({row.event_seq for row in rows})
    wanted = c.execute(select(events).where(events.c.seq.in_(seqs))).all() if seqs else []
    stored = dict(zip((row.seq for row in wanted), hydration.whole(c, wanted), strict=True))
    decided = _reviews(c, seqs, judge_id=judge_id)
    for row in rows:
        event = stored[row.event_seq]
        mine = [one.evaluation for one in event.evaluations if one.evaluation.judge_id == judge_id]
        if not mine:
            continue  # the judge's evaluations went, its reviews are kept
        keys = Documents.of(event.event).keys
        found = {keys[one.position]: one for one in compare(event.event, mine[0], gold=event.gold or ())}
        document = found.get(keys[row.position])
        if document is None:
            continue  # the judge's latest evaluation says nothing of its citations
        verdict = next((one for one in mine[0].passages if one.position == row.position), None)
        yield Disagreement(
            event_id=event.event.event_id,
            position=row.position,
            passage_id=document.passage_id,
            kind=DisagreementKind(row.kind),
            judge_id=judge_id,
            task=event.event.task,
            text=event.event.context[row.position].text,
            cited=document.cited,
            gold=document.gold,
            probability=verdict.probability if verdict else None,
            reason=verdict.reason if verdict else "",
            created_at=row.created_at,
            review=decided.get((row.event_seq, row.position)),
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
