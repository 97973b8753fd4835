"""Projects are walls: a foreign key, on every route, sees and changes nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .live import Api, Live, api_of, evaluate_all

METHODS = ("get", "put", "post", "delete")
SECRET = "zebra-crossing-7731"


def operations(live: Live) -> list[tuple[str, str, dict[str, Any]]]:
    with live.client() as http:
        paths = http.get("/v1/openapi.json").json()["paths"]
    return [
        (path, method, held)
        for path, methods in paths.items()
        for method, held in methods.items()
        if method in METHODS and path.startswith("/v1/")
    ]


@pytest.fixture
def stranger(live: Live) -> Iterator[Api]:
    yield from api_of(live)


def fill(api: Api) -> dict[str, str]:
    """An event with everything around it; returns what could be named in a path, a query or a body."""
    api.log(
        event_id=f"event-{SECRET}",
        task=f"What is {SECRET}?",
        context=[
            {"text": f"{SECRET} is a word.", "id": f"doc-{SECRET}", "source": SECRET},
            {"text": "no", "id": "n"},
        ],
        ground_truth={"gold_doc_ids": ["n"]},
        metadata={"env": SECRET, "user": f"user-{SECRET}"},
        trace_id="ab" * 16,
    ).raise_for_status()
    judge_id = evaluate_all(api)
    made = api.http.post("/v1/keys", json={"name": SECRET, "scopes": ["read"]}).json()["key"]
    sample = api.http.post("/v1/samples", json={"env": SECRET}).json()
    (task,) = api.http.get("/v1/requirements").json()["items"]
    return {
        "event_id": f"event-{SECRET}",
        "user": f"user-{SECRET}",
        "task_key": task["task_key"],
        "judge_id": judge_id,
        "key_id": made["id"],
        "sample_id": sample["id"],
        "form": "jsonl",
    }


BODIES: dict[str, dict[str, Any]] = {
    "/v1/log": {"task": "mine", "context": []},
    "/v1/events": {"events": [{"task": "mine", "context": []}]},
    "/v1/reviews": {"event_id": f"event-{SECRET}", "position": 0, "decision": "label_right"},
    "/v1/labels": {"event_id": f"event-{SECRET}", "gold_doc_ids": ["stolen"]},
    "/v1/requirements/{task_key}": {"requirements": ["stolen"]},
    "/v1/keys": {"name": "mine", "scopes": ["read"]},
    "/v1/samples": {"size": 5},
}
QUERIES: dict[str, dict[str, str]] = {
    "/v1/labels": {"event_id": f"event-{SECRET}"},
    "/v1/metrics/slices": {"key": "env"},
}


def snapshot(api: Api) -> str:
    """Everything the project holds, as text."""
    exports = (
        "events.jsonl",
        "evaluations.jsonl",
        "labels.jsonl",
        "requirements.jsonl",
        "reviews.jsonl",
        "audit.jsonl",
    )
    texts = [api.http.get(f"/v1/exports/{name}").raise_for_status().text for name in exports]
    keys = [{**key, "last_used_at": None} for key in api.http.get("/v1/keys").json()["items"]]
    return json.dumps([*texts, keys])


def test_a_foreign_key_gets_and_changes_nothing_on_any_route(api: Api, stranger: Api) -> None:
    names = fill(api)
    before = snapshot(api)
    assert SECRET in before
    walked = set()
    for path, method, held in operations(api.live):
        query = dict(QUERIES.get(path, {})) if method == "get" else {}
        parameters = {
            parameter["name"] for parameter in held.get("parameters", ()) if parameter["in"] == "query"
        }
        if "judge_id" in parameters:
            query["judge_id"] = names["judge_id"]
        for params in (query, {}) if query else ({},):
            body = BODIES.get(path) if "requestBody" in held else None
            assert body is not None or "requestBody" not in held, path
            response = stranger.http.request(method.upper(), path.format(**names), params=params, json=body)
            walked.add((method, path))
            assert response.status_code in (200, 201, 404, 409, 422), (method, path, response.text)
            said = response.text
            for name in names.values():
                said = said.replace(name, "")
            assert SECRET not in said, (method, path, response.text)
            if "{" in path and "{form}" not in path and "{user}" not in path:
                assert response.status_code == 404, (method, path, response.text)
    assert len(walked) == len(operations(api.live))
    assert snapshot(api) == before


def test_without_a_key_every_route_says_401(live: Live) -> None:
    with live.client() as http:
        for path, method, _ in operations(live):
            names = dict.fromkeys(("event_id", "user", "task_key", "judge_id", "key_id", "sample_id"), "x")
            response = http.request(method.upper(), path.format(**names, form="csv"))
            assert response.status_code == 401, (method, path)
            assert response.json()["error"]["code"] == "unauthorized"


def test_measures_tell_of_no_project(api: Api) -> None:
    fill(api)
    with api.live.client() as http:
        text = http.get("/metrics").raise_for_status().text
    assert "steelyard_queue_events" in text
    assert SECRET not in text
    assert api.project.name not in text
