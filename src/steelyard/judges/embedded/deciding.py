"""From a support case to its answer: stage one, stage two, the cited set, and which requirement each passage
serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.judges import splitting
from steelyard.schemas.judging import Cell, SupportAnswer, SupportCase
from steelyard.schemas.verdict import Evidence

from . import counting, tasks
from .citing import best_set
from .encoder import Floats, cosines
from .files import Heads
from .heads import Trees
from .reading import Reading
from .support import NAMES, Board, beliefs, texts


@dataclass(frozen=True)
class Scores:
    """Of distinct passages in text order: both stages' probabilities, stage one's features, and who is
    cited."""

    first: Floats
    second: Floats
    features: Floats
    cited: frozenset[int]


class Passages:
    """Decides support for cases whose texts are all in `read`."""

    def __init__(
        self,
        read: Mapping[str, Reading],
        first: Trees,
        second: Trees,
        counts: Sequence[Trees],
        heads: Heads,
    ) -> None:
        self._read = read
        self._first, self._second, self._counts, self._heads = first, second, counts, heads

    def support(self, case: SupportCase) -> SupportAnswer:
        distinct = texts(case.passages)
        place = {text: i for i, text in enumerate(distinct)}
        read = [self._read[text] for text in distinct]
        slots = any(requirement.slot for requirement in case.requirements)
        if not distinct:
            return SupportAnswer(
                cells=(), cited=(), probabilities=(0.0,) * len(case.passages), estimated=slots
            )
        question = splitting.question_of(case.task)
        whole = self._scores(case.task, question, read)
        wanted = [requirement.text for requirement in case.requirements]
        if slots:
            table = {(i, p) for p, i in _slots(whole, len(wanted)).items()}
            cited, likely = whole.cited, np.tile(whole.second, (len(wanted), 1))
        elif tuple(wanted) in {(question,), (case.task,), (case.task.strip(),)}:
            table = {(0, p) for p in whole.cited}
            cited, likely = whole.cited, whole.second[None, :]
        else:
            each = [self._scores(text, text, read) for text in wanted]
            listed_here = tuple(wanted) == splitting.split(case.task)
            cited = whole.cited if listed_here else frozenset().union(*(scores.cited for scores in each))
            likely = np.stack([scores.first for scores in each])
            table = {(i, p) for p in cited for i in range(len(wanted)) if _serves(likely, i, p)}
        overall = whole.second if slots or len(wanted) == 1 or cited == whole.cited else likely.max(axis=0)
        unsure = frozenset(
            p
            for p in range(len(distinct))
            if p not in cited and self._heads.support.decide(overall[p]) is None
        )
        focus = [question] * len(wanted) if slots else wanted
        cells = []
        for position, text in enumerate(case.passages):
            p = place.get(text)
            if p is None:
                continue
            for i, asked in enumerate(focus):
                if (i, p) not in table and (slots or p in cited):
                    continue
                cells.append(
                    Cell(
                        requirement=i,
                        passage=position,
                        supported=(i, p) in table,
                        probability=round(float(likely[i, p]), 6),
                        reason=_reason(whole, p),
                        evidence=(self._evidence(asked, read[p], position),) if (i, p) in table else (),
                    )
                )
        return SupportAnswer(
            cells=tuple(cells),
            cited=tuple(i for i, text in enumerate(case.passages) if place.get(text, -1) in cited),
            unsure=tuple(i for i, text in enumerate(case.passages) if place.get(text, -1) in unsure),
            probabilities=tuple(
                round(float(overall[place[text]]), 6) if text in place else 0.0 for text in case.passages
            ),
            estimated=slots,
        )

    def _scores(self, task: str, question: str, read: Sequence[Reading]) -> Scores:
        board = Board(self._read[task], self._read[question], read)
        features, links = board.features()
        margins = self._first(features)
        belief = 1 / (1 + np.exp(-margins))
        further = self._second(np.concatenate([features, beliefs(links, belief)], axis=1))
        first, second = (
            self._heads.support_first.calibration(margins),
            self._heads.support.calibration(further),
        )
        row = counting.features(first, second, further, features, tasks.features(task))[None, :]
        at_least = np.asarray(
            [
                float(head.calibration(trees(row))[0])
                for head, trees in zip(self._heads.counts, self._counts, strict=True)
            ]
        )
        cited = best_set(second, counting.distribution(at_least, len(read)))
        order = np.argsort(-further, kind="stable")[:cited]
        return Scores(first=first, second=second, features=features, cited=frozenset(map(int, order)))

    def _evidence(self, asked: str, passage: Reading, position: int) -> Evidence:
        """The sentence nearest to what is asked, by meaning and by words."""
        pointer, vectors = f"/context/{position}/text", self._read[asked].encoded.windows[:1]
        if not passage.spans or not len(vectors):
            return Evidence(pointer=pointer)
        words = self._read[asked].content
        near = cosines(vectors, passage.sentence_vectors)[0]
        shared = np.asarray([len(words & stems) / max(len(words), 1) for stems in passage.sentence_stems])
        start, end = passage.spans[int(np.argmax(near + shared))]
        return Evidence(pointer=pointer, start=start, end=end)


def _slots(scores: Scores, k: int) -> dict[int, int]:
    """Slot of each cited passage: the most probable takes the first, the last slot takes what is left."""
    ranked = sorted(scores.cited, key=lambda p: (-scores.second[p], p))
    return {p: min(i, k - 1) for i, p in enumerate(ranked)}


def _serves(likely: Floats, requirement: int, passage: int) -> bool:
    """A cited passage serves the requirement it is likeliest to support, and every other that it probably
    does."""
    mine = likely[requirement, passage]
    return bool(mine >= 0.5 or mine == likely[:, passage].max())


def _reason(scores: Scores, p: int) -> str:
    read = dict(zip(NAMES, scores.features[p].tolist(), strict=True))
    link = " and is linked by name with another passage" if read["hop_link"] >= 0.5 else ""
    held, alike = read["coverage"], read["sentence_cosine"]
    return (
        f"Supports with probability {scores.second[p]:.2f}: it holds {held:.0%} of the question's words, "
        f"its nearest sentence is {alike:.2f} alike in meaning{link}."
    )
