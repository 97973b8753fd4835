"""Every list as CSV and JSONL, streamed however long it is."""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.responses import StreamingResponse

from steelyard.access.services import Services
from steelyard.access.viewer import Viewer
from steelyard.schemas.base import Record
from steelyard.schemas.query import (
    AuditEntry,
    Disagreement,
    EventFilter,
    EventRow,
    JudgeRow,
    Key,
    Label,
    Page,
    RequirementTask,
    Review,
    StoredEvent,
)
from steelyard.schemas.samples import Sample
from steelyard.store import audit, disagreements, events, judges, keys, requirements, reviews, samples

from ..filters import EventQuery
from ..rows import event_line, event_row
from ..tables import csv_lines, jsonl_lines, streamed
from .parts import Admin, App, Reader, judge_or_latest

router = APIRouter(tags=["exports"])
Format = Literal["csv", "jsonl"]
_MEDIA = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The lines, streamed.",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    },
}
Read = Callable[[Connection], Iterable[Record]]
_PAGE = 500


def download(
    app: Services,
    name: str,
    form: Format,
    read: Read,
    *,
    columns: type[Record],
    line: Callable[[Any], Any] | None = None,
    row: Callable[[Any], dict[str, Any]] | None = None,
) -> StreamingResponse:
    """Streams what `read` iterates over: `line` shapes a JSONL line, `row` a CSV row with the fields of
    `columns`."""

    def lines() -> Iterator[bytes]:
        with app.store.read() as c:
            records = read(c)
            if form == "jsonl":
                yield from jsonl_lines(records if line is None else map(line, records))
            else:
                flat = row or (lambda record: record.model_dump(mode="json"))
                yield from csv_lines(map(flat, records), columns=tuple(columns.model_fields))

    headers = {"content-disposition": f'attachment; filename="{name}.{form}"'}
    return StreamingResponse(streamed(lines), media_type=_MEDIA[form], headers=headers)


def paged(page: Callable[[str | None], Page[Any]]) -> Iterator[Any]:
    """Every item of a paged list."""
    cursor: str | None = None
    while True:
        found = page(cursor)
        yield from found.items
        cursor = found.next_cursor
        if cursor is None:
            return


@router.get(
    "/v1/exports/events.{form}", response_class=StreamingResponse, responses=_ANSWERS, summary="Export events"
)
def export_events(
    viewer: Reader, app: App, form: Format, query: Annotated[EventQuery, Query()]
) -> StreamingResponse:
    """Oldest first. JSONL lines are events as they can be logged or replayed again, with their current label;
    CSV rows hold the numbers."""
    wanted = query.filter(judged=True)
    return download(
        app,
        "events",
        form,
        lambda c: events.export(c, viewer.project_id, wanted),
        columns=EventRow,
        line=event_line,
        row=event_row,
    )


@router.get(
    "/v1/exports/evaluations.jsonl",
    response_class=StreamingResponse,
    responses=_ANSWERS,
    summary="Export evaluations",
)
def export_evaluations(viewer: Reader, app: App, query: Annotated[EventQuery, Query()]) -> StreamingResponse:
    """Events with everything known of them: status, label, evaluations, metrics."""
    wanted = query.filter(judged=True)
    return download(
        app,
        "evaluations",
        "jsonl",
        lambda c: events.export(c, viewer.project_id, wanted),
        columns=StoredEvent,
    )


@router.get(
    "/v1/exports/labels.{form}", response_class=StreamingResponse, responses=_ANSWERS, summary="Export labels"
)
def export_labels(
    viewer: Reader, app: App, form: Format, query: Annotated[EventQuery, Query()]
) -> StreamingResponse:
    """The current label of every labelled event."""
    wanted = query.filter(judged=True)

    def current(c: Connection) -> Iterator[Label]:
        for stored in events.export(c, viewer.project_id, wanted):
            if stored.label is not None:
                yield stored.label

    return download(app, "labels", form, current, columns=Label)


@router.get(
    "/v1/exports/disagreements.{form}",
    response_class=StreamingResponse,
    responses=_ANSWERS | {404: {}},
    summary="Export disagreements",
)
def export_disagreements(
    viewer: Reader, app: App, form: Format, query: Annotated[EventQuery, Query()]
) -> StreamingResponse:
    """Reviewed or not, newest event first."""
    wanted, judge_id = query.filter(), _judge(app, viewer, query.judge_id)
    return download(
        app,
        "disagreements",
        form,
        lambda c: disagreements.export(c, viewer.project_id, wanted, judge_id=judge_id),
        columns=Disagreement,
    )


@router.get(
    "/v1/exports/reviews.{form}",
    response_class=StreamingResponse,
    responses=_ANSWERS,
    summary="Export reviews",
)
def export_reviews(
    viewer: Reader, app: App, form: Format, query: Annotated[EventQuery, Query()]
) -> StreamingResponse:
    """Every review, oldest first."""
    wanted: EventFilter = query.filter()
    return download(
        app,
        "reviews",
        form,
        lambda c: reviews.export(c, viewer.project_id, wanted, judge_id=query.judge_id),
        columns=Review,
    )


@router.get(
    "/v1/exports/requirements.{form}",
    response_class=StreamingResponse,
    responses=_ANSWERS,
    summary="Export requirement lists",
)
def export_requirements(viewer: Reader, app: App, form: Format) -> StreamingResponse:
    """The current list of every task, under every judge."""
    project = viewer.project_id
    return download(
        app,
        "requirements",
        form,
        lambda c: paged(lambda cursor: requirements.page(c, project, cursor=cursor, limit=_PAGE)),
        columns=RequirementTask,
    )


@router.get(
    "/v1/exports/judges.{form}", response_class=StreamingResponse, responses=_ANSWERS, summary="Export judges"
)
def export_judges(viewer: Reader, app: App, form: Format) -> StreamingResponse:
    """The judges with evaluations in the project."""
    return download(app, "judges", form, lambda c: judges.used(c, viewer.project_id), columns=JudgeRow)


@router.get(
    "/v1/exports/samples.{form}",
    response_class=StreamingResponse,
    responses=_ANSWERS,
    summary="Export samples",
)
def export_samples(viewer: Reader, app: App, form: Format) -> StreamingResponse:
    """The newest random samples, newest first."""
    return download(app, "samples", form, lambda c: samples.newest(c, viewer.project_id), columns=Sample)


@router.get(
    "/v1/exports/keys.{form}", response_class=StreamingResponse, responses=_ANSWERS, summary="Export keys"
)
def export_keys(viewer: Admin, app: App, form: Format) -> StreamingResponse:
    """The project's keys, without their secrets."""
    return download(app, "keys", form, lambda c: keys.all_keys(c, viewer.project_id), columns=Key)


@router.get(
    "/v1/exports/audit.{form}",
    response_class=StreamingResponse,
    responses=_ANSWERS,
    summary="Export the audit log",
)
def export_audit(viewer: Admin, app: App, form: Format) -> StreamingResponse:
    """Newest first."""
    project = viewer.project_id
    return download(
        app,
        "audit",
        form,
        lambda c: paged(lambda cursor: audit.page(c, project, cursor=cursor, limit=_PAGE)),
        columns=AuditEntry,
    )


def _judge(app: Services, viewer: Viewer, judge_id: str | None) -> str:
    with app.store.read() as c:
        return judge_or_latest(c, viewer.project_id, judge_id)
