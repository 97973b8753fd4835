"""Disagreements of judge and label as a queue, and the reviews that settle them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from steelyard.schemas.base import Input
from steelyard.schemas.query import Decision, Disagreement, DisagreementKind, Page, Review, ReviewProgress
from steelyard.store import disagreements, reviews

from ..filters import NO_NUL, EventQuery, PageQuery, Truth
from ..inputs import body, documented
from .parts import Act, App, Reader, Writer, change, judge_or_latest

router = APIRouter(tags=["disagreements"])


class DisagreementQuery(EventQuery, PageQuery):
    """Which disagreements of which events."""

    kind: DisagreementKind | None = None
    reviewed: Truth | None = Field(
        None, description="Only those reviewed, or only those open; both when absent."
    )


class ReviewInput(Input):
    """A reviewer's decision on the document of an event whose first passage is at 0-based `position`."""

    event_id: str = Field(min_length=1, max_length=128, pattern=NO_NUL)
    position: int = Field(ge=0, lt=1_000_000)
    decision: Decision
    judge_id: str | None = Field(None, min_length=1, max_length=256, pattern=NO_NUL)
    reason: str | None = Field(None, max_length=2_000, pattern=NO_NUL)


@router.get("/v1/disagreements", responses={404: {}}, summary="List disagreements")
def list_disagreements(
    viewer: Reader, app: App, query: Annotated[DisagreementQuery, Query()]
) -> Page[Disagreement]:
    """Documents on which the judge and the label disagree, newest event first; some agreements drawn at
    random stand among them."""
    with app.store.read() as c:
        judge_id = judge_or_latest(c, viewer.project_id, query.judge_id)
        return disagreements.page(
            c,
            viewer.project_id,
            query.filter(),
            judge_id=judge_id,
            kind=query.kind,
            reviewed=query.reviewed,
            cursor=query.cursor,
            limit=query.limit,
        )


@router.post(
    "/v1/reviews", openapi_extra=documented(ReviewInput), responses={404: {}}, summary="Review a disagreement"
)
def add_review(
    viewer: Writer, app: App, review: Annotated[ReviewInput, Depends(body(ReviewInput))]
) -> Review:
    """`judge_right` amends the label by a new version; metrics follow."""
    with app.store.read() as c:
        judge_id = judge_or_latest(c, viewer.project_id, review.judge_id)
    return change(
        app,
        viewer,
        lambda c, now: reviews.add(
            c,
            viewer.project_id,
            review.event_id,
            position=review.position,
            judge_id=judge_id,
            decision=review.decision,
            reason=review.reason,
            reviewer=viewer.actor,
            now=now,
        ),
        act=lambda made: Act(
            "review.add", made.event_id, {"position": made.position, "decision": str(made.decision)}
        ),
    )


@router.get("/v1/reviews/progress", responses={404: {}}, summary="See how far the review is")
def get_progress(viewer: Reader, app: App, query: Annotated[EventQuery, Query()]) -> ReviewProgress:
    """Decisions by kind, and what is still open."""
    with app.store.read() as c:
        judge_id = judge_or_latest(c, viewer.project_id, query.judge_id)
        return reviews.progress(c, viewer.project_id, query.filter(), judge_id=judge_id)
