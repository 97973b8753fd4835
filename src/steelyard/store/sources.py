"""Where passages come from, and how often those of each source were of use."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, and_, select

from steelyard.schemas.query import EventFilter, Source

from . import judges
from .filters import conditions
from .tables import evaluations, event_bodies, events, labels

CONSIDERED = 1_000
"""The latest evaluated events that are looked at."""


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
    """Passage sources over the latest events that the judge scored, lowest precision first. Documents are
    counted, not passages, in all shares."""
    judge = judge_id or judges.latest(c, project_id)
    e, j = events.c, evaluations.c
    wanted = (
        select(event_bodies.c.body, j.body.label("verdicts"), labels.c.gold)
        .join(event_bodies, event_bodies.c.seq == e.seq)
        .join(evaluations, and_(j.event_seq == e.seq, j.judge_id == judge, j.current, j.unscored.is_(None)))
        .outerjoin(labels, and_(labels.c.event_seq == e.seq, labels.c.version == e.label_version))
        .where(*conditions(c, project_id, filter))
        .order_by(e.created_at.desc(), e.seq.desc())
        .limit(CONSIDERED)
    )
    tallies: dict[str, _Tally] = {}
    for row in c.execute(wanted):
        _count(tallies, _read(row.body)["context"], orjson.loads(row.verdicts), row.gold)
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


def _count(
    tallies: dict[str, _Tally], context: Sequence[dict[str, Any]], verdicts: dict[str, Any], gold: str | None
) -> None:
    """Reads what was stored as it stands: a thousand events made whole would take too long for a page."""
    keys = [passage.get("id", place) for place, passage in enumerate(context)]
    cited = {keys[one["position"]] for one in verdicts.get("passages", ()) if one["cited"]}
    relevant = set() if gold is None else set(keys) & set(orjson.loads(gold))
    by_source: dict[str, set[str | int]] = {}
    for passage, key in zip(context, keys, strict=True):
        if passage.get("source") is not None:
            by_source.setdefault(passage["source"], set()).add(key)
    for name, mine in by_source.items():
        tally = tallies.setdefault(name, _Tally())
        tally.events += 1
        tally.passages += len(mine)
        tally.cited += len(mine & cited)
        tally.all_cited += len(cited)
        tally.gold += len(mine & relevant)
        tally.all_gold += len(relevant)


def _read(body: str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:  # an integer beyond 64 bits, in a passage's metadata
        return json.loads(body)
