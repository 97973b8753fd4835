"""The jackknife of a clustered mean, and the difference of two."""

import numpy as np
import pytest
from scipy import stats

from steelyard.stats.jackknife import difference, spread


def test_with_one_item_a_cluster_it_is_the_variance_of_the_mean() -> None:
    values = np.random.default_rng(1).random(30)
    found = spread(values, np.ones(30))
    assert found is not None
    assert found.mean == pytest.approx(values.mean())
    assert found.variance == pytest.approx(values.var(ddof=1) / 30)


def test_the_difference_of_two_unclustered_means_is_welchs() -> None:
    rng = np.random.default_rng(2)
    now, before = rng.random(40), rng.beta(2, 5, 25)
    mine = difference(*(spread(side, np.ones(len(side))) for side in (now, before)))
    theirs = stats.ttest_ind(now, before, equal_var=False).confidence_interval()
    assert mine == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize(("now", "before"), [([1.0], [0.0, 1.0]), ([1.0, 1.0], [0.5, 0.5])])
def test_without_spread_there_is_no_interval(now: list[float], before: list[float]) -> None:
    sides = [spread(np.array(side), np.ones(len(side))) for side in (now, before)]
    assert difference(*sides) is None


def test_clusters_without_items_do_not_count() -> None:
    assert spread(np.zeros(3), np.zeros(3)) is None
    with_empty = spread(np.array([1.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    assert with_empty == spread(np.array([1.0, 0.0]), np.ones(2))
