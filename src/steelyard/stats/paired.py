"""Two systems on the same items: the mean difference with interval and p, and the exact test of paired
verdicts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from steelyard.schemas.numbers import Estimate

from .bootstrap import bca
from .jackknife import CONSTANT

Vector = NDArray[np.float64]

_RESAMPLES = 9_999
_BATCH_CELLS = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Paired:
    """`delta`: mean of test - base in -1..1. `p`: two-sided, by permutation; None without any pair."""

    delta: Estimate
    p: float | None


def paired_difference(
    base: Vector, test: Vector, *, clusters: NDArray[np.int64] | None = None, seed: int = 0
) -> Paired:
    """The mean difference over pairs, with the BCa bootstrap interval and the permutation p value that swaps
    base and test, both by whole clusters (codes from 0; None: every pair is its own)."""
    codes = np.arange(len(base)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    n = len(base)
    if n == 0:
        return Paired(delta=Estimate(value=None, n=0, reason="there are no pairs"), p=None)
    counts = np.bincount(codes).astype(np.float64)
    first = np.bincount(codes, weights=base).astype(np.float64)
    second = np.bincount(codes, weights=test).astype(np.float64)
    totals = second - first
    value = float(totals.sum() / n)
    if len(counts) == 1 or float(np.ptp(totals / counts)) <= CONSTANT:
        reason = "one task shows no spread" if len(counts) == 1 else "every task has the same difference"
        delta = Estimate(value=value, n=n, clusters=len(counts), reason=reason)
    else:
        intervals = bca(
            totals[:, None], counts[:, None], resamples=2_000, rng=np.random.default_rng([seed, n])
        )
        delta = Estimate(
            value=value,
            low=float(intervals[0, 0]),
            high=float(intervals[0, 1]),
            n=n,
            clusters=len(counts),
            method="bca-cluster-bootstrap",
        )
    return Paired(delta=delta, p=_permutation(first, second, seed=seed))


def _permutation(first: Vector, second: Vector, *, seed: int) -> float:
    if len(first) == 1 or not np.any(np.abs(second - first) > CONSTANT):
        return 1.0

    def shift(a: Vector, b: Vector, axis: int = -1) -> Vector:
        return np.asarray(np.sum(b, axis=axis) - np.sum(a, axis=axis))

    result = stats.permutation_test(
        (first, second),
        shift,
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=max(1, _BATCH_CELLS // len(first)),
        rng=np.random.default_rng([seed, 1]),
    )
    return float(result.pvalue)


def mcnemar(only_base: int, only_test: int) -> float:
    """Two-sided exact p value of McNemar's test from the two discordant counts; 1 when there is none."""
    discordant = only_base + only_test
    return float(stats.binomtest(only_base, discordant, 0.5).pvalue) if discordant else 1.0
