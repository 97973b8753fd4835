from datetime import UTC, datetime

from steelyard.replay import check, open_source
from steelyard.schemas.event import Limits

from .conftest import Write

NOW = datetime(2026, 5, 1, tzinfo=UTC)
EVENT = {"task": "q", "context": [{"text": "a", "id": "d"}], "ground_truth": {"gold_doc_ids": ["d"]}}


def ids(write: Write, rows: list[object], *, name: str = "f.jsonl", dataset: str | None = None) -> list[str]:
    plan = check(open_source(write(name, rows)), dataset=dataset, limits=Limits(), now=NOW)
    return [data["event_id"] for _, data in plan.prepared()]


def test_ids_come_from_content_line_and_dataset_and_not_from_the_name(write: Write) -> None:
    first = ids(write, [EVENT, EVENT])
    assert len(set(first)) == 2
    assert ids(write, [EVENT, EVENT], name="other.jsonl") == first
    assert ids(write, [EVENT, EVENT], dataset="d") != first
    assert ids(write, [EVENT, {**EVENT, "task": "x"}]) != first


def test_what_a_replay_adds(write: Write) -> None:
    rows = [
        {**EVENT, "sample_rate": 0.1, "event_id": "mine"},
        {**EVENT, "metadata": {"dataset": "own", "x": 1}},
    ]
    source = open_source(write("name.v1.jsonl", rows))
    plan = check(source, dataset=None, limits=Limits(), now=NOW)
    (_, first), (_, second) = plan.prepared()
    assert (first["sample_rate"], first["event_id"], first["metadata"]["dataset"]) == (1.0, "mine", "name")
    assert second["metadata"] == {"dataset": "own", "x": 1, "replay": plan.mark}
    named = check(source, dataset="given", limits=Limits(), now=NOW)
    assert {data["metadata"]["dataset"] for _, data in named.prepared()} == {"given"}
    assert (plan.n, plan.labelled) == (2, 2)
    assert [event.created_at for _, event in plan.events(now=NOW)] == [NOW, NOW]


def test_bad_rows_are_left_out_of_what_is_sent(write: Write) -> None:
    plan = check(
        open_source(write("f.jsonl", [EVENT, {"task": "q"}, EVENT])), dataset=None, limits=Limits(), now=NOW
    )
    assert [row.line for row in plan.bad] == [2]
    assert [row.line for row, _ in plan.prepared()] == [1, 3]


def test_an_id_given_twice_with_other_content_is_bad(write: Write) -> None:
    rows = [{**EVENT, "event_id": "a"}, {**EVENT, "event_id": "a"}, {**EVENT, "event_id": "a", "task": "x"}]
    plan = check(open_source(write("f.jsonl", rows)), dataset=None, limits=Limits(), now=NOW)
    assert [(row.line, row.field) for row in plan.bad] == [(3, "/event_id")]
