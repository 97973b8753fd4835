"""The disagreements page: a queue of documents on which judge and label differ, decided by key or by form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from sqlalchemy import Connection
from starlette.responses import Response

from steelyard.access.services import Services, services
from steelyard.access.viewer import Viewer, require_form
from steelyard.errors import InvalidInput
from steelyard.schemas.base import Record
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.query import (
    Decision,
    Disagreement,
    DisagreementKind,
    EventFilter,
    ReviewProgress,
    StoredEvent,
)
from steelyard.schemas.result import Evaluation
from steelyard.schemas.summary import Summary
from steelyard.store import disagreements, events, reviews

from .asking import Asked, both, chosen_judge, environments, event_filter, nothing_here
from .forms import act, see_other
from .models import Choice, Empty, JudgeName
from .passages import PassageView, passage_views
from .view import View, query
from .wording import KIND_WORDS

router = APIRouter()
QUEUE = 25
SHOWN = ("open", "reviewed", "all")


class QueueItem(Record):
    """One line of the queue."""

    disagreement: Disagreement
    link: str
    chosen: bool


class Current(Record):
    """The item under review, with the passage as the event page shows it. `undecidable` says why the label
    cannot follow the judge here."""

    disagreement: Disagreement
    passage: PassageView
    gold: tuple[str, ...]
    previous: str | None
    next: str | None
    undecidable: str | None


class AccuracyRow(Record):
    """One metric with the labels as first given and as amended."""

    name: str
    original: Estimate
    amended: Estimate


class DisagreementsPage(Record):
    view: View
    show: str
    kind: str | None
    judge: JudgeName | None
    judges: tuple[Choice, ...]
    envs: tuple[Choice, ...]
    kinds: tuple[Choice, ...] = ()
    queue: tuple[QueueItem, ...] = ()
    more: str | None = None
    first: str | None = None
    current: Current | None = None
    progress: ReviewProgress | None = None
    accuracy: tuple[AccuracyRow, ...] = ()
    csv: str | None = None
    jsonl: str | None = None
    empty: Empty | None = None


@both(router, "/disagreements", template="disagreements.html", title="Disagreements")
def disagreements_page(c: Connection, ask: Asked) -> DisagreementsPage:
    view = ask.view()
    judge, choices = chosen_judge(c, ask.project, view.judge)
    envs = environments(c, ask.project, view)
    show = ask.params.get("show") or "open"
    if show not in SHOWN:
        raise InvalidInput(f"show {show!r} is not one of {', '.join(SHOWN)}", field="show")
    kind = _kind(ask.params.get("kind"))
    state = {"show": None if show == "open" else show, "kind": kind.value if kind else None}
    if judge is None:
        empty = nothing_here(c, ask, view, "/disagreements")
        return DisagreementsPage(
            view=view, show=show, kind=state["kind"], judge=None, judges=(), envs=envs, empty=empty
        )
    chosen = event_filter(view)
    cursor = ask.params.get("cursor") or None
    found = disagreements.page(
        c,
        ask.project,
        chosen,
        judge_id=judge.id,
        kind=kind,
        reviewed={"open": False, "reviewed": True, "all": None}[show],
        cursor=cursor,
        limit=QUEUE,
    )
    progress = reviews.progress(c, ask.project, chosen, judge_id=judge.id)

    def link(item: Disagreement) -> str:
        at = {"event": item.event_id, "position": str(item.position), "cursor": cursor}
        return "/disagreements" + view.query(**state, **at)

    at = _index(found.items, ask.params)
    before_after = reviews.accuracy(c, ask.project, chosen, judge_id=judge.id)
    more = "/disagreements" + view.query(**state, cursor=found.next_cursor) if found.next_cursor else None
    return DisagreementsPage(
        view=view,
        show=show,
        kind=state["kind"],
        judge=judge,
        judges=choices,
        envs=envs,
        kinds=tuple(Choice(value=k, name=KIND_WORDS[k], chosen=k == kind) for k in DisagreementKind),
        queue=tuple(
            QueueItem(disagreement=item, link=link(item), chosen=i == at)
            for i, item in enumerate(found.items)
        ),
        more=more,
        first="/disagreements" + view.query(**state) if cursor else None,
        current=None
        if at is None
        else current_of(
            found.items[at],
            events.get(c, ask.project, found.items[at].event_id),
            previous=link(found.items[at - 1]) if at else None,
            next=link(found.items[at + 1]) if at + 1 < len(found.items) else more,
        ),
        progress=progress,
        accuracy=accuracy_rows(before_after.original, before_after.amended),
        csv=export_link(chosen, judge.id, "csv"),
        jsonl=export_link(chosen, judge.id, "jsonl"),
    )


def _kind(text: str | None) -> DisagreementKind | None:
    if not text:
        return None
    if text not in list(DisagreementKind):
        raise InvalidInput(f"kind {text!r} is not one of {', '.join(DisagreementKind)}", field="kind")
    return DisagreementKind(text)


def _index(items: tuple[Disagreement, ...], params: Mapping[str, str]) -> int | None:
    """The item the URL names, else the first; None in an empty queue."""
    if not items:
        return None
    wanted = (params.get("event"), params.get("position"))
    return next((i for i, item in enumerate(items) if (item.event_id, str(item.position)) == wanted), 0)


def current_of(item: Disagreement, stored: StoredEvent, *, previous: str | None, next: str | None) -> Current:
    views = passage_views(stored.event, evaluation_by(stored, item.judge_id), stored.gold)
    by_position = {view.position: view for view in views}
    return Current(
        disagreement=item,
        passage=by_position[item.position],
        gold=stored.gold or (),
        previous=previous,
        next=next,
        undecidable=None
        if item.passage_id is not None or item.kind is DisagreementKind.AGREEMENT
        else "the passage has no id, so a label cannot name it; log passages with ids",
    )


def evaluation_by(stored: StoredEvent, judge_id: str) -> Evaluation | None:
    """The judge's current evaluation of the event, else its newest."""
    mine = [one for one in stored.evaluations if one.evaluation.judge_id == judge_id]
    return next((one.evaluation for one in mine if one.current), mine[0].evaluation if mine else None)


def accuracy_rows(original: Summary, amended: Summary) -> tuple[AccuracyRow, ...]:
    names = {"precision": "Precision", "recall": "Recall", "f1": "F1", "exact_match": "Exact match"}
    return tuple(
        AccuracyRow(
            name=word, original=getattr(original.evaluator, name), amended=getattr(amended.evaluator, name)
        )
        for name, word in names.items()
    )


def export_link(chosen: EventFilter, judge_id: str, form: str) -> str:
    """The API's stream of every disagreement of the range."""
    return f"/v1/exports/disagreements.{form}" + query(
        {
            "env": chosen.env,
            "judge_id": judge_id,
            "start": chosen.start.isoformat() if chosen.start else None,
            "end": chosen.end.isoformat() if chosen.end else None,
        }
    )


@router.post("/disagreements/decide", include_in_schema=False)
def decide(
    viewer: Annotated[Viewer, Depends(require_form)],
    app: Annotated[Services, Depends(services)],
    event_id: Annotated[str, Form()],
    position: Annotated[int, Form(ge=0, lt=1_000_000)],
    judge_id: Annotated[str, Form()],
    decision: Annotated[Decision, Form()],
    reason: Annotated[str, Form(max_length=2_000)] = "",
    then: Annotated[str, Form()] = "/disagreements",
) -> Response:
    """Notes who was right and goes on to the next item."""
    act(
        app,
        viewer,
        lambda c, now: reviews.add(
            c,
            viewer.project_id,
            event_id,
            position=position,
            judge_id=judge_id,
            decision=decision,
            reason=reason.strip() or None,
            reviewer=viewer.actor,
            now=now,
        ),
        action="review.add",
        subject=event_id,
        detail=lambda made: {"position": made.position, "decision": str(made.decision)},
    )
    ours = then == "/disagreements" or then.startswith("/disagreements?")
    return see_other(then if ours else "/disagreements")
