"""Every aggregate of the pages: exact from events while they are few, else from rollups, with their age."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import orjson
from sqlalchemy import Connection, select

from steelyard.retrieval.changes import changes
from steelyard.retrieval.summary import summarise, summarise_groups
from steelyard.retrieval.sums import Sums
from steelyard.schemas.query import EventFilter, Overview, Slice, Slices
from steelyard.schemas.summary import Summary

from . import corrections, figures, judges, rollups
from .figures import EXACT, Piece
from .latencies import Histogram, histogram, percentile
from .rollups import DIMENSIONS
from .sources import sources
from .tables import event_bodies, events
from .trends import trend

__all__ = ["EXACT", "metadata_keys", "overview", "slices", "sources", "summary", "trend"]

_KEYS_FROM = 1_000
_BOOTSTRAPPED = 500
"""Events of a page whose intervals are made by the bootstrap."""


def summary(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    now: datetime,
    seed: int = 0,
    labelled_are_sample: bool = False,
) -> Summary:
    """The summary of the matching events under one judge (None: the latest used one).

    From rollups when more than `EXACT` events match and the filter is one that rollups keep (a time range,
    widened to whole hours, and at most one of env, dataset and feature_flag); with other filters from the
    latest `EXACT` matching events. `labelled_are_sample`: the caller vouches that the labelled events are a
    random sample of all matching ones, so that the corrected means may be shown.
    """
    judge = judge_id or judges.latest(c, project_id)
    if figures.stored(filter) is not None and not figures.few(c, project_id, filter):
        found = figures.from_rollups(
            c, project_id, filter, judge_id=judge, now=now, labelled_are_sample=labelled_are_sample
        )
    else:
        found = figures.exact(c, project_id, filter, judge_id=judge).summary(
            judge_id=judge, seed=seed, labelled_are_sample=labelled_are_sample
        )
    return _corrected(c, project_id, filter, found, labelled_are_sample=labelled_are_sample)


def overview(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, now: datetime
) -> Overview:
    """The summary of a range with its changes against the period of equal length before (`filter.start` None:
    no period before, no changes). An open `end` is `now`."""
    judge = judge_id or judges.latest(c, project_id)
    end = filter.end or now
    now_figures = _figures(c, project_id, filter, judge_id=judge, now=now)
    found, took_before = {}, histogram(())
    if filter.start is not None and filter.start < end:
        span = {"start": filter.start - (end - filter.start), "end": filter.start}
        sums_before, took_before = _sums(c, project_id, filter.model_copy(update=span), judge_id=judge)
        found = changes(now_figures.sums, sums_before)
    return Overview(
        summary=now_figures.summary,
        changes=found,
        latency_p95_s=percentile(now_figures.latencies, 0.95),
        latency_p95_before_s=percentile(took_before, 0.95),
        start=filter.start,
        end=end,
    )


def slices(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    key: str,
    judge_id: str | None,
    now: datetime,
    limit: int = 20,
) -> Slices:
    """Summaries by the values of a metadata key, most events first, at most `limit`."""
    judge = judge_id or judges.latest(c, project_id)
    if key in DIMENSIONS and figures.stored(filter) == ("", "") and not figures.few(c, project_id, filter):
        return _stored_slices(c, project_id, filter, key=key, judge_id=judge, now=now, limit=limit)
    extra = [] if key in DIMENSIONS else [_metadata()]
    found = figures.exact(c, project_id, filter, judge_id=judge, extra=extra)
    values = [getattr(row, key) if key in DIMENSIONS else _value(row.metadata, key) for row in found.rows]
    counts: dict[str | None, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    chosen = sorted(counts, key=lambda value: (-counts[value], value is None, value))[:limit]
    return Slices(
        key=key,
        slices=tuple(
            Slice(
                value=value,
                summary=summarise(
                    found.columns.where(np.array([one == value for one in values])),
                    judge_id=judge,
                    quick=True,
                ),
            )
            for value in chosen
        ),
        considered=len(values),
        exact=found.all,
    )


def metadata_keys(c: Connection, project_id: str, filter: EventFilter) -> tuple[str, ...]:
    """Top-level metadata keys of the latest events, most frequent first: what can be sliced by."""
    found = figures.exact(c, project_id, filter, judge_id=None, limit=_KEYS_FROM, extra=[_metadata()])
    counts: dict[str, int] = {}
    for row in found.rows:
        for key, value in _parsed(row.metadata).items():
            if value is not None and not isinstance(value, list | dict):
                counts[key] = counts.get(key, 0) + 1
    return tuple(sorted(counts, key=lambda key: (-counts[key], key)))


@dataclass(frozen=True, kw_only=True)
class _Figures:
    summary: Summary
    sums: Sums
    latencies: Histogram


def _figures(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, now: datetime
) -> _Figures:
    """The summary and what it is made of, read once. Many events get the quick kind of interval: the page
    waits."""
    if figures.stored(filter) is not None and not figures.few(c, project_id, filter):
        sums, latencies = _sums(c, project_id, filter, judge_id=judge_id)
        summary = figures.from_rollups(c, project_id, filter, judge_id=judge_id, now=now)
        summary = _corrected(c, project_id, filter, summary)
        return _Figures(summary=summary, sums=sums, latencies=latencies)
    found = figures.exact(c, project_id, filter, judge_id=judge_id)
    summary = found.summary(judge_id=judge_id, quick=len(found.rows) > _BOOTSTRAPPED)
    return _Figures(
        summary=_corrected(c, project_id, filter, summary),
        sums=found.columns.by_task(),
        latencies=histogram(found.latencies[~np.isnan(found.latencies)]),
    )


def _corrected(
    c: Connection, project_id: str, filter: EventFilter, found: Summary, *, labelled_are_sample: bool = False
) -> Summary:
    means = corrections.correction(
        c,
        project_id,
        filter,
        judge_id=found.judge_id,
        declared=labelled_are_sample,
        otherwise=found.corrected,
    )
    return found.model_copy(update={"corrected": means})


def _sums(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None
) -> tuple[Sums, Histogram]:
    if figures.stored(filter) is None or figures.few(c, project_id, filter):
        found = figures.exact(c, project_id, filter, judge_id=judge_id)
        return found.columns.by_task(), histogram(found.latencies[~np.isnan(found.latencies)])
    return figures.stored_sums(c, project_id, filter, judge_id=judge_id)


def _stored_slices(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    key: str,
    judge_id: str | None,
    now: datetime,
    limit: int,
) -> Slices:
    found = figures.pieces(
        c,
        project_id,
        dimension=key,
        value=None,
        judge_id=judge_id,
        start=filter.start,
        end=filter.end,
    )
    everything, _ = _sums(c, project_id, filter, judge_id=judge_id)
    by_value: dict[str | None, list[Piece]] = {}
    for piece in found:
        by_value.setdefault(piece.value, []).append(piece)
    totals: dict[str | None, Sums] = {value: figures.total(some)[0] for value, some in by_value.items()}
    rest = everything.values - sum((one.values for one in totals.values()), np.zeros(everything.values.shape))
    without = Sums(values=np.maximum(rest, 0.0), grouped=True)
    if without.count("n"):
        totals[None] = without
    chosen = sorted(totals, key=lambda value: (-totals[value].count("n"), value is None, value))[:limit]
    age = rollups.age(c, project_id, now=now)
    return Slices(
        key=key,
        slices=tuple(
            Slice(value=value, summary=summarise_groups(totals[value], judge_id=judge_id, age_s=age))
            for value in chosen
        ),
        considered=everything.count("n"),
        exact=True,
        computed_from="rollups",
    )


def _metadata() -> object:
    """The event's metadata as text, beside its other columns."""
    found = select(event_bodies.c.metadata).where(event_bodies.c.seq == events.c.seq)
    return found.scalar_subquery().label("metadata")


def _parsed(metadata: str | None) -> Mapping[str, object]:
    found: dict[str, object] = orjson.loads(metadata) if metadata else {}
    return found


def _value(metadata: str | None, key: str) -> str | None:
    value = _parsed(metadata).get(key)
    if value is None or isinstance(value, list | dict):
        return None
    return value if isinstance(value, str) else orjson.dumps(value).decode()
