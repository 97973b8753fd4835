"""The OpenAPI document is complete, and `docs/api.md` says the same."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from steelyard.errors import InvalidInput
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Limits
from steelyard.server.ingest import new_id

from .live import Live
from .test_bad_input import GOOD, REFUSED

DOCS = Path(__file__).parent.parent.parent / "docs" / "api.md"
METHODS = ("get", "put", "post", "delete")


@pytest.fixture(scope="module")
def document(sqlite_live: Live) -> dict[str, Any]:
    with sqlite_live.client() as http:
        response = http.get("/v1/openapi.json")
    assert response.status_code == 200
    body: dict[str, Any] = response.json()
    return body


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, held)
        for path, methods in document["paths"].items()
        for method, held in methods.items()
        if method in METHODS
    ]


def test_it_is_openapi_3_1_and_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    known = document["components"]["schemas"]

    def walk(value: object) -> None:
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                assert reference.removeprefix("#/components/schemas/") in known, reference
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(document)


def test_every_operation_is_told_apart_and_says_its_errors(document: dict[str, Any]) -> None:
    ids = [held["operationId"] for _, _, held in operations(document)]
    assert len(ids) == len(set(ids))
    for path, method, held in operations(document):
        where = f"{method} {path}"
        assert held["summary"], where
        assert held["description"], where
        if path in ("/healthz", "/readyz"):
            continue
        assert held["security"] == [{"key": []}], where
        assert {"401", "403", "422", "503"} <= set(held["responses"]), where
        if "requestBody" in held:
            assert {"400", "413", "415"} <= set(held["responses"]), where


def test_the_document_covers_every_route_of_the_api(sqlite_live: Live, document: dict[str, Any]) -> None:
    nouns = {path.split("/")[2] for path in document["paths"] if path.startswith("/v1/")}
    assert nouns == {
        "log",
        "events",
        "users",
        "queue",
        "metrics",
        "accuracy",
        "disagreements",
        "reviews",
        "labels",
        "requirements",
        "judges",
        "exports",
        "samples",
        "keys",
        "audit",
    }


def event_validator(document: dict[str, Any]) -> Any:
    schema = {"$ref": "#/components/schemas/EventInput", "components": document["components"]}
    return jsonschema_rs.Draft202012Validator(schema)


SAID_IN_WORDS = {"17 KiB metadata"}


@pytest.mark.parametrize("case", [case for case in REFUSED if case not in SAID_IN_WORDS])
def test_the_schema_refuses_what_the_server_refuses(document: dict[str, Any], case: str) -> None:
    assert not event_validator(document).is_valid(REFUSED[case][0])


@pytest.mark.parametrize(
    "event",
    [
        GOOD,
        {**GOOD, "event_id": "x" * 128, "task": "x" * 8_000},
        {**GOOD, "context": ["", {"text": "", "id": 7, "rank": 1, "score": -1e300, "source": ""}] * 25},
        {**GOOD, "context": [{"text": "\0", "id": None, "rank": None, "score": 1, "metadata": None}]},
        {**GOOD, "ground_truth": {"gold_doc_ids": [1, "a"] * 500}},
        {**GOOD, "ground_truth": {}},
        {**GOOD, "trace_id": "A" * 32, "span_id": "0" * 16, "is_final_context": True},
        {**GOOD, "created_at": "2026-11-30T12:00:00.123456+05:30", "sample_rate": 0},
    ],
)
def test_both_accept_what_is_good(document: dict[str, Any], event: dict[str, Any]) -> None:

    assert event_validator(document).is_valid(event)
    parse_event(event, limits=Limits(), now=datetime.now(UTC), new_id=new_id)


def test_the_limits_in_force_are_in_the_document(document: dict[str, Any]) -> None:
    limits, schemas = Limits(), document["components"]["schemas"]
    event = schemas["EventInput"]["properties"]
    assert event["task"]["maxLength"] == limits.task_chars
    assert event["context"]["maxItems"] == limits.passages
    assert schemas["PassageInput"]["properties"]["text"]["maxLength"] == limits.passage_chars
    assert schemas["BatchInput"]["properties"]["events"]["maxItems"] == limits.batch_events


def test_the_api_page_lists_exactly_the_operations(document: dict[str, Any]) -> None:
    documented = set(
        re.findall(r"^\| `(GET|PUT|POST|DELETE) (/[^`]*)` \|", DOCS.read_text("utf-8"), re.MULTILINE)
    )
    served = {(method.upper(), path) for path, method, _ in operations(document)}
    assert documented == served


def test_the_api_page_names_every_parameter(document: dict[str, Any]) -> None:
    text = DOCS.read_text("utf-8")
    for path, method, held in operations(document):
        for parameter in held.get("parameters", ()):
            assert f"`{parameter['name']}`" in text or f"{{{parameter['name']}}}" in text, (method, path)


def test_examples_of_the_api_page_are_valid_events(document: dict[str, Any]) -> None:

    examples = re.findall(r"```json\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    events = [json.loads(example) for example in examples]
    logged = [event for event in events if "task" in event]
    assert logged
    for event in logged:
        assert event_validator(document).is_valid(event), event


def test_a_rule_that_schemas_cannot_state_is_told_in_words(document: dict[str, Any]) -> None:
    said = document["components"]["schemas"]["EventInput"]["properties"]["metadata"]["description"]
    assert said == "Free form, at most 16,384 bytes as JSON."
    with pytest.raises(InvalidInput):
        parse_event(REFUSED["17 KiB metadata"][0], limits=Limits(), now=datetime.now(UTC), new_id=new_id)
