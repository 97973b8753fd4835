"""Whose labels correct the judge's means: a drawn sample's, those the caller vouches for, or all."""

from datetime import datetime

import numpy as np
from sqlalchemy import ColumnElement, Connection, select

from steelyard.retrieval.sample import still_needed, usable
from steelyard.retrieval.summary import corrected
from steelyard.retrieval.sums import Sums, with_labels_of
from steelyard.schemas.query import EventFilter
from steelyard.schemas.samples import Sample
from steelyard.schemas.summary import Corrected

from . import figures, samples
from .filters import conditions
from .tables import events, sample_events


def correction(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str | None,
    declared: bool,
    otherwise: Corrected,
) -> Corrected:
    """The corrected means of the matching events: from labels that the caller `declared` a sample, else from
    the newest drawn sample that says enough, else `otherwise`, which was made from all labels there are."""
    if filter.labelled is not None:
        return otherwise
    if declared:
        return otherwise.model_copy(update={"basis": None if otherwise.withheld else "declared"})
    reason = None
    for sample in samples.covering(c, project_id, filter):
        found = _from_sample(c, project_id, filter, sample, judge_id=judge_id)
        if found is not None and found.withheld is None:
            return found
        reason = reason or (found.withheld if found else None)
    if otherwise.withheld is None:
        return otherwise.model_copy(update={"basis": "same_filters"})
    return otherwise.model_copy(update={"withheld": reason}) if reason else otherwise


def _from_sample(
    c: Connection, project_id: str, filter: EventFilter, sample: Sample, *, judge_id: str | None
) -> Corrected | None:
    """None when nothing of the sample is among the matching events."""
    narrowed, until = _population(filter, sample)
    here = (*conditions(c, project_id, narrowed), sample_events.c.sample_id == sample.id)
    drawn = c.execute(
        select(events.c.seq, events.c.labelled)
        .join(sample_events, sample_events.c.event_seq == events.c.seq)
        .where(*here)
        .order_by(sample_events.c.place)
    ).all()
    if not drawn:
        return None
    labelled = [row.labelled for row in drawn]
    if reason := still_needed(labelled):
        return Corrected(withheld=reason)
    used = [row.seq for row in drawn[: usable(labelled)]]
    sums = _sums(c, project_id, narrowed, sample, used, judge_id=judge_id)
    found = corrected(sums, withheld=None)
    return found.model_copy(update={"basis": "drawn", "sample_id": sample.id, "until": until})


def _population(filter: EventFilter, sample: Sample) -> tuple[EventFilter, datetime]:
    """The matching events that could have been drawn."""
    starts = [time for time in (filter.start, sample.filter.start) if time is not None]
    until = min(time for time in (filter.end, sample.filter.end, sample.drawn_at) if time is not None)
    return filter.model_copy(update={"start": max(starts, default=None), "end": until}), until


def _sums(
    c: Connection,
    project_id: str,
    narrowed: EventFilter,
    sample: Sample,
    used: list[int],
    *,
    judge_id: str | None,
) -> Sums:
    """The sums of the population with the used events as its only labelled ones: from the events themselves
    while they are few, else from stored sums, whose range is widened to whole hours."""
    if figures.stored(narrowed) is not None and not figures.few(c, project_id, narrowed):
        everything, _ = figures.stored_sums(c, project_id, narrowed, judge_id=judge_id)
        mine: ColumnElement[bool] = events.c.seq.in_(used)
        labelled = figures.exact(c, project_id, narrowed, judge_id=judge_id, where=[mine])
        return with_labels_of(everything, labelled.columns.by_group())
    known_then = events.c.received_at <= sample.drawn_at
    found = figures.exact(c, project_id, narrowed, judge_id=judge_id, where=[known_then])
    mask = np.isin([row.seq for row in found.rows], used)
    return found.columns.labelled_only(mask).by_task()
