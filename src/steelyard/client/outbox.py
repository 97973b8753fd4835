"""Sends what was logged, from one thread of its own: survives forks, drains at exit, and never troubles the
caller."""

import atexit
import os
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from typing import Any

import httpx2

from .buffer import Batching, Buffer
from .connection import Connection
from .notices import Notices, Rejection
from .payload import Outgoing
from .responses import pause
from .sending import Later, Refused, open_http, send

EXIT_SECONDS = 10.0
_live: "weakref.WeakSet[Outbox]" = weakref.WeakSet()
_orphans: list[
    Any
] = []  # what belongs to the parent's threads and sockets: kept, so that no finaliser touches them


class Outbox:
    """A bounded queue and the thread that empties it. The thread starts with the first event."""

    def __init__(
        self,
        connection: Connection,
        notices: Notices,
        *,
        capacity: int,
        batching: Batching,
        timeout: float,
        block_timeout: float,
    ) -> None:
        self._connection, self._notices = connection, notices
        self._capacity, self._batching = capacity, batching
        self._timeout, self._block_timeout = timeout, block_timeout
        self._fresh()
        # Opened here and not in the thread: what it imports must not be half imported in a fork.
        self._http: httpx2.Client | None = open_http(connection, timeout=timeout)
        _live.add(self)

    def _fresh(self) -> None:
        self._buffer = Buffer(self._capacity, batching=self._batching)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._give_up = threading.Event()
        self._stalled = False

    def after_fork(self) -> None:
        """In a new child: the parent sends what it had queued, the child starts empty."""
        _orphans.append((self._buffer, self._http, self._thread, self._starting))
        closed = self._buffer.closed
        self._notices.after_fork()
        self._fresh()
        self._http = None
        if closed:
            self._buffer.close()

    def __len__(self) -> int:
        return len(self._buffer)

    def put(self, item: Outgoing) -> None:
        """Takes an event in, or drops and counts it. Only a labelled one waits for room, up to
        `block_timeout` seconds, and not again until there was room."""
        self._notices.count(logged=1)
        wait = self._block_timeout if item.labelled and not self._stalled else 0.0
        self._start()
        if self._buffer.put(item, wait=wait):
            self._stalled = False
        elif self._buffer.closed:
            self._notices.dropped(1, "the client is closed")
        else:
            self._stalled = self._stalled or item.labelled
            self._notices.dropped(1, "the queue is full")

    def offer(self, item: Outgoing) -> bool:
        """Takes an event in if there is room now; says nothing otherwise."""
        self._start()
        taken = self._buffer.put(item)
        if taken:
            self._stalled = False
            self._notices.count(logged=1)
        return taken

    def retire(self) -> None:
        """Nobody can log here any more: what is left goes out, then the thread ends."""
        self._buffer.close()

    def flush(self, timeout: float | None) -> bool:
        """Whether everything logged so far was settled within `timeout` seconds (None: however long it
        takes)."""
        if not len(self._buffer):
            return True
        self._start()
        return self._buffer.wait_idle(timeout)

    def close(self, timeout: float) -> int:
        """Sends what is left for up to `timeout` seconds; how many events stayed behind."""
        thread = self._thread
        self._buffer.close()
        if len(self._buffer) and self._start():
            thread = self._thread
            self._buffer.wait_idle(timeout)
        left = len(self._buffer)
        self._give_up.set()
        if left:
            self._buffer.clear()
            self._notices.dropped(left, f"not sent within {timeout:g} s of closing")
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)
        return left

    def _start(self) -> bool:
        """Whether a thread is running; at interpreter exit none can be started any more."""
        if self._running():
            return True
        if not self._starting.acquire(blocking=False):
            return True  # being started, perhaps by this very thread, which a signal handler interrupted
        try:
            if self._running():
                return True
            if self._give_up.is_set():
                return False
            if self._http is None:
                self._http = open_http(self._connection, timeout=self._timeout)
            thread = threading.Thread(
                target=self._run, args=(self._http,), name="steelyard-client", daemon=True
            )
            thread.start()
            self._thread = thread
        except RuntimeError:
            return False
        finally:
            self._starting.release()
        self._close_with_process()
        return True

    def _running(self) -> bool:
        return self._thread is not None

    def _close_with_process(self) -> None:
        """Children of multiprocessing end without atexit; they have their own way to say goodbye."""
        if "multiprocessing" in sys.modules:
            from multiprocessing import process, util

            if process.parent_process() is not None:
                util.Finalize(self, _close_quietly, args=(weakref.ref(self),), exitpriority=0)

    def _run(self, http: httpx2.Client) -> None:
        try:
            while batch := self._buffer.take():
                try:
                    self._deliver(http, batch)
                except Exception as problem:  # the thread must outlive whatever this was
                    self._notices.dropped(len(batch), f"{type(problem).__name__}: {problem}")
                finally:
                    self._buffer.done()
        finally:
            self._thread = None
            self._http = None
            http.close()

    def _deliver(self, http: httpx2.Client, batch: Sequence[Outgoing]) -> None:
        attempt = 0
        while not self._give_up.is_set():
            attempt += 1
            answer = send(http, batch)
            if isinstance(answer, Later):
                self._notices.once(("later",), "%s; events are kept and sent again", answer.error)
                self._give_up.wait(pause(attempt, asked=answer.asked))
                continue
            self._notices.forget(("later",))
            if isinstance(answer, Refused):
                self._refused(http, batch, answer)
                return
            self._notices.count(accepted=answer.accepted, duplicates=answer.duplicates)
            for rejection in answer.rejections:
                self._notices.rejected(rejection)
            return

    def _refused(self, http: httpx2.Client, batch: Sequence[Outgoing], answer: Refused) -> None:
        if answer.split:
            middle = len(batch) // 2
            self._deliver(http, batch[:middle])
            self._deliver(http, batch[middle:])
            return
        error = answer.error
        for item in batch:
            self._notices.rejected(
                Rejection(item.event_id, error.code, error.message, error.field, error.hint)
            )


def _close_quietly(reference: "weakref.ref[Outbox]") -> None:
    outbox = reference()
    if outbox is not None:
        outbox.close(EXIT_SECONDS)


def _close_all() -> None:
    deadline = time.monotonic() + EXIT_SECONDS
    for outbox in list(_live):
        outbox.close(max(deadline - time.monotonic(), 0.0))


def _after_fork_in_child() -> None:
    for outbox in list(_live):
        outbox.after_fork()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
