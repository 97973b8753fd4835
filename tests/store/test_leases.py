"""An event is evaluated by one owner at a time, a late writer is told no, and nothing waits for ever."""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import update

from steelyard.errors import NotFound
from steelyard.retrieval.evaluation import evaluate
from steelyard.schemas.event import Event, Status
from steelyard.schemas.query import ClaimedEvent, EventFilter, Finished
from steelyard.store import Store, events, labels, leases, tables

from .conftest import JUDGE, NOW, MakeEvent


def fill(store: Store, project: str, batch: list[Event]) -> None:
    store.write(lambda c: events.insert(c, project, batch, now=NOW))


def claim(store: Store, owner: str = "me", **given: object) -> tuple[ClaimedEvent, ...]:
    return store.write(lambda c: leases.claim(c, owner=owner, **{"lease_s": 30.0, **given}))


def judged(claims: tuple[ClaimedEvent, ...]) -> list[Finished]:
    results = evaluate([one.event for one in claims], JUDGE, {}, now=NOW)
    return [Finished(claim=one, evaluation=result) for one, result in zip(claims, results, strict=True)]


def run_out(store: Store) -> None:
    store.write(lambda c: c.execute(update(tables.events).values(deadline=0)))


def status(store: Store, project: str, event_id: str = "event-1") -> Status:
    with store.read() as c:
        return events.statuses(c, project, [event_id])[event_id]


def test_from_queued_to_evaluated(store: Store, project: str, make_event: MakeEvent, judge_id: str) -> None:
    fill(store, project, [make_event(1, gold=("a",)), make_event(2), make_event(3, sample_rate=0.0)])
    claims = claim(store)
    assert [one.event.event_id for one in claims] == ["event-1", "event-2"]
    assert [one.gold for one in claims] == [("a",), None]
    assert claims[0].event == make_event(1, gold=("a",))
    assert claims[0].attempts == 1
    assert status(store, project) is Status.EVALUATING
    assert claim(store, "other") == ()
    assert store.write(lambda c: leases.finish(c, judged(claims), now=NOW)) == (True, True)
    with store.read() as c:
        stored = events.get(c, project, "event-1")
        row = events.page(c, project, EventFilter(labelled=True)).items[0]
        queue = leases.queue(c)
    assert stored.status is Status.EVALUATED
    assert stored.evaluations[0].current
    assert stored.evaluations[0].evaluator is not None
    assert stored.evaluations[0].evaluation == judged(claims)[0].evaluation
    label_free = stored.evaluations[0].evaluation.label_free
    assert label_free is not None
    assert (row.recall, row.judge_id) == (label_free.recall.value, judge_id)
    assert row.gt_recall == 1.0
    assert (queue.queued, queue.evaluating, queue.oldest_age_s) == (0, 0, None)
    assert claim(store) == ()


def test_a_late_writer_is_told_no_and_writes_nothing(
    store: Store, project: str, make_event: MakeEvent, judge_id: str
) -> None:
    fill(store, project, [make_event(1)])
    late = claim(store, "frozen")
    run_out(store)
    second = claim(store, "awake")
    assert second[0].attempts == 2
    assert store.write(lambda c: leases.finish(c, judged(late), now=NOW)) == (False,)
    assert store.write(lambda c: leases.extend(c, late, lease_s=30)) == (False,)
    assert store.write(lambda c: leases.release(c, late)) == 0
    assert not store.write(lambda c: leases.fail(c, late[0], reason="late", now=NOW))
    with store.read() as c:
        assert events.get(c, project, "event-1").evaluations == ()
    assert store.write(lambda c: leases.extend(c, second, lease_s=30)) == (True,)
    assert store.write(lambda c: leases.finish(c, judged(second), now=NOW)) == (True,)
    assert store.write(lambda c: leases.finish(c, judged(second), now=NOW)) == (False,)


def test_attempts_are_used_up(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(1)])
    for _ in range(2):
        assert len(claim(store, max_attempts=2)) == 1
        run_out(store)
    assert claim(store, max_attempts=2) == ()
    with store.read() as c:
        stored = events.get(c, project, "event-1")
    assert stored.status is Status.ERROR
    assert stored.reason is not None
    assert "2 times" in stored.reason


def test_sweep_gives_back_what_ran_out(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(1), make_event(2)])
    claim(store, limit=1)
    assert store.write(lambda c: leases.sweep(c, max_attempts=5)) == 0
    run_out(store)
    assert store.write(lambda c: leases.sweep(c, max_attempts=5)) == 1
    assert status(store, project) is Status.QUEUED
    claim(store, limit=1)
    run_out(store)
    assert store.write(lambda c: leases.sweep(c, max_attempts=2)) == 1
    assert status(store, project) is Status.ERROR


def test_a_clock_set_back_holds_nothing_up(store: Store, project: str, make_event: MakeEvent) -> None:
    """A lease taken by a clock that was an hour ahead is over at once, not in an hour."""
    fill(store, project, [make_event(1)])
    claim(store)
    hour = 3_600_000_000
    ahead = update(tables.events).values(deadline=tables.events.c.deadline + hour)
    store.write(lambda c: c.execute(ahead))
    assert len(claim(store, "other")) == 1


def test_release_gives_back_an_attempt(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(1)])
    first = claim(store)
    assert store.write(lambda c: leases.release(c, first)) == 1
    assert claim(store)[0].attempts == 1
    assert store.write(lambda c: leases.release_owner(c, owner_prefix="you")) == 0
    assert store.write(lambda c: leases.release_owner(c, owner_prefix="m")) == 1
    held = claim(store)
    assert held[0].attempts == 1
    assert store.write(lambda c: leases.release(c, held, delay_s=60.0)) == 1
    assert claim(store) == ()
    with store.read() as c:
        assert leases.waiting(c, limit=5) == ()
        assert leases.queue(c, project_id=project).queued == 1


def test_failing_cancelling_and_queueing_again(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(n) for n in (1, 2, 3)])
    held = claim(store, limit=2)
    assert store.write(lambda c: leases.fail(c, held[0], reason="the judge broke", now=NOW))
    assert status(store, project) is Status.ERROR
    assert store.write(lambda c: leases.cancel(c, project, EventFilter(), now=NOW)) == 2
    assert status(store, project, "event-2") is Status.CANCELLED
    assert store.write(lambda c: leases.extend(c, held[1:], lease_s=1)) == (False,)
    again = store.write(lambda c: leases.requeue(c, project, EventFilter(status=(Status.ERROR,)), now=NOW))
    assert again == 1
    some = store.write(
        lambda c: leases.requeue(c, project, EventFilter(), event_ids=["event-1", "event-3"], now=NOW)
    )
    assert some == 1
    with store.read() as c:
        assert {name for _, name in leases.waiting(c, limit=9)} == {"event-1", "event-3"}


def test_named_events_only(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(n) for n in (1, 2, 3)])
    chosen = claim(store, project_id=project, event_ids=["event-2", "nowhere"])
    assert [one.event.event_id for one in chosen] == ["event-2"]


def test_gold_amended_meanwhile_counts(
    store: Store, project: str, make_event: MakeEvent, judge_id: str
) -> None:
    fill(store, project, [make_event(1, gold=("a",))])
    claims = claim(store)
    store.write(lambda c: labels.add(c, project, "event-1", gold_doc_ids=["z"], author="me", now=NOW))
    store.write(lambda c: leases.finish(c, judged(claims), now=NOW))
    with store.read() as c:
        stored = events.get(c, project, "event-1")
    assert stored.gold == ("z",)
    assert stored.evaluations[0].evaluator is not None
    assert stored.evaluations[0].evaluator.recall.reason == "no gold document is in the context"


def test_an_unknown_judge_is_refused(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(1)])
    claims = claim(store)
    with pytest.raises(NotFound, match="not registered"):
        store.write(lambda c: leases.finish(c, judged(claims), now=NOW))


def test_two_claimers_never_share_an_event(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(n) for n in range(120)])
    taken: list[str] = []
    lock = threading.Lock()

    def work(owner: str) -> None:
        while claims := claim(store, owner, limit=7):
            with lock:
                taken.extend(one.event.event_id for one in claims)

    threads = [threading.Thread(target=work, args=(f"worker-{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # SKIP LOCKED may leave a claimer with nothing while others hold locks; what is left is claimed now.
    taken += [one.event.event_id for one in claim(store, limit=120)]
    assert Counter(Counter(taken).values()) == {1: 120}


def test_the_oldest_waits_longest(store: Store, project: str, make_event: MakeEvent) -> None:
    fill(store, project, [make_event(2), make_event(1), make_event(3, created_at=NOW - timedelta(days=1))])
    with store.read() as c:
        assert [name for _, name in leases.waiting(c, limit=2)] == ["event-3", "event-1"]
        queue = leases.queue(c)
    assert queue.queued == 3
    assert queue.oldest_age_s is not None
