"""A store with events, and judges that wait, fail or abstain on purpose."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from steelyard.config import Settings
from steelyard.jobs.engine import Engine
from steelyard.jobs.waiting import wait_until
from steelyard.judges.lexical import LexicalJudge
from steelyard.schemas.event import Event, GroundTruth, Passage, Receipt, Status
from steelyard.schemas.judging import RequirementsAnswer, SupportAnswer, SupportCase
from steelyard.schemas.query import StoredEvaluation
from steelyard.schemas.verdict import Unscored, UnscoredReason
from steelyard.store import Store, evaluations, events

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def event(name: str, *, task: str | None = None, **more: object) -> Event:
    """An event that the lexical judge can score: one passage answers, one does not."""
    subject = task or f"capital of country {name}"
    return Event(
        event_id=name,
        task=subject,
        context=(
            Passage(id=f"{name}-good", text=f"The {subject} is a city by the river."),
            Passage(id=f"{name}-bad", text="Bananas are rich in potassium."),
        ),
        ground_truth=GroundTruth(gold_doc_ids=(f"{name}-good",)),
        created_at=NOW,
        **more,
    )


@dataclass
class Bench:
    """A store, its project, and what tests ask of them."""

    store: Store
    settings: Settings
    project: str

    def add(self, *batch: Event, engine: Engine | None = None) -> None:
        """Stores events, announced to `engine` in the same transaction when one is given."""
        names = [one.event_id for one in batch]

        def work(connection: Connection) -> tuple[Receipt, ...]:
            receipts = events.insert(connection, self.project, batch, now=NOW)
            if engine is not None:
                engine.enqueue(connection, self.project, names)
            return receipts

        receipts = self.store.write(work)
        assert [receipt.outcome for receipt in receipts] == ["accepted"] * len(batch)
        if engine is not None:
            engine.wake()

    def statuses(self, *names: str) -> Mapping[str, Status]:
        with self.store.read() as connection:
            return events.statuses(connection, self.project, names)

    def counts(self) -> dict[Status, int]:
        with self.store.read() as connection:
            counts = events.status_counts(connection, self.project)
        return {status: n for status, n in counts.items() if n}

    def results(self, name: str) -> tuple[StoredEvaluation, ...]:
        with self.store.read() as connection:
            return evaluations.of_event(connection, self.project, name)

    def reason(self, name: str) -> str | None:
        with self.store.read() as connection:
            return events.get(connection, self.project, name).reason


class GatedJudge(LexicalJudge):
    """Waits in `support` until its gate is opened; `asked` is set when somebody waits there."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.asked = threading.Event()
        self.calls = 0

    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        self.calls += 1
        self.asked.set()
        self.gate.wait(60)
        return super().support(cases)


class PickyJudge(LexicalJudge):
    """Raises for tasks with the word `poison`, and answers nothing for those with the word `riddle`."""

    def __init__(self) -> None:
        self.tasks: list[str] = []

    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        self.tasks += tasks
        if any("poison" in task for task in tasks):
            raise RuntimeError("the secret inner state of the judge")
        riddle = Unscored(reason=UnscoredReason.JUDGE_UNAVAILABLE, detail="The judge does not do riddles.")
        answers = super().requirements(tasks)
        return [riddle if "riddle" in task else answer for task, answer in zip(tasks, answers, strict=True)]


def eventually(condition: Callable[[], object], *, within: float = 20.0) -> None:
    """Fails unless `condition` comes true within so many seconds."""
    assert wait_until(lambda: bool(condition()), timeout=within)
