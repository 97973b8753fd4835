"""What routes have in common: who asks, the store, the time, and paths that hold ids."""

from typing import Annotated

from fastapi import Depends, Path
from sqlalchemy import Connection

from steelyard.access.acting import Act, change
from steelyard.access.services import Services, services
from steelyard.access.viewer import Viewer, require
from steelyard.errors import NotFound
from steelyard.schemas.base import Record
from steelyard.store import judges

from ..filters import NO_NUL

__all__ = ["Act", "Admin", "App", "Id", "Items", "Reader", "Writer", "change", "judge_or_latest"]

Reader = Annotated[Viewer, Depends(require("read"))]
Writer = Annotated[Viewer, Depends(require("write"))]
Admin = Annotated[Viewer, Depends(require("admin"))]
App = Annotated[Services, Depends(services)]


Id = Annotated[str, Path(min_length=1, max_length=256, pattern=NO_NUL)]
"""An id in a path; longer ones than any there can be are refused."""


class Items(Record):
    """The base of lists that are never long."""


def judge_or_latest(c: Connection, project_id: str, judge_id: str | None) -> str:
    """The judge asked for, else the latest used one. Raises `NotFound` when there is none."""
    if judge_id is not None:
        if all(row.judge_id != judge_id for row in judges.used(c, project_id)):
            raise NotFound(f"the judge {judge_id[:80]!r} has evaluated nothing here", field="judge_id")
        return judge_id
    latest = judges.latest(c, project_id)
    if latest is None:
        raise NotFound(
            "no judge has evaluated anything yet", hint="Log an event and wait for its evaluation."
        )
    return latest
