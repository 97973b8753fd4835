"""Numbers over time: a range in buckets of equal length."""

from datetime import datetime

import numpy as np
from sqlalchemy import Connection, select

from steelyard.retrieval.changes import TRACKED
from steelyard.retrieval.summary import estimates
from steelyard.retrieval.sums import FIELDS, GROUPS, Sums
from steelyard.schemas.query import EventFilter, Trend, TrendPoint

from . import figures, judges, rollups
from .columns import microseconds, moment
from .filters import conditions
from .rollups import DAY_US, HOUR_US
from .tables import events

_SECOND = 1_000_000
_MINUTE = 60 * _SECOND
_WIDTHS = (
    *(_SECOND * n for n in (1, 5, 10, 15, 30)),
    *(_MINUTE * n for n in (1, 5, 10, 15, 30)),
    *(HOUR_US * n for n in (1, 2, 3, 4, 6, 8, 12)),
    *(DAY_US * n for n in (1, 2, 5, 10, 30, 60, 90, 180, 365)),
)


def trend(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    now: datetime,
    points: int = 48,
) -> Trend:
    """Buckets of equal length over the filter's range (all events when open), at most about `points`, oldest
    first; buckets without events are there too."""
    judge = judge_id or judges.latest(c, project_id)
    kept = figures.stored(filter)
    exactly = kept is None or figures.few(c, project_id, filter)
    start, end = _range(c, project_id, filter, now=now)
    width = _width(end - start, points=points, least=1 if exactly else HOUR_US)
    first = start // width * width
    count = max(1, -(-(end - first) // width))
    if exactly:
        found = figures.exact(c, project_id, filter, judge_id=judge)
        codes = np.array([(microseconds(row.created_at) - first) // width for row in found.rows])
        buckets = [found.columns.where(codes == code).by_task() for code in range(count)]
    else:
        dimension, value = kept or ("", "")
        sums = np.zeros((count, GROUPS, len(FIELDS)))
        for piece in figures.pieces(
            c,
            project_id,
            dimension=dimension,
            value=value,
            judge_id=judge,
            start=filter.start,
            end=filter.end,
            days=width % DAY_US == 0,
        ):
            code = (piece.start - first) // width
            if 0 <= code < count:
                sums[code] += piece.sheet.values
        buckets = [Sums(values=values, grouped=True) for values in sums]
    return Trend(
        points=tuple(_point(one, first + code * width, width) for code, one in enumerate(buckets)),
        bucket_s=max(1, width // _SECOND),
        computed_from="events" if exactly else "rollups",
        age_s=None if exactly else rollups.age(c, project_id, now=now),
    )


def _point(sums: Sums, start: int, width: int) -> TrendPoint:
    found = estimates(sums, metrics=TRACKED, quick=True)
    return TrendPoint(
        start=moment(start),
        end=moment(start + width),
        n=sums.count("n"),
        unscored=sums.count("unscored"),
        **found,
    )


def _range(c: Connection, project_id: str, filter: EventFilter, *, now: datetime) -> tuple[int, int]:
    e = events.c
    first, last = filter.start, filter.end or now
    if first is None:
        oldest = (
            select(e.created_at).where(*conditions(c, project_id, filter)).order_by(e.created_at).limit(1)
        )
        first = c.execute(oldest).scalar() or last
    return microseconds(first), max(microseconds(last), microseconds(first) + 1)


def _width(span: int, *, points: int, least: int) -> int:
    wanted = max(span / max(1, points), least)
    return next((width for width in _WIDTHS if width >= wanted), _WIDTHS[-1])
