"""One event's passages as people read them: in rank order, with citations, gold and evidence marked. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from steelyard.retrieval.documents import Documents
from steelyard.schemas.base import Record
from steelyard.schemas.event import Event
from steelyard.schemas.result import Evaluation
from steelyard.schemas.verdict import Evidence

HEAD = 900
"""So many characters of a passage are shown before the rest is folded away."""


class Segment(Record):
    """A stretch of a passage; `marked` ones are the judge's evidence."""

    text: str
    marked: bool = False


class PassageView(Record):
    """A passage at its place. `place` counts documents from 1 in rank order, None for a repeated document.

    `cited` None: the judge abstained, or nobody judged. `gold` None: the event is unlabelled.
    `document_cited` is of the whole document, of which this may be one of several passages.
    """

    position: int
    place: int | None
    id: str | None
    source: str | None
    rank: int | None
    score: float | None
    head: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    characters: int
    cited: bool | None
    document_cited: bool | None
    probability: float | None
    reason: str
    gold: bool | None
    disagreement: Literal["false_citation", "missed_gold"] | None
    requirements: tuple[int, ...] = ()

    @property
    def rest_marked(self) -> bool:
        return any(segment.marked for segment in self.rest)


def segments(text: str, spans: Iterable[tuple[int, int]]) -> tuple[Segment, ...]:
    """The text cut at its marked spans; overlapping spans are joined, those beyond the text cut off."""
    parts: list[Segment] = []
    at = 0
    for start, end in sorted((max(s, 0), min(e, len(text))) for s, e in spans):
        start = max(start, at)
        if end <= start:
            continue
        if start > at:
            parts.append(Segment(text=text[at:start]))
        if parts and parts[-1].marked and start == at:
            parts[-1] = Segment(text=parts[-1].text + text[start:end], marked=True)
        else:
            parts.append(Segment(text=text[start:end], marked=True))
        at = end
    if at < len(text):
        parts.append(Segment(text=text[at:]))
    return tuple(parts)


def fold(parts: Sequence[Segment], *, head: int = HEAD) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """The first `head` characters and the rest; texts only a little longer stay whole."""
    if sum(len(part.text) for part in parts) <= head * 1.3:
        return tuple(parts), ()
    shown: list[Segment] = []
    folded: list[Segment] = []
    left = head
    for part in parts:
        if left > 0:
            shown.append(part.model_copy(update={"text": part.text[:left]}))
        if len(part.text) > left:
            folded.append(part.model_copy(update={"text": part.text[max(left, 0) :]}))
        left -= len(part.text)
    return tuple(shown), tuple(folded)


def spans_of(evidence: Iterable[Evidence], position: int) -> list[tuple[int, int]]:
    """The offsets of evidence inside the text of the passage at `position`."""
    pointer = f"/context/{position}/text"
    return [
        (item.start, item.end)
        for item in evidence
        if item.pointer == pointer and item.start is not None and item.end is not None
    ]


def all_evidence(evaluation: Evaluation) -> tuple[Evidence, ...]:
    ours = [item for passage in evaluation.passages for item in passage.evidence]
    return (*ours, *(item for r in evaluation.requirements for item in r.verdict.evidence))


def passage_views(
    event: Event, evaluation: Evaluation | None, gold: Sequence[str] | None
) -> tuple[PassageView, ...]:
    """Every passage, best rank first; passages of one document follow the order of the ranking, too."""
    documents = Documents.of(event)
    places = {key: place for place, key in enumerate(documents.ranked, start=1)}
    judged = evaluation if evaluation is not None and evaluation.unscored is None else None
    verdicts = {verdict.position: verdict for verdict in judged.passages} if judged else {}
    evidence = all_evidence(judged) if judged else ()
    cited = documents.at(p for p, verdict in verdicts.items() if verdict.cited)
    wanted = documents.gold(gold) if gold is not None else None
    first: set[object] = set()
    views = []
    for position in sorted(range(len(event.context)), key=lambda p: (places[documents.keys[p]], p)):
        passage, key, verdict = event.context[position], documents.keys[position], verdicts.get(position)
        head, rest = fold(segments(passage.text, spans_of(evidence, position)))
        document_cited = key in cited if judged else None
        is_gold = key in wanted if wanted is not None else None
        views.append(
            PassageView(
                position=position,
                place=None if key in first else places[key],
                id=passage.id,
                source=passage.source,
                rank=passage.rank,
                score=passage.score,
                head=head,
                rest=rest,
                characters=len(passage.text),
                cited=verdict.cited if verdict else False if judged else None,
                document_cited=document_cited,
                probability=verdict.probability if verdict else None,
                reason=verdict.reason if verdict else "",
                gold=is_gold,
                disagreement=_disagreement(document_cited, is_gold),
                requirements=tuple(
                    number
                    for number, met in enumerate(judged.requirements if judged else (), start=1)
                    if position in met.passages
                ),
            )
        )
        first.add(key)
    return tuple(views)


def _disagreement(cited: bool | None, gold: bool | None) -> Literal["false_citation", "missed_gold"] | None:
    if cited is None or gold is None or cited == gold:
        return None
    return "false_citation" if cited else "missed_gold"
