"""The store in one SQLite file: one writer thread with grouped commits, readers on connections of their
own."""

import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event

from steelyard.errors import StoreUnavailable

from . import faults
from .lock import FileLock

T = TypeVar("T")
Work = tuple[Callable[[Connection], Any], "Future[Any]"]

GROUP = 128
"""At most so many writes share one commit."""

_BUSY_MS = 10_000


class SQLiteStore:
    """See `Store`. `lock` is let go when the store closes; a store without one refuses writes."""

    dialect: Literal["sqlite"] = "sqlite"

    def __init__(self, url: URL, *, lock: FileLock | None) -> None:
        self._url = url
        self._lock = lock
        self._readers = _engine(url, writes=False)
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread: threading.Thread | None = None
        if lock is not None:
            self._writer = _engine(url, writes=True)
            self._thread = threading.Thread(target=self._run, name="steelyard-writer", daemon=True)
            self._thread.start()

    @property
    def url(self) -> str:
        return self._url.render_as_string()

    @property
    def engine(self) -> Engine:
        """The writer's."""
        return self._writer

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with faults.explained(self._url), self._readers.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], /) -> T:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a write waits for another write: pass the connection on instead")
        return self.submit(work).result()

    def submit(self, work: Callable[[Connection], T], /) -> "Future[T]":
        future: Future[T] = Future()
        with self._closing:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            if self._thread is None:
                raise StoreUnavailable("this store was opened for reading only")
            self._work.put((work, future))
        return future

    def close(self) -> None:
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._work.put(None)
        if self._thread is not None:
            self._thread.join()
            self._writer.dispose()
        self._readers.dispose()
        if self._lock is not None:
            self._lock.release()

    def _run(self) -> None:
        while True:
            group, last = self._group()
            if group:
                self._commit(group)
            if last:
                return

    def _group(self) -> tuple[list[Work], bool]:
        """Everything that waits, up to a group, and whether it was the last."""
        first = self._work.get()
        if first is None:
            return [], True
        group = [first]
        while len(group) < GROUP:
            try:
                item = self._work.get_nowait()
            except queue.Empty:
                break
            if item is None:
                return group, True
            group.append(item)
        return group, False

    def _commit(self, group: list[Work]) -> None:
        """One transaction for the group. A write that fails alone is undone alone; one that breaks the
        transaction (disk full, say) fails, and the others are done again without it."""
        waiting = [item for item in group if item[1].set_running_or_notify_cancel()]
        while waiting:
            done: list[tuple[Future[Any], Any]] = []
            failed: list[tuple[Future[Any], BaseException]] = []
            culprit: Work | None = None
            try:
                with faults.explained(self._url), self._writer.connect() as connection, connection.begin():
                    for item in waiting:
                        culprit = item
                        work, future = item
                        try:
                            if len(waiting) == 1:
                                done.append((future, work(connection)))
                            else:
                                with connection.begin_nested():
                                    done.append((future, work(connection)))
                        except BaseException as problem:
                            if len(waiting) == 1 or faults.breaks_transaction(problem):
                                raise
                            failed.append((future, problem))
                    culprit = None
            except BaseException as broken:
                if culprit is None:
                    for _, future in waiting:
                        future.set_exception(broken)
                    return
                culprit[1].set_exception(broken)
                waiting.remove(culprit)
                continue
            for future, refusal in failed:
                future.set_exception(refusal)
            for future, result in done:
                future.set_result(result)
            return


def _engine(url: URL, *, writes: bool) -> Engine:
    """`BEGIN IMMEDIATE` for the writer, a deferred transaction (a snapshot) for readers, which cannot
    write."""
    engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000, "isolation_level": None})

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        # SQLite's own `lower` knows ASCII only.
        connection.create_function("lower", 1, _lower, deterministic=True)
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA cache_size = -16384")
        cursor.execute("PRAGMA temp_store = MEMORY")
        if writes:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA wal_autocheckpoint = 4000")
            cursor.execute("PRAGMA journal_size_limit = 67108864")
        else:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _lower(value: str | float | bytes | None) -> str | float | bytes | None:
    return value.lower() if isinstance(value, str) else value
