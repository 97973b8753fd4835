"""The BCa cluster bootstrap of many means at once: one set of resamples serves all columns."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .jackknife import CONSTANT, left_out

Matrix = NDArray[np.float64]

_ALPHAS = (0.025, 0.975)


def weights(clusters: int, *, resamples: int, rng: np.random.Generator) -> Matrix:
    """How often each cluster is drawn in each resample: resamples × clusters."""
    drawn = rng.integers(0, clusters, size=(resamples, clusters), dtype=np.int32)
    drawn += np.arange(resamples, dtype=np.int32)[:, None] * clusters
    counted = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return counted.reshape(resamples, clusters).astype(np.float64)


def bca(totals: Matrix, counts: Matrix, *, resamples: int, rng: np.random.Generator) -> Matrix:
    """95% intervals (columns × 2) of Σ totals / Σ counts for each column of clusters × columns, every count
    positive.

    Bias-corrected and accelerated (Efron 1987); whole clusters are drawn, so items of one cluster may depend
    on each other. SciPy has the method for one statistic at a time; this agrees with it (tests) and shares
    the resamples.
    """
    drawn = weights(len(totals), resamples=resamples, rng=rng)
    replicates = np.sort((drawn @ totals) / (drawn @ counts), axis=0)
    intervals = np.empty((totals.shape[1], 2))
    for column in range(totals.shape[1]):
        mean = totals[:, column].sum() / counts[:, column].sum()
        intervals[column] = _interval(
            replicates[:, column], mean, left_out(totals[:, column], counts[:, column])
        )
    return intervals


def _interval(replicates: Matrix, mean: float, means: Matrix) -> Matrix:
    below = np.searchsorted(replicates, mean - CONSTANT)
    above = np.searchsorted(replicates, mean + CONSTANT, side="right")
    share = (below + above) / 2 / len(replicates)
    margin = 0.5 / len(replicates)
    bias = special.ndtri(np.clip(share, margin, 1 - margin))
    apart = means.mean() - means
    scale = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * scale) if scale > 0 else 0.0
    moved = bias + special.ndtri(_ALPHAS)
    levels = special.ndtr(bias + moved / (1 - acceleration * moved))
    return np.asarray(np.quantile(replicates, np.clip(levels, 0.0, 1.0)))
