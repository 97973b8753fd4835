"""Labelling a random sample by forms: drawing one, and going through its events one after another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from sqlalchemy import Connection
from starlette.responses import Response

from steelyard.access.services import Services, services
from steelyard.access.viewer import Viewer, require_form
from steelyard.retrieval.sample import ENOUGH
from steelyard.schemas.base import Record
from steelyard.schemas.query import EventFilter
from steelyard.schemas.samples import Drawn, Sample
from steelyard.store import samples
from steelyard.store.samples import LARGEST

from .forms import act, see_other
from .view import query, read_view

router = APIRouter()
SIZE = 50
NEXT = 10


class SampleLink(Record):
    """An event to label and where its form is."""

    drawn: Drawn
    link: str


class Sampling(Record):
    """The samples that cover a view, newest first, the next events of the newest one, and the form that draws
    another. `enough` labelled ones begin to correct the means."""

    samples: tuple[Sample, ...]
    next: tuple[SampleLink, ...]
    size: int = SIZE
    most: int = LARGEST
    enough: int = ENOUGH


def sampling_of(c: Connection, project_id: str, filter: EventFilter) -> Sampling:
    """What the accuracy page shows of samples."""
    found = samples.covering(c, project_id, filter)
    following = samples.queue(c, project_id, found[0].id, limit=NEXT).next if found else ()
    links = tuple(
        SampleLink(drawn=drawn, link=label_link(drawn.event_id, found[0].id)) for drawn in following
    )
    return Sampling(samples=found, next=links)


def label_link(event_id: str, sample_id: str) -> str:
    """An event's label form, which goes on to the sample's next event."""
    return "/event" + query({"id": event_id, "sample": sample_id}) + "#label"


def after_labelling(c: Connection, project_id: str, sample_id: str) -> str:
    """The sample's next event, or the page that shows what its labels say. Raises `NotFound`."""
    following = samples.queue(c, project_id, sample_id, limit=1).next
    return label_link(following[0].event_id, sample_id) if following else "/accuracy#h-corrected"


@router.post("/samples/draw", include_in_schema=False)
def draw(
    viewer: Annotated[Viewer, Depends(require_form)],
    app: Annotated[Services, Depends(services)],
    size: Annotated[int, Form(ge=1, le=LARGEST)] = SIZE,
    start: Annotated[str, Form(max_length=64)] = "",
    end: Annotated[str, Form(max_length=64)] = "",
    env: Annotated[str, Form(max_length=512)] = "",
) -> Response:
    """Draws from the evaluated events of the page's range and environment and opens the first one's form."""
    times = {name: text for name, text in (("from", start), ("to", end)) if text}
    view = read_view({"range": "custom", "env": env, **times}, now=datetime.now(UTC))
    wanted = EventFilter(env=view.env, start=view.start, end=view.end)
    made = act(
        app,
        viewer,
        lambda c, now: samples.draw(c, viewer.project_id, wanted, size=size, author=viewer.actor, now=now),
        action="sample.draw",
        subject=lambda sample: sample.id,
        detail=lambda sample: {"size": sample.size, "population": sample.population},
    )
    with app.store.read() as c:
        return see_other(after_labelling(c, viewer.project_id, made.id))
