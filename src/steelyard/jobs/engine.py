"""Who runs the jobs: threads of this process on SQLite, procrastinate on PostgreSQL, behind one protocol."""

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Connection

from steelyard.config import Settings
from steelyard.store import Store

from .judging import JudgeSource, OpenJudge


class Engine(Protocol):
    """Judges queued events. Only `start` is needed for that: `enqueue` and `wake` make it sooner, and an
    event whose job got lost is found by its row."""

    def start(self) -> None:
        """Takes up the work: leases of a dead process are released, workers start unless told otherwise."""
        ...

    def enqueue(self, connection: Connection, project_id: str, event_ids: Sequence[str], /) -> None:
        """Announces queued events inside the transaction that stores them (SQLite: nothing to do)."""
        ...

    def wake(self) -> None:
        """Says, after the commit, that there is something to do. Cheap; from any thread."""
        ...

    def drain(self, timeout: float) -> bool:
        """Waits until no event is queued or being evaluated; False when `timeout` seconds were not enough."""
        ...

    def stop(self, timeout: float = 10.0) -> None:
        """Takes up no more work, finishes the batches in hand, after `timeout` seconds gives them back."""
        ...


def open_engine(
    store: Store, settings: Settings, judge: OpenJudge | None = None, *, work: bool | None = None
) -> Engine:
    """The engine for the store's database.

    `judge` opens the judge when the first batch needs it (by default the one that `settings` name). `work`
    False: this process only announces work for others and takes none up itself (default: `settings.worker`).
    """
    source = JudgeSource(store, settings, judge)
    working = settings.worker if work is None else work
    if store.dialect == "postgresql":
        from .postgres import PostgresEngine

        return PostgresEngine(store, settings, source, work=working)
    from .embedded import EmbeddedEngine

    return EmbeddedEngine(store, settings, source, work=working)
