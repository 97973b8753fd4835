"""A judge without a model: words shared by question and passage, weighted by rarity. Deterministic, instant,
and no more accurate than that; the baseline that the embedded judge must beat, and the judge of tests."""

from collections.abc import Sequence
from typing import Final

from steelyard.schemas.judging import (
    Cell,
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    GroundedClaim,
    JudgeIdentity,
    Question,
    Requirement,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.verdict import Evidence, Unscored, UnscoredReason

from . import splitting
from .bm25 import Rarity
from .words import Text, overlap

COVERED: Final = 0.5
"""The share of a requirement's words that a passage must hold to support it."""
BESIDE_BEST: Final = 0.75
"""And the share, weighted by rarity, of what the best passage holds."""
SAID: Final = 0.7
"""The share of a claim's or an ideal answer's words that must be there."""


class LexicalJudge:
    """The whole protocol by word overlap. Answers depend on texts alone, never on order, batch or thread."""

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(
            name="lexical",
            kind="embedded",
            model="word overlap",
            model_digest="lexical-1",
            settings={"covered": COVERED, "beside_best": BESIDE_BEST, "said": SAID},
        )

    @property
    def questions(self) -> frozenset[Question]:
        return frozenset(Question)

    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        return [
            no_task()
            if not task.strip()
            else RequirementsAnswer(requirements=splitting.requirements(splitting.split(task)))
            for task in tasks
        ]

    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return [_support(case) for case in cases]

    def grounded(self, cases: Sequence[GroundedCase], /) -> list[GroundedAnswer | Unscored]:
        return [_grounded(case) for case in cases]

    def correct(self, cases: Sequence[CorrectCase], /) -> list[CorrectAnswer | Unscored]:
        return [_correct(case) for case in cases]

    def close(self) -> None:
        """Nothing is held."""


def no_task() -> Unscored:
    return Unscored(
        reason=UnscoredReason.MISSING_DATA, detail="The task is empty, so there is nothing to require."
    )


def best_sentence(wanted: Sequence[str], text: Text, *, pointer: str) -> Evidence:
    """The first sentence that holds the most distinct `wanted` stems, as offsets into the text."""
    best, most = (0, len(text.text)), -1
    for start, end in text.sentences:
        held = {word.stem for word in text.words if start <= word.start < end}
        if (hits := len(held.intersection(wanted))) > most:
            best, most = (start, end), hits
    return Evidence(pointer=pointer, start=best[0], end=best[1])


def _support(case: SupportCase) -> SupportAnswer | Unscored:
    if not case.requirements:
        return no_task()
    passages = [Text(passage) for passage in case.passages]
    rarity = Rarity([passage.stems for passage in passages])
    cells = []
    for i, requirement in enumerate(case.requirements):
        wanted = Text(_wording(requirement, case.task)).content
        held = [overlap(wanted, set(passage.stems)) for passage in passages]
        weights = [rarity.share(wanted, set(passage.stems)) for passage in passages]
        best = max(weights, default=0.0)
        for position, (share, weight) in enumerate(zip(held, weights, strict=True)):
            supported = share >= COVERED and weight >= BESIDE_BEST * best
            cells.append(
                Cell(
                    requirement=i,
                    passage=position,
                    supported=supported,
                    probability=round(share, 6),
                    reason=f"The passage holds {share:.0%} of the requirement's words.",
                    evidence=(best_sentence(wanted, passages[position], pointer=f"/context/{position}/text"),)
                    if supported
                    else (),
                )
            )
    probabilities = tuple(
        max(cell.probability or 0.0 for cell in cells if cell.passage == position)
        for position in range(len(passages))
    )
    cited = tuple(sorted({cell.passage for cell in cells if cell.supported}))
    return SupportAnswer(cells=tuple(cells), cited=cited, probabilities=probabilities)


def _wording(requirement: Requirement, task: str) -> str:
    return splitting.question_of(task) if requirement.slot else requirement.text


def _grounded(case: GroundedCase) -> GroundedAnswer | Unscored:
    if not case.source.strip():
        return Unscored(
            reason=UnscoredReason.MISSING_DATA, detail="The source is empty, so no claim can rest on it."
        )
    source = Text(case.source)
    return GroundedAnswer(claims=tuple(_claim(claim, source) for claim in case.claims))


def _claim(claim: str, source: Text) -> GroundedClaim:
    said = Text(claim)
    if not said.words:
        return GroundedClaim(claim=claim, supported=None, reason="The claim has no words.")
    held = set(source.stems)
    share = overlap(said.content, held)
    unseen = sorted(said.numbers - source.numbers)
    supported = share >= SAID and not unseen
    reason = f"The source holds {share:.0%} of the claim's words"
    return GroundedClaim(
        claim=claim,
        supported=supported,
        probability=round(0.0 if unseen else share, 6),
        reason=f"{reason}, but not the number {unseen[0]}." if unseen else f"{reason}.",
        evidence=(best_sentence(said.content, source, pointer="/source"),) if supported else (),
    )


def _correct(case: CorrectCase) -> CorrectAnswer | Unscored:
    golds = [Text(gold) for gold in case.expected if gold.strip()]
    if not golds:
        return Unscored(
            reason=UnscoredReason.MISSING_DATA, detail="There is no expected answer to compare with."
        )
    answer = Text(case.answer)
    if answer.blank:
        return CorrectAnswer(correct=False, probability=0.0, reason="The answer is empty.")
    share = max(overlap(gold.content, set(answer.stems)) for gold in golds)
    return CorrectAnswer(
        correct=share >= SAID,
        probability=round(share, 6),
        reason=f"The answer holds {share:.0%} of the words of the nearest expected answer.",
    )
