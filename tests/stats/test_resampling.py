"""Intervals for any statistic."""

import numpy as np
import pytest

from steelyard.schemas.numbers import Value
from steelyard.stats.classification import Confusion
from steelyard.stats.means import cluster_means
from steelyard.stats.resampling import resampled


def test_the_interval_of_a_mean_is_that_of_the_mean() -> None:
    values = np.random.default_rng(1).random(80)
    mine = resampled(lambda items: Value.of(float(values[items].mean())), np.arange(80) // 2, resamples=2_000)
    totals = values.reshape(40, 2).sum(axis=1, keepdims=True)
    other = cluster_means(totals, np.full((40, 1), 2.0))[0]
    assert (mine.value, mine.clusters, mine.n) == (pytest.approx(other.value), 40, 80)
    assert mine.low == pytest.approx(other.low, abs=0.02)
    assert mine.high == pytest.approx(other.high, abs=0.02)


def test_kappa_has_one_too() -> None:
    rng = np.random.default_rng(2)
    labels = rng.random(200) < 0.5
    judged = np.where(rng.random(200) < 0.9, labels, ~labels)
    found = resampled(lambda items: Confusion.of(labels[items], judged[items]).kappa, np.arange(200))
    assert found.low < found.value < found.high
    assert found.method == "percentile-cluster-bootstrap"


CASES = [
    (lambda _: Value.undefined("nothing to say"), [0, 1], None, "nothing to say"),
    (lambda _: Value.of(1.0), [0, 0], 1.0, "one task shows no spread"),
    (lambda _: Value.of(1.0), [0, 1, 2], 1.0, "every resample gives the same value"),
    (
        lambda items: Value.of(0.5) if len(set(items.tolist())) == 3 else Value.undefined("too few"),
        [0, 1, 2],
        0.5,
        "undefined on many resamples",
    ),
]


@pytest.mark.parametrize(("statistic", "clusters", "value", "reason"), CASES)
def test_no_interval_without_its_reason(statistic, clusters, value, reason) -> None:
    found = resampled(statistic, np.array(clusters), resamples=100)
    assert (found.value, found.low, found.reason) == (value, None, reason)
