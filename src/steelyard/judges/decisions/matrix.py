"""From beliefs about (requirement, passage) pairs to a support answer. Pure."""

from collections.abc import Mapping, Sequence

from steelyard.schemas.judging import Cell, SupportAnswer, SupportCase, Usage
from steelyard.schemas.verdict import Evidence, Unscored, UnscoredReason

from .beliefs import Belief

Places = dict[tuple[int, int], list[Belief]]
"""Beliefs by (requirement, passage), one a window of the passage."""


def undecided(beliefs: Sequence[Belief]) -> Unscored | None:
    """Why nothing was decided, when none of the questions asked has a probability."""
    if not beliefs or any(belief.probability is not None for belief in beliefs):
        return None
    if all(belief.refused for belief in beliefs):
        return Unscored(reason=UnscoredReason.REFUSED, detail=beliefs[0].problem)
    first = next(belief for belief in beliefs if not belief.refused)
    return Unscored(reason=UnscoredReason.UNREADABLE_REPLY, detail=first.problem)


def strongest(beliefs: Sequence[Belief]) -> Belief:
    """Of several windows of one text the one most sure of yes. A window without a probability counts only
    when no other says yes: what it hides cannot be known."""
    known = [belief for belief in beliefs if belief.probability is not None]
    best = max(known, key=lambda belief: belief.probability or 0.0, default=beliefs[0])
    if len(known) < len(beliefs) and (best.probability or 0.0) < 0.5:
        return next(belief for belief in beliefs if belief.probability is None)
    return best


def support_from(
    case: SupportCase,
    places: Places,
    *,
    slots: bool,
    abstain_below: float,
    evidence: Mapping[tuple[int, int], tuple[Evidence, ...]],
    usage: Usage,
) -> SupportAnswer:
    """Cited: supported for some requirement. Unsure: not cited, and undecided for some. With `slots` the
    question was about the task as a whole: there are no cells, and recall is an estimate."""
    cells = []
    for (requirement, passage), beliefs in sorted(places.items()):
        belief = strongest(beliefs)
        supported = belief.decision(abstain_below=abstain_below)
        cells.append(
            Cell(
                requirement=requirement,
                passage=passage,
                supported=supported,
                probability=belief.probability,
                reason=belief.reason(),
                evidence=evidence.get((requirement, passage), ()) if supported else (),
            )
        )
    cited = {cell.passage for cell in cells if cell.supported}
    unsure = {cell.passage for cell in cells if cell.supported is None} - cited
    most: dict[int, float] = {}
    for cell in cells:
        if cell.probability is not None:
            most[cell.passage] = max(cell.probability, most.get(cell.passage, 0.0))
    return SupportAnswer(
        cells=() if slots else tuple(cells),
        cited=tuple(sorted(cited)),
        unsure=tuple(sorted(unsure)),
        probabilities=tuple(most.get(position) for position in range(len(case.passages))),
        estimated=slots,
        usage=usage,
    )
