"""The documents on which judge and label disagree, and those on which they agree, of one event."""

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.schemas.event import Event
from steelyard.schemas.query import DisagreementKind
from steelyard.schemas.result import Evaluation

from .documents import Documents


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One document, by the 0-based position of its first passage (of its first cited one, when any is cited,
    so that the judge's reason stands beside the text it is about)."""

    position: int
    passage_id: str | None
    kind: DisagreementKind
    cited: bool
    gold: bool
    probability: float | None
    reason: str


def compare(event: Event, evaluation: Evaluation, *, gold: Iterable[str] | None) -> tuple[Comparison, ...]:
    """Every document of the context against its label, in order of position; nothing for an unscored or
    unlabelled event. A document the judge abstains on is one that it does not cite."""
    if gold is None or evaluation.label_free is None:
        return ()
    documents = Documents.of(event)
    verdicts = {verdict.position: verdict for verdict in evaluation.passages}
    wanted = documents.gold(gold)
    compared = []
    for key in documents.ranked:
        places = documents.positions(key)
        cited_places = [place for place in places if place in verdicts and verdicts[place].cited]
        position = (cited_places or places)[0]
        verdict = verdicts.get(position)
        compared.append(
            Comparison(
                position=position,
                passage_id=event.context[position].id,
                kind=_kind(cited=bool(cited_places), gold=key in wanted),
                cited=bool(cited_places),
                gold=key in wanted,
                probability=verdict.probability if verdict else None,
                reason=verdict.reason if verdict else "",
            )
        )
    return tuple(sorted(compared, key=lambda comparison: comparison.position))


def disagreements(
    event: Event, evaluation: Evaluation, *, gold: Iterable[str] | None
) -> tuple[Comparison, ...]:
    """The documents where citation and label differ."""
    return tuple(found for found in compare(event, evaluation, gold=gold) if found.cited != found.gold)


def _kind(*, cited: bool, gold: bool) -> DisagreementKind:
    if cited == gold:
        return DisagreementKind.AGREEMENT
    return DisagreementKind.FALSE_CITATION if cited else DisagreementKind.MISSED_GOLD
