"""Random samples of evaluated events, drawn to be labelled so that the labels speak for all traffic."""

import random
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from steelyard.errors import Conflict, InvalidInput, NotFound
from steelyard.schemas.event import Status
from steelyard.schemas.query import EventFilter
from steelyard.schemas.samples import Drawn, Sample, SampleQueue

from .filters import conditions
from .ids import new_id
from .tables import events, sample_events
from .tables import samples as table

LARGEST = 1_000
"""Events of one sample at most."""

KEPT = 20
"""The newest samples of a project that lists show and corrections look at."""

_SEEDS = 2**32
_OF_TRAFFIC = {"env", "dataset", "feature_flag", "start", "end"}
_AT_ONCE = 500


def draw(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    size: int,
    author: str,
    now: datetime,
    seed: int | None = None,
) -> Sample:
    """Draws `size` of the evaluated events that match, each with the same chance, labelled already or not: a
    sample of the unlabelled alone would speak only for these. Fewer where there are fewer.

    `filter` may name env, dataset, feature flag and a time range; `seed` None: one is made, and kept. Raises
    `InvalidInput` for another condition and a size outside 1..1,000, `Conflict` when no event matches.
    """
    if not 1 <= size <= LARGEST:
        raise InvalidInput(f"a sample has 1 to {LARGEST} events, not {size}", field="/size")
    if other := set(filter.model_dump(exclude_defaults=True)) - _OF_TRAFFIC:
        raise InvalidInput(
            f"a sample cannot be drawn by {', '.join(sorted(other))}",
            field=f"/{min(other)}",
            hint=f"Draw by {', '.join(sorted(_OF_TRAFFIC))}.",
        )
    evaluated = filter.model_copy(update={"status": (Status.EVALUATED,)})
    matching = select(events.c.seq).where(*conditions(c, project_id, evaluated)).order_by(events.c.seq)
    population = c.execute(matching).scalars().all()
    if not population:
        raise Conflict(
            "no evaluated event matches, so there is nothing to draw from",
            hint="Widen the range, or wait for the evaluation.",
        )
    # A seed of its own for every sample; who knows it can draw the same again from the same events.
    chosen = random.SystemRandom().randrange(_SEEDS) if seed is None else seed
    drawn = random.Random(chosen).sample(population, min(size, len(population)))
    sample_id = new_id()
    c.execute(
        table.insert().values(
            id=sample_id,
            project_id=project_id,
            filter=filter.model_dump_json(exclude_defaults=True),
            seed=chosen,
            population=len(population),
            size=len(drawn),
            author=author,
            drawn_at=now,
        )
    )
    rows = [{"sample_id": sample_id, "place": place, "event_seq": seq} for place, seq in enumerate(drawn)]
    for start in range(0, len(rows), _AT_ONCE):
        c.execute(sample_events.insert(), rows[start : start + _AT_ONCE])
    return get(c, project_id, sample_id)


def get(c: Connection, project_id: str, sample_id: str) -> Sample:
    """Raises `NotFound`."""
    row = c.execute(_samples(project_id).where(table.c.id == sample_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no sample {sample_id[:80]!r}", field="sample_id")
    return _sample(row)


def newest(c: Connection, project_id: str) -> tuple[Sample, ...]:
    """The newest samples, at most `KEPT`, newest first."""
    return tuple(_sample(row) for row in c.execute(_samples(project_id)))


def covering(c: Connection, project_id: str, filter: EventFilter) -> tuple[Sample, ...]:
    """The newest samples drawn from all traffic that matches `filter` up to their own time, newest first: cut
    down to the filter they are samples of it."""
    return tuple(one for one in newest(c, project_id) if _covers(one, filter))


def queue(c: Connection, project_id: str, sample_id: str, *, limit: int = 25) -> SampleQueue:
    """The sample and the next of its events without gold ids, in the order drawn. Raises `NotFound`."""
    sample = get(c, project_id, sample_id)
    wanted = (
        select(sample_events.c.place, events.c.event_id, events.c.task, events.c.labelled)
        .join(events, events.c.seq == sample_events.c.event_seq)
        .where(sample_events.c.sample_id == sample_id, ~events.c.labelled)
        .order_by(sample_events.c.place)
        .limit(limit)
    )
    following = tuple(
        Drawn(place=row.place, event_id=row.event_id, task=row.task, labelled=row.labelled)
        for row in c.execute(wanted)
    )
    return SampleQueue(sample=sample, next=following)


def _samples(project_id: str) -> Select[*tuple[Any, ...]]:
    drawn = sample_events.c.sample_id == table.c.id
    left = select(func.count()).select_from(sample_events).where(drawn)
    labelled = left.join(events, events.c.seq == sample_events.c.event_seq).where(events.c.labelled)
    counts = (left.scalar_subquery().label("events"), labelled.scalar_subquery().label("labelled"))
    found: Select[*tuple[Any, ...]] = select(table, *counts).where(table.c.project_id == project_id)
    return found.order_by(table.c.id.desc()).limit(KEPT)


def _sample(row: Any) -> Sample:
    given = {name: getattr(row, name) for name in Sample.model_fields if name != "filter"}
    return Sample(**given, filter=EventFilter.model_validate_json(row.filter))


def _covers(sample: Sample, filter: EventFilter) -> bool:
    drawn = sample.filter
    alike = all(
        getattr(drawn, name) in (None, getattr(filter, name)) for name in ("env", "dataset", "feature_flag")
    )
    until = min(drawn.end or sample.drawn_at, sample.drawn_at)
    before = filter.start is None or filter.start < until
    return alike and before and (filter.end is None or drawn.start is None or drawn.start < filter.end)
