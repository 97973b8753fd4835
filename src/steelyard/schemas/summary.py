"""Aggregates over events: every mean with its interval, n and coverage."""

from datetime import datetime
from typing import Literal

from .base import Record
from .numbers import Estimate

Band = Literal["high", "moderate", "low"]


class Coverage(Record):
    """How much of what should be judged was. `share` is scored / (scored + unscored + errors), None when all
    are 0;
    `worst_low`, `worst_high` bound mean recall if every event that was not scored had scored 0 or 1."""

    scored: int
    unscored: int
    pending: int
    not_sampled: int
    errors: int
    share: float | None
    worst_low: float | None
    worst_high: float | None


class LabelFreeSummary(Record):
    recall: Estimate
    precision: Estimate
    f1: Estimate
    ndcg: Estimate


class GroundTruthSummary(Record):
    recall: Estimate
    precision: Estimate
    f1: Estimate
    ir: dict[str, Estimate]


class EvaluatorSummary(Record):
    """`band` is None below one labelled event; `low_band` and `high_band` are the bands of the interval's
    ends."""

    precision: Estimate
    recall: Estimate
    f1: Estimate
    exact_match: Estimate
    exact_match_strict: Estimate
    band: Band | None
    low_band: Band | None
    high_band: Band | None
    advice: tuple[str, ...]


class Corrected(Record):
    """Mean GT recall and precision over all traffic by prediction-powered inference, or `withheld` with the
    reason.

    `basis`: why the labelled events may speak for the others. `same_filters`: both occur under the same env,
    dataset and feature flag; `drawn`: they are the random sample `sample_id`, for the events created before
    `until`; `declared`: the caller says so.
    """

    recall: Estimate | None = None
    precision: Estimate | None = None
    labelled: int = 0
    unlabelled: int = 0
    tuned_weight: float | None = None
    withheld: str | None = None
    basis: Literal["same_filters", "drawn", "declared"] | None = None
    sample_id: str | None = None
    until: datetime | None = None


class Summary(Record):
    """Everything about one set of events under one judge identity."""

    n: int
    judge_id: str | None
    label_free: LabelFreeSummary
    ground_truth: GroundTruthSummary
    evaluator: EvaluatorSummary
    coverage: Coverage
    corrected: Corrected
    estimated: bool
    computed_from: Literal["events", "rollups"] = "events"
    age_s: float | None = None
