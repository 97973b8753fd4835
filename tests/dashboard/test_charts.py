"""Drawings: what is drawn, that it is well-formed, that text is escaped and nothing needs inline style."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.dashboard import charts
from steelyard.dashboard.models import Mark, Point
from steelyard.schemas.numbers import Estimate

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def estimate(value: float | None, half: float = 0.05) -> Estimate:
    if value is None:
        return Estimate(value=None, n=0, reason="no events")
    return Estimate(value=value, low=max(0.0, value - half), high=min(1.0, value + half), n=10)


def points(*values: float | None) -> list[Point]:
    return [
        Point(start=START + HOUR * i, end=START + HOUR * (i + 1), estimate=estimate(v))
        for i, v in enumerate(values)
    ]


def drawn(*values: float | None, marks: tuple[Mark, ...] = ()) -> ElementTree.Element:
    end = START + HOUR * max(len(values), 1)
    return ElementTree.fromstring(
        charts.trend(points(*values), name="Recall", start=START, end=end, marks=marks)
    )


def classes(root: ElementTree.Element) -> list[str]:
    return [element.get("class", "") for element in root.iter()]


def test_a_gap_breaks_line_and_band() -> None:
    found = classes(drawn(0.5, 0.6, None, 0.7, 0.6, 0.6))
    assert found.count("line") == 2
    assert found.count("band") == 2


def test_a_lone_bucket_is_a_dot_with_a_whisker() -> None:
    found = classes(drawn(None, 0.5, None))
    assert found.count("lone") == found.count("whisker") == 1
    assert "line" not in found


def test_nothing_to_draw_is_said() -> None:
    root = drawn(None, None)
    assert root.get("aria-label") == "Recall: nothing in this range"
    assert "last" not in classes(root)


def test_release_letters_do_not_collide() -> None:
    marks = tuple(
        Mark(letter="abc"[i], name=f"<r{i}>", at=START + HOUR * at) for i, at in enumerate((1, 1.1, 5))
    )
    root = drawn(*[0.5] * 10, marks=marks)
    assert classes(root).count("mark") == 3
    assert [e.text for e in root.iter() if e.get("class") == "letter"] == ["a", "c"]
    assert "<r1>" in "".join(root.itertext())


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=60))
def test_every_drawing_is_well_formed_and_inside(values: list[float | None]) -> None:
    root = drawn(*values)
    assert not any("style" in element.attrib for element in root.iter())
    for circle in (e for e in root.iter() if e.tag == "circle"):
        assert 0 <= float(circle.attrib["cx"]) <= charts.WIDTH
        assert charts.TOP - 0.1 <= float(circle.attrib["cy"]) <= charts.HEIGHT - charts.BOTTOM + 0.1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_axis_holds_everything_and_stays_in_bounds(values: list[float]) -> None:
    low, high = charts.axis(points(*values))
    assert 0 <= low <= min(values)
    assert max(values) <= high <= 1
    assert high - low > 0.19


def test_names_are_escaped() -> None:
    svg = charts.strip(estimate(0.5), name='"><script>')
    assert "<script>" not in svg
    assert ElementTree.fromstring(svg).get("aria-label", "").startswith('"><script> 0.500')


def test_an_undefined_estimate_has_no_strip() -> None:
    assert charts.strip(estimate(None), name="x") == ""


@pytest.mark.parametrize(("counts", "shown"), [((3, 0, 1), 2), ((0, 0, 0), 0)])
def test_stack_leaves_out_empty_parts(counts: tuple[int, ...], shown: int) -> None:
    svg = charts.stack([("s1", str(i), n) for i, n in enumerate(counts)], name="Events")
    assert svg.count("<rect") == shown


def test_spark_is_well_formed() -> None:
    svg = charts.spark(points(0.1, 0.9), name="x", start=START, end=START + 2 * HOUR)
    assert ElementTree.fromstring(svg).get("class") == "spark"
