"""An interval for any statistic of clustered items, where no formula serves: the percentile cluster
bootstrap."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from steelyard.schemas.numbers import Estimate, Value

Indices = NDArray[np.int64]

_MOST_UNDEFINED = 0.05


def resampled(
    statistic: Callable[[Indices], Value],
    clusters: NDArray[np.int64],
    *,
    seed: int = 0,
    resamples: int = 1_000,
) -> Estimate:
    """`statistic` of the item indices, with its 95% interval over resampled clusters (`clusters`: a code an
    item).

    Resamples on which the statistic is undefined are left out; above one in twenty the interval is undefined
    too.
    """
    n = len(clusters)
    value = statistic(np.arange(n))
    if value.value is None:
        return Estimate(value=None, n=n, reason=value.reason)
    _, codes = np.unique(clusters, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    if len(members) == 1:
        return Estimate(value=value.value, n=n, clusters=1, reason="one task shows no spread")
    rng = np.random.default_rng([seed, n])
    found = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(members), size=len(members))
        again = statistic(np.concatenate([members[place] for place in drawn]))
        if again.value is not None:
            found.append(again.value)
    if len(found) < (1 - _MOST_UNDEFINED) * resamples:
        return Estimate(value=value.value, n=n, clusters=len(members), reason="undefined on many resamples")
    low, high = np.quantile(found, (0.025, 0.975))
    if high - low <= 0:
        return Estimate(
            value=value.value, n=n, clusters=len(members), reason="every resample gives the same value"
        )
    return Estimate(
        value=value.value,
        low=float(low),
        high=float(high),
        n=n,
        clusters=len(members),
        method="percentile-cluster-bootstrap",
    )
