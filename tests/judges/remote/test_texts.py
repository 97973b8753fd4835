"""The pure parts: waits, windows, packing and quotations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.backoff import delay, is_retryable, retry_after
from steelyard.judges.chat.replies import read_requirements
from steelyard.judges.chat.templates import VERSIONS, prompts_digest, template
from steelyard.judges.packing import packs, pieces, windows
from steelyard.judges.quoting import locate

texts = st.lists(st.text(alphabet="ab \n", max_size=120), max_size=8)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_retryable(status: int) -> None:
    assert is_retryable(status)


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 413, 422, 501])
def test_not_retryable(status: int) -> None:
    assert not is_retryable(status)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "-5"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"Retry-After": "1e9"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "99999999999999999999"}, 60.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:30"}, 20.0),
        ({"Retry-After": "Thu, 99 Jan 1970 00:00:30 GMT"}, None),
        ({"Retry-After": "٣"}, None),
        ({"Retry-After": "5", "Retry-After-Ms": "100"}, 0.1),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=10.0) == seconds


@given(st.integers(0, 2_000), st.floats(0, 1))
def test_delays_grow_and_are_bounded(attempt: int, jitter: float) -> None:
    assert 0.25 <= delay(attempt, jitter=jitter) <= 60
    assert delay(attempt, jitter=jitter) <= delay(attempt + 1, jitter=jitter)


@given(st.text(alphabet="ab \n", max_size=400), st.integers(10, 60))
def test_windows_cover_the_text(text: str, chars: int) -> None:
    found = windows(text, chars=chars)
    assert found[0][0] == 0
    covered = 0
    for start, stretch in found:
        assert start <= covered
        assert text[start : start + len(stretch)] == stretch
        assert len(stretch) <= chars
        assert start + len(stretch) > covered or not text
        covered = start + len(stretch)
    assert covered == len(text)


@given(texts, st.randoms())
def test_pieces_do_not_depend_on_the_order(some: list[str], random: object) -> None:
    shuffled = list(range(len(some)))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    straight = pieces(some, chars=50)
    other = pieces([some[position] for position in shuffled], chars=50)
    assert [piece.text for piece in straight] == [piece.text for piece in other]
    assert [piece.positions for piece in straight] == [
        tuple(sorted(shuffled[position] for position in piece.positions)) for piece in other
    ]
    shown = {position for piece in straight for position in piece.positions}
    assert shown == {position for position, text in enumerate(some) if text.strip()}


@given(texts, st.integers(1, 4))
def test_packs_keep_order_and_limits(some: list[str], most: int) -> None:
    items = pieces(some, chars=50)
    groups = packs(items, chars=60, most=most)
    assert [item for group in groups for item in group] == items
    assert all(0 < len(group) <= most for group in groups)
    assert all(len(group) == 1 or sum(len(item.text) for item in group) <= 60 for group in groups)


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("in 1932", "Opened in 1932.", (7, 14)),
        ("“in 1932”", "Opened in 1932.", (7, 14)),
        ("... in 1932 …", "Opened in 1932.", (7, 14)),
        ("IN   1932", "Opened in\n1932.", (7, 14)),
        ("in 1933", "Opened in 1932.", None),
        ("", "Opened in 1932.", None),
        (" . ", "Opened in 1932.", None),
        ("é🙂", "a🙂é🙂", (2, 4)),
        ("a(b[", "xa(b[", (1, 5)),
        ("x" * 3_000, "x" * 4_000, None),
    ],
)
def test_locate(quote: str, text: str, place: tuple[int, int] | None) -> None:
    assert locate(quote, text) == place


def test_requirements_are_cleaned() -> None:
    text = '{"requirements": ["  The   year ", "the year", "", "The\\u0000 city"]}'
    assert read_requirements(text, most=12) == ("The year", "The\ufffd city")


def test_prompts_are_whole_and_versioned() -> None:
    for name in VERSIONS:
        assert template(name).ask
    assert len(prompts_digest()) == 64
