"""The background client against a server with good and bad days."""

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from steelyard import Client, Rejection, Stats
from steelyard.errors import ClientError, ConfigurationError, InvalidInput, Unauthorized

from .conftest import Answer, ScriptedServer, error, wait_until

PASSAGES = ["Paris is the capital of France.", {"text": "The Eiffel Tower is in Paris.", "id": "doc-eiffel"}]


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[Client]:
    with Client("sy_test", server.url, flush_interval=0.01) as made:
        yield made


def test_an_event_arrives_once_with_key_and_id(client: Client, server: ScriptedServer) -> None:
    assert client.log(task="capital of France?", context=PASSAGES, metadata={"env": "test"}) is None
    assert client.flush(10)
    (event,) = server.events
    assert event["context"] == PASSAGES
    assert event["metadata"] == {"env": "test"}
    assert server.seen[0].headers["authorization"] == "Bearer sy_test"
    assert client.stats == Stats(logged=1, accepted=1)


def test_what_is_logged_is_what_it_was_when_logged(client: Client, server: ScriptedServer) -> None:
    context: list[Any] = [{"text": "before"}]
    client.log("q", context)
    context[0]["text"] = "after"
    client.flush(10)
    assert server.events[0]["context"] == [{"text": "before"}]


def test_many_events_share_requests_and_keep_their_order(server: ScriptedServer) -> None:
    with Client("k", server.url, flush_interval=5) as client:
        for number in range(250):
            client.log(f"q{number}", ["x" * 2_000])
        assert client.flush(20)
    assert [event["task"] for event in server.events] == [f"q{number}" for number in range(250)]
    assert len(server.seen) == 3
    assert all(seen.headers["content-encoding"] == "gzip" for seen in server.seen)


@pytest.mark.parametrize(
    "bad",
    [
        Answer(503, body=error("store_unavailable", "the store is down")),
        Answer(500, body=None),
        Answer(drop=True),
        Answer(429, body=error("rate_limited", "slow down"), headers={"retry-after": "0"}),
    ],
    ids=["503", "500", "dropped", "429"],
)
def test_a_bad_answer_is_asked_again_with_the_same_ids(
    client: Client, server: ScriptedServer, bad: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = [bad, bad]
    client.log("q", PASSAGES)
    assert client.flush(20)
    assert len(server.seen) == 3
    assert len({event["event_id"] for event in server.events}) == 1
    assert client.stats == Stats(logged=1, accepted=1)
    assert len([record for record in caplog.records if record.name == "steelyard"]) == 1


def test_retry_after_is_honoured(client: Client, server: ScriptedServer) -> None:
    server.script = [Answer(503, body=error("busy", "busy"), headers={"retry-after": "1"})]
    client.log("q", PASSAGES)
    assert client.flush(20)
    first, second = server.seen
    assert second.at - first.at >= 1.0


def test_an_answer_lost_on_the_way_is_no_second_event(client: Client, server: ScriptedServer) -> None:
    known: list[str] = []

    def remember(event: dict[str, Any]) -> None:
        known.append(event["event_id"])

    server.refuse = remember
    client.log("q", PASSAGES, event_id="mine")
    client.log("q", PASSAGES, event_id="mine")
    assert client.flush(10)
    assert client.stats == Stats(logged=2, accepted=1, duplicates=1)


def test_a_server_that_comes_up_late_gets_everything(server: ScriptedServer) -> None:
    url = server.url
    server.stop()
    client = Client("k", url, flush_interval=0.01)
    client.log("q", PASSAGES)
    assert not client.flush(0.05)
    client.close(timeout=0.05)
    assert client.stats.dropped == 1


def test_rejections_are_counted_said_and_handed_over(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuse = lambda event: (
        {"code": "invalid", "message": "rank is 0", "field": "/context/0/rank", "hint": "Start at 1."}
        if event["task"] == "bad"
        else None
    )
    heard: list[Rejection] = []
    with Client("k", server.url, on_rejected=heard.append) as client:
        for task in ("good", "bad", "good", "bad"):
            client.log(task, PASSAGES)
        assert client.flush(10)
        assert client.stats == Stats(logged=4, accepted=2, rejected=2)
    assert [(one.code, one.field, one.hint) for one in heard] == [
        ("invalid", "/context/0/rank", "Start at 1.")
    ] * 2
    said = [record.getMessage() for record in caplog.records if record.name == "steelyard"]
    assert len(said) == 1
    assert "rank is 0 (at /context/0/rank). Start at 1." in said[0]


def test_a_callback_that_raises_stops_nothing(server: ScriptedServer) -> None:
    server.refuse = lambda event: {"code": "invalid", "message": "no"} if event["task"] == "bad" else None

    def broken(_: Rejection) -> None:
        raise RuntimeError("mine")

    with Client("k", server.url, flush_interval=0, on_rejected=broken) as client:
        client.log("bad", PASSAGES)
        client.log("good", PASSAGES)
        assert client.flush(10)
        assert client.stats.accepted == 1


def test_one_event_that_spoils_a_batch_does_not_take_the_others_along(server: ScriptedServer) -> None:
    healthy = server.healthy

    def poisoned(seen: Any) -> Answer:
        if any(event["task"] == "poison" for event in seen.json["events"]):
            return Answer(400, body=error("malformed", "a key stands twice"))
        return healthy(seen)

    server.healthy = poisoned  # type: ignore[method-assign]
    heard: list[Rejection] = []
    with Client("k", server.url, flush_interval=5, on_rejected=heard.append) as client:
        for number in range(20):
            client.log("poison" if number == 13 else f"q{number}", PASSAGES, event_id=str(number))
        assert client.flush(20)
    assert client.stats == Stats(logged=20, accepted=19, rejected=1)
    assert [(one.event_id, one.code) for one in heard] == [("13", "malformed")]


def test_a_key_that_does_not_count_is_said_once(
    client: Client, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = [Answer(401, body=error("unauthorized", "this key is revoked"))]
    client.log("q", PASSAGES)
    client.log("q", PASSAGES)
    assert client.flush(10)
    assert client.stats.rejected == 2
    assert [record.getMessage() for record in caplog.records if record.name == "steelyard"] != []


@pytest.mark.parametrize("context", [[object()], ["\ud800"], 7, None])
@pytest.mark.parametrize("task", ["q", None, 7])
def test_nothing_reaches_the_caller(client: Client, server: ScriptedServer, task: Any, context: Any) -> None:
    server.refuse = lambda _: {"code": "invalid", "message": "no"}
    assert client.log(task, context) is None
    assert client.flush(10)
    assert client.stats.rejected == 1


def test_a_full_queue_drops_counts_and_says_so_once(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    gate = threading.Event()
    server.script = [Answer(503, body=None, hold=gate)]
    client = Client("k", server.url, max_queue_size=3, flush_interval=0)
    client.log("first", PASSAGES)
    wait_until(lambda: server.seen)
    for number in range(10):
        client.log(f"q{number}", PASSAGES)
    assert client.stats.dropped == 7
    gate.set()
    assert client.flush(20)
    client.close()
    assert client.stats == Stats(logged=11, accepted=4, dropped=7)
    dropped = [record for record in caplog.records if "dropped" in record.getMessage()]
    assert len(dropped) == 1
    assert dropped[0].levelno == logging.WARNING


def test_labelled_events_wait_for_room(server: ScriptedServer) -> None:
    with Client("k", server.url, max_queue_size=2, flush_interval=0) as client:
        for number in range(120):
            client.log(f"q{number}", PASSAGES, ground_truth={"gold_doc_ids": ["doc-eiffel"]})
        assert client.flush(20)
        assert client.stats == Stats(logged=120, accepted=120)


def test_labelled_events_wait_no_longer_than_they_may(server: ScriptedServer) -> None:
    gate = threading.Event()
    server.script = [Answer(503, body=None, hold=gate)]
    client = Client("k", server.url, max_queue_size=1, flush_interval=0, block_timeout=0.05)
    client.log("first", PASSAGES)
    wait_until(lambda: server.seen)
    for _ in range(50):
        client.log("q", PASSAGES, ground_truth={"gold_doc_ids": []})
    assert client.stats.dropped == 49
    gate.set()
    client.close()


def test_closing_sends_what_is_left_and_takes_nothing_more(server: ScriptedServer) -> None:
    client = Client("k", server.url, flush_interval=60)
    client.log("q", PASSAGES)
    client.close()
    client.close()
    client.log("late", PASSAGES)
    assert [event["task"] for event in server.events] == ["q"]
    assert client.stats == Stats(logged=2, accepted=1, dropped=1)


def test_a_client_that_goes_out_of_scope_still_delivers(server: ScriptedServer) -> None:
    def log_and_forget() -> None:
        Client("k", server.url, flush_interval=60).log("q", PASSAGES)

    log_and_forget()
    wait_until(lambda: len(server.events) == 1)


def test_without_background_the_id_comes_back_and_errors_are_raised(server: ScriptedServer) -> None:
    with Client("k", server.url, background=False) as client:
        given = client.log("q", PASSAGES)
        assert given == server.seen[0].json["event_id"]
        assert server.seen[0].path == "/v1/log"
        server.script = [Answer(422, body=error("invalid", "task is blank", field="/task"))]
        with pytest.raises(InvalidInput, match=r"task is blank \(at /task\)"):
            client.log(" ", PASSAGES)
        server.script = [Answer(401, body=error("unauthorized", "no such key"))]
        with pytest.raises(Unauthorized):
            client.log("q", PASSAGES)
        server.script = [Answer(503, body=None), Answer(drop=True)]
        assert client.log("q", PASSAGES)
        with pytest.raises(InvalidInput, match="cannot be logged"):
            client.log("q", [object()])  # type: ignore[list-item]


def test_without_background_an_absent_server_is_an_error(server: ScriptedServer) -> None:
    server.stop()
    client = Client("k", server.url, background=False, timeout=0.3)
    with pytest.raises(ClientError, match=r"no answer from .*steelyard serve"):
        client.log("q", PASSAGES)


def test_events_are_read_page_by_page(client: Client, server: ScriptedServer) -> None:
    pages = [
        {"items": [{"event_id": "a"}, {"event_id": "b"}], "next_cursor": "next"},
        {"items": [{"event_id": "c"}]},
    ]
    server.reads["/v1/events"] = list(pages)
    since = datetime(2026, 1, 2, tzinfo=UTC)
    found = list(client.events(dataset="faq", start=since, labelled=True, status=["queued", "error"]))
    assert [event["event_id"] for event in found] == ["a", "b", "c"]
    assert server.seen[0].path == (
        "/v1/events?dataset=faq&start=2026-01-02T00%3A00%3A00%2B00%3A00&labelled=true&status=queued&status=error"
    )
    assert server.seen[1].path.endswith("&cursor=next")
    server.reads["/v1/events"] = list(pages)
    assert len(list(client.events(limit=2, metadata={"user": 42}))) == 2
    assert server.seen[-1].path == "/v1/events?metadata=user%3A42"


@pytest.mark.parametrize(
    "wrong", [{"timeout": 0}, {"max_queue_size": 0}, {"flush_interval": -1}, {"block_timeout": -0.1}]
)
def test_settings_that_cannot_work(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Client("k", **wrong)
