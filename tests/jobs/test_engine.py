"""Both engines through one protocol: work announced, work found, work finished or given back at the end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from sqlalchemy import Connection

from steelyard.jobs import Engine, open_engine
from steelyard.jobs.postgres import conninfo, every
from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.protocol import Judge
from steelyard.schemas.event import Status

from .bench import Bench, GatedJudge, event, eventually

Start = Callable[..., Engine]
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""Only procrastinate keeps jobs in tables and has workers that can be pruned."""


@pytest.fixture
def start(bench: Bench) -> Iterator[Start]:
    """Starts engines on the bench; they are stopped at the end."""
    with ExitStack() as stack:

        def started(judge: Judge | None = None, *, work: bool = True) -> Engine:
            engine = open_engine(bench.store, bench.settings, lambda: judge or LexicalJudge(), work=work)
            stack.callback(engine.stop, 5.0)
            engine.start()
            return engine

        yield started


def test_announced_events_are_evaluated(bench: Bench, start: Start) -> None:
    engine = start()
    assert engine.drain(5.0)
    for batch in range(3):
        bench.add(*(event(f"{batch}-{number}") for number in range(50)), engine=engine)
    assert engine.drain(20.0)
    assert bench.counts() == {Status.EVALUATED: 150}


def test_events_whose_announcement_got_lost_are_found(bench: Bench, start: Start) -> None:
    bench.add(event("before"))
    engine = start()
    assert engine.drain(20.0)
    bench.add(event("after"))
    assert engine.drain(20.0)
    assert bench.counts() == {Status.EVALUATED: 2}


def test_a_process_without_workers_only_announces(bench: Bench, start: Start) -> None:
    silent = start(work=False)
    bench.add(event("a"), engine=silent)
    assert not silent.drain(0.1)
    assert bench.counts() == {Status.QUEUED: 1}
    silent.stop()
    assert start().drain(20.0)
    assert bench.counts() == {Status.EVALUATED: 1}


def test_what_is_rolled_back_is_announced_to_nobody(bench: Bench, start: Start) -> None:
    engine = start()

    def undone(connection: Connection) -> None:
        engine.enqueue(connection, bench.project, ["never"])
        raise LookupError

    with pytest.raises(LookupError):
        bench.store.write(undone)
    bench.add(event("a"), engine=engine)
    assert engine.drain(20.0)
    assert bench.counts() == {Status.EVALUATED: 1}


def test_stopping_finishes_the_batch_in_hand(bench: Bench, start: Start, gated: GatedJudge) -> None:
    engine = start(gated)
    bench.add(event("a"), engine=engine)
    assert gated.asked.wait(20)
    bench.add(event("b"))
    gated.gate.set()
    engine.stop(20.0)
    counts = bench.counts()
    assert counts.get(Status.EVALUATED, 0) >= 1
    assert Status.EVALUATING not in counts


def test_stopping_gives_back_what_a_stuck_judge_holds(bench: Bench, start: Start, gated: GatedJudge) -> None:
    engine = start(gated)
    bench.add(event("a"), engine=engine)
    assert gated.asked.wait(20)
    engine.stop(0.2)
    assert bench.counts() == {Status.QUEUED: 1}
    assert start().drain(20.0)
    assert len(bench.results("a")) == 1


@on_postgresql
def test_a_pruned_worker_is_replaced(bench: Bench, start: Start) -> None:
    engine = start()
    url = conninfo(bench.settings.url)
    with psycopg.connect(url, autocommit=True) as connection:

        def pruned() -> int:
            return connection.execute("DELETE FROM procrastinate_workers").rowcount

        eventually(pruned)
        bench.add(event("a"), engine=engine)
        assert engine.drain(20.0)
        eventually(lambda: connection.execute("SELECT 1 FROM procrastinate_workers").fetchone())
    assert bench.counts() == {Status.EVALUATED: 1}


@on_postgresql
def test_finished_jobs_leave_nothing_behind(bench: Bench, start: Start) -> None:
    engine = start()
    bench.add(*(event(f"e{number}") for number in range(40)), engine=engine)
    assert engine.drain(20.0)
    with psycopg.connect(conninfo(bench.settings.url), autocommit=True) as connection:
        left = "SELECT 1 FROM procrastinate_jobs WHERE task_name = 'steelyard.evaluate'"
        eventually(lambda: connection.execute(left).fetchone() is None)


@pytest.mark.parametrize(
    ("seconds", "cron"),
    [
        (0.5, "* * * * * */1"),
        (1.9, "* * * * * */1"),
        (15.0, "* * * * * */15"),
        (60.0, "*/1 * * * * 0"),
        (600.0, "*/10 * * * * 0"),
    ],
)
def test_periods_become_cron_lines(seconds: float, cron: str) -> None:
    assert every(seconds) == cron
