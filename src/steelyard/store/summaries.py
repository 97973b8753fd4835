"""Every aggregate of the pages: exact from events while they are few, else from rollups, with their age."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import EventFilter, Overview, Slices, Source, Trend
from steelyard.schemas.summary import Summary

EXACT = 5_000
"""Up to so many events a summary is made from the events themselves."""


def summary(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, now: datetime, seed: int = 0
) -> Summary:
    """The summary of the matching events under one judge (None: the latest used one).

    From rollups when more than `EXACT` events match and the filter is one that rollups keep (a time range,
    widened to whole hours, and at most one of env, dataset and feature_flag); with other filters from the
    latest `EXACT` matching events.
    """
    raise NotImplementedError


def overview(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, now: datetime
) -> Overview:
    """The summary of a range with its changes against the period of equal length before (`filter.start`
    None: no period before, no changes)."""
    raise NotImplementedError


def trend(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    now: datetime,
    points: int = 48,
) -> Trend:
    """Buckets of equal length over the filter's range (all events when open), at most `points`, oldest
    first."""
    raise NotImplementedError


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
    raise NotImplementedError


def sources(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None, limit: int = 20
) -> tuple[Source, ...]:
    """Passage sources over the latest evaluated events, lowest precision first."""
    raise NotImplementedError


def metadata_keys(c: Connection, project_id: str, filter: EventFilter) -> tuple[str, ...]:
    """Top-level metadata keys of the latest events, most frequent first: what can be sliced by."""
    raise NotImplementedError
