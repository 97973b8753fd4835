"""Paired comparisons: exactness in small cases, power in large ones, silence where nothing moved."""

import numpy as np
import pytest

from steelyard.stats.paired import mcnemar, paired_difference


def test_small_cases_are_exact() -> None:
    """Five pairs that all gain: 2 of the 32 sign patterns are as extreme."""
    found = paired_difference(np.zeros(5), np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert found.p == pytest.approx(2 / 32)
    assert found.delta.value == pytest.approx(0.3)
    assert found.delta.low <= 0.3 <= found.delta.high


def test_pairs_of_one_task_move_together() -> None:
    rng = np.random.default_rng(1)
    base = np.repeat(rng.random(10), 50)
    test = base + np.repeat(rng.normal(0.05, 0.1, 10), 50)
    clusters = np.repeat(np.arange(10), 50)
    whole, apart = paired_difference(base, test, clusters=clusters), paired_difference(base, test)
    assert whole.delta.value == pytest.approx(apart.delta.value)
    assert whole.delta.clusters == 10
    assert whole.p > apart.p
    assert whole.delta.high - whole.delta.low > apart.delta.high - apart.delta.low


def test_a_real_gain_is_found_and_swapping_turns_it_round() -> None:
    rng = np.random.default_rng(2)
    base = rng.random(300)
    test = base + rng.normal(0.05, 0.1, 300)
    there, back = paired_difference(base, test), paired_difference(test, base)
    assert there.p < 0.001
    assert there.delta.low > 0
    assert back.delta.value == pytest.approx(-there.delta.value)


def test_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(3)
    alarms = sum(paired_difference(rng.random(8), rng.random(8)).p < 0.05 for _ in range(200))
    assert alarms <= 20


@pytest.mark.parametrize(
    ("base", "test", "p", "reason"),
    [
        ([], [], None, "there are no pairs"),
        ([0.2], [0.4], 1.0, "one task shows no spread"),
        ([0.5, 0.7], [0.5, 0.7], 1.0, "every task has the same difference"),
    ],
)
def test_nothing_to_compare(base: list[float], test: list[float], p: float | None, reason: str) -> None:
    found = paired_difference(np.array(base), np.array(test))
    assert (found.p, found.delta.reason) == (p, reason)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (10, 0, 2 / 1024)]
)
def test_mcnemar(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p)
