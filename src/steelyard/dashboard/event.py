"""The event page: one retrieval, what judge and labels say of it, and the forms that amend both."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form
from sqlalchemy import Connection
from starlette.responses import Response

from steelyard.access.services import Services, services
from steelyard.access.viewer import Viewer, require_form
from steelyard.errors import InvalidInput, NotFound
from steelyard.retrieval.documents import Documents
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.base import Record
from steelyard.schemas.event import Status
from steelyard.schemas.judging import JudgeIdentity, Requirement, Usage
from steelyard.schemas.query import Label, StoredEvaluation
from steelyard.schemas.result import (
    EvaluatorMetrics,
    GroundTruthMetrics,
    LabelFree,
    RequirementList,
    RequirementVerdict,
)
from steelyard.schemas.samples import Sample
from steelyard.schemas.verdict import Unscored
from steelyard.store import events, judges, labels, requirements, samples

from .asking import Asked, both
from .forms import act, see_other
from .passages import PassageView, passage_views
from .render import event_link
from .sampling import after_labelling
from .view import query

router = APIRouter()


class EvaluationChoice(Record):
    """One of an event's evaluations, to look at instead of the shown one."""

    judge_id: str
    version: int
    evaluated_at: datetime
    current: bool
    shown: bool
    link: str


class EventPage(Record):
    """`documents` are the unique ones, `passages` every one. A metric group is None when nothing defines
    it: no evaluation yet, or no label."""

    event_id: str
    task: str
    status: Status
    reason: str | None
    created_at: datetime
    received_at: datetime
    sample_rate: float
    trace_id: str | None
    subquery: str | None
    metadata: dict[str, Any]
    passages: tuple[PassageView, ...]
    documents: int
    requirements: tuple[RequirementVerdict, ...]
    requirement_list: RequirementList | None
    estimated: bool
    label_free: LabelFree | None
    unscored: Unscored | None
    usage: Usage | None
    ground_truth: GroundTruthMetrics | None
    evaluator: EvaluatorMetrics | None
    judge_id: str | None
    judge: JudgeIdentity | None
    evaluations: tuple[EvaluationChoice, ...]
    label: Label | None
    gold_elsewhere: tuple[str, ...]
    label_history: tuple[Label, ...]
    raw: dict[str, Any]
    sample: Sample | None = None


@both(router, "/event", template="event.html", title="Event")
def event_page(c: Connection, ask: Asked) -> EventPage:
    event_id = ask.params.get("id")
    if not event_id:
        raise NotFound("no event is named", field="id", hint="Open one from the list of events.")
    sample_id = ask.params.get("sample")
    stored = events.get(c, ask.project, event_id)
    event = stored.event
    shown = choose(stored.evaluations, ask.params)
    evaluation = shown.evaluation if shown else None
    present = {passage.id for passage in event.context}
    return EventPage(
        event_id=event.event_id,
        task=event.task,
        status=stored.status,
        reason=stored.reason,
        created_at=event.created_at,
        received_at=stored.received_at,
        sample_rate=event.sample_rate,
        trace_id=event.trace_id,
        subquery=event.subquery,
        metadata=dict(event.metadata),
        passages=passage_views(event, evaluation, stored.gold),
        documents=len(Documents.of(event)),
        requirements=evaluation.requirements if evaluation else (),
        requirement_list=_list_of(c, ask.project, event.task, shown),
        estimated=evaluation.estimated if evaluation else False,
        label_free=evaluation.label_free if evaluation else None,
        unscored=evaluation.unscored if evaluation else None,
        usage=evaluation.usage if evaluation else None,
        ground_truth=stored.ground_truth,
        evaluator=shown.evaluator if shown else None,
        judge_id=evaluation.judge_id if evaluation else None,
        judge=judges.get(c, evaluation.judge_id) if evaluation else None,
        evaluations=tuple(
            EvaluationChoice(
                judge_id=one.evaluation.judge_id,
                version=one.evaluation.requirements_version,
                evaluated_at=one.evaluation.evaluated_at,
                current=one.current,
                shown=one is shown,
                link="/event"
                + query(
                    {
                        "id": event_id,
                        "judge": one.evaluation.judge_id,
                        "version": str(one.evaluation.requirements_version),
                    }
                ),
            )
            for one in stored.evaluations
        ),
        label=stored.label,
        gold_elsewhere=tuple(gold for gold in stored.gold or () if gold not in present),
        label_history=labels.history(c, ask.project, event_id),
        raw=event.model_dump(mode="json"),
        sample=samples.get(c, ask.project, sample_id) if sample_id else None,
    )


def choose(found: tuple[StoredEvaluation, ...], params: Any) -> StoredEvaluation | None:
    """The evaluation asked for by judge and version, else the current one, else the newest."""
    judge, version = params.get("judge"), params.get("version")
    wanted = [
        one
        for one in found
        if (not judge or one.evaluation.judge_id == judge)
        and (not version or str(one.evaluation.requirements_version) == version)
    ]
    return next((one for one in wanted if one.current), wanted[0] if wanted else None)


def _list_of(
    c: Connection, project_id: str, task: str, shown: StoredEvaluation | None
) -> RequirementList | None:
    if shown is None:
        return None
    return requirements.current(c, project_id, task_key(task), judge_id=shown.evaluation.judge_id)


@router.post("/event/label", include_in_schema=False)
def amend_label(
    viewer: Annotated[Viewer, Depends(require_form)],
    app: Annotated[Services, Depends(services)],
    event_id: Annotated[str, Form()],
    gold: Annotated[tuple[str, ...], Form()] = (),
    others: Annotated[str, Form()] = "",
    reason: Annotated[str, Form(max_length=2_000)] = "",
    action: Annotated[str, Form()] = "amend",
    sample: Annotated[str, Form(max_length=128)] = "",
) -> Response:
    """Amends the label: ticked documents and those typed, one a line; `action` `remove` takes it back. With a
    `sample`, its next event comes next."""
    ids = [*gold, *(line.strip() for line in others.splitlines() if line.strip())]
    kept = None if action == "remove" else list(dict.fromkeys(ids))
    act(
        app,
        viewer,
        lambda c, now: labels.add(
            c,
            viewer.project_id,
            event_id,
            gold_doc_ids=kept,
            author=viewer.actor,
            reason=reason.strip() or None,
            now=now,
        ),
        action="label.amend",
        subject=event_id,
        detail=lambda made: {"version": made.version},
    )
    if not sample:
        return see_other(event_link(event_id) + "#label")
    with app.store.read() as c:
        return see_other(after_labelling(c, viewer.project_id, sample))


@router.post("/event/requirements", include_in_schema=False)
def edit_requirements(
    viewer: Annotated[Viewer, Depends(require_form)],
    app: Annotated[Services, Depends(services)],
    event_id: Annotated[str, Form()],
    judge_id: Annotated[str, Form()],
    lines: Annotated[str, Form(max_length=50_000)] = "",
) -> Response:
    """A new version of the task's list, one requirement a line; the task's events are evaluated again."""
    texts = [line.strip() for line in lines.splitlines() if line.strip()]
    if not texts:
        raise InvalidInput("a task has at least one requirement", field="lines", hint="Write one a line.")
    with app.store.read() as c:
        key = task_key(events.get(c, viewer.project_id, event_id).event.task)
        before = requirements.current(c, viewer.project_id, key, judge_id=judge_id)
    slots = {one.text for one in before.requirements if one.slot} if before else set()
    act(
        app,
        viewer,
        lambda c, now: requirements.edit(
            c,
            viewer.project_id,
            key,
            judge_id=judge_id,
            requirements=[Requirement(text=text, slot=text in slots) for text in texts],
            author=viewer.actor,
            now=now,
        ),
        action="requirements.edit",
        subject=key,
        detail=lambda made: {"judge_id": judge_id, "version": made.version},
    )
    app.engine.wake()
    return see_other(event_link(event_id) + "#requirements")
