"""The bounded queue between the caller and the sending thread."""

import threading
import time
from collections import deque
from dataclasses import dataclass

from .payload import Outgoing


@dataclass(frozen=True)
class Batching:
    """When a batch is full: so many events, so many bytes, or so old, in seconds."""

    events: int = 100
    bytes: int = 1_000_000
    seconds: float = 0.5


class Buffer:
    """First in, first out, at most `capacity` events and `capacity_bytes` bytes. One thread takes, any may
    put."""

    def __init__(self, capacity: int, *, batching: Batching, capacity_bytes: int = 256 * 1024 * 1024) -> None:
        self._capacity, self._capacity_bytes, self._batching = capacity, capacity_bytes, batching
        self._waiting: deque[Outgoing] = deque()
        self._bytes = 0
        self._taken = 0
        self._first_at = 0.0
        self._hurry = 0
        self._closed = False
        lock = self._lock = (
            threading.RLock()
        )  # re-entrant: a signal handler may log while its own thread is inside
        self._work = threading.Condition(lock)
        self._room = threading.Condition(lock)
        self._idle = threading.Condition(lock)

    def __len__(self) -> int:
        """Events not delivered yet, those of the batch under way included."""
        return len(self._waiting) + self._taken

    @property
    def closed(self) -> bool:
        return self._closed

    def _fits(self, item: Outgoing) -> bool:
        if not self._waiting:
            return True
        return len(self._waiting) < self._capacity and self._bytes + len(item.body) <= self._capacity_bytes

    def put(self, item: Outgoing, *, wait: float = 0.0) -> bool:
        """Whether the item was taken in; waits up to `wait` seconds for room."""
        with self._lock:
            fits = self._fits(item)
            if wait > 0 and not (fits or self._closed):
                self._hurry += 1
                self._work.notify()
                try:
                    fits = self._room.wait_for(lambda: self._closed or self._fits(item), wait)
                finally:
                    self._hurry -= 1
            if self._closed or not fits:
                return False
            self._waiting.append(item)
            self._bytes += len(item.body)
            waiting = len(self._waiting)
            if waiting == 1:
                self._first_at = time.monotonic()
                self._work.notify()
            elif waiting >= self._batching.events or self._bytes >= self._batching.bytes:
                self._work.notify()
            return True

    def _full(self) -> bool:
        return len(self._waiting) >= self._batching.events or self._bytes >= self._batching.bytes

    def take(self) -> list[Outgoing]:
        """The next batch, waiting for one; empty when the buffer is closed and nothing is left. Call `done`
        after."""
        with self._work:
            while not self._waiting:
                if self._closed:
                    return []
                self._work.wait()
            while not (self._closed or self._hurry or self._full()):
                left = self._first_at + self._batching.seconds - time.monotonic()
                if left <= 0 or not self._work.wait(left):
                    break
            batch: list[Outgoing] = []
            size = 0
            while self._waiting and len(batch) < self._batching.events:
                if batch and size + len(self._waiting[0].body) > self._batching.bytes:
                    break
                item = self._waiting.popleft()
                size += len(item.body)
                batch.append(item)
            self._bytes = self._bytes - size if self._waiting else 0
            self._taken = len(batch)
            self._first_at = time.monotonic()
            self._room.notify_all()
            return batch

    def done(self) -> None:
        """The batch taken last is settled."""
        with self._idle:
            self._taken = 0
            if not self._waiting:
                self._idle.notify_all()

    def wait_idle(self, timeout: float | None) -> bool:
        """Sends without waiting for batches to fill; whether all was settled within `timeout` seconds."""
        with self._idle:
            self._hurry += 1
            self._work.notify()
            try:
                return self._idle.wait_for(lambda: not len(self), timeout)
            finally:
                self._hurry -= 1

    def close(self) -> None:
        """Takes in nothing more; what is in still goes out."""
        with self._work:
            self._closed = True
            self._work.notify_all()
            self._room.notify_all()

    def clear(self) -> int:
        """Empties the queue; how many events that lost."""
        with self._idle:
            lost = len(self._waiting)
            self._waiting.clear()
            self._bytes = 0
            self._room.notify_all()
            if not self._taken:
                self._idle.notify_all()
            return lost
