"""Projects: walls between everything else."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.query import Project


def create(c: Connection, name: str, *, now: datetime) -> Project:
    """A new project; raises `Conflict` when the name is taken, `InvalidInput` for a name that cannot be
    one."""
    raise NotImplementedError


def ensure(c: Connection, name: str, *, now: datetime) -> Project:
    """The project of that name, made when there is none (safe when two processes do it at once)."""
    raise NotImplementedError


def get(c: Connection, name: str) -> Project:
    """Raises `NotFound`."""
    raise NotImplementedError


def by_id(c: Connection, project_id: str) -> Project:
    """Raises `NotFound`."""
    raise NotImplementedError


def all_projects(c: Connection) -> tuple[Project, ...]:
    """By name."""
    raise NotImplementedError
