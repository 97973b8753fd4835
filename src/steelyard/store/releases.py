"""When releases were first seen: the marks on trends."""

import json
from datetime import datetime

from sqlalchemy import Connection, select

from steelyard.schemas.query import EventFilter, Release

from .filters import conditions
from .tables import event_bodies, events

KEY = "release"
NAME_CHARS = 64


def first_seen(
    c: Connection, project_id: str, filter: EventFilter, *, points: int = 48, limit: int = 12
) -> tuple[Release, ...]:
    """The values of `metadata.release` that are new after the filter's start, oldest first, the last `limit`.

    Looks at the first event of each of `points` equal parts of the range, whatever its volume: a release is
    seen at most one part late, and one that lives for less than a part may be missed. Empty for open ranges.
    """
    if filter.start is None or filter.end is None:
        return ()
    part = (filter.end - filter.start) / points
    known: dict[str, datetime] = {}
    for number in range(points):
        start = filter.start + part * number
        inside = filter.model_copy(update={"start": start, "end": start + part})
        first = (
            select(events.c.created_at, event_bodies.c.metadata)
            .join(event_bodies, event_bodies.c.seq == events.c.seq)
            .where(*conditions(c, project_id, inside))
            .order_by(events.c.created_at, events.c.seq)
            .limit(1)
        )
        row = c.execute(first).first()
        value = json.loads(row.metadata).get(KEY) if row is not None and row.metadata else None
        if row is not None and isinstance(value, str | int | float) and not isinstance(value, bool):
            known.setdefault(str(value)[:NAME_CHARS], row.created_at)
    seen = [Release(name=name, at=at) for name, at in known.items()]
    return tuple(seen[1:][-limit:])
