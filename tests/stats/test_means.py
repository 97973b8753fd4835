"""Means over clusters: against SciPy's bootstrap, by coverage, and where the data say nothing."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steelyard.stats.bootstrap import bca
from steelyard.stats.means import BOOTSTRAP, GROUPS, JACKKNIFE, cluster_means
from steelyard.stats.wilson import wilson


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


@pytest.mark.parametrize("skew", [(1.0, 1.0), (8.0, 1.0), (0.3, 2.0)])
def test_the_shared_bootstrap_agrees_with_scipys(skew: tuple[float, float]) -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 5, 60).astype(float)
    totals = counts * rng.beta(*skew, 60)
    mine = bca(totals[:, None], counts[:, None], resamples=20_000, rng=np.random.default_rng(2))[0]
    theirs = stats.bootstrap(
        (totals, counts),
        lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(3),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert mine[0] == pytest.approx(theirs.low, abs=0.04 * width)
    assert mine[1] == pytest.approx(theirs.high, abs=0.04 * width)


@pytest.mark.parametrize("quick", [False, True])
def test_intervals_cover_the_mean_of_clustered_items(quick: bool) -> None:
    rng, runs, covered = np.random.default_rng(4), 600, 0
    for _ in range(runs):
        sizes = rng.integers(1, 6, 80)
        centre = rng.beta(3, 1, 80)
        totals = rng.binomial(sizes, centre).astype(float)
        found = cluster_means(totals[:, None], sizes[:, None].astype(float), resamples=400, quick=quick)[0]
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.75 <= found.high
    assert 0.925 <= covered / runs <= 0.972


def test_ignoring_the_clusters_would_be_too_sure() -> None:
    """One task logged a hundred times is one observation, not a hundred."""
    values = np.random.default_rng(5).integers(0, 2, 12).astype(float)
    clustered = cluster_means(100 * values[:, None], np.full((12, 1), 100.0))[0]
    apart = cluster_means(np.repeat(values, 100)[:, None], np.ones((1200, 1)))[0]
    assert clustered.value == apart.value
    assert clustered.high - clustered.low > 5 * (apart.high - apart.low)


CONSTANT = [
    ("no items", column(0, 0), column(0, 0), None, None, "no event defines it"),
    ("all one", column(1, 2, 1), column(1, 2, 1), 1.0, "wilson", None),
    ("all zero", column(0, 0), column(3, 4), 0.0, "wilson", None),
    ("all one half", column(1, 0.5), column(2, 1), 0.5, None, "every task has the same value"),
    ("one task", column(1.5), column(3), 0.5, None, "one task shows no spread"),
    ("one task, all one", column(3), column(3), 1.0, "wilson", None),
]


@pytest.mark.parametrize(("name", "totals", "counts", "value", "method", "reason"), CONSTANT)
@pytest.mark.parametrize("options", [{}, {"quick": True}, {"grouped": True}])
def test_constant_data(name, totals, counts, value, method, reason, options) -> None:
    found = cluster_means(totals, counts, **options)[0]
    assert (found.value, found.method, found.reason) == (value, method, reason)
    if method == "wilson":
        bounds = wilson(int(value) * len(counts), len(counts))
        assert (found.low, found.high) == (bounds.low, bounds.high)
        assert found.n == counts.sum()
    else:
        assert found.low is None
        assert found.high is None


@pytest.mark.parametrize(
    ("clusters", "options", "method"),
    [
        (1_000, {}, BOOTSTRAP),
        (1_001, {}, JACKKNIFE),
        (20, {"quick": True}, JACKKNIFE),
        (20, {"grouped": True}, GROUPS),
    ],
)
def test_the_method_is_named(clusters: int, options: dict[str, bool], method: str) -> None:
    totals = np.random.default_rng(6).random((clusters, 1))
    found = cluster_means(totals, np.ones((clusters, 1)), **options)[0]
    assert found.method == method
    assert found.clusters == (None if "grouped" in options else clusters)


def test_the_methods_agree_on_many_clusters() -> None:
    totals = np.random.default_rng(7).beta(5, 1, (1_000, 1))
    slow, quick = (cluster_means(totals, np.ones((1_000, 1)), quick=flag)[0] for flag in (False, True))
    assert quick.low == pytest.approx(slow.low, abs=0.1 * (slow.high - slow.low))
    assert quick.high == pytest.approx(slow.high, abs=0.1 * (slow.high - slow.low))


def test_a_seed_fixes_the_answer() -> None:
    totals = np.random.default_rng(8).random((40, 3))
    once, again, other = (cluster_means(totals, np.ones((40, 3)), seed=seed) for seed in (1, 1, 2))
    assert once == again
    assert once != other


@given(st.lists(st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=4), min_size=1, max_size=12))
def test_the_interval_is_in_bounds_and_holds_the_mean(clusters: list[list[float]]) -> None:
    totals = np.array([[sum(values)] for values in clusters])
    counts = np.array([[float(len(values))] for values in clusters])
    for options in ({"resamples": 50}, {"quick": True}):
        found = cluster_means(totals, counts, **options)[0]
        assert found.value == pytest.approx(sum(map(sum, clusters)) / sum(map(len, clusters)))
        if found.low is None:
            assert found.reason
        else:
            assert -1e-9 <= found.low <= found.high <= 1 + 1e-9


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (3, 40), (50, 100), (9_999, 10_000)]
)
def test_wilson_is_scipys(successes: int, n: int) -> None:
    mine = wilson(successes, n)
    theirs = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert (mine.value, mine.n) == (successes / n, n)


def test_nothing_has_no_share() -> None:
    assert wilson(0, 0).reason == "there is nothing to count"


def test_a_summary_does_not_load_what_only_comparisons_need() -> None:
    code = "import sys, steelyard.retrieval.summary; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
