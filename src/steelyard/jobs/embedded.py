"""The engine on SQLite: threads of the serving process claim the rows and do what a worker would."""

import logging
import threading
import time
from collections.abc import Sequence

from sqlalchemy import Connection

from steelyard.config import Settings
from steelyard.store import Store

from .evaluate import Evaluator
from .housekeeping import Housekeeping
from .judging import JudgeSource
from .waiting import Backoff, wait_until

log = logging.getLogger(__name__)


class EmbeddedEngine:
    """`concurrency` threads that evaluate and one that keeps house; idle, they look every `lease_s / 2`."""

    def __init__(self, store: Store, settings: Settings, source: JudgeSource, *, work: bool) -> None:
        self._settings = settings
        self._source = source
        self._work = work
        self._evaluator = Evaluator(store, source, settings)
        self._housekeeping = Housekeeping(store, settings)
        self._changed = threading.Condition()
        self._announced = 0
        self._stopping = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Gives back every lease: one process at a time holds a SQLite file, so all belong to the dead."""
        if self._work and not self._threads:
            self._evaluator.take_over()
            self._threads = [
                threading.Thread(target=self._evaluate, name=f"steelyard-evaluate-{number}", daemon=True)
                for number in range(self._settings.concurrency)
            ]
            self._threads.append(
                threading.Thread(target=self._keep_house, name="steelyard-house", daemon=True)
            )
            for thread in self._threads:
                thread.start()

    def enqueue(self, connection: Connection, project_id: str, event_ids: Sequence[str], /) -> None:
        """The rows say it all; `wake` says it sooner."""

    def wake(self) -> None:
        with self._changed:
            self._announced += 1
            self._changed.notify_all()

    def drain(self, timeout: float) -> bool:
        return wait_until(self._evaluator.idle, timeout=timeout)

    def stop(self, timeout: float = 10.0) -> None:
        self._evaluator.stop()
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._evaluator.release()
        self._source.close()

    def _evaluate(self) -> None:
        backoff = Backoff(first=0.5, most=max(0.5, self._settings.lease_s / 2))
        while not self._stopping:
            seen = self._announced
            try:
                claimed = self._evaluator.evaluate_any()
            except Exception:  # the database or the judge is out of order: say so, look again later
                log.exception("evaluating failed and is tried again")
                self._pause(backoff.next(), self._announced)
                continue
            if claimed:
                backoff.reset()
            else:
                self._pause(backoff.next(), seen)

    def _keep_house(self) -> None:
        due = time.monotonic() + self._housekeeping.interval_s
        while not self._stopping:
            self._pause(min(self._settings.lease_s / 2, self._housekeeping.interval_s), None)
            try:
                if not self._stopping and self._evaluator.recover():
                    self.wake()
                if not self._stopping and time.monotonic() >= due:
                    due = time.monotonic() + self._housekeeping.interval_s
                    self._housekeeping.run()
            except Exception:  # housekeeping can wait
                log.exception("housekeeping failed and is tried again")

    def _pause(self, seconds: float, seen: int | None) -> None:
        """Waits, but not past `stop`, nor past the first `wake` after announcement number `seen`."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopping or (seen is not None and self._announced != seen), timeout=seconds
            )
