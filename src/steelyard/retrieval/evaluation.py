"""Requirements → support → metrics, for a batch of events and any judge. The caller keeps the requirement
lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from steelyard.errors import JudgeError
from steelyard.judges.protocol import Judge
from steelyard.schemas.event import Event
from steelyard.schemas.judging import SupportAnswer, SupportCase, Usage
from steelyard.schemas.numbers import Value
from steelyard.schemas.result import Evaluation, RequirementList
from steelyard.schemas.verdict import Unscored

from .documents import Documents
from .metrics import label_free
from .support import decide, nothing_to_judge
from .tasks import task_key

Requirements = Mapping[str, RequirementList | Unscored]
"""By task key: a list, or why the judge gave none."""


@dataclass(frozen=True)
class Asked:
    """What a judge answered when asked for requirements, by task key, and what each answer took."""

    requirements: dict[str, RequirementList | Unscored] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)


def tasks_of(events: Sequence[Event]) -> dict[str, str]:
    """By task key, every task and subquery of the events as first written: each is asked once per judge."""
    tasks: dict[str, str] = {}
    for event in events:
        for text in (event.task, event.subquery):
            if text is not None:
                tasks.setdefault(task_key(text), text)
    return tasks


def ask_requirements(tasks: Mapping[str, str], judge: Judge, *, now: datetime) -> Asked:
    """Version 1 of the requirements of each task (`tasks` by task key), from the task alone."""
    answers = judge.requirements(tuple(tasks.values())) if tasks else ()
    _same_length(answers, tasks, "requirements")
    asked = Asked()
    for key, answer in zip(tasks, answers, strict=True):
        if isinstance(answer, Unscored):
            asked.requirements[key] = answer
            continue
        asked.usage[key] = answer.usage
        asked.requirements[key] = RequirementList(
            task_key=key,
            judge_id=judge.identity.id,
            version=1,
            requirements=answer.requirements,
            estimated=answer.estimated,
            origin="judge",
            created_at=now,
        )
    return asked


def evaluate(
    events: Sequence[Event],
    judge: Judge,
    requirement_lists: Requirements,
    *,
    now: datetime,
    usage: Mapping[str, Usage] | None = None,
) -> list[Evaluation]:
    """One evaluation an event, in order.

    Tasks without a list in `requirement_lists` are asked for here; to keep the new lists, call
    `ask_requirements` first and hand the answers in (`usage` too: what they took is counted on the first
    event of the task). Raises `JudgeError` when the judge breaks its protocol; whatever the judge itself
    raises passes through.
    """
    missing = {key: text for key, text in tasks_of(events).items() if key not in requirement_lists}
    asked = ask_requirements(missing, judge, now=now)
    lists: Requirements = {**requirement_lists, **asked.requirements}
    took = {**(usage or {}), **asked.usage}
    slots = [_cases(event, lists) for event in events]
    cases = [case for pair in slots for case in pair if isinstance(case, SupportCase)]
    answers = judge.support(tuple(cases)) if cases else ()
    _same_length(answers, cases, "support")
    replies = iter(answers)
    evaluations = []
    for event, pair in zip(events, slots, strict=True):
        whole, hop = (next(replies) if isinstance(case, SupportCase) else case for case in pair)
        spent = [took.pop(key) for key in dict.fromkeys(tasks_of([event])) if key in took]
        evaluations.append(_evaluation(event, judge, lists, whole=whole, hop=hop, spent=spent, now=now))
    return evaluations


_Slot = SupportCase | SupportAnswer | Unscored | None


def _cases(event: Event, lists: Requirements) -> tuple[_Slot, _Slot]:
    return _case(event, event.task, lists), None if event.subquery is None else _case(
        event, event.subquery, lists
    )


def _case(event: Event, task: str, lists: Requirements) -> _Slot:
    """The question to the judge, or the answer itself where there is nothing to ask."""
    known = lists[task_key(task)]
    if isinstance(known, Unscored):
        return known
    passages = tuple(passage.text for passage in event.context if passage.text.strip())
    if not passages or not known.requirements:
        return nothing_to_judge()
    return SupportCase(task=task, requirements=known.requirements, passages=passages)


def _evaluation(
    event: Event,
    judge: Judge,
    lists: Requirements,
    *,
    whole: SupportAnswer | Unscored | None,
    hop: SupportAnswer | Unscored | None,
    spent: list[Usage],
    now: datetime,
) -> Evaluation:
    documents = Documents.of(event)
    known = lists[task_key(event.task)]
    decision = decide(event.context, documents, known, whole)
    metrics = None
    if decision.unscored is None:
        metrics = label_free(
            documents,
            requirements=len(decision.requirements),
            supported=decision.supported,
            cited=decision.cited,
            subquery_recall=_subquery_recall(event, documents, lists, hop),
        )
    return Evaluation(
        event_id=event.event_id,
        judge_id=judge.identity.id,
        requirements_version=known.version if isinstance(known, RequirementList) else 0,
        requirements=decision.requirements,
        passages=decision.passages,
        estimated=decision.estimated,
        label_free=metrics,
        unscored=decision.unscored,
        usage=total(spent + [answer.usage for answer in (whole, hop) if isinstance(answer, SupportAnswer)]),
        evaluated_at=now,
    )


def _subquery_recall(
    event: Event, documents: Documents, lists: Requirements, answer: SupportAnswer | Unscored | None
) -> Value | None:
    if event.subquery is None:
        return None
    decision = decide(event.context, documents, lists[task_key(event.subquery)], answer)
    if decision.unscored is not None:
        return Value.undefined(f"unscored: {decision.unscored.detail}")
    if not decision.requirements:
        return Value.undefined("the subquery has no requirements")
    return Value.of(decision.supported / len(decision.requirements))


def total(usages: Sequence[Usage]) -> Usage:
    """The sum; the cost is None when any part with calls has no known price."""
    unknown = any(part.cost_usd is None and part.calls for part in usages)
    priced = [part.cost_usd for part in usages if part.cost_usd is not None]
    return Usage(
        latency_s=sum(part.latency_s for part in usages),
        prompt_tokens=sum(part.prompt_tokens for part in usages),
        completion_tokens=sum(part.completion_tokens for part in usages),
        calls=sum(part.calls for part in usages),
        cached_calls=sum(part.cached_calls for part in usages),
        cost_usd=None if unknown or not priced else sum(priced),
    )


def _same_length(
    answers: Sequence[object], cases: Sequence[object] | Mapping[str, str], question: str
) -> None:
    if len(answers) != len(cases):
        raise JudgeError(
            f"the judge gave {len(answers)} answers to {len(cases)} cases of {question}",
            hint="A judge answers every case, in the order asked, with an answer or an Unscored.",
        )
