"""Calibration: a judge that means what it says scores 0, one that does not is found out."""

import numpy as np
import pytest

from steelyard.stats.calibration import brier, ece, reliability


def test_the_curve_and_the_error_by_hand() -> None:
    probabilities = np.array([0.05, 0.05, 0.95, 0.95, 1.0])
    labels = np.array([0, 1, 1, 1, 1], bool)
    first, last = reliability(labels, probabilities)
    assert (first.low, first.high, first.n, first.said, first.true) == (0.0, 0.1, 2, 0.05, 0.5)
    assert (last.low, last.high, last.n) == (0.9, 1.0, 3)
    assert ece(labels, probabilities).value == pytest.approx((2 * 0.45 + 3 * (1 - 2.9 / 3)) / 5)
    assert brier(labels, probabilities).value == pytest.approx((0.0025 + 0.9025 + 2 * 0.0025) / 5)


def test_honest_probabilities_have_a_small_error_and_boasts_a_large_one() -> None:
    rng = np.random.default_rng(1)
    probabilities = rng.random(20_000)
    labels = rng.random(20_000) < probabilities
    assert ece(labels, probabilities).value < 0.02
    assert ece(labels, np.round(probabilities)).value > 0.2


def test_nothing_has_no_error() -> None:
    empty = np.zeros(0)
    assert (
        brier(empty.astype(bool), empty).reason
        == ece(empty.astype(bool), empty).reason
        == "there are no items"
    )
    assert reliability(empty.astype(bool), empty) == ()
