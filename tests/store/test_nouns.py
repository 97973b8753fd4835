"""Projects, keys, logins, calls, rate limits, audit and judges."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import update

from steelyard.errors import Conflict, InvalidInput, NotFound
from steelyard.judges.calls import Call, Spent
from steelyard.schemas.query import EventFilter
from steelyard.store import Store, audit, evaluations, judges, keys, projects, sessions, tables
from steelyard.store.buckets import StoreLimiter
from steelyard.store.ledger import StoreLedger

from .conftest import JUDGE, NOW, Judged, MakeEvent, verdict

HOUR = timedelta(hours=1)


def test_projects(store: Store) -> None:
    made = store.write(lambda c: projects.create(c, "one", now=NOW))
    assert store.write(lambda c: projects.ensure(c, "one", now=NOW + HOUR)) == made
    other = store.write(lambda c: projects.ensure(c, "another one", now=NOW))
    with store.read() as c:
        assert projects.by_id(c, made.id) == made
        assert projects.all_projects(c) == (other, made)
        for missing in ("999", "nonsense", ""):
            with pytest.raises(NotFound):
                projects.by_id(c, missing)
        with pytest.raises(NotFound, match="'two'"):
            projects.get(c, "two")
    with pytest.raises(Conflict, match="already"):
        store.write(lambda c: projects.create(c, "one", now=NOW))


@pytest.mark.parametrize("name", ["", " x", "a/b", "a\0", "x" * 65, "<b>"])
def test_names_that_no_project_can_have(store: Store, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot name a project"):
        store.write(lambda c: projects.create(c, name, now=NOW))


def test_keys(store: Store, project: str) -> None:
    key = store.write(
        lambda c: keys.add(
            c,
            project,
            name="NUL \0 inside",
            prefix="sy_ab",
            digest="d" * 64,
            scopes=["read", "write", "read"],
            now=NOW,
        )
    )
    assert key.scopes == ("read", "write")
    store.write(lambda c: keys.touch(c, {key.id: NOW + HOUR}))
    store.write(lambda c: keys.touch(c, {key.id: NOW, "nowhere": NOW}))
    with store.read() as c:
        found = keys.find(c, "d" * 64)
        assert found is not None
        assert (found.name, found.last_used_at) == ("NUL \ufffd inside", NOW + HOUR)
        assert keys.find(c, "e" * 64) is None
        assert keys.all_keys(c, project) == (found,)
    revoked = store.write(lambda c: keys.revoke(c, project, key.id, now=NOW))
    again = store.write(lambda c: keys.revoke(c, project, key.id, now=NOW + HOUR))
    assert revoked.revoked_at == again.revoked_at == NOW
    with store.read() as c:
        assert keys.find(c, "d" * 64) is None
    with pytest.raises(NotFound):
        store.write(lambda c: keys.revoke(c, "9", key.id, now=NOW))
    with pytest.raises(InvalidInput, match="scope"):
        store.write(lambda c: keys.add(c, project, name="x", prefix="x", digest="x", scopes=[], now=NOW))


def test_logins_work_once(store: Store) -> None:
    store.write(lambda c: sessions.add_login(c, digest="a", now=NOW, expires_at=NOW + HOUR))
    used: list[bool] = []

    def use() -> None:
        used.append(store.write(lambda c: sessions.use_login(c, digest="a", now=NOW)))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(used) == [False, False, False, True]
    store.write(lambda c: sessions.add_login(c, digest="b", now=NOW, expires_at=NOW + HOUR))
    assert not store.write(lambda c: sessions.use_login(c, digest="b", now=NOW + HOUR))


def test_sessions(store: Store) -> None:
    made = store.write(lambda c: sessions.add(c, digest="s", csrf="secret", now=NOW, expires_at=NOW + HOUR))
    with store.read() as c:
        assert sessions.find(c, digest="s", now=NOW) == made
        assert sessions.find(c, digest="s", now=NOW + HOUR) is None
    assert store.write(lambda c: sessions.purge(c, now=NOW)) == 0
    assert store.write(lambda c: sessions.purge(c, now=NOW + HOUR)) == 1
    other = {"csrf": "x", "now": NOW, "expires_at": NOW + HOUR}
    store.write(lambda c: sessions.add(c, digest="t", **other))
    store.write(lambda c: sessions.end(c, digest="t"))
    with store.read() as c:
        assert sessions.find(c, digest="t", now=NOW) is None


def test_audit(store: Store, project: str) -> None:
    for n in range(5):
        store.write(
            lambda c, n=n: audit.add(
                c,
                project,
                actor="key:1",
                action="label.amend",
                subject=f"event-{n}",
                detail={"n": n},
                now=NOW,
            )
        )
    seen, cursor = [], None
    with store.read() as c:
        for _ in range(3):
            page = audit.page(c, project, cursor=cursor, limit=2)
            seen += [(entry.subject, entry.detail) for entry in page.items]
            cursor = page.next_cursor
        assert cursor is None
        assert seen == [(f"event-{n}", {"n": n}) for n in (4, 3, 2, 1, 0)]
        assert audit.page(c, "999").items == ()


def call(digest: str = "a" * 64, reply: str = "yes", cost: float | None = 0.5) -> Call:
    return Call(digest=digest, provider="p", model="m", reply=reply, cost_usd=cost, latency_s=0.1)


def test_a_call_is_kept_and_paid_once(store: Store) -> None:
    ledger = StoreLedger(store)
    assert ledger.find("a" * 64) is None
    assert ledger.spent("p") == Spent(calls=0, cost_usd=0.0)
    ledger.record(call())
    ledger.record(call(reply="no"))
    ledger.record(call("b" * 64, cost=None))
    assert ledger.find("a" * 64) == call()
    assert ledger.spent("p") == Spent(calls=2, cost_usd=0.5)
    assert ledger.spent("q").calls == 0


def test_forgotten_calls_are_paid_again(store: Store) -> None:
    ledger = StoreLedger(store)
    ledger.record(call())
    long_ago = update(tables.judge_calls).values(created_at=NOW - 1000 * HOUR)
    store.write(lambda c: c.execute(long_ago))
    assert ledger.forget(before=NOW - 2000 * HOUR) == 0
    assert ledger.forget(before=NOW) == 1
    assert ledger.find("a" * 64) is None
    ledger.record(call(reply="again"))
    assert ledger.find("a" * 64) == call(reply="again")
    assert ledger.spent("p") == Spent(calls=2, cost_usd=1.0)


def test_limits_hold_for_all_workers_together(store: Store) -> None:
    limiter = StoreLimiter(store)
    waits: list[float] = []

    def ask() -> None:
        for _ in range(5):
            waits.append(limiter.acquire("p", tokens=10, requests_per_minute=7, tokens_per_minute=100_000))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = waits.count(0.0)
    assert 7 <= taken <= 8  # one more may have come in while we asked
    assert all(0 < wait <= 60 / 7 + 0.1 for wait in waits if wait)
    assert limiter.acquire("q", tokens=10, requests_per_minute=7, tokens_per_minute=None) == 0.0
    assert limiter.acquire("r", tokens=10**9, requests_per_minute=None, tokens_per_minute=None) == 0.0


def test_tokens_are_limited_and_too_many_take_a_full_bucket(store: Store) -> None:
    limiter = StoreLimiter(store)
    limits = {"requests_per_minute": None, "tokens_per_minute": 1000}
    assert limiter.acquire("p", tokens=5000, **limits) == 0.0
    assert limiter.acquire("p", tokens=500, **limits) == pytest.approx(30, abs=1)


def test_a_clock_set_back_does_not_stop_a_bucket(store: Store) -> None:
    limiter = StoreLimiter(store)
    limits = {"tokens": 1, "requests_per_minute": 1, "tokens_per_minute": None}
    assert limiter.acquire("p", **limits) == 0.0
    ahead = update(tables.buckets).values(refilled_us=tables.buckets.c.refilled_us + 10**12)
    store.write(lambda c: c.execute(ahead))
    assert limiter.acquire("p", **limits) == pytest.approx(60, abs=1)
    minute_ago = update(tables.buckets).values(refilled_us=tables.buckets.c.refilled_us - 61_000_000)
    store.write(lambda c: c.execute(minute_ago))
    assert limiter.acquire("p", **limits) == 0.0


def test_evaluations_from_elsewhere(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    evaluated([make_event(1)], cited=[("a",)])
    newer = verdict(make_event(1), cited=("b",), version=2)
    assert store.write(lambda c: evaluations.add(c, project, newer, now=NOW))
    assert not store.write(lambda c: evaluations.add(c, project, newer, now=NOW))
    with store.read() as c:
        found = {
            one.evaluation.requirements_version: one.current
            for one in evaluations.of_event(c, project, "event-1")
        }
        assert found == {1: False, 2: True}
        (row,) = judges.used(c, project)
        assert (row.judge_id, row.evaluations, row.calls) == (judge_id, 2, 2)
        assert judges.latest(c, project) == judge_id
        assert judges.get(c, judge_id) == JUDGE.identity
        with pytest.raises(NotFound):
            judges.get(c, "nobody:0")
    stray = newer.model_copy(update={"event_id": "nowhere"})
    with pytest.raises(NotFound):
        store.write(lambda c: evaluations.add(c, project, stray, now=NOW))
    from steelyard.store import events

    with store.read() as c:
        assert events.count(c, project, EventFilter(judge_id=judge_id)).value == 1
