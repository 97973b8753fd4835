"""Everything that must be refused, each with its exact answer, over HTTP on both databases."""

import gzip
import json
from typing import Any

import pytest

from .live import Api

GOOD: dict[str, Any] = {"task": "How long do refunds take?", "context": ["Refunds take 14 days."]}
FIRST = {"task": "q", "context": []}


def passage(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "context": [{"text": "t", **fields}]}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "51 passages": (
        {**GOOD, "context": ["t"] * 51},
        "/context/50",
        "the context has 51 passages, over the limit of 50",
    ),
    "20,001 characters": (
        {**GOOD, "context": ["short", "x" * 20_001]},
        "/context/1",
        "the text has 20001 characters, over the limit of 20000",
    ),
    "20,001 characters in an object": (
        passage(text="é" * 20_001),
        "/context/0/text",
        "the text has 20001 characters, over the limit of 20000",
    ),
    "empty task": ({**GOOD, "task": ""}, "/task", "the text is empty"),
    "blank task": ({**GOOD, "task": " \n"}, "/task", "task is blank"),
    "no task": ({"context": []}, "/task", "task is missing"),
    "no context": ({"task": "q"}, "/context", "context is missing"),
    "task too long": (
        {**GOOD, "task": "x" * 8_001},
        "/task",
        "the text has 8001 characters, over the limit of 8000",
    ),
    "context is text": ({**GOOD, "context": "t"}, "/context", "expected a list of passages, got text"),
    "passage without text": ({**GOOD, "context": [{"id": "a"}]}, "/context/0/text", "text is missing"),
    "NaN as text": (passage(score="NaN"), "/context/0/score", "expected a number, got text"),
    "score true": (passage(score=True), "/context/0/score", "expected a number, got a boolean"),
    "rank 0": (passage(rank=0), "/context/0/rank", "the rank is 0"),
    "rank 1.5": (passage(rank=1.5), "/context/0/rank", "expected a whole number, got a number"),
    "sample_rate 1.5": ({**GOOD, "sample_rate": 1.5}, "/sample_rate", "sample_rate is 1.5, outside 0..1"),
    "17 KiB metadata": (
        {**GOOD, "metadata": {"a": "x" * (17 * 1024 - 8)}},
        "/metadata",
        "the metadata takes 17408 bytes as JSON, over the limit of 16384",
    ),
    "trace id too short": (
        {**GOOD, "trace_id": "abc"},
        "/trace_id",
        "trace_id is not 32 hexadecimal digits",
    ),
    "trace id with dashes": (
        {**GOOD, "trace_id": "0123456789abcdef-0123456789abcde"},
        "/trace_id",
        "trace_id is not 32 hexadecimal digits",
    ),
    "span id of a trace": (
        {**GOOD, "span_id": "0" * 32},
        "/span_id",
        "span_id is not 16 hexadecimal digits",
    ),
    "NUL in the task": (
        {**GOOD, "task": "a\0b"},
        "/task",
        "the text holds NUL (U+0000) at character 1",
    ),
    "NUL in an id": (
        passage(id="a\0"),
        "/context/0/id",
        "the text holds NUL (U+0000) at character 1",
    ),
    "NUL in the event id": (
        {**GOOD, "event_id": "\0"},
        "/event_id",
        "the text holds NUL (U+0000) at character 0",
    ),
    "event id too long": (
        {**GOOD, "event_id": "x" * 129},
        "/event_id",
        "the text has 129 characters, over the limit of 128",
    ),
    "unknown field": ({**GOOD, "contxt": []}, "/contxt", "'contxt' is not a field here"),
    "unknown field of a passage": (passage(txt=""), "/context/0/txt", "'txt' is not a field here"),
    "gold as text": (
        {**GOOD, "ground_truth": {"gold_doc_ids": "a"}},
        "/ground_truth/gold_doc_ids",
        "expected a list of document ids, got text",
    ),
    "gold id 1.5": (
        {**GOOD, "ground_truth": {"gold_doc_ids": ["a", 1.5]}},
        "/ground_truth/gold_doc_ids/1",
        "expected an id (text or an integer), got a number",
    ),
    "time without an offset": (
        {**GOOD, "created_at": "2026-11-30T12:00:00"},
        "/created_at",
        "'2026-11-30T12:00:00' is not a time in RFC 3339 with an offset",
    ),
    "a list": ([GOOD], "/", "expected an object, got a list"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_event_that_breaks_a_rule_is_refused_with_its_place(api: Api, case: str) -> None:
    event, field, message = REFUSED[case]
    response = api.http.post("/v1/log", json=event)
    assert response.status_code == 422, response.text
    error = response.json()["error"]
    assert (error["code"], error["field"], error["message"]) == ("invalid", field, message)
    assert api.http.get("/v1/events").json()["items"] == []


MALFORMED: dict[str, tuple[bytes, str]] = {
    "NaN score": (
        b'{"task": "q", "context": [{"text": "t", "score": NaN}]}',
        "the body is not JSON: unexpected character, expected a JSON value: line 1 column 50 (char 49)",
    ),
    "infinite score": (
        b'{"task": "q", "context": [{"text": "t", "score": 1e999}]}',
        "the body is not JSON: number is infinity when parsed as double: line 1 column 50 (char 49)",
    ),
    "deep JSON": (
        json.dumps({**GOOD, "metadata": nested(64)}).encode(),
        "the body nests deeper than 64 levels",
    ),
    "very deep JSON": (
        b'{"task": "q", "context": [], "metadata": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
        "the body nests deeper than 64 levels",
    ),
    "invalid UTF-8": (
        b'{"task": "caf\xe9", "context": []}',
        "the body is not UTF-8: byte 0xe9 at offset 13",
    ),
    "a lone surrogate": (
        b'{"task": "\\ud83d", "context": []}',
        "the body is not JSON: no low surrogate in string: line 1 column 11 (char 10)",
    ),
    "a key twice": (
        b'{"task": "q", "context": [], "task": "p"}',
        "the key 'task' stands twice in one object",
    ),
    "nothing": (b"", "the body is empty"),
    "cut off": (
        b'{"task": "q"',
        "the body is not JSON: unexpected end of data: line 1 column 13 (char 12)",
    ),
}


@pytest.mark.parametrize("path", ["/v1/log", "/v1/events"])
@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_body_is_400(sqlite_api: Api, case: str, path: str) -> None:
    raw, message = MALFORMED[case]
    response = sqlite_api.http.post(path, content=raw, headers={"content-type": "application/json"})
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert (error["code"], error["message"]) == ("malformed", message)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "the content type is missing"),
        ({"content-type": "text/plain"}, "the content type is 'text/plain'"),
        (
            {"content-type": "application/x-www-form-urlencoded"},
            "the content type is 'application/x-www-form-",
        ),
        ({"content-type": "application/json; charset=latin-1"}, "the charset 'latin-1' is not read here"),
        (
            {"content-type": "application/json", "content-encoding": "br"},
            "the content encoding 'br' is not read here",
        ),
        (
            {"content-type": "application/json", "content-encoding": "gzip, gzip"},
            "the content encoding 'gzip, gzip' is not read here",
        ),
    ],
)
def test_other_content_is_415(sqlite_api: Api, headers: dict[str, str], message: str) -> None:
    response = sqlite_api.http.post("/v1/log", content=json.dumps(GOOD).encode(), headers=headers)
    assert response.status_code == 415, response.text
    assert response.json()["error"]["code"] == "unsupported_media_type"
    assert response.json()["error"]["message"].startswith(message)


def test_a_zip_bomb_is_413(api: Api) -> None:
    bomb = gzip.compress(b'{"task": "' + b"x" * (300 * 1024 * 1024), compresslevel=9)
    assert len(bomb) < 512 * 1024
    for path in ("/v1/log", "/v1/events", "/v1/labels"):
        response = api.http.post(
            path, content=bomb, headers={"content-type": "application/json", "content-encoding": "gzip"}
        )
        assert response.status_code == 413, response.text
        error = response.json()["error"]
        assert error["code"] == "too_large"
        assert error["message"].startswith("the body expands to more than the limit of ")


def test_a_body_that_is_too_large_is_413_before_it_is_read(sqlite_api: Api) -> None:
    large = b" " * (1024 * 1024 + 1)
    response = sqlite_api.http.post("/v1/labels", content=large, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.json()["error"]["message"] == (
        "the body has 1,048,577 bytes, more than the limit of 1,048,576 bytes"
    )


@pytest.mark.parametrize(
    ("body", "status", "field", "message"),
    [
        ([], 422, None, "expected an object with events"),
        ({}, 422, "/events", "events is not a list"),
        ({"events": {}}, 422, "/events", "events is not a list"),
        ({"events": []}, 422, "/events", "events is empty"),
        ({"events": [FIRST], "extra": 1}, 422, "/extra", "'extra' is not a field here"),
        ({"events": [FIRST] * 501}, 422, "/events", "the batch has 501 events, over the limit of 500"),
    ],
)
def test_a_batch_that_is_none_is_refused_whole(
    sqlite_api: Api, body: Any, status: int, field: str | None, message: str
) -> None:
    response = sqlite_api.http.post("/v1/events", json=body)
    assert response.status_code == status
    error = response.json()["error"]
    assert (error.get("field"), error["message"]) == (field, message)


def test_each_event_of_a_batch_has_its_own_answer(api: Api) -> None:
    events = [
        {**GOOD, "event_id": "a"},
        {**GOOD, "event_id": "b", "task": ""},
        {**GOOD, "event_id": "a"},
        {**GOOD, "event_id": "a", "task": "another body"},
        "not an event",
        {**GOOD, "event_id": "c"},
    ]
    response = api.http.post("/v1/events", json={"events": events})
    assert response.status_code == 200
    receipts = response.json()["receipts"]
    assert [receipt["index"] for receipt in receipts] == list(range(6))
    assert [receipt["outcome"] for receipt in receipts] == [
        "accepted",
        "rejected",
        "duplicate",
        "rejected",
        "rejected",
        "accepted",
    ]
    assert [receipt.get("event_id") for receipt in receipts] == ["a", "b", "a", "a", None, "c"]
    assert receipts[1]["error"] == {"code": "invalid", "field": "/task", "message": "the text is empty"}
    assert receipts[3]["error"]["code"] == "conflict"
    assert receipts[4]["error"]["message"].startswith("expected an object, got text")
    again = api.http.post("/v1/events", json={"events": [events[5], events[0]]}).json()["receipts"]
    assert [receipt["outcome"] for receipt in again] == ["duplicate", "duplicate"]


def test_the_same_id_with_another_body_is_409(api: Api) -> None:
    assert api.log(**GOOD, event_id="a").json() == {"index": 0, "event_id": "a", "outcome": "accepted"}
    assert api.log(**GOOD, event_id="a").json() == {"index": 0, "event_id": "a", "outcome": "duplicate"}
    conflict = api.log(**{**GOOD, "task": "another"}, event_id="a")
    assert conflict.status_code == 409
    assert conflict.json()["error"]["code"] == "conflict"


def test_what_looks_wrong_but_is_allowed(api: Api) -> None:
    event = {
        "event_id": "odd/id 1?",
        "task": "q",
        "context": [
            {"text": "one", "id": 7, "rank": 1, "score": 0.5},
            {"text": "two", "id": "7", "rank": 2, "score": 0.9},
            {"text": "nul \0 inside", "id": -3},
            "",
            {"text": "x" * 20_000},
        ],
        "ground_truth": {"gold_doc_ids": [7, "7", "not in the context"], "answer": "a\0"},
        "trace_id": "ABCDEF0123456789ABCDEF0123456789",
        "sample_rate": 0,
        "metadata": {"a": "x" * (16 * 1024 - 8)},
        "subquery": None,
    }
    assert api.log(**event).json()["outcome"] == "accepted"
    stored = api.http.get("/v1/events/odd%2Fid%201%3F").json()
    assert stored["status"] == "not_sampled"
    kept = stored["event"]
    assert [passage["id"] for passage in kept["context"]] == ["7", "7", "-3", None, None]
    assert kept["context"][2]["text"] == "nul \0 inside"
    assert kept["trace_id"] == "abcdef0123456789abcdef0123456789"
    assert stored["label"]["gold_doc_ids"] == ["7", "not in the context"]
    assert stored["ground_truth"]["recall"]["value"] == 0.5


def test_null_is_absent_in_every_optional_field(sqlite_api: Api) -> None:
    fields = (
        "event_id ground_truth metadata sample_rate trace_id span_id parent_span_id span_name subquery"
        " is_final_context created_at"
    )
    assert sqlite_api.log(**GOOD, **dict.fromkeys(fields.split())).json()["outcome"] == "accepted"
