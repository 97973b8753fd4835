"""The state in the URL: read, written, refused."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.dashboard.view import SPANS, query, read_view
from steelyard.errors import InvalidInput

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(("name", "span"), SPANS.items())
def test_ranges(name: str, span: timedelta) -> None:
    view = read_view({"range": name}, now=NOW)
    assert (view.start, view.end) == (NOW - span, NOW)
    assert view.before == (NOW - 2 * span, NOW - span)


def test_the_default_says_nothing() -> None:
    view = read_view({}, now=NOW)
    assert view.range == "7d"
    assert view.query() == ""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T09:30", datetime(2026, 11, 1, 9, 30, tzinfo=UTC)),
        ("2026-11-01T09:30:00 01:00", datetime(2026, 11, 1, 8, 30, tzinfo=UTC)),
        ("2026-11-01T09:30:00Z", datetime(2026, 11, 1, 9, 30, tzinfo=UTC)),
    ],
)
def test_custom_times(text: str, moment: datetime) -> None:
    assert read_view({"from": text}, now=NOW).start == moment


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"range": "8d"}, "range"),
        ({"range": "custom", "from": "yesterday"}, "from"),
        ({"from": "2026-11-02", "to": "2026-11-01"}, "from"),
        ({"to": "0001-01-01T00:00:00+14:00"}, "to"),
        ({"from": "0001-01-01", "to": "2026-11-01"}, "from"),
        ({"from": "2026-11-01", "to": "9999-12-31"}, "to"),
    ],
)
def test_what_makes_no_sense_is_named(params: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_view(params, now=NOW)
    assert caught.value.field == field


@given(
    st.sampled_from([*SPANS, "custom"]),
    st.one_of(st.none(), st.text(min_size=1).filter(lambda t: t.isprintable())),
    st.one_of(st.none(), st.just("embedded:3f9a")),
)
def test_what_is_written_is_read_again(name: str, env: str | None, judge: str | None) -> None:
    params = (
        {"range": name, "from": "2026-11-01T10:00:00", "to": "2026-11-02"}
        if name == "custom"
        else {"range": name}
    )
    params |= {k: v for k, v in (("env", env), ("judge", judge)) if v}
    view = read_view(params, now=NOW)
    again = read_view(dict(parse_qsl(view.query().removeprefix("?"))), now=NOW)
    assert again == view


def test_a_chosen_range_drops_custom_times() -> None:
    custom = read_view({"from": "2026-11-01", "to": "2026-11-02"}, now=NOW)
    assert custom.query(range="24h") == "?range=24h"


def test_queries_leave_out_what_is_empty() -> None:
    assert query({"a": None, "b": "", "c": "x&y"}) == "?c=x%26y"
    assert query({}) == ""
