"""Rate limits shared by all workers: one token bucket a provider, one atomic update, the database's clock."""

from .store import Store


class StoreLimiter:
    """`judges.calls.Limiter` in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def acquire(
        self,
        provider: str,
        *,
        tokens: int,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
    ) -> float:
        """Takes one request and `tokens` tokens, or takes nothing; returns 0.0 when taken, else the
        seconds to wait."""
        raise NotImplementedError
