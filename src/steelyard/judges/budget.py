"""Keeps a remote judge from paying too much: a hard budget over calls in flight, and equal questions paid
once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from steelyard.errors import ConfigurationError

from .calls import Call, Ledger
from .settings import RemoteSettings


class Budget:
    """Reserves the worst cost of a call before it is made and records what it really took.

    Within one process the budget is never exceeded; each further worker process may have one call more in
    flight for every unit of its concurrency.
    """

    def __init__(self, settings: RemoteSettings, *, ledger: Ledger, provider: str) -> None:
        self._usd, self._calls = settings.budget_usd, settings.budget_calls
        self._ledger, self._provider = ledger, provider
        self._lock = threading.Lock()
        self._flying_calls, self._flying_usd = 0, 0.0
        prices = (settings.usd_per_million_prompt_tokens, settings.usd_per_million_completion_tokens)
        if self._usd is not None and None in prices:
            raise ConfigurationError(
                "budget_usd cannot be kept without prices",
                field="budget_usd",
                hint="Set both usd_per_million_…_tokens, or use budget_calls.",
            )

    def reserve(self, worst_usd: float) -> str | None:
        """Room for one more call, or why there is none. What is reserved must be settled."""
        with self._lock:
            stop = self._stop(worst_usd)
            if stop is None:
                self._flying_calls, self._flying_usd = self._flying_calls + 1, self._flying_usd + worst_usd
            return stop

    def settle(self, worst_usd: float, call: Call | None) -> None:
        """Puts the finished call (None: there was none) in the place of its reservation."""
        if self._usd is None and self._calls is None:
            if call is not None:
                self._ledger.record(call)
            return
        with self._lock:
            try:
                if call is not None:
                    self._ledger.record(call)
            finally:
                self._flying_calls, self._flying_usd = self._flying_calls - 1, self._flying_usd - worst_usd

    def _stop(self, worst_usd: float) -> str | None:
        if self._usd is None and self._calls is None:
            return None
        spent = self._ledger.spent(self._provider)
        if self._calls is not None and spent.calls + self._flying_calls >= self._calls:
            return f"the budget of {self._calls} calls is used up"
        if self._usd is not None and spent.cost_usd + self._flying_usd + worst_usd > self._usd:
            return f"the budget of {self._usd} USD does not cover another call"
        return None


class Flights:
    """Lets one thread at a time ask a given question, so that equal questions asked together are paid
    once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def alone(self, digest: str) -> Iterator[None]:
        with self._lock:
            lock, users = self._locks.get(digest, (threading.Lock(), 0))
            self._locks[digest] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, users = self._locks.pop(digest)
                if users > 1:
                    self._locks[digest] = (lock, users - 1)
