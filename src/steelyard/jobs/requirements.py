"""One denominator for every retriever: a stored requirement list is used again, a new one stored once."""

from collections.abc import Sequence
from datetime import datetime

from steelyard.judges.protocol import Judge
from steelyard.retrieval.evaluation import Asked, ask_requirements, tasks_of
from steelyard.schemas.event import Event
from steelyard.schemas.result import RequirementList
from steelyard.store import Store, requirements


def ask(store: Store, project_id: str, events: Sequence[Event], judge: Judge, *, now: datetime) -> Asked:
    """The requirements of every task and subquery among `events`; where the judge made none, why not.

    The judge is asked only for tasks without a list under its identity. When two processes ask for one task
    at once, both get the list that was stored first.
    """
    tasks = tasks_of(events)
    judge_id = judge.identity.id
    with store.read() as connection:
        known = requirements.current_lists(connection, project_id, list(tasks), judge_id=judge_id)
    missing = {key: text for key, text in tasks.items() if key not in known}
    asked = ask_requirements(missing, judge, now=now)
    made = [made for made in asked.requirements.values() if isinstance(made, RequirementList)]
    stored = (
        store.write(lambda connection: requirements.put(connection, project_id, made, now=now))
        if made
        else {}
    )
    return Asked(requirements={**known, **asked.requirements, **stored}, usage=asked.usage)
