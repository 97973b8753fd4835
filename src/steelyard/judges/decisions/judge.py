"""The decision-model judge: each question of ours becomes yes/no questions, many to a call, answered with
probabilities. Its probabilities are the model's own; how far to believe them is measured, not assumed."""

import threading
from collections.abc import Callable, Sequence
from typing import Self

from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    GroundedClaim,
    JudgeIdentity,
    Question,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
    Usage,
)
from steelyard.schemas.verdict import Evidence, Unscored

from ..batches import Batches
from ..calling import Caller, missing, total
from ..calls import Ledger, Limiter, MemoryLedger, NoLimit, Waiting
from ..packing import Piece, packs, parts, pieces
from ..protocol import Judge
from ..settings import RemoteSettings
from .beliefs import Belief, load
from .matrix import Places, strongest, support_from, undecided
from .questions import Asked, ask_correct, ask_grounded, ask_needed, ask_support, prompts_digest
from .wires import OpenAIDecisionsWire, SystemOneWire, Wire


class DecisionJudge:
    """Implements `Judge`. Thread-safe. `requirements_from` opens the judge that lists requirements and finds
    evidence, when the first question needs it; it is closed with this one."""

    def __init__(
        self,
        name: str,
        wire: Wire,
        settings: RemoteSettings,
        *,
        requirements_from: Callable[[], Judge],
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        self._name, self._wire, self._settings = name, wire, settings
        self._caller = Caller(
            settings,
            ledger=MemoryLedger() if ledger is None else ledger,
            limiter=NoLimit() if limiter is None else limiter,
            waiting=Waiting() if waiting is None else waiting,
        )
        self._most = min(settings.questions_per_call or wire.most_questions, wire.most_questions)
        self._batches = Batches(settings.concurrency)
        self._splitter = Splitter(requirements_from)
        self._owner = True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.model!r} at {self._caller.provider})"

    @property
    def identity(self) -> JudgeIdentity:
        settings = self._settings
        return JudgeIdentity(
            name=self._name,
            kind="decision",
            model=settings.model,
            model_digest=settings.returned_model or settings.model,
            prompt_digest=prompts_digest(),
            settings={
                "base_url": self._caller.provider,
                "requirements_from": self._splitter.open().identity.id,
                "abstain_below": settings.abstain_below,
                "chars_per_call": settings.chars_per_call,
                "questions_per_call": self._most,
            },
        )

    @property
    def questions(self) -> frozenset[Question]:
        return frozenset(Question)

    def fresh(self) -> Self:
        """The same judge, same identity, but every call is made anew. Closing it does nothing, close the
        original."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _caller=self._caller.refreshed(), _owner=False)
        return other

    def close(self) -> None:
        if self._owner:
            self._caller.close()
            self._batches.close()
            self._wire.close()
            self._splitter.close()

    def requirements(self, tasks: Sequence[str], /) -> Sequence[RequirementsAnswer | Unscored]:
        return self._splitter.open().requirements(tasks)

    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return self._batches.each(self._support, cases)

    def grounded(self, cases: Sequence[GroundedCase], /) -> list[GroundedAnswer | Unscored]:
        return self._batches.each(self._grounded, cases)

    def correct(self, cases: Sequence[CorrectCase], /) -> list[CorrectAnswer | Unscored]:
        return self._batches.each(self._correct, cases)

    def _support(self, case: SupportCase) -> SupportAnswer | Unscored:
        if not case.requirements:
            return missing("there is no requirement to support")
        chars = self._settings.chars_per_call
        slots = all(requirement.slot for requirement in case.requirements)
        texts = [requirement.text for requirement in case.requirements]
        asked = [""] if slots else texts
        places: Places = {}
        usages: list[Usage] = []
        # As square as fits: few requirements leave room for many passages in one call.
        across = min(len(asked), self._most)
        for group in packs(
            pieces(case.passages, chars=chars), chars=chars, most=max(1, self._most // across)
        ):
            shown = [piece.text for piece in group]
            for start, part in parts(asked, most=across):
                call = ask_needed(case.task, shown) if slots else ask_support(case.task, part, shown)
                beliefs = self._ask(call, usages)
                if isinstance(beliefs, Unscored):
                    return beliefs
                _place(places, group, beliefs, start=start, rows=len(part))
        failure = undecided([belief for found in places.values() for belief in found])
        if failure is not None:
            return failure
        return support_from(
            case,
            places,
            slots=slots,
            abstain_below=self._settings.abstain_below,
            evidence=self._evidence(case),
            usage=total(usages),
        )

    def _grounded(self, case: GroundedCase) -> GroundedAnswer | Unscored:
        if not case.source.strip():
            return missing("the source is empty")
        told = [position for position, claim in enumerate(case.claims) if claim.strip()]
        found: dict[int, list[Belief]] = {position: [] for position in told}
        usages: list[Usage] = []
        for piece in pieces([case.source], chars=self._settings.chars_per_call):
            for _, part in parts(told, most=self._most):
                beliefs = self._ask(ask_grounded([case.claims[i] for i in part], piece.text), usages)
                if isinstance(beliefs, Unscored):
                    return beliefs
                for position, belief in zip(part, beliefs, strict=True):
                    found[position].append(belief)
        failure = undecided([belief for beliefs in found.values() for belief in beliefs])
        if failure is not None:
            return failure
        claims = tuple(self._claim(claim, found.get(position)) for position, claim in enumerate(case.claims))
        return GroundedAnswer(claims=claims, usage=total(usages))

    def _claim(self, claim: str, beliefs: list[Belief] | None) -> GroundedClaim:
        if beliefs is None:
            return GroundedClaim(claim=claim, supported=None, reason="The claim has no words.")
        best = strongest(beliefs)
        return GroundedClaim(
            claim=claim,
            supported=best.decision(abstain_below=self._settings.abstain_below),
            probability=best.probability,
            reason=best.reason(),
        )

    def _correct(self, case: CorrectCase) -> CorrectAnswer | Unscored:
        expected = tuple(dict.fromkeys(text for text in case.expected if text.strip()))
        if not expected:
            return missing("there is no expected answer to compare with")
        if not case.answer.strip():
            return CorrectAnswer(correct=False, probability=0.0, reason="The answer is empty.")
        usages: list[Usage] = []
        beliefs = self._ask(ask_correct(case.question, expected, case.answer), usages)
        if isinstance(beliefs, Unscored):
            return beliefs
        failure = undecided(beliefs)
        if failure is not None:
            return failure
        return CorrectAnswer(
            correct=beliefs[0].decision(abstain_below=self._settings.abstain_below),
            probability=beliefs[0].probability,
            reason=beliefs[0].reason(),
            usage=total(usages),
        )

    def _ask(self, asked: Asked, usages: list[Usage]) -> list[Belief] | Unscored:
        paid = self._caller.ask(self._wire.exchange(asked))
        if isinstance(paid, Unscored):
            return paid
        usages.append(paid.usage)
        return load(paid.call.reply)

    def _evidence(self, case: SupportCase) -> dict[tuple[int, int], tuple[Evidence, ...]]:
        """Where the splitter's own judge sees a requirement met: shown with a decision, never a part of
        it."""
        answer = self._splitter.open().support([case])[0]
        if isinstance(answer, Unscored):
            return {}
        return {(cell.requirement, cell.passage): cell.evidence for cell in answer.cells}


class SystemOneJudge(DecisionJudge):
    """Any server that speaks System One: hosted, or a local llama.cpp with a decision model."""

    def __init__(
        self,
        settings: RemoteSettings,
        *,
        requirements_from: Callable[[], Judge],
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        super().__init__(
            "systemone",
            SystemOneWire(settings),
            settings,
            requirements_from=requirements_from,
            ledger=ledger,
            limiter=limiter,
            waiting=waiting,
        )


class OpenAIDecisionsJudge(DecisionJudge):
    """Any server that speaks the OpenAI Decisions API."""

    def __init__(
        self,
        settings: RemoteSettings,
        *,
        requirements_from: Callable[[], Judge],
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        super().__init__(
            "openai-decisions",
            OpenAIDecisionsWire(settings),
            settings,
            requirements_from=requirements_from,
            ledger=ledger,
            limiter=limiter,
            waiting=waiting,
        )


class Splitter:
    """Opens another judge once, when it is first needed."""

    def __init__(self, opened_by: Callable[[], Judge]) -> None:
        self._opened_by = opened_by
        self._lock = threading.Lock()
        self._judge: Judge | None = None

    def open(self) -> Judge:
        with self._lock:
            if self._judge is None:
                self._judge = self._opened_by()
            return self._judge

    def close(self) -> None:
        with self._lock:
            judge, self._judge = self._judge, None
        if judge is not None:
            judge.close()


def _place(
    places: Places, group: Sequence[Piece], beliefs: Sequence[Belief], *, start: int, rows: int
) -> None:
    """Sorts the beliefs of one call, requirement by requirement over the pieces shown, under their cells."""
    for row in range(rows):
        for index, piece in enumerate(group):
            belief = beliefs[row * len(group) + index]
            for position in piece.positions:
                places.setdefault((start + row, position), []).append(belief)
