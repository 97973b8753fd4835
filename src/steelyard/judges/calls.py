"""What a remote judge needs from outside: a ledger of finished calls and a limiter shared by all workers.

Both are protocols; the store has the shared ones, `MemoryLedger` and `NoLimit` here serve a single process.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from steelyard.schemas.base import Record


class Call(Record):
    """A finished, paid call. `digest` is SHA-256 hex over the provider's base URL and the canonical
    request."""

    digest: str
    provider: str
    model: str
    reply: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0


class Spent(Record):
    calls: int
    cost_usd: float


class Ledger(Protocol):
    """Finished calls by digest: a call in the ledger is never paid twice."""

    def find(self, digest: str, /) -> Call | None: ...

    def record(self, call: Call, /) -> None: ...

    def spent(self, provider: str, /) -> Spent: ...


class Limiter(Protocol):
    """Tokens from shared buckets."""

    def acquire(
        self,
        provider: str,
        *,
        tokens: int,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
    ) -> float:
        """Takes one request and `tokens` tokens, or takes nothing; returns 0.0 when taken, else the seconds
        to wait before asking again."""
        ...


class MemoryLedger:
    """A ledger for one process, without a store."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._lock = Lock()

    def find(self, digest: str, /) -> Call | None:
        return self._calls.get(digest)

    def record(self, call: Call, /) -> None:
        with self._lock:
            self._calls.setdefault(call.digest, call)

    def spent(self, provider: str, /) -> Spent:
        with self._lock:
            mine = [call for call in self._calls.values() if call.provider == provider]
        return Spent(calls=len(mine), cost_usd=sum(call.cost_usd or 0.0 for call in mine))


class NoLimit:
    """A limiter that never waits."""

    def acquire(self, provider: str, **_: int | None) -> float:  # noqa: ARG002 - there is nothing to limit
        return 0.0


Sleep = Callable[[float], None]
"""How waiting is done; tests hand in their own."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Everything about time that a remote judge uses. `sleep` None: until the time is over or the judge is
    closed. `jitter` is in 0..1; `now` is seconds since 1970."""

    sleep: Sleep | None = None
    jitter: Callable[[], float] = random.random
    now: Callable[[], float] = time.time
