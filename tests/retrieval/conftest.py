"""Events and judges for the tests of this room: built from a few words, never mocked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Event, Limits
from steelyard.schemas.judging import (
    Cell,
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    JudgeIdentity,
    Question,
    Requirement,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
    Usage,
)
from steelyard.schemas.verdict import Unscored, UnscoredReason

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEYWORDS = JudgeIdentity(name="keyword", kind="custom", model="words", model_digest="0")


@pytest.fixture(scope="session")
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def event() -> Callable[..., Event]:
    """`event("a task", ["text", {"text": …}], event_id=…, …)`, through the validation that users meet."""

    def make(task: str, context: Sequence[object], **fields: Any) -> Event:
        data = {"event_id": "e", "task": task, "context": list(context), **fields}
        return parse_event(data, limits=Limits(), now=NOW, new_id=lambda: "made")

    return make


@dataclass
class KeywordJudge:
    """A requirement a word of the task; a passage supports the words it contains. `answers` overrides whole
    answers by task. Counts what it was asked."""

    answers: Mapping[str, SupportAnswer | Unscored] = field(default_factory=dict)
    lists: Mapping[str, RequirementsAnswer | Unscored] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    cases: list[SupportCase] = field(default_factory=list)
    identity: JudgeIdentity = KEYWORDS
    questions: frozenset[Question] = frozenset({Question.REQUIREMENTS, Question.SUPPORT})

    def requirements(self, tasks: Sequence[str], /) -> Sequence[RequirementsAnswer | Unscored]:
        self.asked += tasks
        return [self.lists.get(task) or self._listed(task) for task in tasks]

    def support(self, cases: Sequence[SupportCase], /) -> Sequence[SupportAnswer | Unscored]:
        self.cases += cases
        return [self.answers.get(case.task) or self._supported(case) for case in cases]

    def grounded(self, cases: Sequence[GroundedCase], /) -> Sequence[GroundedAnswer | Unscored]:
        return [Unscored(reason=UnscoredReason.NOT_SUPPORTED, detail="Words only.") for _ in cases]

    def correct(self, cases: Sequence[CorrectCase], /) -> Sequence[CorrectAnswer | Unscored]:
        return [Unscored(reason=UnscoredReason.NOT_SUPPORTED, detail="Words only.") for _ in cases]

    def close(self) -> None:
        """Holds nothing."""

    @staticmethod
    def _listed(task: str) -> RequirementsAnswer:
        words = tuple(Requirement(text=word) for word in task.lower().split())
        return RequirementsAnswer(requirements=words, usage=Usage(latency_s=1.0, calls=1, cost_usd=0.5))

    @staticmethod
    def _supported(case: SupportCase) -> SupportAnswer:
        cells = tuple(
            Cell(requirement=r, passage=p, supported=True, reason=f"It says {requirement.text}.")
            for r, requirement in enumerate(case.requirements)
            for p, passage in enumerate(case.passages)
            if requirement.text in passage.lower()
        )
        cited = tuple(sorted({cell.passage for cell in cells}))
        return SupportAnswer(cells=cells, cited=cited, usage=Usage(latency_s=2.0, calls=1, cost_usd=0.25))


@pytest.fixture(scope="session")
def keyword_judge() -> type[KeywordJudge]:
    return KeywordJudge
