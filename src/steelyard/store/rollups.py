"""Sums by hour and task group, made from events behind the writes, so that pages over millions of events
stay fast."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, func, select

from .columns import microseconds
from .store import Store
from .tables import dirty_hours

HOUR_US = 3_600_000_000


def mark(c: Connection, project_id: str, times: Iterable[datetime], *, now: datetime) -> None:
    """Notes, in the transaction that changes events created at `times`, that their hours must be summed
    again. Marks are only ever added, so that no two writers wait for each other."""
    hours = sorted({microseconds(time) // HOUR_US * HOUR_US for time in times})
    if hours:
        c.execute(
            dirty_hours.insert(),
            [{"project_id": project_id, "hour": hour, "marked_at": now} for hour in hours],
        )


def refresh(store: Store, *, now: datetime, budget_s: float = 1.0) -> int:
    """Sums marked hours again, the longest marked first, until `budget_s` is used up; returns how many are
    left.

    To be called every few seconds by one process (several do no harm).
    """
    raise NotImplementedError


def age(c: Connection, project_id: str, *, now: datetime) -> float:
    """Seconds since the oldest change that no rollup shows yet; 0 when all are up to date."""
    oldest = c.execute(
        select(func.min(dirty_hours.c.marked_at)).where(dirty_hours.c.project_id == project_id)
    ).scalar()
    return 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())
