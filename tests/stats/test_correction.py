"""PPI++: equal to the paper's formula, and its interval covers."""

import numpy as np
import pytest

from steelyard.stats.correction import CorrectedMean, ppi_from_sums, ppi_mean

TRUE_MEAN = 0.725
RUNS = 2_000


def draw(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Gold values of mean .725 and a judge that errs upwards more often than down."""
    gold = rng.choice([0.0, 0.5, 1.0], p=[0.15, 0.25, 0.6], size=size)
    return gold, np.clip(gold + rng.choice([-0.5, 0.0, 0.5], p=[0.1, 0.7, 0.2], size=size), 0, 1)


def test_it_is_the_papers_estimator_when_every_item_is_its_own_cluster() -> None:
    rng = np.random.default_rng(1)
    gold, judge = draw(rng, 80)
    rest = draw(rng, 500)[1]
    found = ppi_mean(gold, judge, rest)
    spread = judge.var(ddof=0) / 80 + rest.var(ddof=0) / 500
    weight = np.mean((gold - gold.mean()) * (judge - judge.mean())) / 80 / spread
    assert found.weight == pytest.approx(weight)
    assert found.estimate.value == pytest.approx(gold.mean() + weight * (rest.mean() - judge.mean()))
    assert found.estimate.method == "ppi++"
    assert found.estimate.n == 80


@pytest.mark.parametrize("n", [25, 50, 200, 1_000])
def test_the_interval_covers(n: int) -> None:
    rng, covered, narrower = np.random.default_rng(1), 0, 0
    for _ in range(RUNS):
        gold, judge = draw(rng, n)
        found = ppi_mean(gold, judge, draw(rng, 2_000)[1]).estimate
        assert found.low is not None
        covered += found.low <= TRUE_MEAN <= found.high
        narrower += found.high - found.low < 2 * 1.96 * gold.std(ddof=1) / n**0.5
    assert 0.935 <= covered / RUNS <= 0.965
    assert narrower / RUNS > 0.9


def corrected_where_some_have_no_gold_value(rng: np.random.Generator, *, every_label: bool) -> CorrectedMean:
    """Three in ten events have nothing relevant, so no GT recall, and the judge finds little there. Its
    mean over the labelled is of every labelled event, or wrongly of those with a GT recall."""
    (gold, judge), rest = draw(rng, 150), draw(rng, 2_000)[1]
    defined, others = rng.random(150) < 0.7, rng.random(2_000) < 0.7
    judge, rest = np.where(defined, judge, 0.1), np.where(others, rest, 0.1)
    beside = np.ones(150) if every_label else defined.astype(float)

    def spread_out(values: np.ndarray, *, first: bool) -> np.ndarray:
        empty = np.zeros(2_000 if first else 150)
        return np.concatenate([values, empty] if first else [empty, values])

    return ppi_from_sums(
        labelled_gold=spread_out(np.where(defined, gold, 0), first=True),
        labelled_n=spread_out(defined.astype(float), first=True),
        labelled_judge=spread_out(judge * beside, first=True),
        labelled_judge_n=spread_out(beside, first=True),
        unlabelled_judge=spread_out(rest, first=False),
        unlabelled_n=spread_out(np.ones(2_000), first=False),
    )


def test_it_covers_when_some_labels_define_no_value() -> None:
    shares = []
    for every_label in (True, False):
        rng, covered = np.random.default_rng(3), 0
        for _ in range(RUNS):
            found = corrected_where_some_have_no_gold_value(rng, every_label=every_label).estimate
            assert found.low is not None
            assert found.high is not None
            covered += found.low <= TRUE_MEAN <= found.high
        shares.append(covered / RUNS)
    right, wrong = shares
    assert 0.935 <= right <= 0.965
    assert wrong < 0.5


def clustered(rng: np.random.Generator, tasks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    codes = np.repeat(np.arange(tasks), rng.integers(1, 5, tasks))
    gold = (rng.random(len(codes)) < rng.beta(3, 1, tasks)[codes]).astype(float)
    return codes, gold, np.where(rng.random(len(codes)) < 0.85, gold, 1 - gold)


@pytest.mark.parametrize("tasks", [50, 200])
def test_the_interval_covers_when_items_of_a_task_depend_on_each_other(tasks: int) -> None:
    rng, covered, naive = np.random.default_rng(2), 0, 0
    for _ in range(RUNS):
        codes, gold, judge = clustered(rng, tasks)
        others, _, rest = clustered(rng, 500)
        found = ppi_mean(gold, judge, rest, clusters=codes, unlabelled_clusters=others + tasks).estimate
        covered += found.low <= 0.75 <= found.high
        apart = ppi_mean(gold, judge, rest).estimate
        naive += apart.low <= 0.75 <= apart.high
    assert 0.935 <= covered / RUNS <= 0.965
    assert naive < covered


def test_a_judge_that_knows_nothing_is_not_listened_to() -> None:
    rng = np.random.default_rng(3)
    gold = rng.random(400)
    found = ppi_mean(gold, rng.random(400), rng.random(4_000))
    assert found.weight < 0.1
    assert found.estimate.value == pytest.approx(gold.mean(), abs=0.01)


EMPTY = np.zeros(0)
FEW = [
    (EMPTY, EMPTY, np.ones(3), None, "no event is labelled"),
    (np.array([1.0]), np.array([0.5]), np.array([0.5, 0.7]), 1.0, "too few labelled tasks show their spread"),
    (np.ones(5), np.ones(5), np.ones(5), 1.0, "every labelled task has the same value"),
]


@pytest.mark.parametrize(("gold", "judge", "rest", "value", "reason"), FEW)
def test_too_little_is_said_so(gold, judge, rest, value, reason) -> None:
    found = ppi_mean(gold, judge, rest).estimate
    assert found.value == (None if value is None else pytest.approx(value))
    assert (found.low, found.high, found.reason) == (None, None, reason)
