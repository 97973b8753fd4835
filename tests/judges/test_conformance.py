"""The conformance suite passes a sound judge and names each broken rule."""

from collections.abc import Sequence

import pytest

from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.protocol import Judge
from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    JudgeIdentity,
    Question,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.verdict import Unscored
from steelyard.testing import NotConforming, check_judge


def test_lexical_judge_conforms() -> None:
    check_judge(LexicalJudge())


class CitesTheFirst(LexicalJudge):
    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return [SupportAnswer(cells=(), cited=(0,) if case.passages[:1] > ("",) else ()) for case in cases]


class CitesBlank(LexicalJudge):
    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return [SupportAnswer(cells=(), cited=tuple(range(len(case.passages)))) for case in cases]


class OutOfRange(LexicalJudge):
    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return [SupportAnswer(cells=(), cited=(len(case.passages),)) for case in cases]


class Forgetful(LexicalJudge):
    def __init__(self) -> None:
        self.asked = 0

    def correct(self, cases: Sequence[CorrectCase], /) -> list[CorrectAnswer | Unscored]:
        self.asked += 1
        return [CorrectAnswer(correct=self.asked % 2 == 0) for _ in cases]


class Raises(LexicalJudge):
    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        for task in tasks:
            task.encode()
        return super().requirements(tasks)


class DropsOne(LexicalJudge):
    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        return super().requirements(tasks[1:])


class Nameless(LexicalJudge):
    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="x", kind="custom", model="x", model_digest="")


class Unclaimed(LexicalJudge):
    @property
    def questions(self) -> frozenset[Question]:
        return frozenset({Question.SUPPORT})


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (CitesTheFirst(), "citations follow the order of passages"),
        (CitesBlank(), "blank passages"),
        (OutOfRange(), "a position outside"),
        (Forgetful(), "other answers when asked again"),
        (Raises(), "it raised UnicodeEncodeError"),
        (DropsOne(), "answers to"),
        (Nameless(), "model digest"),
        (Unclaimed(), "answered, but not claimed"),
    ],
)
def test_a_broken_rule_is_named(judge: Judge, says: str) -> None:
    with pytest.raises(NotConforming, match=says):
        check_judge(judge)
