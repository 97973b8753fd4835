"""Rogan-Gladen: the value by hand, the interval by coverage, and the judge that is no guide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.rogan_gladen import JudgeErrors, rogan_gladen

RUNS = 2_000


@pytest.mark.parametrize(
    ("n", "labels", "rate"), [(200, 50, 0.8), (500, 100, 0.6), (2_000, 200, 0.9), (100, 60, 0.5)]
)
def test_the_interval_covers(n: int, labels: int, rate: float) -> None:
    rng, covered = np.random.default_rng(3), 0
    sensitivity, specificity = 0.9, 0.8
    for _ in range(RUNS):
        passed = rng.binomial(n, rate * sensitivity + (1 - rate) * (1 - specificity))
        errors = JudgeErrors(
            passes=labels,
            passed=int(rng.binomial(labels, sensitivity)),
            fails=labels,
            failed=int(rng.binomial(labels, specificity)),
        )
        found = rogan_gladen(int(passed), n, errors=errors)
        covered += found.low <= rate <= found.high
    assert 0.935 <= covered / RUNS <= 0.965


def test_the_value() -> None:
    errors = JudgeErrors(passes=100, passed=90, fails=100, failed=80)
    assert rogan_gladen(76, 100, errors=errors).value == pytest.approx((0.76 + 0.8 - 1) / 0.7)


NO_VALUE = [
    (0, 0, JudgeErrors(passes=9, passed=9, fails=9, failed=9), "no item is judged"),
    (5, 9, JudgeErrors(passes=0, passed=0, fails=9, failed=9), "no item is labelled pass"),
    (5, 9, JudgeErrors(passes=9, passed=9, fails=0, failed=0), "no item is labelled fail"),
    (
        5,
        9,
        JudgeErrors(passes=10, passed=5, fails=10, failed=5),
        "sensitivity + specificity is not above 1: the judge is no guide",
    ),
]


@pytest.mark.parametrize(("passed", "n", "errors", "reason"), NO_VALUE)
def test_undefined_with_its_reason(passed: int, n: int, errors: JudgeErrors, reason: str) -> None:
    found = rogan_gladen(passed, n, errors=errors)
    assert (found.value, found.reason) == (None, reason)


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 30), st.data())
def test_always_in_bounds(n: int, passes: int, fails: int, data: st.DataObject) -> None:
    errors = JudgeErrors(
        passes=passes,
        passed=data.draw(st.integers(0, passes)),
        fails=fails,
        failed=data.draw(st.integers(0, fails)),
    )
    found = rogan_gladen(data.draw(st.integers(0, n)), n, errors=errors)
    if found.low is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1
    else:
        assert found.reason
