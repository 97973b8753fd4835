import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from steelyard.client.payload import compose
from steelyard.errors import InvalidInput
from steelyard.schemas.event import Passage


def sent(task: str, context: Any, *, active_span: Any = None, truncate: bool = False, **fields: Any) -> Any:
    return json.loads(compose(task, context, fields, active_span=active_span, truncate=truncate).body)


def test_fields_not_given_are_left_out() -> None:
    event = sent("q", ["a"], event_id="e", created_at="2026-01-02T03:04:05Z")
    assert event == {"event_id": "e", "task": "q", "context": ["a"], "created_at": "2026-01-02T03:04:05Z"}


def test_the_time_is_set_where_it_happens() -> None:
    before = datetime.now(UTC)
    moment = datetime.fromisoformat(sent("q", [])["created_at"])
    assert before <= moment <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("value", "travels"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
    ],
)
def test_numbers_have_a_json_form(value: Any, travels: Any) -> None:
    assert sent("q", [{"text": "a", "score": value}])["context"][0]["score"] == travels


def test_passages_may_be_texts_objects_and_models() -> None:
    event = sent("q", ["a", {"text": "b", "id": 7}, Passage(text="c", id="x", rank=1)])
    assert event["context"][:2] == ["a", {"text": "b", "id": 7}]
    assert event["context"][2]["text"] == "c"
    assert event["context"][2]["rank"] == 1


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ([SimpleNamespace(page_content="a")], "SimpleNamespace cannot be logged"),
        (["a\ud800"], "no JSON form"),
    ],
)
def test_what_has_no_json_form_is_refused(context: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        compose("q", context)


def test_a_circle_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    with pytest.raises(InvalidInput, match="no JSON form"):
        compose("q", [], {"metadata": circle})


def test_truncate_cuts_to_the_servers_limits() -> None:
    event = sent("q" * 9_000, ["t" * 20_001, {"text": "u" * 30_000, "id": "i"}] + ["x"] * 60, truncate=True)
    assert len(event["task"]) == 8_000
    assert len(event["context"]) == 50
    assert len(event["context"][0]) == 20_000
    assert len(event["context"][1]["text"]) == 20_000
    assert event["context"][1]["id"] == "i"


def test_the_active_span_fills_trace_fields_unless_they_are_given() -> None:
    active = {"trace_id": "a" * 32, "span_id": "b" * 16, "parent_span_id": None, "span_name": "search"}
    event = sent("q", [], active_span=lambda: dict(active))
    assert {event[name] for name in ("trace_id", "span_id", "span_name")} == {"a" * 32, "b" * 16, "search"}
    given = sent("q", [], trace_id="c" * 32, active_span=lambda: dict(active))
    assert given["trace_id"] == "c" * 32
    assert "span_id" not in given


def test_labelled_is_known() -> None:
    assert compose("q", [], {"ground_truth": {"gold_doc_ids": []}}).labelled
    assert not compose("q", []).labelled
