"""Random samples to label: drawn, listed, and the next events of each."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from steelyard.errors import InvalidInput
from steelyard.retrieval.fields import timestamp
from steelyard.schemas.base import Input
from steelyard.schemas.query import EventFilter
from steelyard.schemas.samples import Sample, SampleQueue
from steelyard.store import samples

from ..filters import NO_NUL, TIME_PATTERN, Limit
from ..filters import Query as QueryModel
from ..inputs import body, documented
from .parts import Act, App, Id, Items, Reader, Writer, change

router = APIRouter(tags=["samples"])
Name = Annotated[str, Field(min_length=1, max_length=512, pattern=NO_NUL)]
Moment = Annotated[str, Field(max_length=64, pattern=TIME_PATTERN, json_schema_extra={"format": "date-time"})]


class SampleInput(Input):
    """How many events to draw of which traffic; `seed` repeats a draw."""

    size: int = Field(50, ge=1, le=samples.LARGEST)
    env: Name | None = None
    dataset: Name | None = None
    feature_flag: Name | None = None
    start: Moment | None = Field(None, description="`created_at` from, RFC 3339.")
    end: Moment | None = Field(None, description="`created_at` before, RFC 3339.")
    seed: int | None = Field(None, ge=0, lt=2**32)

    def filter(self) -> EventFilter:
        """Raises `InvalidInput` for times that are none, and for an end that is not after the start."""
        start = None if self.start is None else timestamp(self.start, "/start")
        end = None if self.end is None else timestamp(self.end, "/end")
        if start and end and start >= end:
            raise InvalidInput("start is not before end", field="/start")
        return EventFilter(
            env=self.env, dataset=self.dataset, feature_flag=self.feature_flag, start=start, end=end
        )


class NextQuery(QueryModel):
    """How many of the next events."""

    limit: Limit = 25


class Samples(Items):
    """The newest samples, newest first."""

    items: tuple[Sample, ...]


@router.get("/v1/samples", summary="List samples")
def list_samples(viewer: Reader, app: App) -> Samples:
    """What was drawn from, by which seed, and how far the labelling is."""
    with app.store.read() as c:
        return Samples(items=samples.newest(c, viewer.project_id))


@router.get("/v1/samples/{sample_id}", responses={404: {}}, summary="Get a sample's next events to label")
def get_sample(viewer: Reader, app: App, sample_id: Id, query: Annotated[NextQuery, Query()]) -> SampleQueue:
    """In the order drawn, which is the order to label in."""
    with app.store.read() as c:
        return samples.queue(c, viewer.project_id, sample_id, limit=query.limit)


@router.post(
    "/v1/samples",
    openapi_extra=documented(SampleInput),
    responses={409: {}},
    summary="Label a random sample",
)
def draw_sample(
    viewer: Writer, app: App, wanted: Annotated[SampleInput, Depends(body(SampleInput))]
) -> Sample:
    """Draws evaluated events at random; once enough of them are labelled, the means of all that traffic are
    corrected by these labels."""
    return change(
        app,
        viewer,
        lambda c, now: samples.draw(
            c,
            viewer.project_id,
            wanted.filter(),
            size=wanted.size,
            author=viewer.actor,
            now=now,
            seed=wanted.seed,
        ),
        act=lambda made: Act("sample.draw", made.id, {"size": made.size, "population": made.population}),
    )
