"""What the SDK has to say about events that did not arrive: counted, logged once a kind, handed to a
callback."""

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

logger = logging.getLogger("steelyard")


@dataclass(frozen=True)
class Rejection:
    """An event that will not be stored. `field` is a JSON Pointer into it."""

    event_id: str | None
    code: str
    message: str
    field: str | None = None
    hint: str | None = None


@dataclass(frozen=True)
class Stats:
    """Counts since the client was made: `dropped` never left it (no room, closed), `rejected` were
    refused."""

    logged: int = 0
    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    dropped: int = 0


OnRejected = Callable[[Rejection], object]


class Notices:
    """Safe to call from any thread and from signal handlers; nothing here raises, whatever the callback
    does."""

    def __init__(self, on_rejected: OnRejected | None = None) -> None:
        self._on_rejected = on_rejected
        self._said: set[tuple[str, ...]] = set()
        self.after_fork()

    def after_fork(self) -> None:
        """In a new child: a lock held by a thread of the parent is held forever; counts start again."""
        self._lock = threading.RLock()
        self._folding = threading.Lock()
        self._uncounted: deque[dict[str, int]] = deque()
        self._counts: Counter[str] = Counter()

    def count(self, **more: int) -> None:
        """Appending is atomic where adding is not: a signal handler may count inside of its thread's
        counting."""
        self._uncounted.append(more)
        if len(self._uncounted) >= 256:
            self._fold(wait=0.0)

    def _fold(self, *, wait: float) -> None:
        if self._folding.acquire(timeout=wait):
            try:
                while self._uncounted:
                    self._counts.update(self._uncounted.popleft())
            finally:
                self._folding.release()

    @property
    def stats(self) -> Stats:
        self._fold(wait=0.1)
        return Stats(**self._counts)

    def once(self, kind: tuple[str, ...], message: str, *values: object) -> None:
        """Logs a warning, the first time for each `kind`."""
        with self._lock:
            if kind in self._said:
                return
            self._said.add(kind)
        logger.warning(message, *values)

    def forget(self, kind: tuple[str, ...]) -> None:
        """Lets the next one of this kind be said again: it had ended."""
        with self._lock:
            self._said.discard(kind)

    def dropped(self, events: int, why: str) -> None:
        self.count(dropped=events)
        self.once(
            ("dropped", why), "%d event(s) dropped: %s (said once; client.stats counts them)", events, why
        )

    def rejected(self, rejection: Rejection) -> None:
        self.count(rejected=1)
        self.once(
            ("rejected", rejection.code, rejection.field or ""),
            "event %s was rejected: %s%s%s",
            rejection.event_id,
            rejection.message,
            f" (at {rejection.field})" if rejection.field else "",
            f". {rejection.hint}" if rejection.hint else "",
        )
        if self._on_rejected is not None:
            try:
                self._on_rejected(rejection)
            except Exception:
                logger.exception("on_rejected raised")
