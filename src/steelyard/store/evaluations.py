"""Evaluations: one a judge identity and requirements version, never overwritten."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import StoredEvaluation
from steelyard.schemas.result import Evaluation


def add(c: Connection, project_id: str, evaluation: Evaluation, *, now: datetime) -> bool:
    """Stores an evaluation made elsewhere and makes it the event's current one; False when there is one
    already.

    Raises `NotFound` for an unknown event.
    """
    raise NotImplementedError


def of_event(c: Connection, project_id: str, event_id: str) -> tuple[StoredEvaluation, ...]:
    """Newest first."""
    raise NotImplementedError
