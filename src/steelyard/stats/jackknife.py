"""The mean of clustered items from sums, and differences of two such means, by leaving one cluster out at a
time."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Vector = NDArray[np.float64]

_LEVEL = 0.975
CONSTANT = 1e-12
"""Means of clusters that differ by less are one and the same number."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A mean with its variance over clusters; `variance` is None below two clusters."""

    mean: float
    variance: float | None
    clusters: int

    @property
    def half_width(self) -> float | None:
        """Half of the 95% interval: Student's t with clusters - 1 degrees of freedom."""
        if self.variance is None:
            return None
        return float(special.stdtrit(self.clusters - 1, _LEVEL) * math.sqrt(self.variance))


def left_out(totals: Vector, counts: Vector) -> Vector:
    """The mean without each cluster in turn; `counts` are positive."""
    return np.asarray((totals.sum() - totals) / (counts.sum() - counts), dtype=np.float64)


def spread(totals: Vector, counts: Vector) -> Spread | None:
    """The mean Σ totals / Σ counts with its delete-one-cluster jackknife variance (Efron 1982, ch. 3; with
    hash groups as clusters the delete-a-group jackknife of Kott 2001). Clusters without items do not count;
    None without any."""
    present = counts > 0
    totals, counts = totals[present], counts[present]
    clusters = len(counts)
    if clusters == 0:
        return None
    mean = float(totals.sum() / counts.sum())
    if clusters == 1:
        return Spread(mean=mean, variance=None, clusters=1)
    means = left_out(totals, counts)
    variance = (clusters - 1) / clusters * float(((means - means.mean()) ** 2).sum())
    return Spread(mean=mean, variance=variance, clusters=clusters)


def difference(now: Spread, before: Spread) -> tuple[float, float] | None:
    """The 95% interval of now - before for independent sets of clusters (Welch 1947 degrees of freedom). None
    when either side has one cluster, or neither varies."""
    if now.variance is None or before.variance is None:
        return None
    variance = now.variance + before.variance
    if variance <= CONSTANT**2:
        return None
    freedom = variance**2 / sum(
        side.variance**2 / (side.clusters - 1) for side in (now, before) if side.variance is not None
    )
    half = float(special.stdtrit(freedom, _LEVEL) * math.sqrt(variance))
    delta = now.mean - before.mean
    return delta - half, delta + half
