"""The embedded judge: one frozen encoder, light heads, no network and no key."""

import time
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TypeVar

import numpy as np

from steelyard.judges import splitting
from steelyard.judges.words import overlap
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
from steelyard.schemas.verdict import Evidence, Unscored, UnscoredReason

from . import answers, claims, tasks
from .deciding import Passages
from .encoder import Encoder
from .files import Decision, Files, Heads
from .heads import Trees
from .reading import Reading, Readings

Answer = TypeVar("Answer", SupportAnswer, GroundedAnswer, CorrectAnswer)


class EmbeddedJudge:
    """Every answer depends on its own texts alone: not on the batch, the threads, the order of passages or
    the past.

    `load` reads a few kilobytes; the encoder is opened at the first question that needs it.
    """

    def __init__(self, files: Files, *, threads: int = 1) -> None:
        self._files = files
        self._threads = threads
        self._heads = files.heads()
        self._lock = Lock()
        self._parts: _Parts | None = None

    @classmethod
    def load(cls, *, threads: int = 1) -> "EmbeddedJudge":
        """The judge of the installed `steelyard-judge`. Raises `JudgeError` when it is missing or damaged."""
        return cls(Files.shipped(), threads=threads)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(
            name="embedded", kind="embedded", model=self._files.model, model_digest=self._files.digest
        )

    @property
    def questions(self) -> frozenset[Question]:
        return frozenset(Question)

    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        return [self._requirements(task) for task in tasks]

    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        parts, started = self._open(), time.perf_counter()
        read = parts.readings.read(
            text
            for case in cases
            for text in (
                case.task,
                splitting.question_of(case.task),
                *(item.text for item in case.requirements if not item.slot),
                *(passage for passage in case.passages if passage.strip()),
            )
        )
        passages = Passages(read, parts.first, parts.second, parts.counts, self._heads)
        found: list[SupportAnswer | Unscored] = [
            _missing("The list of requirements is empty, so there is nothing to support.")
            if not case.requirements
            else passages.support(case)
            for case in cases
        ]
        return _timed(found, started)

    def grounded(self, cases: Sequence[GroundedCase], /) -> list[GroundedAnswer | Unscored]:
        parts, started = self._open(), time.perf_counter()
        read = parts.readings.read(text for case in cases for text in (case.source, *case.claims))
        found: list[GroundedAnswer | Unscored] = []
        for case in cases:
            if not case.source.strip():
                found.append(_missing("The source is empty, so no claim can rest on it."))
                continue
            source = read[case.source]
            found.append(
                GroundedAnswer(claims=tuple(self._claim(parts, read[claim], source) for claim in case.claims))
            )
        return _timed(found, started)

    def correct(self, cases: Sequence[CorrectCase], /) -> list[CorrectAnswer | Unscored]:
        parts, started = self._open(), time.perf_counter()
        read = parts.readings.read(
            text for case in cases for text in (case.question, case.answer, *case.expected)
        )
        found: list[CorrectAnswer | Unscored] = []
        for case in cases:
            golds = [read[gold] for gold in dict.fromkeys(case.expected) if gold.strip()]
            if not golds:
                found.append(_missing("There is no expected answer to compare with."))
            elif not case.answer.strip():
                found.append(CorrectAnswer(correct=False, probability=0.0, reason="The answer is empty."))
            else:
                question, answer = read[case.question], read[case.answer]
                row = answers.features(question, golds, answer)
                p = _probability(parts.correct, self._heads.correct, row)
                found.append(
                    CorrectAnswer(
                        correct=self._heads.correct.decide(p), probability=p, reason=_answer_reason(row, p)
                    )
                )
        return _timed(found, started)

    def close(self) -> None:
        with self._lock:
            if self._parts is not None:
                self._parts.encoder.close()
                self._parts = None

    def _open(self) -> "_Parts":
        with self._lock:
            if self._parts is None:
                self._parts = _Parts(self._files, self._heads, threads=self._threads)
            return self._parts

    def _requirements(self, task: str) -> RequirementsAnswer | Unscored:
        if not any(character.isalnum() for character in task):
            return _missing("The task has no words, so there is nothing to require.")
        parts = splitting.split(task)
        if len(parts) > 1:
            return RequirementsAnswer(requirements=splitting.requirements(parts))
        row = tasks.features(task)
        k = 1
        for head, trees in zip(self._heads.facts, self._facts, strict=True):
            if _probability(trees, head, row) < head.threshold:
                break
            k += 1
        listed = splitting.requirements(parts) if k == 1 else splitting.slots(k)
        return RequirementsAnswer(requirements=listed, estimated=True)

    @cached_property
    def _facts(self) -> tuple[Trees, ...]:
        return tuple(
            Trees(self._files.trees(f"facts-{i}"), features=head.features)
            for i, head in enumerate(self._heads.facts, start=2)
        )

    def _claim(self, parts: "_Parts", claim: Reading, source: Reading) -> GroundedClaim:
        said = claim.text.text
        if not claim.text.words:
            return GroundedClaim(claim=said, supported=None, reason="The claim has no words.")
        p = _probability(parts.grounded, self._heads.grounded, claims.features(claim, source))
        supported = self._heads.grounded.decide(p)
        start, end = claims.nearest(claim, source)
        share = overlap(claim.text.content, source.stems)
        missing = claims.unseen(claim.text, source.text)
        reason = f"Supported with probability {p:.2f}: the source holds {share:.0%} of the claim's words"
        return GroundedClaim(
            claim=said,
            supported=supported,
            probability=p,
            reason=f"{reason}, but not {', '.join(missing[:3])}." if missing else f"{reason}.",
            evidence=(Evidence(pointer="/source", start=start, end=end),) if supported is not False else (),
        )


class _Parts:
    """What takes memory: the encoder and the heads' sessions."""

    def __init__(self, files: Files, heads: Heads, *, threads: int) -> None:
        self.encoder = Encoder(
            files.folder / "encoder.onnx", files.folder / "tokenizer.json", threads=threads
        )
        self.readings = Readings(self.encoder)
        self.first = Trees(files.trees("support-1"), features=heads.support_first.features)
        self.second = Trees(files.trees("support-2"), features=heads.support.features)
        self.counts = tuple(
            Trees(files.trees(f"counts-{i}"), features=head.features)
            for i, head in enumerate(heads.counts, start=1)
        )
        self.grounded = Trees(files.trees("grounded"), features=heads.grounded.features)
        self.correct = Trees(files.trees("correct"), features=heads.correct.features)


def _probability(trees: Trees, head: Decision, row: np.ndarray) -> float:
    return round(float(head.calibration(trees(row[None, :]))[0]), 6)


def _answer_reason(row: np.ndarray, p: float) -> str:
    read = dict(zip(answers.NAMES, row.tolist(), strict=True))
    held = read["recall:chosen"]
    reason = f"Correct with probability {p:.2f}: the answer holds {held:.0%} of the expected words"
    against = [
        text
        for name, text in (
            ("refuses", "it reads as a refusal"),
            ("yes_no_clash", "it says yes where no is expected, or no for yes"),
            ("numbers_missing:chosen", "an expected number is missing"),
            ("negation_differs", "only one of the two is negated"),
        )
        if read[name] > 0
    ]
    return f"{reason}; {', '.join(against)}." if against else f"{reason}."


def _missing(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.MISSING_DATA, detail=detail)


def _timed(found: Sequence[Answer | Unscored], started: float) -> list[Answer | Unscored]:
    """The answers, each with an equal share of the time taken."""
    usage = Usage(latency_s=(time.perf_counter() - started) / max(len(found), 1))
    return [
        answer if isinstance(answer, Unscored) else answer.model_copy(update={"usage": usage})
        for answer in found
    ]
