"""Gold labels: amended by a new version, never overwritten; every metric against gold follows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from steelyard.schemas.query import Label


def add(
    c: Connection,
    project_id: str,
    event_id: str,
    *,
    gold_doc_ids: Sequence[str] | None,
    answer: str | None = None,
    author: str,
    reason: str | None = None,
    origin: Literal["added", "review"] = "added",
    now: datetime,
) -> Label:
    """Amends the event's label and computes its ground-truth and evaluator metrics anew from the stored
    citations.

    Duplicates are removed; `gold_doc_ids` None takes the retrieval label back. Raises `NotFound`.
    """
    raise NotImplementedError


def current(c: Connection, project_id: str, event_id: str) -> Label | None:
    """Raises `NotFound` for an unknown event."""
    raise NotImplementedError


def history(c: Connection, project_id: str, event_id: str) -> tuple[Label, ...]:
    """All versions, newest first. Raises `NotFound` for an unknown event."""
    raise NotImplementedError
