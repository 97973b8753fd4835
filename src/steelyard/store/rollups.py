"""Sums by hour and task group, made from events behind the writes, so that pages over millions of events
stay fast. `figures` reads them."""

import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import Connection, and_, delete, func, literal, select, text, tuple_

from steelyard.retrieval.columns import Columns
from steelyard.retrieval.sums import FIELDS, GROUPS, LAYOUT, Matrix

from .bulk import insert_rows
from .columns import BigInt, microseconds, moment
from .latencies import Histogram, histogram, pack_histogram, unpack_histogram
from .numbers import numbers_of, standing_of
from .store import Store
from .tables import dirty_hours, evaluations, events, rollups

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
DIMENSIONS = ("env", "dataset", "feature_flag")
"""What sums are kept by, each alone, besides the sums of all events (dimension and value empty)."""

MOST_VALUES = 200
"""Of a dimension's values in one hour; events with rarer ones count in the sums of all events only."""

_CHUNK = 5_000
_REST_PER_EVENT = timedelta(microseconds=200)
"""An hour of many events is summed again only after a rest ten times as long as the summing takes."""

Key = tuple[str, str, str]


@dataclass
class Sheet:
    """The sums of one hour or day for one (dimension, value, judge id)."""

    values: Matrix = field(default_factory=lambda: np.zeros((GROUPS, len(FIELDS))))
    latencies: Histogram = field(default_factory=lambda: histogram(()))

    def add(self, other: "Sheet") -> None:
        self.values = self.values + other.values
        self.latencies = self.latencies + other.latencies


@dataclass(frozen=True, kw_only=True)
class _Hour:
    hour: int
    marks: Sequence[int]
    sheets: dict[Key, Sheet]
    events: int


def mark(c: Connection, project_id: str, times: Iterable[datetime], *, now: datetime) -> None:
    """Notes, in the transaction that changes events created at `times`, that their hours must be summed
    again. Marks are only ever added, so that no two writers wait for each other."""
    hours = sorted({microseconds(time) // HOUR_US * HOUR_US for time in times})
    if hours:
        marked = [(int(project_id), hour, microseconds(now)) for hour in hours]
        insert_rows(c, dirty_hours, ("project_id", "hour", "marked_at"), marked)


def refresh(store: Store, *, now: datetime, budget_s: float = 1.0) -> int:
    """Sums marked hours again, the longest marked first, until `budget_s` is used up; returns how many are
    left.

    To be called every few seconds by one process (several do no harm).
    """
    until = time.monotonic() + budget_s
    with store.read() as c:
        due = _due(c, now)
    days = list(dict.fromkeys((project_id, hour // DAY_US) for project_id, hour in due))
    for number, (project_id, day) in enumerate(days):
        hours = [hour for owner, hour in due if owner == project_id and hour // DAY_US == day]
        if number and time.monotonic() >= until:
            return sum((owner, hour // DAY_US) in days[number:] for owner, hour in due)
        with store.read() as c:
            done = [_summed(c, project_id, hour) for hour in hours]
        store.write(partial(_replace, project_id=project_id, day=day * DAY_US, done=done, now=now))
    return 0


def age(c: Connection, project_id: str, *, now: datetime) -> float:
    """Seconds since the oldest change that no rollup shows yet; 0 when all are up to date."""
    oldest = c.execute(
        select(func.min(dirty_hours.c.marked_at)).where(dirty_hours.c.project_id == project_id)
    ).scalar()
    return 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())


def load(row: Any) -> Sheet:
    """A stored row's sums."""
    values = np.frombuffer(zlib.decompress(row.sums), dtype="<f8").reshape(GROUPS, len(FIELDS))
    return Sheet(values=values, latencies=unpack_histogram(row.latencies))


def _due(c: Connection, now: datetime) -> list[tuple[str, int]]:
    """Marked hours whose rest is over, the longest marked first."""
    done = select(rollups.c.start, rollups.c.project_id, rollups.c.events, rollups.c.computed_at).where(
        rollups.c.level == "hour", rollups.c.dimension == "", rollups.c.judge_id == ""
    )
    last = done.subquery()
    same = and_(last.c.project_id == dirty_hours.c.project_id, last.c.start == dirty_hours.c.hour)
    marked = (
        select(
            dirty_hours.c.project_id,
            dirty_hours.c.hour,
            func.min(dirty_hours.c.marked_at).label("since"),
            func.max(last.c.events).label("events"),
            func.max(last.c.computed_at).label("computed_at"),
        )
        .outerjoin(last, same)
        .group_by(dirty_hours.c.project_id, dirty_hours.c.hour)
        .order_by(func.min(dirty_hours.c.marked_at))
    )
    return [
        (row.project_id, row.hour)
        for row in c.execute(marked)
        if row.computed_at is None
        or row.computed_at + row.events * _REST_PER_EVENT <= now
        or row.computed_at > now
    ]


def _summed(c: Connection, project_id: str, hour: int) -> _Hour:
    """The hour's sums from its events, and the marks they answer."""
    mine = (dirty_hours.c.project_id == project_id, dirty_hours.c.hour == hour)
    marks = list(c.execute(select(dirty_hours.c.id).where(*mine)).scalars())
    parts: list[dict[Key, Sheet]] = []
    n = 0
    for rows in _chunks(c, project_id, hour):
        n += len(rows)
        sheets: dict[Key, Sheet] = {}
        parts.append(sheets)
        judged: dict[str, dict[int, Any]] = {"": {}}
        e = evaluations.c
        wanted = select(e.event_seq, e.judge_id, e.scores, e.unscored, e.estimated, e.latency_s).where(
            e.event_seq.in_([row.seq for row in rows]), e.current
        )
        for one in c.execute(wanted):
            judged.setdefault(one.judge_id, {})[one.event_seq] = one
        for judge_id, found in judged.items():
            _add(sheets, rows, found, judge_id=judge_id)
    return _Hour(hour=hour, marks=marks, sheets=_frequent(_combined(parts)), events=n)


def _chunks(c: Connection, project_id: str, hour: int) -> Iterator[Sequence[Any]]:
    e = events.c
    place = tuple_(e.created_at, e.seq, types=(BigInt, BigInt))
    wanted = (
        select(
            e.seq, e.created_at, e.task_key, e.status, e.passages, e.scores, *(e[name] for name in DIMENSIONS)
        )
        .where(
            e.project_id == project_id, e.created_at >= moment(hour), e.created_at < moment(hour + HOUR_US)
        )
        .order_by(e.created_at, e.seq)
        .limit(_CHUNK)
    )
    rows = c.execute(wanted).all()
    while rows:
        yield rows
        last = rows[-1]
        after = tuple_(literal(microseconds(last.created_at), BigInt), literal(last.seq, BigInt))
        rows = c.execute(wanted.where(place > after)).all() if len(rows) == _CHUNK else []


def _add(sheets: dict[Key, Sheet], rows: Sequence[Any], found: dict[int, Any], *, judge_id: str) -> None:
    judged = [found.get(row.seq) for row in rows]
    columns = Columns.of(
        [numbers_of(row, one) for row, one in zip(rows, judged, strict=True)],
        status=[standing_of(row, one) for row, one in zip(rows, judged, strict=True)],
        task_keys=[row.task_key for row in rows],
        estimated=[one is not None and one.estimated for one in judged],
    )
    added = columns.addends()
    took = np.array([np.nan if one is None else one.latency_s for one in judged])
    for dimension in ("", *DIMENSIONS):
        values = [""] * len(rows) if not dimension else [getattr(row, dimension) for row in rows]
        names: dict[str | None, int] = {}
        codes = np.array([names.setdefault(value, len(names)) for value in values], dtype=np.int64)
        sums = np.zeros((len(names), GROUPS, len(FIELDS)))
        np.add.at(sums, (codes, columns.groups), added)
        for value, code in names.items():
            if value is not None:
                times = took[(codes == code) & ~np.isnan(took)]
                sheets[(dimension, value, judge_id)] = Sheet(values=sums[code], latencies=histogram(times))


def _frequent(sheets: dict[Key, Sheet]) -> dict[Key, Sheet]:
    """Without the rarest values of a dimension that has too many."""
    kept: set[tuple[str, str]] = set()
    n = FIELDS.index("n")
    for dimension in ("", *DIMENSIONS):
        counts = {
            key[1]: sheet.values[:, n].sum()
            for key, sheet in sheets.items()
            if key[0] == dimension and not key[2]
        }
        kept |= {(dimension, value) for value in sorted(counts, key=counts.__getitem__)[-MOST_VALUES:]}
    return {key: sheet for key, sheet in sheets.items() if key[:2] in kept}


def _replace(c: Connection, *, project_id: str, day: int, done: Sequence[_Hour], now: datetime) -> None:
    """Puts the sums of some hours of a day in place, and the day's; of an hour only if nobody else has done
    so since."""
    if c.dialect.name == "postgresql":
        # Two hours of one day at once would each miss the other in the day's sums.
        key = (int(project_id) << 32) ^ (day // DAY_US)
        c.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
    for hour in done:
        marks = [
            dirty_hours.c.id.in_(hour.marks[start : start + 500]) for start in range(0, len(hour.marks), 500)
        ]
        there = sum(c.execute(select(func.count()).where(some)).scalar_one() for some in marks)
        if not there or there < len(hour.marks):
            continue  # somebody summed part of it since: marks that are left ask for it again
        for some in marks:
            c.execute(delete(dirty_hours).where(some))
        _store(c, project_id, "hour", hour.hour, hour.sheets, hour.events, now=now)
    _store(c, project_id, "day", day, *_day(c, project_id, day), now=now)


def _day(c: Connection, project_id: str, day: int) -> tuple[dict[Key, Sheet], int]:
    """A day's sums from its hours'."""
    hours: dict[int, dict[Key, Sheet]] = {}
    wanted = select(rollups).where(
        rollups.c.project_id == project_id,
        rollups.c.level == "hour",
        rollups.c.start >= day,
        rollups.c.start < day + DAY_US,
        rollups.c.layout == LAYOUT,
    )
    n = 0
    for row in c.execute(wanted):
        hours.setdefault(row.start, {})[(row.dimension, row.value, row.judge_id)] = load(row)
        n += row.events if not row.dimension and not row.judge_id else 0
    return _combined(list(hours.values())), n


def _combined(parts: Sequence[dict[Key, Sheet]]) -> dict[Key, Sheet]:
    """The sums of all parts. Where a judge judged nothing in a part, the part's events count for it without
    any judge."""
    judges = {judge_id for sheets in parts for _, _, judge_id in sheets}
    total: dict[Key, Sheet] = {}
    for sheets in parts:
        for dimension, value in {(dimension, value) for dimension, value, _ in sheets}:
            for judge_id in judges:
                sheet = sheets.get((dimension, value, judge_id)) or sheets[(dimension, value, "")]
                total.setdefault((dimension, value, judge_id), Sheet()).add(sheet)
    return total


def _store(
    c: Connection,
    project_id: str,
    level: str,
    start: int,
    sheets: dict[Key, Sheet],
    n: int,
    *,
    now: datetime,
) -> None:
    mine = (rollups.c.project_id == project_id, rollups.c.level == level, rollups.c.start == start)
    c.execute(delete(rollups).where(*mine))
    rows = [
        {
            "project_id": project_id,
            "level": level,
            "start": start,
            "dimension": dimension,
            "value": value,
            "judge_id": judge_id,
            "events": n,
            "layout": LAYOUT,
            "sums": zlib.compress(np.ascontiguousarray(sheet.values, dtype="<f8").tobytes(), 1),
            "latencies": pack_histogram(sheet.latencies),
            "computed_at": now,
        }
        for (dimension, value, judge_id), sheet in sheets.items()
    ]
    if rows:
        c.execute(rollups.insert(), rows)
