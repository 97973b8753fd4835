"""Sums over events, by task or by hash group of tasks: all that means, intervals and corrections need."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.errors import InvalidInput

from .scores import METRICS

Matrix = NDArray[np.float64]

GROUPS = 64
"""Tasks are dealt into so many groups by their key; leaving one group out at a time gives intervals from
sums."""

LAYOUT = 2
"""The version of `FIELDS`: stored sums of another layout must be made again."""

MICRO = {
    "recall": ("supported", "requirements"),
    "precision": ("cited", "documents"),
    "gt_recall": ("gold_in_context", "gold"),
    "gt_precision": ("gold_in_context", "documents"),
    "evaluator_precision": ("cited_gold", "cited"),
    "evaluator_recall": ("cited_gold", "gold_in_context"),
}
"""Metrics with a pooled value: the counts that are summed before they are divided."""

CORRECTED = ("recall", "precision")
_CORRECTION_PARTS = (
    "labelled_gold",
    "labelled_n",
    "labelled_judge",
    "labelled_judge_n",
    "unlabelled_judge",
    "unlabelled_n",
)
"""`labelled_judge` is of every judged event with a label, `labelled_gold` of those where the value against
gold is defined too (GT recall is not where nothing is relevant)."""

STATES = ("n", "scored", "unscored", "pending", "not_sampled", "errors", "estimated", "labelled")

FIELDS = (
    *(f"{metric}.{part}" for metric in METRICS for part in ("sum", "n")),
    *(f"{metric}.micro.{part}" for metric in MICRO for part in ("over", "under")),
    *(f"{metric}.{part}" for metric in CORRECTED for part in _CORRECTION_PARTS),
    *STATES,
)
AT = {name: index for index, name in enumerate(FIELDS)}


@dataclass(frozen=True, kw_only=True)
class Sums:
    """`values`: clusters × `FIELDS`. A cluster is a task, or with `grouped` a hash group of tasks."""

    values: Matrix
    grouped: bool

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != len(FIELDS):
            raise InvalidInput(
                f"sums have {len(FIELDS)} fields, these have the shape {self.values.shape}",
                field="sums",
                hint="They are of another layout and have to be made again.",
            )

    def column(self, name: str) -> Matrix:
        return np.asarray(self.values[:, AT[name]])

    def total(self, name: str) -> float:
        return float(self.column(name).sum())

    def count(self, name: str) -> int:
        return round(self.total(name))


def with_labels_of(everything: Sums, labelled: Sums) -> Sums:
    """`everything`, with the events of `labelled` (a part of it, by hash group) as its only labelled ones:
    what a correction needs."""
    values = everything.values.copy()
    for metric in CORRECTED:
        for part in ("labelled_gold", "labelled_n", "labelled_judge", "labelled_judge_n"):
            values[:, AT[f"{metric}.{part}"]] = labelled.column(f"{metric}.{part}")
        for part, whole, counted in (("judge", "sum", "labelled_judge"), ("n", "n", "labelled_judge_n")):
            rest = everything.column(f"{metric}.{whole}") - labelled.column(f"{metric}.{counted}")
            values[:, AT[f"{metric}.unlabelled_{part}"]] = np.maximum(rest, 0.0)
    return Sums(values=values, grouped=everything.grouped)


def group_of(task_key: str) -> int:
    """The hash group of a task, 0..63."""
    return int(task_key[:8], 16) % GROUPS


def group_sums(rows: ArrayLike, groups: ArrayLike) -> Sums:
    """The sums of stored rows (rows × `FIELDS`), each of one hash group (0..63)."""
    table = np.asarray(rows, dtype=np.float64).reshape(-1, len(FIELDS))
    codes = np.asarray(groups, dtype=np.int64)
    values = np.empty((GROUPS, len(FIELDS)))
    for index in range(len(FIELDS)):
        values[:, index] = np.bincount(codes, weights=table[:, index], minlength=GROUPS)
    return Sums(values=values, grouped=True)
