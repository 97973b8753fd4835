"""Numbers and times as pages write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.dashboard import figures
from steelyard.schemas.numbers import Estimate, Value


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (0.6789, {}, "0.679"),
        (None, {}, "–"),
        (-0.035, {"signed": True}, "−0.035"),
        (0.035, {"signed": True}, "+0.035"),
        (-0.0001, {"signed": True}, "0.000"),
        (0.0001, {"signed": True}, "0.000"),
        (1, {"digits": 1}, "1.0"),
    ],
)
def test_figure(value: float | None, options: dict[str, object], text: str) -> None:
    assert figures.figure(value, **options) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0012, "1.2 ms"),
        (0.0312, "31 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (3.14159, "3.14 s"),
        (150, "2.5 min"),
    ],
)
def test_seconds(value: float | None, text: str) -> None:
    assert figures.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 s"), (59.9, "59 s"), (61, "1 min"), (3_600, "1 h"), (200_000, "2 d")]
)
def test_age(value: float, text: str) -> None:
    assert figures.age(value) == text


def test_counts_shares_and_dollars() -> None:
    assert figures.count(41_208) == "41,208"
    assert figures.percent(0.975) == "97.5%"
    assert figures.dollars(0.00421) == "$0.0042"
    assert {figures.count(None), figures.percent(None), figures.dollars(None)} == {"–"}


def test_moments_are_utc() -> None:
    east = datetime(2026, 11, 14, 10, 12, tzinfo=timezone(timedelta(hours=1)))
    assert figures.moment(east) == "14 Nov 2026 09:12"
    assert figures.clock(east) == '<time datetime="2026-11-14T09:12:00+00:00">14 Nov 2026 09:12</time>'
    assert figures.moment(datetime(2026, 1, 1, tzinfo=UTC)) == "1 Jan 2026 00:00"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_exact_number_is_in_the_page(value: float) -> None:
    shown = str(figures.number(value))
    inside = shown.split('value="')[1].split('"')[0]
    assert float(inside) == value


@given(st.floats(-10, 10), st.integers(0, 4))
def test_no_figure_is_minus_zero(value: float, digits: int) -> None:
    text = figures.figure(value, digits=digits, signed=True)
    assert text.strip("0.") not in (figures.MINUS, "+")


def test_undefined_says_why_and_is_escaped() -> None:
    assert figures.defined(Value.undefined("<b>no</b>")) == (
        '<span class="undefined">undefined: &lt;b&gt;no&lt;/b&gt;</span>'
    )
    assert figures.defined(None) == "–"
    assert "0.500" in figures.defined(Value.of(0.5))


@pytest.mark.parametrize(
    ("estimate", "why"),
    [
        (Estimate(value=0.5, low=0.4, high=0.6, n=9), None),
        (Estimate(value=0.5, n=1, reason="one event"), "one event"),
        (Estimate(value=None, n=0), "nothing to average"),
        (Estimate(value=0.5, n=1), "no interval"),
    ],
)
def test_a_missing_interval_says_why(estimate: Estimate, why: str | None) -> None:
    assert figures.why_no_interval(estimate) == why


def test_intervals() -> None:
    assert figures.interval(0.1, None) == ""
    assert figures.interval(-0.06, 0.01, plus=True).striptags() == "[−0.060, +0.010]"
