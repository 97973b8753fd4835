"""The engine on PostgreSQL: procrastinate carries ids from the inserting transaction to workers anywhere.

It decides only who looks when. It does not fence (a frozen worker that wakes may mark another's job as done),
so the rows' own leases do, and a periodic sweep finds every row whose job got lost.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import procrastinate
from procrastinate import exceptions
from procrastinate.jobs import Status as JobStatus
from procrastinate.types import JSONDict
from sqlalchemy import Connection, make_url

from steelyard.config import Settings
from steelyard.store import Store

from .evaluate import Evaluator
from .housekeeping import Housekeeping
from .judging import JudgeSource
from .queue_schema import install
from .waiting import Backoff, wait_until

_T = TypeVar("_T")
_QUEUE = "steelyard"
_EVALUATE = "steelyard.evaluate"
_SWEEP_BATCHES = 8
"""How many batches one sweep evaluates itself before it lets other jobs pass."""

log = logging.getLogger(__name__)


def conninfo(url: str) -> str:
    """The libpq form of an SQLAlchemy URL."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


class PostgresEngine:
    """One process's part: it announces jobs and, unless `work` is False, runs a supervised worker."""

    def __init__(self, store: Store, settings: Settings, source: JudgeSource, *, work: bool) -> None:
        self._store = store
        self._settings = settings
        self._source = source
        self._work = work
        self._conninfo = conninfo(settings.url)
        self._evaluator = Evaluator(store, source, settings)
        self._housekeeping = Housekeeping(store, settings)
        self._announcer = procrastinate.App(
            connector=procrastinate.SyncPsycopgConnector(conninfo=self._conninfo)
        )
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Brings the queue's tables up to date and starts the worker."""
        install(self._conninfo)
        if self._work and self._thread is None:
            self._thread = threading.Thread(target=self._supervise, name="steelyard-worker", daemon=True)
            self._thread.start()

    def enqueue(self, connection: Connection, project_id: str, event_ids: Sequence[str], /) -> None:
        """Defers one job for every `batch_size` events, on the caller's connection, in its transaction."""
        size = self._settings.batch_size
        starts = range(0, len(event_ids), size)
        batches: list[JSONDict] = [
            {"project": project_id, "events": list(event_ids[start : start + size])} for start in starts
        ]
        if batches:
            deferrer = self._announcer.configure_task(
                _EVALUATE, queue=_QUEUE, connection=connection.connection.driver_connection
            )
            deferrer.batch_defer(*batches)

    def wake(self) -> None:
        """PostgreSQL itself notifies the workers at the commit."""

    def drain(self, timeout: float) -> bool:
        return wait_until(self._evaluator.idle, timeout=timeout)

    def stop(self, timeout: float = 10.0) -> None:
        self._stopping.set()
        self._evaluator.stop()
        loop, running = self._loop, self._running
        if loop is not None and running is not None and not loop.is_closed():
            loop.call_soon_threadsafe(running.cancel)
        if self._thread is not None:
            self._thread.join(timeout)
        self._evaluator.release()
        self._source.close()

    def _supervise(self) -> None:
        """Runs workers until told to stop: one that was pruned or lost its database is replaced."""
        backoff = Backoff(first=0.1, most=min(5.0, self._settings.lease_s))
        while not self._stopping.is_set():
            try:
                asyncio.run(self._work_once(backoff))
            except Exception as problem:  # whatever ended the worker, another one takes over
                log.warning("the worker stopped and is started again: %s", problem)
            if not self._stopping.is_set():
                self._stopping.wait(backoff.next())

    async def _work_once(self, backoff: Backoff) -> None:
        self._loop = asyncio.get_running_loop()
        self._running = asyncio.create_task(self._run_worker(backoff))
        if self._stopping.is_set():
            self._running.cancel()
        try:
            await self._running
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise
        finally:
            self._running = None

    async def _run_worker(self, backoff: Backoff) -> None:
        settings = self._settings
        connector = procrastinate.PsycopgConnector(
            conninfo=self._conninfo, min_size=1, max_size=settings.concurrency + 4, timeout=10.0
        )
        async with build_app(connector, self._evaluator, self._housekeeping, settings).open_async() as app:
            backoff.reset()
            await app.run_worker_async(
                queues=[_QUEUE],
                concurrency=settings.concurrency
                + 1,  # one more, so that a slow judge does not hold up the sweep
                install_signal_handlers=False,
                delete_jobs="always",
                fetch_job_polling_interval=max(1.0, min(5.0, settings.lease_s / 2)),
                update_heartbeat_interval=settings.lease_s / 3,
                stalled_worker_timeout=settings.lease_s,
                shutdown_graceful_timeout=5.0,
            )


def build_app(
    connector: procrastinate.BaseConnector,
    evaluator: Evaluator,
    housekeeping: Housekeeping,
    settings: Settings,
) -> procrastinate.App:
    """The jobs: evaluate named events, sweep, and keep house."""
    app = procrastinate.App(connector=connector)
    gate = asyncio.Semaphore(settings.concurrency)

    async def judged(work: Callable[[], _T]) -> _T:
        async with gate:
            return await in_thread(work)

    retry = procrastinate.RetryStrategy(max_attempts=settings.max_attempts, exponential_wait=2)

    @app.task(name=_EVALUATE, queue=_QUEUE, retry=retry)
    async def evaluate(project: str, events: list[str]) -> None:
        await judged(lambda: evaluator.evaluate(project, events))

    @app.periodic(cron=every(settings.lease_s / 2))
    @app.task(name="steelyard.sweep", queue=_QUEUE, queueing_lock="steelyard.sweep", priority=10)
    async def sweep(timestamp: int) -> None:  # noqa: ARG001 - every periodic task is handed its time
        await in_thread(evaluator.recover)
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=settings.lease_s):
            await reclaim(app, job)
        for _ in range(_SWEEP_BATCHES):
            if not await judged(evaluator.evaluate_any):
                break

    @app.periodic(cron=every(housekeeping.interval_s))
    @app.task(name="steelyard.housekeeping", queue=_QUEUE, queueing_lock="steelyard.housekeeping", priority=5)
    async def keep_house(timestamp: int) -> None:  # noqa: ARG001 - as above
        await in_thread(housekeeping.run)

    return app


async def reclaim(app: procrastinate.App, job: procrastinate.jobs.Job) -> None:
    """Puts a dead worker's job back in the queue; a periodic one is dropped, the next is due soon."""
    assert job.id is not None
    try:
        if job.task_name == _EVALUATE:
            await app.job_manager.retry_job(job)
        else:
            await app.job_manager.finish_job(job, JobStatus.FAILED, delete_job=True)
    except exceptions.ConnectorException as problem:  # its worker woke up, or another sweep was quicker
        log.info("job %s is taken care of already: %s", job.id, problem)


def every(seconds: float) -> str:
    """A cron line, seconds last, that fires about every `seconds` (1 to 59 seconds, then whole minutes)."""
    if seconds < 60:
        return f"* * * * * */{max(1, int(seconds))}"
    return f"*/{min(59, int(seconds // 60))} * * * * 0"


async def in_thread(work: Callable[[], _T]) -> _T:
    """The result of `work` from a daemon thread of its own: one that hangs can be left behind."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():
            set_outcome(outcome)

    def run() -> None:
        try:
            outcome: Any = work()
            set_outcome: Callable[[Any], None] = future.set_result
        except BaseException as problem:
            outcome, set_outcome = problem, future.set_exception
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, set_outcome, outcome)

    threading.Thread(target=run, name="steelyard-job", daemon=True).start()
    return await future
