"""Runs a remote judge's cases side by side, in order, at most as many at once as its provider allows."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Case = TypeVar("Case")
Answer = TypeVar("Answer")


class Batches:
    """A pool of threads, started when a batch first needs it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False

    def each(self, answer: Callable[[Case], Answer], cases: Sequence[Case]) -> list[Answer]:
        """`answer` of every case, in order; equal cases are answered once."""
        distinct = list(dict.fromkeys(cases))
        if len(distinct) < 2 or self._workers == 1 or (pool := self._started()) is None:
            found = {case: answer(case) for case in distinct}
        else:
            found = dict(zip(distinct, pool.map(answer, distinct), strict=True))
        return [found[case] for case in cases]

    def close(self) -> None:
        with self._lock:
            pool, self._pool, self._closed = self._pool, None, True
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=False)

    def _started(self) -> ThreadPoolExecutor | None:
        with self._lock:
            if self._pool is None and not self._closed:
                self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="steelyard-judge")
            return self._pool
