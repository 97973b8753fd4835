"""Finished judge calls, kept by request digest for all workers: never paid twice."""

from datetime import datetime

from steelyard.judges.calls import Call, Spent

from .store import Store


class StoreLedger:
    """`judges.calls.Ledger` in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, digest: str, /) -> Call | None:
        raise NotImplementedError

    def record(self, call: Call, /) -> None:
        """The first record of a digest stays."""
        raise NotImplementedError

    def spent(self, provider: str, /) -> Spent:
        raise NotImplementedError

    def forget(self, *, before: datetime) -> int:
        """Blanks the replies of calls recorded before; what they cost stays counted. Returns how many."""
        raise NotImplementedError
