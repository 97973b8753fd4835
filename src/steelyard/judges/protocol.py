"""The one protocol of all judges."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    JudgeIdentity,
    Question,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.verdict import Unscored


@runtime_checkable
class Judge(Protocol):
    """Answers questions in batches: one answer a case, in the order asked.

    A case that cannot be answered gets an `Unscored` in its place; a judge raises nothing for any Unicode
    text, an empty text or an empty list. Equal cases get equal answers, whatever stands beside them in the
    batch and in whatever order passages come. A judge may be called from several threads at once.
    """

    @property
    def identity(self) -> JudgeIdentity: ...

    @property
    def questions(self) -> frozenset[Question]:
        """The questions it can answer; the others are answered `Unscored(not_supported)`."""
        ...

    def requirements(self, tasks: Sequence[str], /) -> Sequence[RequirementsAnswer | Unscored]: ...

    def support(self, cases: Sequence[SupportCase], /) -> Sequence[SupportAnswer | Unscored]: ...

    def grounded(self, cases: Sequence[GroundedCase], /) -> Sequence[GroundedAnswer | Unscored]: ...

    def correct(self, cases: Sequence[CorrectCase], /) -> Sequence[CorrectAnswer | Unscored]: ...

    def close(self) -> None: ...
