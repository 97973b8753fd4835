"""The judges page: a card for every judge identity that evaluated something here."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import Connection

from steelyard.judges.public_card import public_card
from steelyard.schemas.base import Record
from steelyard.schemas.cards import PublicCard
from steelyard.schemas.query import JudgeRow
from steelyard.schemas.summary import Coverage, EvaluatorSummary
from steelyard.store import judges, summaries

from .accuracy import band_range, labelled_of
from .asking import Asked, both, environments, event_filter
from .models import Choice, Empty
from .view import View

router = APIRouter()
CARDS = 12


class JudgeCard(Record):
    """A judge's identity, what it did in its latest evaluations, and its accuracy in the range.
    `consistency` None: not assessed yet; `public` None: the judge is not shipped with a card."""

    judge: JudgeRow
    labelled: int
    accuracy: EvaluatorSummary
    band_range: str | None
    coverage: Coverage
    estimated: bool
    per_second: float | None
    consistency: float | None = None
    public: PublicCard | None = None


class JudgesPage(Record):
    view: View
    envs: tuple[Choice, ...]
    cards: tuple[JudgeCard, ...]
    others: int = 0
    empty: Empty | None = None


@both(router, "/judges", template="judges.html", title="Judges")
def judges_page(c: Connection, ask: Asked) -> JudgesPage:
    view = ask.view()
    known = judges.identities(c, ask.project)
    envs = environments(c, ask.project, view)
    if not known:
        return JudgesPage(view=view, envs=envs, cards=(), empty=NO_JUDGE)
    rows = [judges.recent(c, ask.project, one) for one in known[:CARDS]]
    cards = tuple(_card(c, ask, row) for row in rows)
    return JudgesPage(view=view, envs=envs, cards=cards, others=max(len(known) - CARDS, 0))


NO_JUDGE = Empty(
    title="No judge has evaluated anything yet",
    advice="Log an event and wait a moment. The judge is chosen when the server starts:",
    paste="steelyard serve --judge embedded",
    link="/events",
    link_name="See events",
)


def _card(c: Connection, ask: Asked, row: JudgeRow) -> JudgeCard:
    summary = summaries.summary(c, ask.project, event_filter(ask.view()), judge_id=row.judge_id, now=ask.now)
    mean = row.latency_s_mean
    return JudgeCard(
        judge=row,
        labelled=labelled_of(summary),
        accuracy=summary.evaluator,
        band_range=band_range(summary.evaluator),
        coverage=summary.coverage,
        estimated=summary.estimated,
        per_second=1 / mean if mean else None,
        public=public_card(row.identity),
    )
