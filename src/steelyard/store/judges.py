"""Judge identities, and what each did in a project."""

from datetime import datetime

from sqlalchemy import Connection

from steelyard.schemas.judging import JudgeIdentity
from steelyard.schemas.query import JudgeRow


def register(c: Connection, identity: JudgeIdentity, *, now: datetime) -> None:
    """Stores the identity when it is new."""
    raise NotImplementedError


def get(c: Connection, judge_id: str) -> JudgeIdentity:
    """Raises `NotFound`."""
    raise NotImplementedError


def used(c: Connection, project_id: str) -> tuple[JudgeRow, ...]:
    """The judges with evaluations in the project, latest used first."""
    raise NotImplementedError


def latest(c: Connection, project_id: str) -> str | None:
    """The id of the judge of the latest evaluation in the project: the one pages show unless told
    otherwise."""
    raise NotImplementedError
