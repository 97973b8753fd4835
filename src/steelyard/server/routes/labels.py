"""Gold labels: amended by a new version, never overwritten."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from steelyard.schemas.base import Input
from steelyard.schemas.event import DocumentId
from steelyard.schemas.query import Label
from steelyard.store import labels

from ..filters import NO_NUL, Line
from ..filters import Query as QueryModel
from ..inputs import body, documented
from .parts import Act, App, Items, Reader, Writer, change

router = APIRouter(tags=["labels"])


class LabelInput(Input):
    """A new label of an event. `gold_doc_ids` empty: nothing is relevant; null: unlabelled again."""

    event_id: str = Field(min_length=1, max_length=128, pattern=NO_NUL)
    gold_doc_ids: tuple[Annotated[DocumentId, Field(max_length=1_024, pattern=NO_NUL)], ...] | None = Field(
        max_length=1_000
    )
    answer: str | None = Field(None, max_length=20_000)
    reason: str | None = Field(None, max_length=2_000, pattern=NO_NUL)


class LabelQuery(QueryModel):
    """Which event."""

    event_id: Line


class Labels(Items):
    """All versions of an event's label, newest first."""

    items: tuple[Label, ...]


@router.get("/v1/labels", responses={404: {}}, summary="List an event's labels")
def list_labels(viewer: Reader, app: App, query: Annotated[LabelQuery, Query()]) -> Labels:
    """All versions, newest first."""
    with app.store.read() as c:
        return Labels(items=labels.history(c, viewer.project_id, query.event_id))


@router.post("/v1/labels", openapi_extra=documented(LabelInput), responses={404: {}}, summary="Amend a label")
def add_label(viewer: Writer, app: App, label: Annotated[LabelInput, Depends(body(LabelInput))]) -> Label:
    """Makes a new version; ground-truth and evaluator metrics of the event follow at once."""
    return change(
        app,
        viewer,
        lambda c, now: labels.add(
            c,
            viewer.project_id,
            label.event_id,
            gold_doc_ids=label.gold_doc_ids,
            answer=label.answer,
            author=viewer.actor,
            reason=label.reason,
            now=now,
        ),
        act=lambda made: Act("label.amend", made.event_id, {"version": made.version}),
    )
