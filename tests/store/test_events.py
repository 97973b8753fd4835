"""Events are stored once, found again as they were sent, and listed in an order that does not shift."""

from datetime import timedelta

import pytest

from steelyard.errors import InvalidInput, NotFound
from steelyard.schemas.event import Passage, Status
from steelyard.schemas.query import EventFilter
from steelyard.store import Store, events

from .conftest import NOW, MakeEvent

EVERYTHING = EventFilter()


def test_an_event_comes_back_as_it_was_sent(store: Store, project: str, make_event: MakeEvent) -> None:
    event = make_event(
        gold=("a", "z"),
        context=(
            Passage(text="NUL \0 and \u2603", id="a", score=0.5, metadata={"n": None}),
            Passage(text=""),
        ),
        metadata={"env": "prod", "nested": {"list": [1, 2.5, None, True]}, "big": 2**70, "nul": "\0"},
        trace_id="0" * 31 + "1",
        span_id="1" * 16,
        subquery="a hop",
        is_final_context=True,
        sample_rate=0.25,
    )
    assert [r.outcome for r in store.write(lambda c: events.insert(c, project, [event], now=NOW))] == [
        "accepted"
    ]
    with store.read() as c:
        found = events.get(c, project, event.event_id)
    assert found.event == event
    assert found.gold == ("a", "z")
    assert found.label is not None
    assert (found.label.version, found.label.origin) == (1, "logged")
    assert found.ground_truth is not None
    assert found.ground_truth.recall.value == 0.5
    assert found.received_at == NOW


def test_receipts(store: Store, project: str, make_event: MakeEvent) -> None:
    first, other = make_event(1), make_event(1, task="Another task")
    batch = [first, make_event(2), first, other]
    receipts = store.write(lambda c: events.insert(c, project, batch, now=NOW))
    assert [r.outcome for r in receipts] == ["accepted", "accepted", "duplicate", "rejected"]
    assert receipts[3].error is not None
    assert receipts[3].error.code == "conflict"
    again = store.write(lambda c: events.insert(c, project, [make_event(3), other, first], now=NOW))
    assert [r.outcome for r in again] == ["accepted", "rejected", "duplicate"]
    assert [r.index for r in again] == [0, 1, 2]
    with store.read() as c:
        assert events.count(c, project, EVERYTHING).value == 3


def test_an_event_without_a_time_is_the_same_when_it_comes_again(
    store: Store, project: str, make_event: MakeEvent
) -> None:
    later = NOW + timedelta(seconds=5)
    outcomes = [
        store.write(
            lambda c, at=at, now=now: events.insert(c, project, [make_event(created_at=at)], now=now)
        )[0].outcome
        for at, now in ((NOW, NOW), (later, later), (NOW, later), (later, NOW))
    ]
    assert outcomes == ["accepted", "duplicate", "duplicate", "rejected"]


def test_metadata_with_other_key_order_is_the_same(store: Store, project: str, make_event: MakeEvent) -> None:
    for metadata, outcome in (
        ({"a": 1, "b": {"c": 1, "d": 2}}, "accepted"),
        ({"b": {"d": 2, "c": 1}, "a": 1}, "duplicate"),
        ({"a": 1.0, "b": {"c": 1, "d": 2}}, "rejected"),
    ):
        event = make_event(metadata=metadata)
        assert store.write(lambda c, e=event: events.insert(c, project, [e], now=NOW))[0].outcome == outcome


def test_projects_do_not_see_each_other(store: Store, project: str, make_event: MakeEvent) -> None:
    from steelyard.store import projects

    other = store.write(lambda c: projects.create(c, "other", now=NOW)).id
    event = make_event()
    for owner in (project, other):
        assert store.write(lambda c, o=owner: events.insert(c, o, [event], now=NOW))[0].outcome == "accepted"
    with store.read() as c:
        assert events.count(c, other, EVERYTHING).value == 1
    store.write(lambda c: projects.create(c, "third", now=NOW))
    with store.read() as c, pytest.raises(NotFound):
        events.get(c, "3", event.event_id)


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (EventFilter(), [1, 2, 3, 4]),
        (EventFilter(env="prod"), [1, 2]),
        (EventFilter(env="prod", feature_flag="b"), [2]),
        (EventFilter(dataset="d"), [3]),
        (EventFilter(user="u1"), [1]),
        (EventFilter(trace_id="f" * 32), [4]),
        (EventFilter(labelled=True), [2]),
        (EventFilter(labelled=False), [1, 3, 4]),
        (EventFilter(flagged=True), []),
        (EventFilter(status=(Status.QUEUED,)), [1, 2, 4]),
        (EventFilter(status=(Status.NOT_SAMPLED, Status.ERROR)), [3]),
        (EventFilter(text="QUESTION 3"), [3]),
        (EventFilter(text="100%"), []),
        (EventFilter(text="straße"), [4]),
        (EventFilter(metadata={"tier": "gold"}), [1]),
        (EventFilter(metadata={"n": "5", "ok": "true"}), [1]),
        (EventFilter(metadata={"ok": "1"}), []),
        (EventFilter(metadata={"none": "x"}), []),
        (EventFilter(metadata={'we"ird.key$': "v"}), [4]),
        (EventFilter(judge_id="nobody"), []),
        (EventFilter(start=NOW + timedelta(seconds=2), end=NOW + timedelta(seconds=4)), [2, 3]),
    ],
    ids=repr,
)
def test_filters(
    store: Store, project: str, make_event: MakeEvent, filter: EventFilter, expected: list[int]
) -> None:
    batch = [
        make_event(1, metadata={"env": "prod", "user": "u1", "tier": "gold", "n": 5, "ok": True}),
        make_event(2, metadata={"env": "prod", "feature_flag": "b", "nul": "\0"}, gold=("a",)),
        make_event(3, metadata={"env": "test", "dataset": "d"}, sample_rate=0.0),
        make_event(4, metadata={'we"ird.key$': "v"}, trace_id="f" * 32, task="Wo ist die STRASSE Straße?"),
    ]
    store.write(lambda c: events.insert(c, project, batch, now=NOW))
    with store.read() as c:
        found = [row.event_id for row in events.page(c, project, filter).items]
        assert found == [f"event-{number}" for number in reversed(expected)]
        assert events.count(c, project, filter).value == len(expected)
        assert [one.event.event_id for one in events.export(c, project, filter, chunk=2)] == found[::-1]


def test_pages_do_not_shift_while_events_arrive(store: Store, project: str, make_event: MakeEvent) -> None:
    same_time = [make_event(n, created_at=NOW) for n in range(10)]
    store.write(lambda c: events.insert(c, project, same_time, now=NOW))
    seen, cursor = [], None
    for step in range(4):
        with store.read() as c:
            page = events.page(c, project, EVERYTHING, cursor=cursor, limit=3)
        seen += [row.event_id for row in page.items]
        cursor = page.next_cursor
        newer = make_event(100 + step, created_at=NOW + timedelta(hours=1))
        store.write(lambda c, e=newer: events.insert(c, project, [e], now=NOW))
    assert cursor is None
    assert seen == [f"event-{n}" for n in reversed(range(10))]


@pytest.mark.parametrize("cursor", ["", "x", "WzFd", "W10", "bnVsbA", "WyJhIiwxXQ", "W3RydWUsMV0"])
def test_a_cursor_of_somebody_elses_making_is_refused(store: Store, project: str, cursor: str) -> None:
    with store.read() as c, pytest.raises(InvalidInput, match="cursor"):
        events.page(c, project, EVERYTHING, cursor=cursor)


def test_counting_stops_at_the_cap(store: Store, project: str, make_event: MakeEvent) -> None:
    store.write(lambda c: events.insert(c, project, [make_event(n) for n in range(5)], now=NOW))
    with store.read() as c:
        assert events.count(c, project, EVERYTHING, cap=4) == events.Count(value=4, exact=False)
        assert events.count(c, project, EVERYTHING, cap=5) == events.Count(value=5, exact=True)


def test_traces_statuses_and_facets(store: Store, project: str, make_event: MakeEvent) -> None:
    trace = "a" * 32
    batch = [make_event(n, trace_id=trace, metadata={"env": f"e{n % 2}"}) for n in (3, 1, 2)]
    store.write(lambda c: events.insert(c, project, batch, now=NOW))
    with store.read() as c:
        hops = events.trace(c, project, trace.upper())
        assert [hop.event.event_id for hop in hops] == ["event-1", "event-2", "event-3"]
        assert events.statuses(c, project, ["event-1", "nowhere"]) == {"event-1": Status.QUEUED}
        assert events.status_counts(c, project)[Status.QUEUED] == 3
        assert events.status_counts(c, project)[Status.ERROR] == 0
        facets = events.facets(c, project, EVERYTHING)
        assert [(facet.value, facet.n) for facet in facets.env] == [("e1", 2), ("e0", 1)]
        assert facets.dataset == ()
        assert facets.exact
        assert events.exists(c, project)
