"""Judges: who judged in the project, and each one's card on the project's own labels."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from steelyard.errors import NotFound
from steelyard.judges.public_card import public_card
from steelyard.schemas.base import Record
from steelyard.schemas.cards import PublicCard
from steelyard.schemas.query import JudgeRow
from steelyard.schemas.summary import Coverage, EvaluatorSummary
from steelyard.store import judges, summaries

from ..filters import EventQuery
from .parts import App, Id, Items, Reader

router = APIRouter(tags=["judges"])


class Judges(Items):
    """The judges with evaluations in the project, latest used first."""

    items: tuple[JudgeRow, ...]


class JudgeCard(Record):
    """What a judge did and how accurate it is on the project's own labels; `public`: on public sets, None for
    judges that are not shipped."""

    judge: JudgeRow
    accuracy: EvaluatorSummary
    coverage: Coverage
    estimated: bool
    public: PublicCard | None


@router.get("/v1/judges", summary="List judges")
def list_judges(viewer: Reader, app: App) -> Judges:
    """Identity, use, speed and cost of each."""
    with app.store.read() as c:
        return Judges(items=judges.used(c, viewer.project_id))


@router.get("/v1/judges/{judge_id}/card", responses={404: {}}, summary="Get a judge's card")
def get_card(viewer: Reader, app: App, judge_id: Id, query: Annotated[EventQuery, Query()]) -> JudgeCard:
    """Accuracy with intervals on the matching labelled events, and coverage."""
    now = datetime.now(UTC)
    wanted = query.filter(now=now)
    with app.store.read() as c:
        row = next((row for row in judges.used(c, viewer.project_id) if row.judge_id == judge_id), None)
        if row is None:
            raise NotFound(f"the judge {judge_id[:80]!r} has evaluated nothing here", field="judge_id")
        summary = summaries.summary(c, viewer.project_id, wanted, judge_id=judge_id, now=now)
    return JudgeCard(
        judge=row,
        accuracy=summary.evaluator,
        coverage=summary.coverage,
        estimated=summary.estimated,
        public=public_card(row.identity),
    )
