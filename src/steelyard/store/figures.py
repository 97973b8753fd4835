"""Where aggregates come from: the matching events themselves while they are few, else stored sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, and_, func, select

from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import score
from steelyard.retrieval.summary import NOT_A_SAMPLE, summarise, summarise_groups
from steelyard.retrieval.sums import FIELDS, GROUPS, LAYOUT, Sums
from steelyard.schemas.query import EventFilter
from steelyard.schemas.summary import Summary

from . import events, hydration, rollups
from .columns import microseconds
from .filters import conditions
from .latencies import Histogram, histogram
from .numbers import numbers_of, standing_of
from .rollups import DAY_US, DIMENSIONS, HOUR_US, Sheet
from .tables import evaluations, labels
from .tables import events as event_rows
from .tables import rollups as table

EXACT = 5_000
"""Up to so many events a summary is made from the events themselves."""

_APART = 0.05


@dataclass(frozen=True, kw_only=True)
class Exact:
    """The latest matching events, newest first, at most `EXACT`; `all` says that there are no others."""

    rows: Sequence[Any]
    columns: Columns
    latencies: NDArray[np.float64]
    all: bool

    def summary(
        self,
        *,
        judge_id: str | None,
        seed: int = 0,
        quick: bool = False,
        labelled_are_sample: bool = False,
    ) -> Summary:
        withheld = None if labelled_are_sample else not_a_sample(self)
        return summarise(self.columns, judge_id=judge_id, seed=seed, withheld=withheld, quick=quick)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Stored sums of an hour or a day, in microseconds since 1970."""

    start: int
    length: int
    value: str
    sheet: Sheet


def few(c: Connection, project_id: str, filter: EventFilter) -> bool:
    """Whether the matching events are few enough to be looked at one by one."""
    return events.count(c, project_id, filter, cap=EXACT).exact


def stored(filter: EventFilter) -> tuple[str, str] | None:
    """The dimension and value whose sums answer this filter, None when no stored sums do."""
    others = filter.model_dump(exclude={"start", "end", "judge_id", *DIMENSIONS}, exclude_defaults=True)
    given = [(name, getattr(filter, name)) for name in DIMENSIONS if getattr(filter, name) is not None]
    if others or len(given) > 1:
        return None
    return given[0] if given else ("", "")


def exact(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    limit: int = EXACT,
    extra: Sequence[Any] = (),
    where: Sequence[ColumnElement[bool]] = (),
) -> Exact:
    """Reads the latest matching events for which `where` holds too; `extra` columns come along in their
    rows."""
    e, j = event_rows.c, evaluations.c
    names = ("seq", "created_at", "task_key", "status", "passages", "scores", "label_version", *DIMENSIONS)
    mine = and_(j.event_seq == e.seq, j.judge_id == (judge_id or ""), j.current)
    judged = (j.scores.label("judge_scores"), j.unscored, j.estimated, j.latency_s, j.requirements_version)
    wanted = (
        select(*(e[name] for name in names), *judged, *extra)
        .outerjoin(evaluations, mine)
        .where(*conditions(c, project_id, filter), *where)
        .order_by(e.created_at.desc(), e.seq.desc())
        .limit(limit + 1)
    )
    rows = c.execute(wanted).all()
    found = [(row, _judged(row)) for row in rows[:limit]]
    return Exact(
        rows=rows[:limit],
        columns=Columns.of(
            [numbers_of(row, judged) for row, judged in found],
            status=[standing_of(row, judged) for row, judged in found],
            task_keys=[row.task_key for row, _ in found],
            estimated=[judged is not None and judged.estimated for _, judged in found],
        ),
        latencies=np.array([np.nan if judged is None else judged.latency_s for _, judged in found]),
        all=len(rows) <= limit,
    )


def pieces(
    c: Connection,
    project_id: str,
    *,
    dimension: str,
    value: str | None,
    judge_id: str | None,
    start: datetime | None,
    end: datetime | None,
    days: bool = True,
) -> list[Piece]:
    """The stored sums of a range, widened to whole hours: its days, and the hours before the first and after
    the last whole one (`days` False: hours only). `value` None: those of every value."""
    r = table.c
    mine = [r.project_id == project_id, r.dimension == dimension, r.layout == LAYOUT]
    mine.append(r.judge_id.in_(["", judge_id or ""]))
    if value is not None:
        mine.append(r.value == value)
    first, last = _bounds(c, project_id, start, end)
    day_first, day_last = -(-first // DAY_US) * DAY_US, last // DAY_US * DAY_US
    if not days or day_first >= day_last:
        day_first = day_last = last
    hours = [r.level == "hour", r.start >= first, r.start < last]
    hours.append((r.start < day_first) | (r.start >= day_last))
    rows = c.execute(select(table).where(*mine, *hours)).all()
    if day_first < day_last:
        whole = (r.level == "day", r.start >= day_first, r.start < day_last)
        rows = [*rows, *c.execute(select(table).where(*mine, *whole))]
    chosen: dict[tuple[str, int, str], Any] = {}
    for row in rows:
        key = (row.level, row.start, row.value)
        if key not in chosen or row.judge_id:
            chosen[key] = row
    return [
        Piece(
            start=row.start,
            length=HOUR_US if row.level == "hour" else DAY_US,
            value=row.value,
            sheet=rollups.load(row),
        )
        for row in chosen.values()
    ]


def stored_sums(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None
) -> tuple[Sums, Histogram]:
    """The stored sums of a filter that `stored` knows, its range widened to whole hours."""
    dimension, value = stored(filter) or ("", "")
    found = pieces(
        c,
        project_id,
        dimension=dimension,
        value=value,
        judge_id=judge_id,
        start=filter.start,
        end=filter.end,
    )
    return total(found)


def total(found: Sequence[Piece]) -> tuple[Sums, Histogram]:
    """The sums of all pieces together."""
    values = np.zeros((GROUPS, len(FIELDS)))
    latencies = histogram(())
    for piece in found:
        values += piece.sheet.values
        latencies = latencies + piece.sheet.latencies
    return Sums(values=values, grouped=True), latencies


def not_a_sample(found: Exact) -> str | None:
    """Why the labelled events among these are no sample of the others' traffic; None when they may be one:
    both occur under the same env, dataset and feature flag."""
    labelled: dict[tuple[str | None, ...], int] = {}
    others: dict[tuple[str | None, ...], int] = {}
    gold = ~np.isnan(found.columns.number("gold"))
    for row, has_gold in zip(found.rows, gold, strict=True):
        side = labelled if has_gold else others
        stratum = tuple(getattr(row, name) for name in DIMENSIONS)
        side[stratum] = side.get(stratum, 0) + 1
    return None if _mixed(labelled, others) and _mixed(others, labelled) else NOT_A_SAMPLE


def not_a_sample_of(c: Connection, project_id: str, filter: EventFilter) -> str | None:
    """The same from stored sums, each dimension alone."""
    for dimension in DIMENSIONS:
        if getattr(filter, dimension) is not None:
            continue
        found = pieces(
            c,
            project_id,
            dimension=dimension,
            value=None,
            judge_id=None,
            start=filter.start,
            end=filter.end,
        )
        labelled: dict[str, float] = {}
        others: dict[str, float] = {}
        for piece in found:
            sums = Sums(values=piece.sheet.values, grouped=True)
            with_gold = sums.total("labelled")
            labelled[piece.value] = labelled.get(piece.value, 0) + with_gold
            others[piece.value] = others.get(piece.value, 0) + sums.total("n") - with_gold
        if not (_mixed(labelled, others) and _mixed(others, labelled)):
            return NOT_A_SAMPLE
    return None


def before_and_after(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str
) -> tuple[Summary, Summary]:
    """Summaries of the latest labelled events with their labels as first given, and as they are now."""
    labelled = filter.model_copy(update={"labelled": True})
    now = exact(c, project_id, labelled, judge_id=judge_id)
    numbers = now.columns.numbers.copy()
    amended = [(place, row) for place, row in enumerate(now.rows) if row.label_version > 1]
    for start in range(0, len(amended), 200):
        part = amended[start : start + 200]
        _as_first_labelled(c, part, numbers, judge_id=judge_id)
    first = Columns(
        numbers=numbers,
        status=now.columns.status,
        tasks=now.columns.tasks,
        groups=now.columns.groups,
        estimated=now.columns.estimated,
    )
    quick = len(now.rows) > 500
    before = summarise(first, judge_id=judge_id, quick=quick)
    return before, summarise(now.columns, judge_id=judge_id, quick=quick)


def from_rollups(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    now: datetime,
    labelled_are_sample: bool = False,
) -> Summary:
    """The summary from stored sums; the filter must be one that `stored` knows."""
    return summarise_groups(
        stored_sums(c, project_id, filter, judge_id=judge_id)[0],
        judge_id=judge_id,
        withheld=None if labelled_are_sample else not_a_sample_of(c, project_id, filter),
        age_s=rollups.age(c, project_id, now=now),
    )


@dataclass(frozen=True)
class _Judged:
    scores: str
    unscored: str | None
    estimated: bool
    latency_s: float


def _judged(row: Any) -> _Judged | None:
    if row.judge_scores is None:
        return None
    return _Judged(row.judge_scores, row.unscored, row.estimated, row.latency_s)


def _bounds(c: Connection, project_id: str, start: datetime | None, end: datetime | None) -> tuple[int, int]:
    """The range in microseconds, widened to whole hours, and where it is open to what there is."""
    ends = select(func.min(table.c.start), func.max(table.c.start)).where(
        table.c.project_id == project_id, table.c.level == "hour", table.c.dimension == ""
    )
    lowest, highest = c.execute(ends).one()
    first = (lowest or 0) if start is None else microseconds(start) // HOUR_US * HOUR_US
    last = (highest or 0) + HOUR_US if end is None else -(-microseconds(end) // HOUR_US) * HOUR_US
    return first, max(first, last)


def _mixed(some: Mapping[Any, float], others: Mapping[Any, float]) -> bool:
    """Whether nearly all of `some` are where there are `others` too."""
    alone = sum(n for stratum, n in some.items() if not others.get(stratum))
    return alone <= _APART * sum(some.values())


def _as_first_labelled(
    c: Connection, part: Sequence[tuple[int, Any]], numbers: NDArray[np.float64], *, judge_id: str
) -> None:
    seqs = [row.seq for _, row in part]
    rows = c.execute(select(event_rows).where(event_rows.c.seq.in_(seqs))).all()
    whole = dict(zip((row.seq for row in rows), hydration.whole(c, rows), strict=True))
    given = select(labels).where(labels.c.event_seq.in_(seqs), labels.c.gold.is_not(None))
    first: dict[int, Any] = {}
    for row in c.execute(given.order_by(labels.c.version)):
        first.setdefault(row.event_seq, hydration.label(row, event_id=""))
    for place, row in part:
        event = whole[row.seq]
        counting = [
            one.evaluation
            for one in event.evaluations
            if one.evaluation.judge_id == judge_id
            and one.evaluation.requirements_version == row.requirements_version
        ]
        evaluation = counting[0] if counting else None
        scores = score(event.event, gold=first[row.seq].gold_doc_ids, evaluation=evaluation)
        numbers[place] = [np.nan if number is None else number for number in scores.row]
