"""Requirement lists: one a normalised task and judge identity, versioned, edited only by a new version."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.judging import Requirement
from steelyard.schemas.query import Page, RequirementTask
from steelyard.schemas.result import RequirementList


def current(c: Connection, project_id: str, task_key: str, *, judge_id: str) -> RequirementList | None:
    """The latest version."""
    raise NotImplementedError


def current_lists(
    c: Connection, project_id: str, task_keys: Sequence[str], *, judge_id: str
) -> Mapping[str, RequirementList]:
    """The latest versions by task key; tasks without a list are absent."""
    raise NotImplementedError


def put(
    c: Connection, project_id: str, lists: Sequence[RequirementList], *, now: datetime
) -> Mapping[str, RequirementList]:
    """Stores version 1 of lists a judge made. Where a task has a list already that one stays; returns the
    current lists by task key."""
    raise NotImplementedError


def edit(
    c: Connection,
    project_id: str,
    task_key: str,
    *,
    judge_id: str,
    requirements: Sequence[Requirement],
    author: str,
    now: datetime,
) -> RequirementList:
    """Makes a new version and queues the task's events again. Raises `NotFound`, `InvalidInput` (none, or
    blank)."""
    raise NotImplementedError


def history(c: Connection, project_id: str, task_key: str, *, judge_id: str) -> tuple[RequirementList, ...]:
    """All versions, newest first."""
    raise NotImplementedError


def page(
    c: Connection,
    project_id: str,
    *,
    judge_id: str | None = None,
    task_key: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[RequirementTask]:
    """Current lists, in a stable order."""
    raise NotImplementedError
