"""Requirement lists: one a normalised task and judge identity, versioned, edited only by a new version."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, and_, func, select, update

from steelyard.errors import InvalidInput, NotFound
from steelyard.retrieval.tasks import normalise
from steelyard.schemas.event import Status
from steelyard.schemas.judging import Requirement
from steelyard.schemas.query import Page, RequirementTask, decode_cursor, encode_cursor
from steelyard.schemas.result import RequirementList

from . import rollups
from .tables import evaluations, events
from .tables import requirement_lists as table
from .upsert import insert

MOST = 100
"""Requirements in one list."""


def current(c: Connection, project_id: str, task_key: str, *, judge_id: str) -> RequirementList | None:
    """The latest version."""
    return current_lists(c, project_id, [task_key], judge_id=judge_id).get(task_key)


def current_lists(
    c: Connection, project_id: str, task_keys: Sequence[str], *, judge_id: str
) -> Mapping[str, RequirementList]:
    """The latest versions by task key; tasks without a list are absent."""
    found: dict[str, RequirementList] = {}
    for start in range(0, len(task_keys), 500):
        wanted = (
            select(table)
            .where(
                table.c.project_id == project_id,
                table.c.judge_id == judge_id,
                table.c.task_key.in_(task_keys[start : start + 500]),
            )
            .order_by(table.c.version)
        )
        found |= {row.task_key: _list(row) for row in c.execute(wanted)}
    return found


def put(
    c: Connection, project_id: str, lists: Sequence[RequirementList], *, now: datetime
) -> Mapping[str, RequirementList]:
    """Stores version 1 of lists a judge made. Where a task has a list already that one stays; returns the
    current lists by task key."""
    found: dict[str, RequirementList] = {}
    for judge_id in dict.fromkeys(one.judge_id for one in lists):
        # In the order of their keys, so that no two writers wait for each other in a circle.
        mine = sorted((one for one in lists if one.judge_id == judge_id), key=lambda one: one.task_key)
        rows = [_row(project_id, one, version=1, created_at=now) for one in mine]
        c.execute(insert(c, table).on_conflict_do_nothing(), rows)
        found |= current_lists(c, project_id, [one.task_key for one in mine], judge_id=judge_id)
    return found


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
    """Makes a new version and queues the task's events again. Raises `NotFound`, `InvalidInput` (none, too
    many, or blank).

    Evaluations by older versions stop counting at once, so that numbers of two versions are never mixed.
    """
    before = current(c, project_id, task_key, judge_id=judge_id)
    if before is None:
        raise NotFound("there is no requirement list for this task and judge")
    if not 1 <= len(requirements) <= MOST:
        raise InvalidInput(f"a list holds 1 to {MOST} requirements", field="/requirements")
    for number, requirement in enumerate(requirements):
        if not requirement.text.strip():
            raise InvalidInput("a requirement needs text", field=f"/requirements/{number}/text")
        if normalise(requirement.text) in {normalise(one.text) for one in requirements[:number]}:
            raise InvalidInput(
                f"requirement {number} says the same as one before it",
                field=f"/requirements/{number}",
                hint="Each fact counts once.",
            )
    edited = RequirementList(
        task_key=task_key,
        judge_id=judge_id,
        version=before.version + 1,
        requirements=tuple(requirements),
        estimated=any(requirement.slot for requirement in requirements),
        origin="edited",
        author=author,
        created_at=now,
    )
    c.execute(table.insert().values(_row(project_id, edited, version=edited.version, created_at=now)))
    _judge_again(c, project_id, task_key, judge_id=judge_id, now=now)
    return edited


def history(c: Connection, project_id: str, task_key: str, *, judge_id: str) -> tuple[RequirementList, ...]:
    """All versions, newest first."""
    mine = (table.c.project_id == project_id, table.c.task_key == task_key, table.c.judge_id == judge_id)
    return tuple(_list(row) for row in c.execute(select(table).where(*mine).order_by(table.c.version.desc())))


def page(
    c: Connection,
    project_id: str,
    *,
    judge_id: str | None = None,
    task_key: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[RequirementTask]:
    """Current lists of tasks that have events, in a stable order."""
    newer = table.alias("newer")
    same = and_(*(newer.c[name] == table.c[name] for name in ("project_id", "task_key", "judge_id")))
    of_task: tuple[ColumnElement[bool], ...] = (
        events.c.project_id == table.c.project_id,
        events.c.task_key == table.c.task_key,
    )
    task = select(events.c.task).where(*of_task).limit(1).scalar_subquery()
    number = select(func.count()).select_from(events).where(*of_task).scalar_subquery()
    wanted = (
        select(table, task.label("task"), number.label("events"))
        .outerjoin(newer, and_(same, newer.c.version > table.c.version))
        .where(table.c.project_id == project_id, newer.c.version.is_(None), task.is_not(None))
    )
    if judge_id is not None:
        wanted = wanted.where(table.c.judge_id == judge_id)
    if task_key is not None:
        wanted = wanted.where(table.c.task_key == task_key)
    if cursor is not None:
        after_task, after_judge = decode_cursor(cursor, str, str)
        later = (table.c.task_key == after_task) & (table.c.judge_id > after_judge)
        wanted = wanted.where((table.c.task_key > after_task) | later)
    rows = c.execute(wanted.order_by(table.c.task_key, table.c.judge_id).limit(limit + 1)).all()
    items = tuple(
        RequirementTask(
            task=row.task,
            task_key=row.task_key,
            judge_id=row.judge_id,
            version=row.version,
            k=len(orjson.loads(row.requirements)),
            estimated=row.estimated,
            origin=row.origin,
            events=row.events,
        )
        for row in rows[:limit]
    )
    last = items[-1] if len(rows) > limit else None
    return Page(items=items, next_cursor=encode_cursor(last.task_key, last.judge_id) if last else None)


def _judge_again(c: Connection, project_id: str, task_key: str, *, judge_id: str, now: datetime) -> None:
    """Events being evaluated lose their lease: what is on its way was made with the old list."""
    judged = (
        select(events.c.seq, events.c.created_at)
        .where(
            events.c.project_id == project_id,
            (events.c.task_key == task_key) | (events.c.subquery_key == task_key),
        )
        .where(events.c.status.not_in([str(Status.NOT_SAMPLED), str(Status.CANCELLED)]))
        .order_by(events.c.seq)
    )
    rows = c.execute(judged.with_for_update()).all()
    again = {"status": str(Status.QUEUED), "reason": None, "attempts": 0, "flagged": False}
    nobody = {"owner": None, "lease": None, "deadline": None, "lease_us": None}
    for start in range(0, len(rows), 500):
        seqs = [row.seq for row in rows[start : start + 500]]
        c.execute(update(events).where(events.c.seq.in_(seqs)).values(**again, **nobody))
        old = (evaluations.c.event_seq.in_(seqs), evaluations.c.judge_id == judge_id)
        c.execute(update(evaluations).where(*old).values(current=False))
    rollups.mark(c, project_id, [row.created_at for row in rows], now=now)


def _row(project_id: str, one: RequirementList, *, version: int, created_at: datetime) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "task_key": one.task_key,
        "judge_id": one.judge_id,
        "version": version,
        "requirements": orjson.dumps([item.model_dump() for item in one.requirements]).decode(),
        "estimated": one.estimated,
        "origin": one.origin,
        "author": one.author,
        "created_at": created_at,
    }


def _list(row: Any) -> RequirementList:
    return RequirementList(
        task_key=row.task_key,
        judge_id=row.judge_id,
        version=row.version,
        requirements=tuple(Requirement(**item) for item in orjson.loads(row.requirements)),
        estimated=row.estimated,
        origin=row.origin,
        author=row.author,
        created_at=row.created_at,
    )
