"""Events: logged one by one or in batches, read, listed, deleted."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from steelyard.errors import Conflict, InvalidInput, SteelyardError
from steelyard.schemas.base import Record
from steelyard.schemas.event import Receipt
from steelyard.schemas.query import Deleted, EventRow, Page, StoredEvent
from steelyard.store import events, retention

from ..filters import EventPageQuery
from ..ingest import Ingest, ingest
from ..inputs import documented
from .parts import Act, Admin, App, Id, Reader, Writer, change

router = APIRouter(tags=["events"])
Way = Annotated[Ingest, Depends(ingest)]


class Receipts(Record):
    """One receipt an event of the batch, in its order."""

    receipts: tuple[Receipt, ...]


@router.post(
    "/v1/log",
    response_model=Receipt,
    openapi_extra=documented("EventInput"),
    responses={409: {}},
    summary="Log one event",
)
async def log_event(request: Request, viewer: Writer, way: Way) -> Response:
    """Stores one event; answered after the commit. The same id with the same body again is a `duplicate`,
    with another body a conflict."""
    receipt = await way.one(request, viewer.project_id)
    if receipt.error is not None:
        raise _error_of(receipt)
    return _json(receipt)


@router.post(
    "/v1/events",
    response_model=Receipts,
    openapi_extra=documented("BatchInput"),
    summary="Log a batch of events",
)
async def log_events(request: Request, viewer: Writer, way: Way) -> Response:
    """Stores the valid events of a batch; answered after the commit, each with a receipt of its own."""
    return _json(Receipts(receipts=await way.batch(request, viewer.project_id)))


@router.get("/v1/events", summary="List events")
def list_events(viewer: Reader, app: App, query: Annotated[EventPageQuery, Query()]) -> Page[EventRow]:
    """Newest first by `created_at`."""
    with app.store.read() as c:
        return events.page(
            c, viewer.project_id, query.filter(judged=True), cursor=query.cursor, limit=query.limit
        )


@router.get("/v1/events/{event_id:path}", responses={404: {}}, summary="Get an event")
def get_event(viewer: Reader, app: App, event_id: Id) -> StoredEvent:
    """The event as sent, its status, current label, evaluations and metrics."""
    with app.store.read() as c:
        return events.get(c, viewer.project_id, event_id)


@router.delete("/v1/events/{event_id:path}", responses={404: {}}, summary="Delete an event")
def delete_event(viewer: Admin, app: App, event_id: Id) -> Deleted:
    """Deletes the event with its evaluations, labels and reviews, for good."""
    return change(
        app,
        viewer,
        lambda c, now: retention.delete_event(c, viewer.project_id, event_id, now=now),
        act=lambda deleted: Act("event.delete", event_id, deleted.model_dump()),
    )


@router.delete("/v1/users/{user:path}", summary="Delete a user's events")
def delete_user(viewer: Admin, app: App, user: Id) -> Deleted:
    """Deletes every event whose `metadata.user` or `metadata.user_id` is this text, for good."""
    return change(
        app,
        viewer,
        lambda c, now: retention.delete_user(c, viewer.project_id, user, now=now),
        act=lambda deleted: Act("user.delete", "user", deleted.model_dump()),
    )


def _json(record: Record) -> Response:
    return Response(record.model_dump_json(exclude_unset=True), media_type="application/json")


def _error_of(receipt: Receipt) -> SteelyardError:
    assert receipt.error is not None
    kind = Conflict if receipt.error.code == Conflict.code else InvalidInput
    return kind(receipt.error.message, field=receipt.error.field, hint=receipt.error.hint)
