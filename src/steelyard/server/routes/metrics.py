"""Metrics: means with their intervals and coverage, over time, by slice and by source."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from steelyard.schemas.query import Slices, Source, Trend
from steelyard.schemas.summary import Summary
from steelyard.store import summaries

from ..filters import EventQuery, Limit, Line, SummaryQuery
from .parts import App, Items, Reader

router = APIRouter(tags=["metrics"])


class TrendQuery(EventQuery):
    """Which events, in how many buckets."""

    points: Limit = 48


class SliceQuery(EventQuery):
    """Which events, sliced by which top-level metadata key."""

    key: Line
    limit: Limit = 20


class Sources(Items):
    """Passage sources, lowest precision first."""

    items: tuple[Source, ...]


@router.get("/v1/metrics", summary="Summarise events")
def get_metrics(viewer: Reader, app: App, query: Annotated[SummaryQuery, Query()]) -> Summary:
    """Label-free, ground-truth and evaluator means with 95% intervals under one judge (the latest used one
    unless `judge_id` names another), coverage, and the means corrected by labels."""
    now = datetime.now(UTC)
    wanted = query.filter(now=now)
    with app.store.read() as c:
        return summaries.summary(
            c,
            viewer.project_id,
            wanted,
            judge_id=query.judge_id,
            now=now,
            labelled_are_sample=query.labelled_are_sample,
        )


@router.get("/v1/metrics/trend", summary="Summarise events over time")
def get_trend(viewer: Reader, app: App, query: Annotated[TrendQuery, Query()]) -> Trend:
    """Buckets of equal length over the range, oldest first."""
    now = datetime.now(UTC)
    wanted = query.filter(now=now)
    with app.store.read() as c:
        return summaries.trend(
            c, viewer.project_id, wanted, judge_id=query.judge_id, now=now, points=query.points
        )


@router.get("/v1/metrics/slices", summary="Summarise events by a metadata key")
def get_slices(viewer: Reader, app: App, query: Annotated[SliceQuery, Query()]) -> Slices:
    """One summary for each value of the key, most events first."""
    now = datetime.now(UTC)
    wanted = query.filter(now=now)
    with app.store.read() as c:
        return summaries.slices(
            c, viewer.project_id, wanted, key=query.key, judge_id=query.judge_id, now=now, limit=query.limit
        )


@router.get("/v1/metrics/sources", summary="Summarise passage sources")
def get_sources(viewer: Reader, app: App, query: Annotated[EventQuery, Query()]) -> Sources:
    """Recall and precision of each source over the latest evaluated events."""
    with app.store.read() as c:
        found = summaries.sources(c, viewer.project_id, query.filter(), judge_id=query.judge_id)
    return Sources(items=found)
