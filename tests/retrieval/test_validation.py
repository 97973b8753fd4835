"""What may be sent, and the exact answer to everything that may not."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InvalidInput
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Event, GroundTruth, Limits, Passage

NOW = datetime(2026, 11, 30, tzinfo=UTC)
TRACE, SPAN = "0AF7651916CD43DD8448EB211C80319C", "B7AD6B7169203331"


def parse(data: object, *, limits: Limits = Limits()) -> Event:  # noqa: B008 - frozen
    return parse_event(data, limits=limits, now=NOW, new_id=lambda: "made-here")


def with_(**fields: object) -> dict[str, object]:
    return {"task": "t", "context": ["x"], **fields}


def test_the_least_event_is_filled_in() -> None:
    assert parse({"task": "t", "context": ["x"]}) == Event(
        event_id="made-here", task="t", context=(Passage(text="x"),), created_at=NOW
    )


def test_everything_at_once() -> None:
    passage = {
        "text": "x",
        "id": 7,
        "source": "wiki",
        "score": 1,
        "rank": 2,
        "metadata": {"a": [1, None, True]},
    }
    found = parse(
        with_(
            event_id="e-1",
            context=["plain", passage],
            ground_truth={"gold_doc_ids": [7, "7", "b"], "answer": "yes\0"},
            metadata={"env": "prod", "n": 1.5},
            sample_rate=0,
            trace_id=TRACE,
            span_id=SPAN,
            parent_span_id=SPAN.lower(),
            span_name="hop",
            subquery="s",
            is_final_context=True,
            created_at="2026-11-30T12:00:00+02:00",
        )
    )
    assert found.context == (
        Passage(text="plain"),
        Passage(text="x", id="7", source="wiki", score=1.0, rank=2, metadata={"a": [1, None, True]}),
    )
    assert found.ground_truth == GroundTruth(gold_doc_ids=("7", "b"), answer="yes\0")
    assert (found.trace_id, found.span_id, found.parent_span_id) == (
        TRACE.lower(),
        SPAN.lower(),
        SPAN.lower(),
    )
    assert (found.sample_rate, found.span_name, found.subquery, found.is_final_context) == (
        0.0,
        "hop",
        "s",
        True,
    )
    assert found.created_at == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert found.created_at.tzinfo is UTC


OPTIONAL = sorted(set(Event.model_fields) - {"task", "context"})


@pytest.mark.parametrize("name", OPTIONAL)
def test_null_stands_for_absent(name: str) -> None:
    assert parse(with_(**{name: None})) == parse(with_())


ACCEPTED = [
    ("no passages", with_(context=[])),
    ("fifty passages", with_(context=["x"] * 50)),
    ("20,000 characters", with_(context=["é" * 20_000])),
    ("an empty passage", with_(context=["", {"text": ""}])),
    ("NUL in a passage", with_(context=["a\0b"])),
    ("a task of 8,000", with_(task="x" * 8_000)),
    ("duplicate ids", with_(context=[{"text": "x", "id": "a"}, {"text": "y", "id": "a"}])),
    ("the same id as text and integer", with_(context=[{"text": "x", "id": 1}, {"text": "y", "id": "1"}])),
    ("rank and score", with_(context=[{"text": "x", "rank": 1, "score": 0.5}])),
    ("a negative score", with_(context=[{"text": "x", "score": -3.5}])),
    ("gold elsewhere", with_(ground_truth={"gold_doc_ids": ["elsewhere"]})),
    ("no gold", with_(ground_truth={"gold_doc_ids": []})),
    ("an answer only", with_(ground_truth={"answer": "42"})),
    ("an empty label", with_(ground_truth={})),
    ("a negative integer id", with_(context=[{"text": "x", "id": -1}])),
    ("16 KiB of metadata", with_(metadata={"a": "x" * (16_384 - len('{"a":""}'))})),
    ("astral characters", with_(task="\U0001f600", metadata={"\U0001f600": "\U0001f600"})),
]


@pytest.mark.parametrize(("name", "data"), ACCEPTED)
def test_accepted(name: str, data: dict[str, object]) -> None:
    assert parse(data).event_id == "made-here"


def nested(depth: int) -> dict[str, Any]:
    inner: Any = 1
    for _ in range(depth):
        inner = [inner]
    return {"a": inner}


HEX = "is not 32 hexadecimal digits"
REFUSED = [
    ("not an object", [], "/", "expected an object, got a list"),
    ("text", "{}", "/", "expected an object, got text"),
    ("no task", {"context": []}, "/task", "task is missing"),
    ("no context", {"task": "t"}, "/context", "context is missing"),
    ("null task", with_(task=None), "/task", "task is missing"),
    ("empty task", with_(task=""), "/task", "the text is empty"),
    ("blank task", with_(task=" \n\t"), "/task", "task is blank"),
    ("task a number", with_(task=1), "/task", "expected text, got a number"),
    (
        "task too long",
        with_(task="x" * 8_001),
        "/task",
        "the text has 8001 characters, over the limit of 8000",
    ),
    ("NUL in the task", with_(task="a\0"), "/task", "the text holds NUL (U+0000) at character 1"),
    (
        "lone surrogate in the task",
        with_(task="ab\ud800"),
        "/task",
        "the text holds a lone surrogate (U+D800) at character 2",
    ),
    (
        "51 passages",
        with_(context=["x"] * 51),
        "/context/50",
        "the context has 51 passages, over the limit of 50",
    ),
    ("context text", with_(context="x"), "/context", "expected a list of passages, got text"),
    (
        "passage null",
        with_(context=["x", None]),
        "/context/1",
        "expected a passage (text, or an object with text), got null",
    ),
    (
        "passage a number",
        with_(context=[1]),
        "/context/0",
        "expected a passage (text, or an object with text), got a number",
    ),
    ("no text", with_(context=[{"id": "a"}]), "/context/0/text", "text is missing"),
    (
        "20,001 characters",
        with_(context=["x", "y" * 20_001]),
        "/context/1",
        "the text has 20001 characters, over the limit of 20000",
    ),
    (
        "20,001 in an object",
        with_(context=[{"text": "y" * 20_001}]),
        "/context/0/text",
        "the text has 20001 characters, over the limit of 20000",
    ),
    (
        "surrogate in a passage",
        with_(context=["\udfff"]),
        "/context/0",
        "the text holds a lone surrogate (U+DFFF) at character 0",
    ),
    (
        "score NaN",
        with_(context=[{"text": "x", "score": float("nan")}]),
        "/context/0/score",
        "the number is not finite (nan)",
    ),
    (
        "score infinite",
        with_(context=[{"text": "x", "score": float("-inf")}]),
        "/context/0/score",
        "the number is not finite (-inf)",
    ),
    (
        "score huge",
        with_(context=[{"text": "x", "score": 10**400}]),
        "/context/0/score",
        "the number is not finite (beyond a double's range)",
    ),
    (
        "score text",
        with_(context=[{"text": "x", "score": "0.5"}]),
        "/context/0/score",
        "expected a number, got text",
    ),
    (
        "score true",
        with_(context=[{"text": "x", "score": True}]),
        "/context/0/score",
        "expected a number, got a boolean",
    ),
    ("rank 0", with_(context=[{"text": "x", "rank": 0}]), "/context/0/rank", "the rank is 0"),
    ("rank -1", with_(context=[{"text": "x", "rank": -1}]), "/context/0/rank", "the rank is -1"),
    (
        "rank 1.0",
        with_(context=[{"text": "x", "rank": 1.0}]),
        "/context/0/rank",
        "expected a whole number, got a number",
    ),
    (
        "rank huge",
        with_(context=[{"text": "x", "rank": 2**63}]),
        "/context/0/rank",
        "the rank is beyond 64 bits",
    ),
    (
        "id 1.5",
        with_(context=[{"text": "x", "id": 1.5}]),
        "/context/0/id",
        "expected an id (text or an integer), got a number",
    ),
    (
        "id true",
        with_(context=[{"text": "x", "id": True}]),
        "/context/0/id",
        "expected an id (text or an integer), got a boolean",
    ),
    ("id empty", with_(context=[{"text": "x", "id": ""}]), "/context/0/id", "the text is empty"),
    (
        "id with NUL",
        with_(context=[{"text": "x", "id": "\0"}]),
        "/context/0/id",
        "the text holds NUL (U+0000) at character 0",
    ),
    (
        "id huge",
        with_(context=[{"text": "x", "id": 10**30}]),
        "/context/0/id",
        "the integer is beyond 64 bits",
    ),
    ("unknown field", with_(query="x"), "/query", "'query' is not a field here"),
    (
        "unknown in a passage",
        with_(context=[{"text": "x", "a/b~": 1}]),
        "/context/0/a~1b~0",
        "'a/b~' is not a field here",
    ),
    (
        "gold text",
        with_(ground_truth={"gold_doc_ids": "a"}),
        "/ground_truth/gold_doc_ids",
        "expected a list of document ids, got text",
    ),
    (
        "gold null",
        with_(ground_truth={"gold_doc_ids": [None]}),
        "/ground_truth/gold_doc_ids/0",
        "expected an id (text or an integer), got null",
    ),
    (
        "too many gold",
        with_(ground_truth={"gold_doc_ids": ["a"] * 1_001}),
        "/ground_truth/gold_doc_ids/1000",
        "there are 1001 gold ids, over the limit of 1000",
    ),
    ("gold a list", with_(ground_truth=["a"]), "/ground_truth", "expected an object, got a list"),
    ("sample_rate 1.5", with_(sample_rate=1.5), "/sample_rate", "sample_rate is 1.5, outside 0..1"),
    ("sample_rate below", with_(sample_rate=-0.1), "/sample_rate", "sample_rate is -0.1, outside 0..1"),
    ("sample_rate text", with_(sample_rate="1"), "/sample_rate", "expected a number, got text"),
    (
        "17 KiB of metadata",
        with_(metadata={"a": "x" * 17 * 1_024}),
        "/metadata",
        "the metadata takes 17416 bytes as JSON, over the limit of 16384",
    ),
    ("metadata a list", with_(metadata=[]), "/metadata", "expected an object, got a list"),
    (
        "metadata NaN",
        with_(metadata={"a": [float("nan")]}),
        "/metadata/a/0",
        "the number is not finite (nan)",
    ),
    (
        "metadata deep",
        with_(metadata=nested(63)),
        "/metadata/a" + "/0" * 62,
        "the value is nested too deeply",
    ),
    (
        "metadata with NUL",
        with_(metadata={"a": "\0"}),
        "/metadata/a",
        "the text holds NUL (U+0000) at character 0",
    ),
    (
        "metadata key with NUL",
        with_(metadata={"\0": 1}),
        "/metadata",
        "the text holds NUL (U+0000) at character 0",
    ),
    (
        "metadata surrogate",
        with_(metadata={"a": {"b": "\ud83d"}}),
        "/metadata/a/b",
        "the text holds a lone surrogate (U+D83D) at character 0",
    ),
    ("metadata huge integer", with_(metadata={"a": 2**64}), "/metadata/a", "the integer is beyond 64 bits"),
    ("trace short", with_(trace_id="abc"), "/trace_id", f"trace_id {HEX}"),
    ("trace not hex", with_(trace_id="g" * 32), "/trace_id", f"trace_id {HEX}"),
    (
        "trace with dashes",
        with_(trace_id="0af76519-16cd-43dd-8448-eb211c80319c"),
        "/trace_id",
        f"trace_id {HEX}",
    ),
    ("trace Arabic digits", with_(trace_id="\u0661" * 32), "/trace_id", f"trace_id {HEX}"),
    ("trace a number", with_(trace_id=1), "/trace_id", "expected 32 hexadecimal digits, got a number"),
    ("span long", with_(span_id="a" * 17), "/span_id", "span_id is not 16 hexadecimal digits"),
    ("event id empty", with_(event_id=""), "/event_id", "the text is empty"),
    (
        "event id long",
        with_(event_id="x" * 129),
        "/event_id",
        "the text has 129 characters, over the limit of 128",
    ),
    ("event id NUL", with_(event_id="a\0"), "/event_id", "the text holds NUL (U+0000) at character 1"),
    ("event id a number", with_(event_id=1), "/event_id", "expected text, got a number"),
    ("span name NUL", with_(span_name="\0"), "/span_name", "the text holds NUL (U+0000) at character 0"),
    ("subquery blank", with_(subquery=" "), "/subquery", "subquery is blank"),
    ("final text", with_(is_final_context="yes"), "/is_final_context", "expected a boolean, got text"),
    ("time a number", with_(created_at=0), "/created_at", "expected a time in RFC 3339, got a number"),
]


@pytest.mark.parametrize(("name", "data", "field", "message"), REFUSED)
def test_refused(name: str, data: object, field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(data)
    assert (caught.value.field, caught.value.message) == (field, message)


TIMES = [
    ("2026-11-30T23:59:59Z", datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)),
    ("2026-11-30t23:59:59.123456789z", datetime(2026, 11, 30, 23, 59, 59, 123456, tzinfo=UTC)),
    ("2026-11-30 23:59:59.5-01:30", datetime(2026, 12, 1, 1, 29, 59, 500000, tzinfo=UTC)),
    (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))), datetime(2025, 12, 31, 22, tzinfo=UTC)),
]


@pytest.mark.parametrize(("given_", "expected"), TIMES)
def test_times(given_: object, expected: datetime) -> None:
    assert parse(with_(created_at=given_)).created_at == expected


WRONG_TIMES = [
    "",
    "yesterday",
    "2026-11-30",
    "2026-11-30T23:59:59",
    "2026-11-30T23:59Z",
    "20261130T235959Z",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-11-30T24:00:01Z",
    "2026-11-30T23:59:60Z",
    "0001-01-01T00:00:00+01:00",
    "2026-11-30T23:59:59+0100",
    datetime(2026, 1, 1),  # noqa: DTZ001 - what is refused
]


@pytest.mark.parametrize("value", WRONG_TIMES)
def test_wrong_times(value: object) -> None:
    with pytest.raises(InvalidInput, match="is not a time in RFC 3339 with an offset") as caught:
        parse(with_(created_at=value))
    assert caught.value.field == "/created_at"


@pytest.mark.parametrize("year", ["0001", "1899", "3000", "9999"])
def test_times_near_the_ends_of_the_calendar_are_refused(year: str) -> None:
    with pytest.raises(InvalidInput, match=f"in the year {int(year)} ") as caught:
        parse(with_(created_at=f"{year}-06-01T00:00:00Z"))
    assert caught.value.field == "/created_at"


def test_limits_are_settings() -> None:
    tight = Limits(passages=1, passage_chars=2, task_chars=3, metadata_bytes=4, gold_ids=1)
    assert parse({"task": "abc", "context": ["xy"], "metadata": {}}, limits=tight).task == "abc"
    for data in (
        with_(context=["a", "b"]),
        with_(context=["abc"]),
        with_(task="abcd"),
        with_(metadata={"a": 1}),
    ):
        with pytest.raises(InvalidInput, match="over the limit"):
            parse(data, limits=tight)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
event_like = st.fixed_dictionaries(
    {
        "task": json_values | st.text(),
        "context": json_values | st.lists(st.text(max_size=9) | json_values, max_size=4),
    },
    optional=dict.fromkeys(OPTIONAL, json_values),
)


@given(json_values | event_like)
def test_anything_is_an_event_or_refused_with_its_place(data: object) -> None:
    refused, found = None, None
    try:
        found = parse(data)
    except InvalidInput as problem:
        refused = problem
    if found is not None:
        assert Event.model_validate_json(found.model_dump_json()) == found
    else:
        assert refused is not None
        assert (refused.field or "").startswith("/")


def test_what_was_parsed_parses_to_the_same(event: Callable[..., Event]) -> None:
    logged = event("t", ["x", {"text": "y", "id": 1, "rank": 1}], ground_truth={"gold_doc_ids": [1]})
    again = parse(json.loads(logged.model_dump_json()))
    assert again == logged


def test_every_labelled_row_is_an_event(shared: Path) -> None:
    files = sorted((shared / "data" / "retrieval").glob("*.jsonl"))
    assert files
    for path in files:
        for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
            row = json.loads(line)
            assert len(parse(row).context) == len(row["context"]), path.name
