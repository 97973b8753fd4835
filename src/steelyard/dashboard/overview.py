"""The Overview: is retrieval good, and can I believe it?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from fastapi import APIRouter
from sqlalchemy import Connection

from steelyard.schemas import query
from steelyard.schemas.base import Record
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.query import EventFilter, EventRow, Slices
from steelyard.schemas.summary import Corrected, Coverage, EvaluatorSummary, Summary
from steelyard.store import events, releases, summaries

from .asking import Asked, both, chosen_judge, environments, event_filter, nothing_here
from .models import Change, Choice, Empty, JudgeName, Mark, Point, Qualifier, SliceRow, Tile
from .view import View
from .wording import BAND_WORDS, MEANINGS, NAMES

router = APIRouter()
FLAGGED_SHOWN, FLAGGED_READ, SOURCES_SHOWN = 8, 50, 10
SLICE_FIRST = ("dataset", "feature_flag", "env")


class Flagged(Record):
    event_id: str
    task: str
    recall: float | None
    precision: float | None
    created_at: datetime


class OverviewPage(Record):
    """Everything the Overview shows. `empty` is set instead of numbers when the range holds no event."""

    view: View
    events: int
    judge: JudgeName | None
    judges: tuple[Choice, ...]
    envs: tuple[Choice, ...]
    label_free: tuple[Tile, ...] = ()
    ground_truth: tuple[Tile, ...] = ()
    evaluator: EvaluatorSummary | None = None
    trust: Tile | None = None
    band_words: str | None = None
    corrected: Corrected | None = None
    coverage: Coverage | None = None
    coverage_parts: tuple[tuple[str, str, int], ...] = ()
    latency: Tile | None = None
    marks: tuple[Mark, ...] = ()
    slice_key: str | None = None
    slice_keys: tuple[Choice, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    sources: tuple[query.Source, ...] | None = None
    flagged: tuple[Flagged, ...] = ()
    computed_from: str = "events"
    age_s: float | None = None
    empty: Empty | None = None


@both(router, "/overview", template="overview.html", title="Overview")
def overview_page(c: Connection, ask: Asked) -> OverviewPage:
    view = ask.view()
    judge, judges = chosen_judge(c, ask.project, view.judge)
    envs = environments(c, ask.project, view)
    chosen = event_filter(view)
    judge_id = judge.id if judge else None
    found = summaries.overview(c, ask.project, chosen, judge_id=judge_id, now=ask.now)
    summary = found.summary
    if not summary.n:
        empty = nothing_here(c, ask, view, "/overview")
        return OverviewPage(view=view, events=0, judge=judge, judges=judges, envs=envs, empty=empty)
    trend = summaries.trend(
        c, ask.project, chosen, judge_id=judge_id, now=ask.now, points=points_for(summary.n)
    )
    key, keys = slice_choices(c, ask, chosen)
    sliced = (
        summaries.slices(c, ask.project, chosen, key=key, judge_id=judge_id, now=ask.now) if key else None
    )
    flagged = events.page(
        c, ask.project, chosen.model_copy(update={"flagged": True}), limit=FLAGGED_READ
    ).items
    return OverviewPage(
        view=view,
        events=summary.n,
        judge=judge,
        judges=judges,
        envs=envs,
        label_free=label_free_tiles(found, trend),
        ground_truth=ground_truth_tiles(found),
        evaluator=summary.evaluator,
        trust=Tile(
            key="evaluator_f1",
            name=NAMES["evaluator_f1"],
            meaning=MEANINGS["evaluator_f1"],
            estimate=summary.evaluator.f1,
            change=change_of(found.changes.get("evaluator_f1")),
            trend=points_of(trend, "evaluator_f1"),
        ),
        band_words=BAND_WORDS[summary.evaluator.band] if summary.evaluator.band else None,
        corrected=summary.corrected,
        coverage=summary.coverage,
        coverage_parts=coverage_parts(summary.coverage),
        latency=Tile(
            key="latency",
            name="Evaluation time, p95",
            meaning=MEANINGS["latency"],
            unit="seconds",
            estimate=_latency(found),
            change=_latency_change(found),
        ),
        marks=marks_of(releases.first_seen(c, ask.project, chosen, points=24)),
        slice_key=key,
        slice_keys=keys,
        slices=worst_first(sliced) if sliced else (),
        sources=_sources(c, ask, chosen, judge_id),
        flagged=lowest(flagged),
        computed_from=summary.computed_from,
        age_s=summary.age_s,
    )


def _sources(
    c: Connection, ask: Asked, chosen: EventFilter, judge_id: str | None
) -> tuple[query.Source, ...] | None:
    """Only when asked for: it reads the events' bodies, which takes longer than all else on the page."""
    if ask.params.get("sources") != "1":
        return None
    return summaries.sources(c, ask.project, chosen, judge_id=judge_id, limit=SOURCES_SHOWN)


def label_free_tiles(found: query.Overview, trend: query.Trend) -> tuple[Tile, ...]:
    """Recall, precision, F1 and nDCG, each with the evaluator's own and the corrected number."""
    summary = found.summary
    free, evaluator, corrected = summary.label_free, summary.evaluator, summary.corrected
    return tuple(
        Tile(
            key=name,
            name=NAMES[name],
            meaning=MEANINGS[name],
            estimate=getattr(free, name),
            estimated=summary.estimated and name in ("recall", "f1"),
            change=change_of(found.changes.get(name)),
            trend=points_of(trend, name),
            qualifiers=_qualifiers(name, evaluator, corrected),
        )
        for name in ("recall", "precision", "f1", "ndcg")
    )


def _qualifiers(name: str, evaluator: EvaluatorSummary, corrected: Corrected) -> tuple[Qualifier, ...]:
    own = {"recall": evaluator.recall, "precision": evaluator.precision}.get(name)
    if own is None:
        return (Qualifier(name="evaluator F1", estimate=evaluator.f1, band=evaluator.band),)
    better: Estimate | None = getattr(corrected, name)
    first = Qualifier(name=f"evaluator {name}", estimate=own)
    if better is None:
        return (first,)
    return (first, Qualifier(name=f"corrected {name}", estimate=better))


def ground_truth_tiles(found: query.Overview) -> tuple[Tile, ...]:
    """GT recall, precision, F1 and nDCG@10."""
    truth = found.summary.ground_truth
    tiles = [
        Tile(key=f"gt_{n}", name=NAMES[f"gt_{n}"], meaning=MEANINGS[f"gt_{n}"], estimate=getattr(truth, n))
        for n in ("recall", "precision", "f1")
    ]
    ndcg = truth.ir.get("nDCG@10")
    if ndcg is not None:
        tiles.append(Tile(key="gt_ndcg", name="GT nDCG@10", meaning=MEANINGS["gt_ndcg"], estimate=ndcg))
    return tuple(tiles)


def _latency(found: query.Overview) -> Estimate:
    n = found.summary.coverage.scored + found.summary.coverage.unscored
    if found.latency_p95_s is None:
        return Estimate(value=None, n=n, reason="nothing judged yet")
    return Estimate(value=found.latency_p95_s, n=n, reason="no interval of a percentile")


def _latency_change(found: query.Overview) -> Change | None:
    if found.latency_p95_s is None:
        return None
    if found.latency_p95_before_s is None:
        return Change(value=None, reason="nothing before to compare with")
    return Change(value=found.latency_p95_s - found.latency_p95_before_s, reason="no interval")


def change_of(change: query.Change | None) -> Change | None:
    """Colour is for changes whose interval excludes 0, and for no other."""
    if change is None:
        return None
    if change.delta is None:
        return Change(value=None, reason=change.reason or "nothing before to compare with")
    low, high = change.low, change.high
    verdict = "undecided"
    if low is not None and high is not None:
        verdict = "better" if low > 0 else "worse" if high < 0 else "undecided"
    return Change.model_validate(
        {"value": change.delta, "low": low, "high": high, "verdict": verdict, "reason": change.reason}
    )


def points_for(n: int) -> int:
    """How many buckets `n` events can fill with a dozen each, from 8 to 48."""
    return min(max(n // 12, 8), 48)


def points_of(trend: query.Trend, name: str) -> tuple[Point, ...]:
    return tuple(Point(start=p.start, end=p.end, estimate=getattr(p, name)) for p in trend.points)


def marks_of(found: Sequence[query.Release]) -> tuple[Mark, ...]:
    """Letters for releases, `a` the oldest: long names would collide on the charts."""
    return tuple(
        Mark(letter=chr(ord("a") + i), name=one.name, at=one.at) for i, one in enumerate(found[-26:])
    )


def coverage_parts(coverage: Coverage) -> tuple[tuple[str, str, int], ...]:
    """The stacked bar: a class for the colour, a word and a count for each part."""
    return (
        ("s1", "scored", coverage.scored),
        ("s2", "unscored", coverage.unscored),
        ("s5", "failed", coverage.errors),
        ("s3", "waiting", coverage.pending),
        ("s4", "not sampled", coverage.not_sampled),
    )


def slice_choices(c: Connection, ask: Asked, chosen: EventFilter) -> tuple[str | None, tuple[Choice, ...]]:
    """The metadata key to slice by (asked for, else a usual one, else the most frequent), and all of them."""
    keys = list(summaries.metadata_keys(c, ask.project, chosen))
    wanted = ask.params.get("slice")
    if wanted and wanted not in keys:
        keys.append(wanted)
    key = wanted or next((k for k in SLICE_FIRST if k in keys), keys[0] if keys else None)
    return key, tuple(Choice(value=k, name=k, chosen=k == key) for k in keys[:12])


def slice_row(value: str | None, summary: Summary) -> SliceRow:
    judged = summary.coverage.scored + summary.coverage.unscored
    return SliceRow(
        value=value,
        events=summary.n,
        recall=summary.label_free.recall,
        precision=summary.label_free.precision,
        gt_recall=summary.ground_truth.recall,
        gt_precision=summary.ground_truth.precision,
        evaluator=summary.evaluator,
        unscored_share=summary.coverage.unscored / judged if judged else None,
    )


def worst_first(sliced: Slices) -> tuple[SliceRow, ...]:
    """Lowest recall first; slices without a number last."""
    rows = [slice_row(s.value, s.summary) for s in sliced.slices]
    return tuple(sorted(rows, key=lambda row: (row.recall.value is None, row.recall.value or 0.0)))


def lowest(rows: Sequence[EventRow]) -> tuple[Flagged, ...]:
    """The lowest recall first among the latest flagged events."""
    ordered = sorted(rows, key=lambda row: row.recall if row.recall is not None else 1.0)
    return tuple(
        Flagged(
            event_id=row.event_id,
            task=row.task,
            recall=row.recall,
            precision=row.precision,
            created_at=row.created_at,
        )
        for row in ordered[:FLAGGED_SHOWN]
    )
