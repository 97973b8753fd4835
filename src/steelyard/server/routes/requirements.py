"""Requirement lists of tasks: read, and edited by a new version."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from steelyard.errors import NotFound
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.base import Input
from steelyard.schemas.judging import Requirement
from steelyard.schemas.query import Page, RequirementTask
from steelyard.schemas.result import RequirementList
from steelyard.store import requirements

from ..filters import NO_NUL, Line, PageQuery
from ..filters import Query as QueryModel
from ..inputs import body, documented
from .parts import Act, App, Id, Items, Reader, Writer, change, judge_or_latest

SOME_TEXT = r"^[^\x00]*[^\x00\s][^\x00]*$"
router = APIRouter(tags=["requirements"])


class RequirementsQuery(PageQuery):
    """Which lists."""

    task: Annotated[str, Field(min_length=1, max_length=8_000, pattern=NO_NUL)] | None = None
    judge_id: Line | None = None


class JudgeQuery(QueryModel):
    """Under which judge; the latest used one when absent."""

    judge_id: Line | None = None


class RequirementsInput(Input):
    """The list as it should be: minimal, disjoint facts."""

    requirements: tuple[Annotated[str, Field(min_length=1, max_length=2_000, pattern=SOME_TEXT)], ...] = (
        Field(min_length=1, max_length=50)
    )


class RequirementVersions(Items):
    """All versions of a task's list, newest first: the first one counts."""

    items: tuple[RequirementList, ...]


@router.get("/v1/requirements", summary="List requirement lists")
def list_requirements(
    viewer: Reader, app: App, query: Annotated[RequirementsQuery, Query()]
) -> Page[RequirementTask]:
    """The current list of each task, under every judge or one."""
    key = task_key(query.task) if query.task else None
    with app.store.read() as c:
        return requirements.page(
            c,
            viewer.project_id,
            judge_id=query.judge_id,
            task_key=key,
            cursor=query.cursor,
            limit=query.limit,
        )


@router.get("/v1/requirements/{task_key}", responses={404: {}}, summary="Get a task's requirements")
def get_requirements(
    viewer: Reader, app: App, task_key: Id, query: Annotated[JudgeQuery, Query()]
) -> RequirementVersions:
    """All versions, newest first."""
    with app.store.read() as c:
        judge_id = judge_or_latest(c, viewer.project_id, query.judge_id)
        versions = requirements.history(c, viewer.project_id, task_key, judge_id=judge_id)
    if not versions:
        raise NotFound(f"there are no requirements of a task {task_key[:40]!r}", field="task_key")
    return RequirementVersions(items=versions)


@router.put(
    "/v1/requirements/{task_key}",
    openapi_extra=documented(RequirementsInput),
    responses={404: {}},
    summary="Edit a task's requirements",
)
def edit_requirements(
    viewer: Writer,
    app: App,
    task_key: Id,
    query: Annotated[JudgeQuery, Query()],
    edited: Annotated[RequirementsInput, Depends(body(RequirementsInput))],
) -> RequirementList:
    """Makes a new version; the task's events are evaluated again, and numbers of two versions never mixed."""
    with app.store.read() as c:
        judge_id = judge_or_latest(c, viewer.project_id, query.judge_id)
    made = change(
        app,
        viewer,
        lambda c, now: requirements.edit(
            c,
            viewer.project_id,
            task_key,
            judge_id=judge_id,
            requirements=[Requirement(text=text) for text in edited.requirements],
            author=viewer.actor,
            now=now,
        ),
        act=lambda made: Act("requirements.edit", task_key, {"judge_id": judge_id, "version": made.version}),
    )
    app.engine.wake()
    return made
