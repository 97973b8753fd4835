"""The API from a logged event to its numbers, over HTTP on both databases."""

import csv
import gzip
import io
import json
from typing import Any

import pytest

from .live import Api, evaluate_all

PARIS = {
    "task": "capital of France",
    "context": [
        {"text": "The capital of France is Paris.", "id": "paris", "score": 0.9, "source": "atlas"},
        {"text": "Bananas are rich in potassium.", "id": "banana", "score": 0.4, "source": "food"},
    ],
}


def event(name: str, *gold: str, **more: Any) -> dict[str, Any]:
    labels = {"ground_truth": {"gold_doc_ids": list(gold)}} if gold else {}
    return {**PARIS, "event_id": name, **labels, **more}


@pytest.fixture
def judged(api: Api) -> tuple[Api, str]:
    """Three labelled events (one label wrong) and one unlabelled, judged by word overlap; the judge's id."""
    batch = [
        event("right", "paris", metadata={"env": "prod", "user": "u1"}),
        event("wrong", "banana", metadata={"env": "prod", "user": "u2"}),
        event("other", "paris", metadata={"env": "test"}, trace_id="ab" * 16),
        event("unlabelled"),
    ]
    receipts = api.http.post("/v1/events", json={"events": batch}).json()["receipts"]
    assert [receipt["outcome"] for receipt in receipts] == ["accepted"] * 4
    return api, evaluate_all(api)


def ids(api: Api, **params: Any) -> list[str]:
    response = api.http.get("/v1/events", params={"limit": 500, **params})
    assert response.status_code == 200, response.text
    return sorted(item["event_id"] for item in response.json()["items"])


def test_a_batch_may_come_packed(api: Api) -> None:
    packed = gzip.compress(json.dumps({"events": [event("a"), event("b")]}).encode())
    headers = {"content-type": "application/json; charset=utf-8", "content-encoding": "gzip"}
    assert api.http.post("/v1/events", content=packed, headers=headers).status_code == 200
    assert ids(api) == ["a", "b"]


def test_pages_follow_each_other_without_gap_or_repeat(api: Api) -> None:
    batch = [event(f"e{n:02}", created_at=f"2026-11-{n + 1:02}T00:00:00Z") for n in range(7)]
    api.http.post("/v1/events", json={"events": batch})
    seen: list[str] = []
    params: dict[str, Any] = {"limit": 3}
    while True:
        page = api.http.get("/v1/events", params=params).json()
        seen += [item["event_id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        api.log(**event(f"late-{len(seen)}", created_at="2026-12-01T00:00:00Z"))
        params["cursor"] = page["next_cursor"]
    assert seen == [f"e{n:02}" for n in reversed(range(7))]


def test_filters_hold_together(judged: tuple[Api, str]) -> None:
    api, judge_id = judged
    assert ids(api, env="prod") == ["right", "wrong"]
    assert ids(api, env="prod", user="u1") == ["right"]
    assert ids(api, metadata="user:u2") == ["wrong"]
    assert ids(api, labelled="false") == ["unlabelled"]
    assert ids(api, trace_id="AB" * 16) == ["other"]
    assert ids(api, task="  CAPITAL of   france ") == ["other", "right", "unlabelled", "wrong"]
    assert ids(api, text="FRANCE") == ["other", "right", "unlabelled", "wrong"]
    assert ids(api, text="Spain") == []
    assert ids(api, status=["queued", "error"]) == []
    assert ids(api, status="evaluated", judge_id=judge_id) == ["other", "right", "unlabelled", "wrong"]
    assert ids(api, judge_id="nobody") == []
    assert ids(api, range="1h") == ["other", "right", "unlabelled", "wrong"]
    assert ids(api, end="2026-01-01T00:00:00+01:00") == []


def test_an_event_is_read_back_with_all_that_is_known_of_it(judged: tuple[Api, str]) -> None:
    api, judge_id = judged
    stored = api.http.get("/v1/events/right").json()
    assert stored["event"]["task"] == PARIS["task"]
    assert stored["status"] == "evaluated"
    assert stored["label"]["origin"] == "logged"
    assert stored["ground_truth"]["recall"] == {"value": 1.0, "reason": None}
    assert stored["ground_truth"]["precision"]["value"] == 0.5
    (evaluation,) = stored["evaluations"]
    assert evaluation["evaluation"]["judge_id"] == judge_id
    assert evaluation["evaluator"]["exact_match"]["value"] == 1.0
    missing = api.http.get("/v1/events/none")
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "not_found"


READS = [
    "/v1/events",
    "/v1/metrics",
    "/v1/metrics/trend",
    "/v1/metrics/slices?key=env",
    "/v1/metrics/sources",
    "/v1/accuracy",
    "/v1/disagreements",
]
CONDITIONS = {
    "env": "prod",
    "dataset": "d",
    "feature_flag": "f",
    "status": "evaluated",
    "labelled": "true",
    "flagged": "false",
    "trace_id": "a" * 32,
    "task": "t",
    "user": "u",
    "text": "é",
    "metadata": "env:prod",
    "range": "30d",
    "start": "1900-01-01T00:00:00Z",
    "end": "2999-12-31T23:59:59Z",
}


@pytest.mark.parametrize("path", READS)
def test_every_read_takes_every_condition(judged: tuple[Api, str], path: str) -> None:
    api, judge_id = judged
    given = dict(pair.split("=") for pair in path.split("?")[1:])
    for name, value in {**CONDITIONS, "judge_id": judge_id}.items():
        answer = api.http.get(path.split("?")[0], params=given | {name: value})
        assert answer.status_code == 200, (name, answer.text)
    span = {name: CONDITIONS[name] for name in ("start", "end")}
    assert api.http.get(path.split("?")[0], params=given | span).status_code == 200


def test_metrics_and_accuracy_carry_n_and_intervals(judged: tuple[Api, str]) -> None:
    api, judge_id = judged
    summary = api.http.get("/v1/metrics").json()
    assert (summary["n"], summary["judge_id"]) == (4, judge_id)
    assert summary["label_free"]["recall"]["n"] == 4
    assert summary["ground_truth"]["recall"]["value"] == 1.0
    assert summary["coverage"]["share"] == 1.0
    accuracy = api.http.get("/v1/accuracy").json()
    assert accuracy["evaluator"]["exact_match"]["n"] == 3
    assert accuracy["evaluator"]["exact_match"]["value"] == pytest.approx(2 / 3)
    assert accuracy["evaluator"]["band"] == "low"
    assert accuracy["original"] is None
    card = api.http.get(f"/v1/judges/{judge_id}/card").json()
    assert card["accuracy"] == accuracy["evaluator"]
    assert card["judge"]["evaluations"] == 4
    slices = api.http.get("/v1/metrics/slices", params={"key": "env"}).json()["slices"]
    assert {held["value"]: held["summary"]["n"] for held in slices} == {"prod": 2, "test": 1, None: 1}
    sources = {
        held["source"]: held["precision"] for held in api.http.get("/v1/metrics/sources").json()["items"]
    }
    assert sources == {"atlas": 1.0, "food": 0.0}
    trend = api.http.get("/v1/metrics/trend", params={"range": "24h", "points": 4}).json()
    assert sum(point["n"] for point in trend["points"]) == 4
    assert api.http.get("/v1/accuracy?judge_id=nobody").status_code == 404


def test_a_project_without_events_has_no_numbers_and_no_error(api: Api) -> None:
    summary = api.http.get("/v1/metrics").json()
    assert summary["n"] == 0
    assert summary["label_free"]["recall"]["value"] is None
    assert summary["label_free"]["recall"]["reason"]
    accuracy = api.http.get("/v1/accuracy").json()
    assert (accuracy["n"], accuracy["judge_id"], accuracy["evaluator"]["band"]) == (0, None, None)
    assert api.http.get("/v1/judges").json() == {"items": []}
    assert api.http.get("/v1/queue").json() == {"queued": 0, "evaluating": 0, "oldest_age_s": None}


def test_a_reviewed_disagreement_amends_the_label_and_the_numbers(judged: tuple[Api, str]) -> None:
    api, judge_id = judged
    queue = api.http.get("/v1/disagreements", params={"reviewed": "false"}).json()["items"]
    disagreements = {
        (item["event_id"], item["passage_id"]): item for item in queue if item["kind"] != "agreement"
    }
    assert {key: item["kind"] for key, item in disagreements.items()} == {
        ("wrong", "paris"): "false_citation",
        ("wrong", "banana"): "missed_gold",
    }
    for item in disagreements.values():
        body = {
            "event_id": "wrong",
            "position": item["position"],
            "decision": "judge_right",
            "reason": "read it",
        }
        made = api.http.post("/v1/reviews", json=body)
        assert made.status_code == 200, made.text
        assert made.json()["judge_id"] == judge_id
    accuracy = api.http.get("/v1/accuracy").json()
    assert accuracy["evaluator"]["exact_match"]["value"] == 1.0
    assert accuracy["original"]["exact_match"]["value"] == pytest.approx(2 / 3)
    assert accuracy["reviews"]["judge_right"] == 2
    assert api.http.get("/v1/reviews/progress").json()["reviewed"] == 2
    versions = api.http.get("/v1/labels?event_id=wrong").json()["items"]
    assert versions[0]["gold_doc_ids"] == ["paris"]
    assert versions[-1]["gold_doc_ids"] == ["banana"]
    actions = [entry["action"] for entry in api.http.get("/v1/audit").json()["items"]]
    assert actions.count("review.add") == 2
    nothing = {"event_id": "right", "position": 40, "decision": "unclear"}
    assert api.http.post("/v1/reviews", json=nothing).status_code == 404


def test_a_label_is_amended_never_overwritten(judged: tuple[Api, str]) -> None:
    api, _ = judged
    made = api.http.post("/v1/labels", json={"event_id": "unlabelled", "gold_doc_ids": [7, "paris", "paris"]})
    assert made.status_code == 200, made.text
    assert made.json()["gold_doc_ids"] == ["7", "paris"]
    assert made.json()["origin"] == "added"
    stored = api.http.get("/v1/events/unlabelled").json()
    assert stored["ground_truth"]["recall"]["value"] == 0.5
    api.http.post("/v1/labels", json={"event_id": "unlabelled", "gold_doc_ids": None})
    history = api.http.get("/v1/labels?event_id=unlabelled").json()["items"]
    assert [label["gold_doc_ids"] for label in history] == [None, ["7", "paris"]]
    assert ids(api, labelled="false") == ["unlabelled"]
    assert api.http.post("/v1/labels", json={"event_id": "none", "gold_doc_ids": []}).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"event_id": "a"}, "/gold_doc_ids"),
        ({"event_id": "a", "gold_doc_ids": [1.5]}, "/gold_doc_ids/0"),
        ({"event_id": "a", "gold_doc_ids": [""]}, "/gold_doc_ids/0"),
        ({"event_id": "a\0", "gold_doc_ids": []}, "/event_id"),
        ({"event_id": "a", "gold_doc_ids": [], "extra": 1}, "/extra"),
        ([], None),
    ],
)
def test_a_bad_label_names_its_field(sqlite_api: Api, body: Any, field: str | None) -> None:
    response = sqlite_api.http.post("/v1/labels", json=body)
    assert response.status_code == 422, response.text
    assert response.json()["error"].get("field") == field


def test_edited_requirements_are_a_new_version_and_judged_again(judged: tuple[Api, str]) -> None:
    api, judge_id = judged
    (task,) = api.http.get("/v1/requirements", params={"task": "Capital of France"}).json()["items"]
    assert (task["version"], task["events"], task["origin"]) == (1, 4, "judge")
    path = f"/v1/requirements/{task['task_key']}"
    edited = api.http.put(path, json={"requirements": ["the capital of France", "its population"]})
    assert edited.status_code == 200, edited.text
    assert (edited.json()["version"], edited.json()["origin"]) == (2, "edited")
    versions = api.http.get(path, params={"judge_id": judge_id}).json()["items"]
    assert [version["version"] for version in versions] == [2, 1]
    assert api.http.get("/v1/queue").json()["queued"] == 4
    evaluate_all(api)
    stored = api.http.get("/v1/events/right").json()
    assert [
        held["evaluation"]["requirements_version"] for held in stored["evaluations"] if held["current"]
    ] == [2]
    for bad in ({"requirements": []}, {"requirements": [" "]}, {"requirements": [1]}, {}):
        assert api.http.put(path, json=bad).status_code == 422
    assert api.http.put("/v1/requirements/none", json={"requirements": ["a"]}).status_code == 404


def test_exports_can_be_logged_again_and_are_safe_to_open(judged: tuple[Api, str]) -> None:
    api, _ = judged
    api.log(**event("formula"), metadata={"env": "=cmd|' /C calc'!A0"})
    exported = api.http.get("/v1/exports/events.jsonl")
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert exported.headers["content-disposition"] == 'attachment; filename="events.jsonl"'
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert len(lines) == 5
    again = api.http.post("/v1/events", json={"events": lines}).json()["receipts"]
    assert [receipt["outcome"] for receipt in again] == ["duplicate"] * 5
    table = api.http.get("/v1/exports/events.csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    rows = {
        row["event_id"]: row
        for row in csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"), newline=""))
    }
    assert rows["formula"]["env"] == "'=cmd|' /C calc'!A0"
    assert rows["right"]["gt_recall"] == "1.0"
    assert rows["right"]["exact_match"] == "1.0"
    assert rows["wrong"]["exact_match"] == "0.0"
    assert rows["unlabelled"]["gt_recall"] == ""
    for name in (
        "evaluations.jsonl",
        "labels.csv",
        "disagreements.csv",
        "reviews.jsonl",
        "judges.csv",
        "audit.jsonl",
    ):
        assert api.http.get(f"/v1/exports/{name}").status_code == 200
    assert len(api.http.get("/v1/exports/labels.jsonl").text.splitlines()) == 3
    assert len(api.http.get("/v1/exports/disagreements.jsonl").text.splitlines()) == 2
    assert api.http.get("/v1/exports/events.xlsx").status_code == 422


def test_deleted_events_are_gone(judged: tuple[Api, str]) -> None:
    api, _ = judged
    deleted = api.http.delete("/v1/events/right")
    assert deleted.json() == {"events": 1, "evaluations": 1, "labels": 1}
    assert api.http.get("/v1/events/right").status_code == 404
    assert api.http.delete("/v1/events/right").status_code == 404
    assert api.http.delete("/v1/users/u2").json()["events"] == 1
    assert api.http.delete("/v1/users/u2").json()["events"] == 0
    assert ids(api) == ["other", "unlabelled"]
    audit = api.http.get("/v1/audit").json()["items"]
    assert [entry["action"] for entry in audit] == ["user.delete", "user.delete", "event.delete"]
    assert '"u2"' not in json.dumps(audit)
