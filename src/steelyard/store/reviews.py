"""Reviews of disagreements: who was right, judge or label."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import Decision, EventFilter, Review, ReviewedAccuracy, ReviewProgress


def add(
    c: Connection,
    project_id: str,
    event_id: str,
    *,
    position: int,
    judge_id: str,
    decision: Decision,
    reason: str | None = None,
    reviewer: str,
    now: datetime,
) -> Review:
    """Decides on the document whose first passage is at `position`. `judge_right` amends the label by a
    new version in this transaction. Deciding again amends again. Raises `NotFound` when there is nothing
    to review there, and `InvalidInput` for `judge_right` on a passage without an id (a label cannot name
    it)."""
    raise NotImplementedError


def progress(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> ReviewProgress:
    """How far the queue is."""
    raise NotImplementedError


def accuracy(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str, now: datetime
) -> ReviewedAccuracy:
    """Evaluator accuracy with the labels as first given, and as amended."""
    raise NotImplementedError


def export(
    c: Connection, project_id: str, filter: EventFilter, *, judge_id: str | None = None
) -> Iterator[Review]:
    """Every review, oldest first."""
    raise NotImplementedError
