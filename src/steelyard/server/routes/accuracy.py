"""Evaluator accuracy: how far the judge agrees with gold labels, with intervals and bands."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from steelyard.schemas.base import Record
from steelyard.schemas.query import ReviewProgress
from steelyard.schemas.summary import Corrected, Coverage, EvaluatorSummary, GroundTruthSummary
from steelyard.store import judges, reviews, summaries

from ..filters import SummaryQuery
from .parts import App, Reader, judge_or_latest

router = APIRouter(tags=["accuracy"])


class Accuracy(Record):
    """One judge against the labels of the matching events. `original` are the evaluator metrics with the
    labels as first given, None while no review amended one; `reviews` says how far the review is."""

    n: int
    judge_id: str | None
    evaluator: EvaluatorSummary
    original: EvaluatorSummary | None
    ground_truth: GroundTruthSummary
    coverage: Coverage
    corrected: Corrected
    reviews: ReviewProgress | None


@router.get("/v1/accuracy", responses={404: {}}, summary="Get evaluator accuracy")
def get_accuracy(viewer: Reader, app: App, query: Annotated[SummaryQuery, Query()]) -> Accuracy:
    """Evaluator precision, recall, F1 and exact match with intervals and bands, beside the ground truth."""
    now = datetime.now(UTC)
    wanted = query.filter(now=now)
    project = viewer.project_id
    with app.store.read() as c:
        if query.judge_id is None and judges.latest(c, project) is None:
            judge_id, reviewed = None, None
        else:
            judge_id = judge_or_latest(c, project, query.judge_id)
            reviewed = reviews.progress(c, project, wanted, judge_id=judge_id)
        summary = summaries.summary(
            c,
            project,
            wanted,
            judge_id=judge_id,
            now=now,
            labelled_are_sample=query.labelled_are_sample,
        )
        original = None
        if reviewed is not None and reviewed.judge_right and judge_id is not None:
            original = reviews.accuracy(c, project, wanted, judge_id=judge_id).original.evaluator
    return Accuracy(
        n=summary.n,
        judge_id=summary.judge_id,
        evaluator=summary.evaluator,
        original=original,
        ground_truth=summary.ground_truth,
        coverage=summary.coverage,
        corrected=summary.corrected,
        reviews=reviewed,
    )
