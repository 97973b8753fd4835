"""Where passages come from, and how often those of each source were of use."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from steelyard.retrieval.documents import Documents
from steelyard.schemas.event import Status
from steelyard.schemas.query import EventFilter, Source, StoredEvent

from . import hydration, judges
from .filters import conditions
from .tables import events

CONSIDERED = 1_000
"""The latest evaluated events that are looked at."""

_AT_ONCE = 200


@dataclass
class _Tally:
    events: int = 0
    passages: int = 0
    cited: int = 0
    all_cited: int = 0
    gold: int = 0
    all_gold: int = 0


def sources(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, limit: int = 20
) -> tuple[Source, ...]:
    """Passage sources over the latest evaluated events, lowest precision first. Documents are counted, not
    passages, in all shares."""
    judge = judge_id or judges.latest(c, project_id)
    tallies: dict[str, _Tally] = {}
    e = events.c
    wanted = (
        select(events)
        .where(*conditions(c, project_id, filter), e.status == str(Status.EVALUATED))
        .order_by(e.created_at.desc(), e.seq.desc())
        .limit(CONSIDERED)
    )
    rows = c.execute(wanted).all()
    for start in range(0, len(rows), _AT_ONCE):
        for event in hydration.whole(c, rows[start : start + _AT_ONCE]):
            _count(tallies, event, judge_id=judge)
    found = [
        Source(
            source=name,
            events=tally.events,
            passages=tally.passages,
            cited=tally.cited,
            precision=tally.cited / tally.passages if tally.passages else None,
            recall=tally.cited / tally.all_cited if tally.all_cited else None,
            gold_recall=tally.gold / tally.all_gold if tally.all_gold else None,
        )
        for name, tally in tallies.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.precision or 0.0, -one.passages, one.source))[:limit])


def _count(tallies: dict[str, _Tally], event: StoredEvent, *, judge_id: str | None) -> None:
    mine = [one.evaluation for one in event.evaluations if one.evaluation.judge_id == judge_id]
    if not mine or mine[0].label_free is None:
        return
    documents = Documents.of(event.event)
    cited = documents.at(verdict.position for verdict in mine[0].passages if verdict.cited)
    gold = documents.gold(event.gold or ())
    by_source: dict[str, set[str | int]] = {}
    for passage, key in zip(event.event.context, documents.keys, strict=True):
        if passage.source is not None:
            by_source.setdefault(passage.source, set()).add(key)
    for name, keys in by_source.items():
        tally = tallies.setdefault(name, _Tally())
        tally.events += 1
        tally.passages += len(keys)
        tally.cited += len(keys & cited)
        tally.all_cited += len(cited)
        tally.gold += len(keys & gold)
        tally.all_gold += len(gold)
