"""Writes from many threads share commits, fail alone, and are there once they return."""

import threading
from concurrent.futures import wait

import pytest
from sqlalchemy import Connection, event, text

from steelyard.errors import NotFound, StoreUnavailable
from steelyard.schemas.query import EventFilter
from steelyard.store import Store, events, projects
from steelyard.store.sqlite import SQLiteStore

from .conftest import NOW, MakeEvent


def test_what_is_written_is_read(store: Store) -> None:
    future = store.submit(lambda c: projects.create(c, "a", now=NOW))
    assert future.result().name == "a"
    with store.read() as c:
        assert projects.get(c, "a") == future.result()


def test_a_write_that_fails_is_undone_alone(store: Store) -> None:
    """Also when it shares a commit with others."""
    release = threading.Event()

    def hold(c: Connection) -> None:
        release.wait(10)

    def broken(c: Connection) -> None:
        projects.create(c, "broken", now=NOW)
        raise NotFound("on purpose")

    holding = store.submit(hold)
    futures = [store.submit(lambda c, n=n: projects.create(c, f"p{n}", now=NOW)) for n in range(3)]
    failing = [store.submit(broken) for _ in range(2)]
    futures += [store.submit(lambda c: projects.create(c, "last", now=NOW))]
    release.set()
    wait([holding, *futures, *failing], timeout=30)
    for future in failing:
        with pytest.raises(NotFound, match="on purpose"):
            future.result()
    assert [future.result().name for future in futures] == ["p0", "p1", "p2", "last"]
    with store.read() as c:
        assert [one.name for one in projects.all_projects(c)] == ["last", "p0", "p1", "p2"]


def test_many_threads_writing_share_commits(sqlite_store: SQLiteStore, make_event: MakeEvent) -> None:
    commits: list[int] = []
    event.listen(sqlite_store.engine, "commit", lambda _connection: commits.append(1))
    project = sqlite_store.write(lambda c: projects.create(c, "p", now=NOW)).id
    release = threading.Event()
    holding = sqlite_store.submit(lambda _: release.wait(10))

    def work(worker: int) -> None:
        for n in range(10):
            batch = [make_event(worker * 100 + n)]
            sqlite_store.write(lambda c, batch=batch: events.insert(c, project, batch, now=NOW))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    release.set()
    for thread in threads:
        thread.join()
    assert holding.result()
    with sqlite_store.read() as c:
        assert events.count(c, project, EventFilter()).value == 80
    assert len(commits) < 80


def test_the_same_ids_from_many_threads_are_stored_once(
    store: Store, project: str, make_event: MakeEvent
) -> None:
    batch = [make_event(n) for n in range(20)]
    outcomes: list[str] = []

    def work(step: int) -> None:
        mine = batch[step:] + batch[:step]
        receipts = store.write(lambda c: events.insert(c, project, mine, now=NOW))
        outcomes.extend(receipt.outcome for receipt in receipts)

    threads = [threading.Thread(target=work, args=(step,)) for step in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("accepted") == 20
    assert outcomes.count("duplicate") == 100


def test_a_write_inside_a_write_is_a_mistake(sqlite_store: Store) -> None:
    with pytest.raises(RuntimeError, match="pass the connection on"):
        sqlite_store.write(lambda _: sqlite_store.write(print))


def test_disk_full(sqlite_store: Store, make_event: MakeEvent) -> None:
    """What was acknowledged stays, what was not is not there, and all goes on when there is room again."""
    project = sqlite_store.write(lambda c: projects.create(c, "p", now=NOW)).id
    sqlite_store.write(lambda c: events.insert(c, project, [make_event(0)], now=NOW))
    pages = sqlite_store.write(lambda c: c.exec_driver_sql("PRAGMA page_count").scalar())
    sqlite_store.write(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count = {pages}").scalar())
    many = [make_event(n, task="x" * 4000 + str(n)) for n in range(1, 200)]
    with pytest.raises(StoreUnavailable, match="full") as caught:
        sqlite_store.write(lambda c: events.insert(c, project, many, now=NOW))
    assert "Make room" in str(caught.value)
    with sqlite_store.read() as c:
        assert events.count(c, project, EventFilter()).value == 1
    sqlite_store.write(lambda c: c.exec_driver_sql("PRAGMA max_page_count = 100000").scalar())
    receipts = sqlite_store.write(lambda c: events.insert(c, project, many, now=NOW))
    assert {receipt.outcome for receipt in receipts} == {"accepted"}


def test_a_reader_sees_one_state(store: Store) -> None:
    with store.read() as c:
        before = projects.all_projects(c)
        store.write(lambda w: projects.create(w, "meanwhile", now=NOW))
        assert projects.all_projects(c) == before
    with store.read() as c:
        assert len(projects.all_projects(c)) == 1


def test_writes_that_conflict_are_tried_again(postgres_store: Store) -> None:
    """Two transactions lock two rows in opposite order: one is chosen to die, and begins again."""
    for name in ("a", "b"):
        postgres_store.write(lambda c, name=name: projects.create(c, name, now=NOW))
    meet = threading.Barrier(2, timeout=30)
    tries: list[str] = []

    def cross(first: str, second: str) -> None:
        def work(c: Connection) -> None:
            tries.append(first)
            lock = text("SELECT 1 FROM projects WHERE name = :name FOR UPDATE")
            c.execute(lock, {"name": first})
            if len(tries) <= 2:
                meet.wait()
            c.execute(lock, {"name": second})

        postgres_store.write(work)

    threads = [threading.Thread(target=cross, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tries) == 3
