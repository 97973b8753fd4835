"""Means with 95% intervals from sums by cluster: the method is chosen by the data and named in the answer."""

import numpy as np
from numpy.typing import NDArray

from steelyard.schemas.numbers import Estimate

from .bootstrap import bca
from .jackknife import CONSTANT, spread
from .wilson import wilson

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

BOOTSTRAP, JACKKNIFE, GROUPS = "bca-cluster-bootstrap", "cluster-jackknife", "group-jackknife"
RESAMPLES = 1_000
MANY = 1_000
"""Above so many clusters the jackknife, which then agrees with the bootstrap, is used in its place."""


def cluster_means(
    totals: Matrix,
    counts: Matrix,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    grouped: bool = False,
    quick: bool = False,
) -> list[Estimate]:
    """For each column the mean Σ totals / Σ counts of values in 0..1, with its interval over clusters.

    `totals`, `counts`: clusters × columns; a cluster with count 0 has no part in that column. `grouped`: the
    rows are hash groups of clusters. `quick`, `grouped` and large data use the jackknife with Student's t,
    all else the BCa bootstrap. When all clusters agree neither says anything: at 0 or 1 every value is 0 or 1
    and Wilson's interval over the clusters is given, elsewhere the interval is undefined.
    """
    estimates: list[Estimate | None] = [
        _plain(totals[:, i], counts[:, i], grouped) for i in range(totals.shape[1])
    ]
    waiting: dict[bytes, list[int]] = {}
    for column, estimate in enumerate(estimates):
        if estimate is not None:
            continue
        present = counts[:, column] > 0
        if grouped or quick or present.sum() > MANY:
            estimates[column] = _jackknife(totals[:, column], counts[:, column], grouped)
        else:
            waiting.setdefault(present.tobytes(), []).append(column)
    for columns in waiting.values():
        present = counts[:, columns[0]] > 0
        chosen_totals, chosen_counts = totals[present][:, columns], counts[present][:, columns]
        rng = np.random.default_rng([seed, int(present.sum())])
        intervals = bca(chosen_totals, chosen_counts, resamples=resamples, rng=rng)
        for column, (low, high) in zip(columns, intervals, strict=True):
            estimates[column] = _estimate(
                totals[:, column],
                counts[:, column],
                float(low),
                float(high),
                method=BOOTSTRAP,
                grouped=grouped,
            )
    return [estimate for estimate in estimates if estimate is not None]


def _plain(totals: Vector, counts: Vector, grouped: bool) -> Estimate | None:
    """The estimate where no interval has to be computed: no items, one cluster, or clusters that all
    agree."""
    present = counts > 0
    n, clusters = round(float(counts.sum())), int(present.sum())
    if clusters == 0:
        return Estimate(value=None, n=0, reason="no event defines it")
    means = totals[present] / counts[present]
    value = float(totals.sum() / counts.sum())
    shown = None if grouped else clusters
    if float(np.ptp(means)) > CONSTANT:
        return None
    if value < CONSTANT or value > 1 - CONSTANT:
        bounds = wilson(clusters if value > 0.5 else 0, clusters)
        value = float(value > 0.5)
        return bounds.model_copy(update={"value": value, "n": n, "clusters": shown})
    reason = "one task shows no spread" if clusters == 1 else "every task has the same value"
    return Estimate(value=value, n=n, clusters=shown, reason=reason)


def _jackknife(totals: Vector, counts: Vector, grouped: bool) -> Estimate:
    found = spread(totals, counts)
    assert found is not None
    half = found.half_width or 0.0
    method = GROUPS if grouped else JACKKNIFE
    return _estimate(
        totals,
        counts,
        max(found.mean - half, 0.0),
        min(found.mean + half, 1.0),
        method=method,
        grouped=grouped,
    )


def _estimate(
    totals: Vector, counts: Vector, low: float, high: float, *, method: str, grouped: bool
) -> Estimate:
    return Estimate(
        value=float(totals.sum() / counts.sum()),
        low=low,
        high=high,
        n=round(float(counts.sum())),
        clusters=None if grouped else int((counts > 0).sum()),
        method=method,
    )
