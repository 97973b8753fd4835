"""Sums by hour and task group, made from events behind the writes, so that pages over millions of events
stay fast."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from .store import Store


def mark(c: Connection, project_id: str, times: Iterable[datetime]) -> None:
    """Notes, in the transaction that changes events created at `times`, that their hours must be summed
    again."""
    raise NotImplementedError


def refresh(store: Store, *, now: datetime, budget_s: float = 1.0) -> int:
    """Sums marked hours again, the longest marked first, until `budget_s` is used up; returns how many are
    left.

    To be called every few seconds by one process (several do no harm).
    """
    raise NotImplementedError


def age(c: Connection, project_id: str, *, now: datetime) -> float:
    """Seconds since the oldest change that no rollup shows yet; 0 when all are up to date."""
    raise NotImplementedError
