"""Rate limits shared by all workers: one token bucket a provider, one atomic update, the database's clock."""

from sqlalchemy import Connection, Float, case, cast, func, select, update

from .clock import now_us
from .store import Store
from .tables import buckets
from .upsert import insert

_MINUTE_US = 60_000_000
_NO_LIMIT = 1e12
_SHORTEST_WAIT_S = 0.01


class StoreLimiter:
    """`judges.calls.Limiter` in the store. A bucket holds a minute's worth and fills steadily."""

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
        """Takes one request and `tokens` tokens, or takes nothing; returns 0.0 when taken, else the seconds
        to wait. A request for more tokens than a minute allows takes a full bucket."""
        if requests_per_minute is None and tokens_per_minute is None:
            return 0.0
        requests = float(requests_per_minute or _NO_LIMIT)
        most = float(tokens_per_minute or _NO_LIMIT)
        wanted = min(float(tokens), most)
        return self._store.write(lambda c: _take(c, provider, requests=requests, tokens=most, wanted=wanted))


def _take(c: Connection, provider: str, *, requests: float, tokens: float, wanted: float) -> float:
    """One update refills and takes; its condition sees the row as it is locked, so no two take the same."""
    now = now_us(c)
    full = insert(c, buckets).values(provider=provider, requests=requests, tokens=tokens, refilled_us=now)
    c.execute(full.on_conflict_do_nothing())
    # A clock that was set back refills nothing, and starts anew from where it is.
    passed = case((buckets.c.refilled_us < now, now - buckets.c.refilled_us), else_=0) / cast(
        _MINUTE_US, Float
    )
    least = func.least if c.dialect.name == "postgresql" else func.min
    there = least(cast(requests, Float), buckets.c.requests + passed * requests, type_=Float)
    there_tokens = least(cast(tokens, Float), buckets.c.tokens + passed * tokens, type_=Float)
    taken = c.execute(
        update(buckets)
        .where(buckets.c.provider == provider, there >= 1, there_tokens >= wanted)
        .values(requests=there - 1, tokens=there_tokens - wanted, refilled_us=now)
    )
    if taken.rowcount == 1:
        return 0.0
    c.execute(
        update(buckets)
        .where(buckets.c.provider == provider, buckets.c.refilled_us > now)
        .values(refilled_us=now)
    )
    left = c.execute(select(there, there_tokens).where(buckets.c.provider == provider)).one()
    wait = max((1 - left[0]) / requests, (wanted - left[1]) / tokens) * 60
    return max(_SHORTEST_WAIT_S, float(wait))
