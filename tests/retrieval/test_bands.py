"""Bands at their edges, and the advice that goes with them."""

import pytest

from steelyard.retrieval.bands import advice, band

EDGES = [
    (None, None),
    (0.0, "low"),
    (0.6999, "low"),
    (0.7, "moderate"),
    (0.1 + 0.2 + 0.4, "moderate"),
    (0.9, "moderate"),
    (0.3 * 3, "moderate"),
    (0.9001, "high"),
    (1.0, "high"),
]


@pytest.mark.parametrize(("f1", "expected"), EDGES)
def test_edges(f1: float | None, expected: str | None) -> None:
    assert band(f1) == expected


def test_each_band_says_what_to_do() -> None:
    assert any("trust" in line for line in advice("high", labelled=200))
    moderate = " ".join(advice("moderate", labelled=200))
    assert all(
        word in moderate
        for word in ("disagreements", "Implicit relevance", "Incomplete labels", "Domain terms")
    )
    low = " ".join(advice("low", labelled=200))
    assert all(word in low for word in ("labels", "terminology", "passages", "tune"))


@pytest.mark.parametrize(
    ("labelled", "said"), [(0, True), (1, True), (49, True), (50, False), (1_000, False)]
)
def test_below_fifty_labels_more_are_asked_for(labelled: int, said: bool) -> None:
    assert any("start with 50-100" in line for line in advice("high", labelled=labelled)) is said
    assert ("1 labelled event so far" in advice("high", labelled=labelled)[0]) is (labelled == 1)


def test_good_practice_stands_beside_every_band() -> None:
    for found in ("high", "moderate", "low", None):
        lines = " ".join(advice(found, labelled=200))
        assert all(
            word in lines for word in ("passage ids", "borderline", "Review disagreements", "sample_rate=1.0")
        )
