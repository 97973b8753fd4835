"""From a judge's support answer to decisions on the event's own passages: requirement verdicts and
citations."""

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.schemas.event import Passage
from steelyard.schemas.judging import Cell, Requirement, SupportAnswer
from steelyard.schemas.result import PassageVerdict, RequirementList, RequirementVerdict
from steelyard.schemas.verdict import Outcome, Unscored, UnscoredReason, Verdict

from .documents import Documents


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What was decided of one event. Positions are those of the event's context. `unscored` says why nothing
    may be counted; verdicts that were reached all the same stay in place to be shown."""

    requirements: tuple[RequirementVerdict, ...] = ()
    passages: tuple[PassageVerdict, ...] = ()
    estimated: bool = False
    unscored: Unscored | None = None

    @property
    def supported(self) -> int:
        return sum(met.verdict.outcome is Outcome.PASS for met in self.requirements)

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(passage.position for passage in self.passages if passage.cited)


def nothing_to_judge() -> SupportAnswer:
    """The answer for a context without text: no call is needed to know that it supports nothing."""
    return SupportAnswer(cells=(), cited=())


def decide(
    passages: Sequence[Passage],
    documents: Documents,
    known: RequirementList | Unscored,
    answer: SupportAnswer | Unscored | None,
) -> Decision:
    """Verdicts from `answer`, whose positions count the passages with text only (the judge sees no other).

    A requirement is met when a cited passage supports it. It is unscored, and the event with it, when nothing
    supports it and the judge abstains on a passage for it; so is an event where nothing is cited and the
    judge abstains on a passage. An answer with no decision per requirement marked `estimated` (the
    requirements are slots) meets min(K, cited documents) of them.
    """
    if isinstance(known, Unscored):
        return Decision(unscored=known)
    if isinstance(answer, Unscored):
        return Decision(unscored=answer)
    assert answer is not None
    places = [position for position, passage in enumerate(passages) if passage.text.strip()]
    stray = _stray(answer, passages=len(places), requirements=len(known.requirements))
    if stray is not None:
        return Decision(unscored=Unscored(reason=UnscoredReason.UNREADABLE_REPLY, detail=stray))
    cited = frozenset(places[position] for position in answer.cited)
    unsure = frozenset(places[position] for position in answer.unsure) - cited
    estimated = answer.estimated or known.estimated
    if estimated and not any(cell.supported for cell in answer.cells):
        verdicts = _by_count(known.requirements, documents, cited)
    else:
        verdicts = tuple(
            _by_cells(
                requirement, [cell for cell in answer.cells if cell.requirement == index], places, cited
            )
            for index, requirement in enumerate(known.requirements)
        )
    return Decision(
        requirements=verdicts,
        passages=_passages(answer, places, cited, unsure, count=len(passages)),
        estimated=estimated,
        unscored=_abstained(verdicts, cited, unsure),
    )


def _stray(answer: SupportAnswer, *, passages: int, requirements: int) -> str | None:
    """A sentence on the first position that does not exist: such an answer is about something else."""
    for position in (*answer.cited, *answer.unsure, *(cell.passage for cell in answer.cells)):
        if not 0 <= position < passages:
            return f"The judge names passage {position} of {passages}."
    for cell in answer.cells:
        if not 0 <= cell.requirement < requirements:
            return f"The judge names requirement {cell.requirement} of {requirements}."
    return None


def _by_cells(
    requirement: Requirement, cells: Sequence[Cell], places: Sequence[int], cited: frozenset[int]
) -> RequirementVerdict:
    met = sorted(
        (cell for cell in cells if cell.supported and places[cell.passage] in cited),
        key=lambda cell: (-(cell.probability or 0.0), cell.passage),
    )
    likely = max((cell.probability for cell in cells if cell.probability is not None), default=None)
    if met:
        verdict = Verdict(
            outcome=Outcome.PASS,
            explanation=met[0].reason or "A cited passage supports it.",
            probability=likely,
            evidence=tuple(evidence for cell in met for evidence in cell.evidence),
        )
    elif any(cell.supported is None for cell in cells):
        open_cell = next(cell for cell in cells if cell.supported is None)
        verdict = Verdict(
            outcome=Outcome.UNSCORED,
            explanation=open_cell.reason or "The judge is not sure whether a passage supports it.",
            probability=likely,
            unscored=UnscoredReason.ABSTAINED,
        )
    else:
        verdict = Verdict(outcome=Outcome.FAIL, explanation="No passage supports it.", probability=likely)
    return RequirementVerdict(
        requirement=requirement,
        verdict=verdict,
        passages=tuple(sorted({places[cell.passage] for cell in met})),
    )


def _by_count(
    requirements: Sequence[Requirement], documents: Documents, cited: frozenset[int]
) -> tuple[RequirementVerdict, ...]:
    """The first slots are met, one by each cited document in rank order; the last slot takes the documents
    left."""
    found = [key for key in documents.ranked if key in documents.at(cited)]
    verdicts = []
    for slot, requirement in enumerate(requirements):
        mine = found[slot:] if slot == len(requirements) - 1 else found[slot : slot + 1]
        verdict = (
            Verdict(
                outcome=Outcome.PASS, explanation="Counted by the number of cited documents (an estimate)."
            )
            if mine
            else Verdict(outcome=Outcome.FAIL, explanation="Fewer documents are cited than facts are needed.")
        )
        positions = sorted(
            position for key in mine for position in documents.positions(key) if position in cited
        )
        verdicts.append(
            RequirementVerdict(requirement=requirement, verdict=verdict, passages=tuple(positions))
        )
    return tuple(verdicts)


def _passages(
    answer: SupportAnswer, places: Sequence[int], cited: frozenset[int], unsure: frozenset[int], *, count: int
) -> tuple[PassageVerdict, ...]:
    shown = {place: index for index, place in enumerate(places)}
    best: dict[int, Cell] = {}
    for cell in answer.cells:
        held = best.get(cell.passage)
        if held is None or _strength(cell) > _strength(held):
            best[cell.passage] = cell
    verdicts = []
    for position in range(count):
        index = shown.get(position)
        if index is None:
            verdicts.append(PassageVerdict(position=position, cited=False, reason="The passage is empty."))
            continue
        likely = best.get(index)
        given = answer.probabilities[index] if index < len(answer.probabilities) else None
        verdicts.append(
            PassageVerdict(
                position=position,
                cited=None if position in unsure else position in cited,
                probability=given if given is not None else likely.probability if likely else None,
                reason=likely.reason if likely else "",
                evidence=likely.evidence if likely else (),
            )
        )
    return tuple(verdicts)


def _strength(cell: Cell) -> tuple[int, float]:
    return {True: 2, None: 1, False: 0}[cell.supported], cell.probability or 0.0


def _abstained(
    verdicts: Sequence[RequirementVerdict], cited: frozenset[int], unsure: frozenset[int]
) -> Unscored | None:
    open_ones = sum(verdict.verdict.outcome is Outcome.UNSCORED for verdict in verdicts)
    if open_ones:
        detail = f"The judge abstains on {open_ones} of {len(verdicts)} requirements."
    elif not cited and unsure:
        detail = f"The judge cites nothing and abstains on {len(unsure)} passages."
    else:
        return None
    return Unscored(reason=UnscoredReason.ABSTAINED, detail=detail)
