"""The judge of the jobs: opened when the first batch needs it, written down in the store, shared."""

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock

from steelyard.config import Settings
from steelyard.judges.opening import REMOTE, open_judge
from steelyard.judges.protocol import Judge
from steelyard.store import Store, judges
from steelyard.store.buckets import StoreLimiter
from steelyard.store.ledger import StoreLedger

OpenJudge = Callable[[], Judge]


class JudgeSource:
    """Hands out one open judge to all threads of the process."""

    def __init__(self, store: Store, settings: Settings, opened_by: OpenJudge | None = None) -> None:
        self._store = store
        self._settings = settings
        self._open = opened_by or self._from_settings
        self._lock = Lock()
        self._judge: Judge | None = None

    def current(self) -> Judge:
        """The judge, opened and written down in the store by the first call.

        Raises `ConfigurationError` or `JudgeError` when it cannot be opened; the next call tries again.
        """
        with self._lock:
            if self._judge is None:
                judge, now = self._open(), datetime.now(UTC)
                self._store.write(lambda connection: judges.register(connection, judge.identity, now=now))
                self._judge = judge
            return self._judge

    def close(self) -> None:
        """Closes the judge if it was ever opened; `current` would open it again."""
        with self._lock:
            judge, self._judge = self._judge, None
        if judge is not None:
            judge.close()

    def _from_settings(self) -> Judge:
        settings = self._settings
        return open_judge(
            settings.judge,
            remote=settings.remote_settings() if settings.judge in REMOTE else None,
            threads=settings.judge_threads,
            ledger=StoreLedger(self._store),
            limiter=StoreLimiter(self._store),
        )
