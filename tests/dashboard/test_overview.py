"""What the Overview makes of the store's numbers: colour only where it is earned, the worst first."""

from datetime import UTC, datetime

import pytest

from steelyard.dashboard.accuracy import band_range
from steelyard.dashboard.overview import change_of, lowest, marks_of, points_for
from steelyard.schemas.event import Status
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.query import Change, EventRow, Release
from steelyard.schemas.summary import Band, EvaluatorSummary

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ONE = Estimate(value=0.5, low=0.4, high=0.6, n=9)


@pytest.mark.parametrize(
    ("delta", "low", "high", "verdict"),
    [
        (0.05, 0.01, 0.09, "better"),
        (-0.05, -0.09, -0.01, "worse"),
        (0.05, -0.01, 0.11, "undecided"),
        (-0.05, -0.11, 0.01, "undecided"),
        (0.05, 0.0, 0.1, "undecided"),
        (-0.5, None, None, "undecided"),
    ],
)
def test_a_change_is_coloured_only_when_its_interval_excludes_0(
    delta: float, low: float | None, high: float | None, verdict: str
) -> None:
    found = change_of(Change(now=ONE, before=ONE, delta=delta, low=low, high=high, reason=None))
    assert found is not None
    assert found.verdict == verdict


def test_a_missing_change_says_why() -> None:
    found = change_of(Change(now=ONE, before=ONE, delta=None, low=None, high=None, reason="nothing before"))
    assert found is not None
    assert (found.value, found.reason, found.verdict) == (None, "nothing before", "undecided")
    assert change_of(None) is None


@pytest.mark.parametrize(("n", "points"), [(1, 8), (107, 8), (120, 10), (600, 48), (1_000_000, 48)])
def test_few_events_make_few_buckets(n: int, points: int) -> None:
    assert points_for(n) == points


def row(number: int, recall: float | None) -> EventRow:
    return EventRow(
        event_id=str(number),
        task="t",
        status=Status.EVALUATED,
        passages=1,
        created_at=NOW,
        labelled=False,
        flagged=True,
        recall=recall,
    )


def test_flagged_queries_are_the_lowest() -> None:
    found = lowest([row(i, r) for i, r in enumerate([0.5, None, 0.0, *[0.25] * 20])])
    assert [one.recall for one in found] == [0.0, *[0.25] * 7]


def test_releases_are_lettered_from_the_oldest() -> None:
    marks = marks_of([Release(name=f"r{i}", at=NOW) for i in range(30)])
    assert [(m.letter, m.name) for m in (marks[0], marks[-1])] == [("a", "r4"), ("z", "r29")]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [("low", "moderate", "low to moderate"), ("high", "high", None), (None, "high", None)],
)
def test_the_band_of_the_interval_is_named_when_it_differs(
    low: Band | None, high: Band | None, words: str | None
) -> None:
    summary = EvaluatorSummary(
        precision=ONE,
        recall=ONE,
        f1=ONE,
        exact_match=ONE,
        exact_match_strict=ONE,
        band="moderate",
        low_band=low,
        high_band=high,
        advice=(),
    )
    assert band_range(summary) == words
