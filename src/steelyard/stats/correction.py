"""A mean over all traffic from a few labels and many judgements: prediction-powered inference with tuned
weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from steelyard.schemas.numbers import Estimate

from .jackknife import CONSTANT

Vector = NDArray[np.float64]

FEWEST = 3
"""Labelled clusters below which there is no interval."""


@dataclass(frozen=True, kw_only=True)
class CorrectedMean:
    """`weight` in 0..1 is how far the judge is listened to: 0 is the mean of the labels alone."""

    estimate: Estimate
    weight: float


def ppi_mean(
    gold: Vector,
    judge: Vector,
    unlabelled: Vector,
    *,
    clusters: NDArray[np.int64] | None = None,
    unlabelled_clusters: NDArray[np.int64] | None = None,
) -> CorrectedMean:
    """The mean of `gold` over labelled and unlabelled items together: `gold` and `judge` for the labelled,
    `unlabelled` the judge's values for the rest. Cluster codes are shared by both; without them every item is
    its own cluster."""
    own = np.arange(len(gold)) if clusters is None else clusters
    rest = len(gold) + np.arange(len(unlabelled)) if unlabelled_clusters is None else unlabelled_clusters
    size = int(max(own.max(initial=-1), rest.max(initial=-1))) + 1

    def by_cluster(codes: NDArray[np.int64], values: Vector | None = None) -> Vector:
        return np.bincount(codes, weights=values, minlength=size).astype(np.float64)

    return ppi_from_sums(
        labelled_gold=by_cluster(own, gold),
        labelled_judge=by_cluster(own, judge),
        labelled_n=by_cluster(own),
        unlabelled_judge=by_cluster(rest, unlabelled),
        unlabelled_n=by_cluster(rest),
    )


def ppi_from_sums(
    *,
    labelled_gold: Vector,
    labelled_judge: Vector,
    labelled_n: Vector,
    unlabelled_judge: Vector,
    unlabelled_n: Vector,
    labelled_judge_n: Vector | None = None,
) -> CorrectedMean:
    """PPI++ with power tuning (Angelopoulos, Duchi and Zrnic 2023) from sums by cluster.

    `labelled_judge_n`: how many labelled items have the judge's value, when some of them have no gold value:
    f̄ₗ must be of the same kind of items as f̄ᵤ, whose gold values nobody knows.

    θ = ȳ + λ(f̄ᵤ - f̄ₗ), λ minimising the variance, kept in 0..1. The variance is taken over clusters by each
    cluster's influence on the three means; with one item a cluster this is the paper's own. Student's t with
    two degrees of freedom less than there are labelled clusters (the mean and the weight).
    """
    n, rest = float(labelled_n.sum()), float(unlabelled_n.sum())
    labelled = int((labelled_n > 0).sum())
    if n == 0:
        return CorrectedMean(estimate=Estimate(value=None, n=0, reason="no event is labelled"), weight=0.0)
    judged_n = labelled_n if labelled_judge_n is None else labelled_judge_n
    judged = float(judged_n.sum())
    gold, judge = labelled_gold.sum() / n, labelled_judge.sum() / judged
    others = unlabelled_judge.sum() / rest if rest else judge
    of_gold = (labelled_gold - gold * labelled_n) / n
    of_shift = -(labelled_judge - judge * judged_n) / judged
    if rest:
        of_shift = of_shift + (unlabelled_judge - others * unlabelled_n) / rest
    power = float(of_shift @ of_shift)
    weight = float(np.clip(-(of_gold @ of_shift) / power, 0.0, 1.0)) if power > 0 and rest else 0.0
    value = min(max(float(gold + weight * (others - judge)), 0.0), 1.0)
    influence = of_gold + weight * of_shift
    squares = float(influence @ influence)
    if labelled < FEWEST or squares <= CONSTANT**2:
        reason = (
            "too few labelled tasks show their spread"
            if labelled < FEWEST
            else "every labelled task has the same value"
        )
        estimate = Estimate(value=value, n=round(n), clusters=labelled, reason=reason)
    else:
        half = float(special.stdtrit(labelled - 2, 0.975)) * (labelled / (labelled - 2) * squares) ** 0.5
        estimate = Estimate(
            value=value,
            low=max(value - half, 0.0),
            high=min(value + half, 1.0),
            n=round(n),
            clusters=labelled,
            method="ppi++",
        )
    return CorrectedMean(estimate=estimate, weight=weight)
