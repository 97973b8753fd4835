"""The cited set has the highest expected F1 that any number of the most probable passages has."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.embedded.citing import best_set
from steelyard.judges.embedded.counting import MOST, distribution

PROBABILITY = st.floats(0.01, 0.99)


def by_enumeration(probabilities: list[float], counts: np.ndarray | None) -> list[float]:
    """Expected F1 of citing the 0, 1, … n most probable, over all 2ⁿ ways to be relevant."""
    ordered = sorted(probabilities, reverse=True)
    n = len(ordered)
    chances = {
        way: float(np.prod([p if hit else 1 - p for p, hit in zip(ordered, way, strict=True)]))
        for way in product((0, 1), repeat=n)
    }
    if counts is not None:
        k = len(counts) - 1
        have = [sum(c for way, c in chances.items() if min(sum(way), k) == total) for total in range(k + 1)]
        chances = {way: c * counts[min(sum(way), k)] / have[min(sum(way), k)] for way, c in chances.items()}
    values = []
    for m in range(n + 1):
        f1 = {way: (2 * sum(way[:m]) / (m + sum(way)) if m + sum(way) else 1.0) for way in chances}
        values.append(sum(chance * f1[way] for way, chance in chances.items()))
    return values


@given(st.lists(PROBABILITY, min_size=1, max_size=6))
def test_no_other_number_has_a_higher_expected_f1(probabilities: list[float]) -> None:
    values = by_enumeration(probabilities, None)
    assert values[best_set(np.asarray(probabilities))] == pytest.approx(max(values), abs=1e-9)


@given(st.lists(PROBABILITY, min_size=1, max_size=6), st.lists(PROBABILITY, min_size=MOST, max_size=MOST))
def test_nor_when_the_number_relevant_has_a_distribution_of_its_own(
    probabilities: list[float], at_least: list[float]
) -> None:
    counts = distribution(np.asarray(at_least), len(probabilities))
    values = by_enumeration(probabilities, counts)
    assert values[best_set(np.asarray(probabilities), counts)] == pytest.approx(max(values), abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=MOST, max_size=MOST), st.integers(0, 9))
def test_a_distribution_is_one(at_least: list[float], n: int) -> None:
    counts = distribution(np.asarray(at_least), n)
    assert (counts >= 0).all()
    assert counts.sum() == pytest.approx(1)


def test_nothing_is_cited_from_nothing() -> None:
    assert best_set(np.zeros(0)) == 0
    assert best_set(np.full(5, 0.001)) == 0
    assert best_set(np.asarray([0.9, 0.01, 0.01])) == 1
