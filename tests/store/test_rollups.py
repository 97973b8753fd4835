"""Stored sums say what the events say, follow every change, and are told apart from them."""

import itertools
import threading
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.schemas.query import EventFilter
from steelyard.schemas.summary import Summary
from steelyard.store import Store, events, figures, labels, leases, requirements, rollups, summaries
from steelyard.store.latencies import histogram, percentile

from .conftest import NOW, Judged, MakeEvent

EVERYTHING = EventFilter()


def from_rollups(store: Store, project: str, judge_id: str, filter: EventFilter = EVERYTHING) -> Summary:
    with store.read() as c:
        return figures.from_rollups(c, project, filter, judge_id=judge_id, now=NOW)


def from_events(store: Store, project: str, judge_id: str, filter: EventFilter = EVERYTHING) -> Summary:
    with store.read() as c:
        return summaries.summary(c, project, filter, judge_id=judge_id, now=NOW)


def alike(one: Summary, other: Summary) -> None:
    """The same means, counts and coverage; intervals are made in another way."""
    assert one.n == other.n
    assert one.coverage == other.coverage
    for group in ("label_free", "ground_truth", "evaluator"):
        for name, estimate in getattr(one, group):
            if hasattr(estimate, "n"):
                twin = getattr(getattr(other, group), name)
                assert (estimate.n, estimate.value) == (twin.n, pytest.approx(twin.value)), name
                assert estimate.micro == pytest.approx(twin.micro), name


@pytest.fixture
def month(store: Store, project: str, make_event: MakeEvent, evaluated: Judged) -> list[datetime]:
    """Events over three days, some labelled, of two environments, one of them not evaluated."""
    times = [NOW + timedelta(hours=5 * n) for n in range(15)]
    batch = [
        make_event(
            n,
            created_at=time,
            gold=("a",) if n % 3 == 0 else None,
            metadata={"env": "prod" if n % 2 else "test", "tier": n % 2},
        )
        for n, time in enumerate(times)
    ]
    evaluated(batch, cited=[("a", "b")[: 1 + n % 2] for n in range(15)])
    late = make_event(99, created_at=NOW)
    store.write(lambda c: events.insert(c, project, [late], now=NOW))
    assert rollups.refresh(store, now=NOW, budget_s=60) == 0
    return times


@pytest.mark.parametrize(
    "filter",
    [
        EVERYTHING,
        EventFilter(env="prod"),
        EventFilter(start=NOW + timedelta(hours=1)),
        EventFilter(start=NOW + timedelta(hours=5), end=NOW + timedelta(hours=50), env="test"),
        EventFilter(start=NOW - timedelta(days=300), end=NOW + timedelta(days=300)),
        EventFilter(end=NOW - timedelta(days=1)),
    ],
    ids=repr,
)
def test_sums_say_what_events_say(
    store: Store, project: str, judge_id: str, month: list[datetime], filter: EventFilter
) -> None:
    stored = from_rollups(store, project, judge_id, filter)
    assert stored.computed_from == "rollups"
    assert stored.age_s == 0
    alike(stored, from_events(store, project, judge_id, filter))


def test_sums_follow_every_change(
    store: Store, project: str, judge_id: str, month: list[datetime], make_event: MakeEvent
) -> None:
    days = itertools.count(1)

    def changed() -> None:
        later = NOW + timedelta(days=next(days))
        with store.read() as c:
            assert rollups.age(c, project, now=later) > 0
        rollups.refresh(store, now=later, budget_s=60)
        with store.read() as c:
            assert rollups.age(c, project, now=later) == 0
        alike(from_rollups(store, project, judge_id), from_events(store, project, judge_id))

    store.write(lambda c: labels.add(c, project, "event-1", gold_doc_ids=["b"], author="me", now=NOW))
    changed()
    claims = store.write(lambda c: leases.claim(c, owner="me", lease_s=60))
    store.write(lambda c: leases.fail(c, claims[0], reason="broken", now=NOW))
    changed()
    store.write(lambda c: events.insert(c, project, [make_event(100)], now=NOW))
    changed()
    from steelyard.store import retention

    store.write(lambda c: retention.delete_event(c, project, "event-3", now=NOW))
    changed()
    from .test_requirements import made

    task = make_event(2).task
    key = store.write(lambda c: requirements.put(c, project, [made(task, "x")], now=NOW)).popitem()[0]
    edited = made(task, "y").requirements
    store.write(
        lambda c: requirements.edit(
            c, project, key, judge_id=judge_id, requirements=edited, author="me", now=NOW
        )
    )
    changed()


def test_a_change_between_summing_and_storing_is_not_lost(
    store: Store, project: str, judge_id: str, month: list[datetime], make_event: MakeEvent
) -> None:
    """Many refreshes at once, while events arrive: in the end the sums are right."""
    stop = threading.Event()
    minutes = itertools.count(1)

    def keep_refreshing() -> None:
        while not stop.is_set():
            rollups.refresh(store, now=NOW + timedelta(minutes=next(minutes)), budget_s=1)

    threads = [threading.Thread(target=keep_refreshing) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(20):
        arriving = make_event(200 + n)
        store.write(lambda c, e=arriving: events.insert(c, project, [e], now=NOW))
    stop.set()
    for thread in threads:
        thread.join()
    rollups.refresh(store, now=NOW + timedelta(days=9), budget_s=60)
    alike(from_rollups(store, project, judge_id), from_events(store, project, judge_id))


def test_trends_slices_and_overview(store: Store, project: str, judge_id: str, month: list[datetime]) -> None:
    second = EventFilter(start=NOW + timedelta(days=1), end=NOW + timedelta(days=2))
    week = EventFilter(start=NOW - timedelta(days=1), end=NOW + timedelta(days=4))
    with store.read() as c:
        trend = summaries.trend(c, project, week, judge_id=None, now=NOW, points=10)
        slices = summaries.slices(c, project, week, key="env", judge_id=None, now=NOW)
        tiers = summaries.slices(c, project, week, key="tier", judge_id=None, now=NOW)
        overview = summaries.overview(c, project, second, judge_id=None, now=NOW)
        keys = summaries.metadata_keys(c, project, week)
        sources = summaries.sources(c, project, week, judge_id=None)
    assert sum(point.n for point in trend.points) == 16
    assert {point.end - point.start for point in trend.points} == {timedelta(seconds=trend.bucket_s)}
    assert [(one.value, one.summary.n) for one in slices.slices] == [("test", 8), ("prod", 7), (None, 1)]
    assert [(one.value, one.summary.n) for one in tiers.slices] == [("0", 8), ("1", 7), (None, 1)]
    assert keys == ("env", "tier")
    assert sources == ()
    assert overview.summary.n == 5
    assert overview.changes["recall"].delta == pytest.approx(0)
    assert overview.latency_p95_s == pytest.approx(0.01, rel=0.2)


@settings(max_examples=50)
@given(st.lists(st.floats(0.0002, 100), min_size=1, max_size=50), st.floats(0, 1))
def test_percentiles_are_right_to_a_bin(seconds: list[float], share: float) -> None:
    found = percentile(histogram(seconds), share)
    ordered = sorted(seconds)
    exact = ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
    assert found is not None
    assert exact * 0.999 <= found <= exact * 2**0.25 * 1.001


def test_no_latencies_no_percentile() -> None:
    assert percentile(histogram(()), 0.95) is None
