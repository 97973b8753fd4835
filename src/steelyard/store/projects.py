"""Projects: walls between everything else."""

import re
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from steelyard.errors import Conflict, InvalidInput, NotFound
from steelyard.schemas.query import Project

from .tables import projects
from .upsert import insert

_NAME = re.compile(r"[\w][\w .\-]{0,63}")


def create(c: Connection, name: str, *, now: datetime) -> Project:
    """A new project; raises `Conflict` when the name is taken, `InvalidInput` for a name that cannot be
    one."""
    made = _insert(c, name, now=now)
    if made is None:
        raise Conflict(f"there is a project {name!r} already", field="/name")
    return made


def ensure(c: Connection, name: str, *, now: datetime) -> Project:
    """The project of that name, made when there is none (safe when two processes do it at once)."""
    found = c.execute(select(projects).where(projects.c.name == name)).one_or_none()
    if found is not None:
        return _project(found)
    return _insert(c, name, now=now) or get(c, name)


def get(c: Connection, name: str) -> Project:
    """Raises `NotFound`."""
    row = c.execute(select(projects).where(projects.c.name == name)).one_or_none()
    if row is None:
        raise NotFound(f"there is no project {name!r}")
    return _project(row)


def by_id(c: Connection, project_id: str) -> Project:
    """Raises `NotFound`."""
    row = None
    if project_id.isdecimal():
        row = c.execute(select(projects).where(projects.c.id == project_id)).one_or_none()
    if row is None:
        raise NotFound("there is no such project")
    return _project(row)


def all_projects(c: Connection) -> tuple[Project, ...]:
    """By name."""
    return tuple(_project(row) for row in c.execute(select(projects).order_by(projects.c.name)))


def _insert(c: Connection, name: str, *, now: datetime) -> Project | None:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} cannot name a project",
            field="/name",
            hint="Use 1 to 64 letters, digits, spaces, dots, dashes and underscores.",
        )
    statement = insert(c, projects).values(name=name, created_at=now).on_conflict_do_nothing()
    row = c.execute(statement.returning(*projects.c)).one_or_none()
    return None if row is None else _project(row)


def _project(row: Row[Any]) -> Project:
    return Project(id=row.id, name=row.name, created_at=row.created_at)
