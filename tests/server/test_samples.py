"""A random sample over HTTP: drawn, labelled in order, and what its labels say of all traffic."""

from typing import Any

import pytest

from .live import Api, evaluate_all

PASSAGES = [
    {"text": "The capital of France is Paris.", "id": "paris"},
    {"text": "Bananas are rich in potassium.", "id": "banana"},
]
TRAFFIC = 60


@pytest.fixture
def traffic(api: Api) -> Api:
    """Unlabelled events, and a few labelled ones of another data set."""
    batch: list[dict[str, Any]] = [
        {"event_id": f"e{n}", "task": f"capital of France, number {n}", "context": PASSAGES}
        for n in range(TRAFFIC)
    ]
    for n in range(5):
        batch[n] |= {"ground_truth": {"gold_doc_ids": ["paris"]}, "metadata": {"dataset": "picked"}}
    api.http.post("/v1/events", json={"events": batch}).raise_for_status()
    evaluate_all(api)
    return api


def test_drawn_labelled_and_corrected(traffic: Api) -> None:
    http = traffic.http
    assert "random sample" in http.get("/v1/metrics").json()["corrected"]["withheld"]
    sample = http.post("/v1/samples", json={"size": 25, "seed": 11}).raise_for_status().json()
    assert (sample["size"], sample["population"], sample["seed"]) == (25, TRAFFIC, 11)
    assert http.get("/v1/samples").json()["items"] == [sample]
    place = f"/v1/samples/{sample['id']}"
    progress = http.get("/v1/metrics").json()["corrected"]["withheld"]
    assert f"{sample['labelled']} of 25 events drawn at random are labelled" in progress
    while following := http.get(place, params={"limit": 10}).json()["next"]:
        assert [one["place"] for one in following] == sorted(one["place"] for one in following)
        for one in following:
            gold = ["paris"] if one["place"] % 5 else ["paris", "banana"]
            label = {"event_id": one["event_id"], "gold_doc_ids": gold}
            http.post("/v1/labels", json=label).raise_for_status()
    assert http.get(place).json()["sample"]["labelled"] == 25
    for path in ("/v1/metrics", "/v1/accuracy"):
        corrected = http.get(path).json()["corrected"]
        assert (corrected["basis"], corrected["sample_id"]) == ("drawn", sample["id"])
        assert (corrected["labelled"], corrected["withheld"]) == (25, None)
        assert 0 <= corrected["precision"]["low"] <= corrected["precision"]["value"] <= 1
    (entry,) = [e for e in http.get("/v1/audit").json()["items"] if e["action"] == "sample.draw"]
    assert (entry["subject"], entry["detail"]) == (sample["id"], {"size": 25, "population": TRAFFIC})


@pytest.mark.parametrize("path", ["/v1/metrics", "/v1/accuracy"])
def test_a_caller_may_vouch_for_the_labels(traffic: Api, path: str) -> None:
    found = traffic.http.get(path, params={"labelled_are_sample": "true"}).json()["corrected"]
    assert (found["basis"], found["labelled"], found["unlabelled"]) == ("declared", 5, TRAFFIC - 5)
    assert found["recall"]["value"] is not None
    withheld = traffic.http.get(path, params={"labelled_are_sample": "false"}).json()["corrected"]
    assert withheld["recall"] is None
    assert traffic.http.get(path, params={"labelled_are_sample": "yes"}).status_code == 422


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"size": 0}, "/size"),
        ({"size": 1_001}, "/size"),
        ({"size": "5"}, "/size"),
        ({"status": "evaluated"}, "/status"),
        ({"start": "yesterday"}, "/start"),
        ({"start": "2026-12-01T00:00:00Z", "end": "2026-12-01T00:00:00Z"}, "/start"),
        ({"seed": -1}, "/seed"),
    ],
    ids=repr,
)
def test_what_cannot_be_drawn(api: Api, body: dict[str, Any], field: str) -> None:
    answer = api.http.post("/v1/samples", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field


def test_nothing_to_draw_from_is_a_conflict(api: Api) -> None:
    answer = api.http.post("/v1/samples", json={"env": "nowhere"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


def test_a_sample_that_is_not_there(api: Api) -> None:
    answer = api.http.get("/v1/samples/nothing")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
