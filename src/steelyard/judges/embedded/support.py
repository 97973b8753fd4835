"""Features of passages for a question, one row a passage: how well it answers, alone and beside the others.

Every feature has a name and can be read by a person. All are made on distinct, non-blank passages in the
order of their text, so that neither the caller's order nor repeats can move them.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from steelyard.judges.bm25 import K1, Rarity, bm25
from steelyard.judges.words import overlap

from .encoder import DIMENSIONS, Encoded, Floats, Vectors, cosines
from .reading import Reading

CORE: Final = (
    "cosine",
    "task_cosine",
    "sentence_cosine",
    "late",
    "late_rare",
    "late_contrast",
    "late_worst",
    "bm25",
    "coverage",
    "coverage_rare",
    "task_coverage",
    "sentence_coverage",
    "bigrams",
    "names",
    "numbers",
    "title_in_question",
)
"""Scores of one passage for the question, each also given against the best other passage and as a rank."""
HOP: Final = (
    "hop_title_here",
    "hop_title_there",
    "hop_new_names",
    "hop_uncovered",
    "hop_union",
    "hop_cosine",
    "hop_link",
)
"""What a passage adds to the best other one."""
LIST: Final = (
    "passages",
    "length",
    "relative_length",
    "question_words",
    "question_names",
    "question_numbers",
    "most_similar_other",
    "conversation",
    "comparison",
)
NAMES: Final = (*CORE, *(f"{name}:gap" for name in CORE), *(f"{name}:rank" for name in CORE), *HOP, *LIST)
BELIEF: Final = (
    "belief",
    "belief:gap",
    "belief:rank",
    "belief_sum",
    "belief_max",
    "belief_second",
    "belief_hop_title_here",
    "belief_hop_title_there",
    "belief_hop_new_names",
    "belief_hop_uncovered",
    "belief_hop_union",
    "belief_hop_cosine",
    "belief_hop_link",
    "belief_link_sum",
    "belief_link_most",
    "pair_union",
    "pair_union:gap",
)
"""What stage two adds: the same against the passages that stage one believes."""
_COMPARISON: Final = frozenset(
    {"both", "same", "or", "older", "younger", "first", "earlier", "later", "larger", "more", "less", "which"}
    | {"between", "ambos", "mismo", "misma", "beide", "ambas", "même"}
)


class Board:
    """A question and its distinct passages, with what both stages need of them."""

    def __init__(self, task: Reading, question: Reading, passages: Sequence[Reading]) -> None:
        self.task = task
        self.question = question
        self.passages = passages
        self.rarity = Rarity([passage.text.stems for passage in passages])

    @property
    def n(self) -> int:
        return len(self.passages)

    def core(self) -> Floats:
        """(n, len(CORE))."""
        question, asked = self.question, self.question.text.content
        late = self._late()
        lexical = bm25(asked, [passage.text.stems for passage in self.passages], rarity=self.rarity)
        most = math.fsum(self.rarity(stem) for stem in set(asked)) * (K1 + 1) or 1.0
        pairs = list(question.bigrams)
        rows = []
        for i, passage in enumerate(self.passages):
            held = passage.stems
            rows.append(
                (
                    _nearest(question, passage),
                    _nearest(self.task, passage),
                    _nearest_sentence(question, passage),
                    *late[i],
                    lexical[i] / most,
                    overlap(asked, held),
                    self.rarity.share(asked, held),
                    self.rarity.share(self.task.text.content, held),
                    max((self.rarity.share(asked, stems) for stems in passage.sentence_stems), default=0.0),
                    len(question.bigrams & passage.bigrams) / len(pairs) if pairs else 0.0,
                    overlap(tuple(question.text.names), held),
                    overlap(tuple(question.text.numbers), passage.text.numbers),
                    overlap(tuple(passage.title), question.stems),
                )
            )
        return np.asarray(rows, dtype=np.float64).reshape(self.n, len(CORE))

    def features(self) -> tuple[Floats, Floats]:
        """Stage one's rows (n, len(NAMES)) and the link of each passage with each other (n, n, len(HOP))."""
        core = self.core()
        links = self.links()
        anchor = core[:, CORE.index("late_rare")] + core[:, CORE.index("coverage_rare")]
        blocks = [core, gaps(core), ranks(core), hops(links, anchor), self._list()]
        return np.concatenate(blocks, axis=1), links

    def links(self) -> Floats:
        """What passage i has to do with passage j: (n, n, len(HOP)), zero on the diagonal."""
        n, asked = self.n, self.question.text.content
        alike = self._windows
        weights = {stem: self.rarity(stem) for stem in set(asked)}
        total = math.fsum(weights.values()) or 1.0
        held = np.asarray(
            [[stem in passage.stems for stem in weights] for passage in self.passages], dtype=bool
        )
        heavy = np.asarray(list(weights.values()), dtype=np.float64)
        held = held.reshape(n, len(heavy))
        fresh = [passage.title - self.question.stems for passage in self.passages]
        named = [passage.text.names - self.question.stems for passage in self.passages]
        out = np.zeros((n, n, len(HOP)))
        for i, here in enumerate(self.passages):
            for j, there in enumerate(self.passages):
                if i == j:
                    continue
                title_here = overlap(tuple(here.title), there.stems) if fresh[i] else 0.0
                title_there = overlap(tuple(there.title), here.stems) if fresh[j] else 0.0
                new = self.rarity.share(tuple(named[j]), here.stems)
                uncovered = float((heavy * (held[i] & ~held[j])).sum()) / total
                union = float((heavy * (held[i] | held[j])).sum()) / total
                out[i, j] = (
                    title_here,
                    title_there,
                    new,
                    uncovered,
                    union,
                    alike[i, j],
                    max(title_here, title_there),
                )
        return out

    @cached_property
    def _windows(self) -> Floats:
        """Cosine of each passage's first window with each other's, (n, n)."""
        none = np.zeros(DIMENSIONS, dtype=np.int8)
        windows = [passage.encoded.windows for passage in self.passages]
        vectors = np.stack([found[0] if len(found) else none for found in windows])
        return cosines(vectors, vectors)

    def _late(self) -> Floats:
        """Late interaction, (n, 4): plain mean, weighted by rarity, against the mean passage, the worst
        tenth."""
        tokens, owners = self.question.content_tokens
        if not len(tokens):
            return np.zeros((self.n, 4))
        best = best_matches(tokens, [passage.encoded for passage in self.passages])
        weights = np.asarray([self.rarity(owner) for owner in owners])
        weights = weights / (weights.sum() or 1.0)
        contrast = best - best.mean(axis=0)
        return np.column_stack(
            [
                best.mean(axis=1),
                (best * weights).sum(axis=1),
                contrast.mean(axis=1),
                np.quantile(best, 0.1, axis=1),
            ]
        )

    def _list(self) -> Floats:
        question, lengths = (
            self.question.text,
            np.asarray([len(p.text.words) for p in self.passages], dtype=np.float64),
        )
        alike = np.where(np.eye(self.n, dtype=bool), -1.0, self._windows)
        common = (
            float(self.n),
            float(len(question.words)),
            float(len(question.names)),
            float(len(question.numbers)),
            float(self.task.text.text != question.text),
            float(any(word.form.casefold() in _COMPARISON for word in question.words)),
        )
        whole = np.tile(np.asarray(common), (self.n, 1))
        return np.column_stack(
            [
                whole[:, 0],
                np.log1p(lengths),
                lengths / (lengths.mean() or 1.0),
                whole[:, 1:4],
                alike.max(axis=1),
                whole[:, 4:],
            ]
        )


def hops(links: Floats, belief: Floats) -> Floats:
    """Each passage's links with the best of the others by `belief`: (n, len(HOP))."""
    n = len(belief)
    out = np.zeros((n, len(HOP)))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        if others:
            out[i] = links[i, max(others, key=lambda j: (belief[j], -j))]
    return out


def beliefs(links: Floats, belief: Floats) -> Floats:
    """Stage two's further columns (n, len(BELIEF)) from stage one's probabilities."""
    n, column, ordered = len(belief), belief[:, None], np.sort(belief)[::-1]
    link = links[:, :, HOP.index("hop_link")] * belief[None, :]
    pair = links[:, :, HOP.index("hop_union")].max(axis=1, initial=0.0)
    return np.column_stack(
        [
            column,
            gaps(column),
            ranks(column),
            np.full(n, belief.sum()),
            np.full(n, ordered[0] if n else 0.0),
            np.full(n, ordered[1] if n > 1 else 0.0),
            hops(links, belief),
            link.sum(axis=1),
            link.max(axis=1, initial=0.0),
            pair,
            pair - pair.max(initial=0.0),
        ]
    )


def gaps(scores: Floats) -> Floats:
    """Each score less the best of the other passages', column by column; 0 for a passage alone."""
    if len(scores) < 2:
        return np.zeros_like(scores)
    ordered = np.sort(scores, axis=0)
    best, second = ordered[-1], ordered[-2]
    gap: Floats = np.where(scores == best, scores - second, scores - best)
    return gap


def ranks(scores: Floats) -> Floats:
    """The share of the other passages with a higher score, ties counted half: 0 for the best."""
    n = len(scores)
    if n < 2:
        return np.zeros_like(scores)
    above = (scores[None, :, :] > scores[:, None, :]).sum(axis=1)
    tied = (scores[None, :, :] == scores[:, None, :]).sum(axis=1) - 1
    return np.asarray((above + tied / 2) / (n - 1), dtype=np.float64)


def _nearest(question: Reading, passage: Reading) -> float:
    if not len(question.encoded.windows) or not len(passage.encoded.windows):
        return 0.0
    return float(cosines(question.encoded.windows, passage.encoded.windows).max())


def _nearest_sentence(question: Reading, passage: Reading) -> float:
    if not len(question.encoded.windows) or not len(passage.sentence_vectors):
        return 0.0
    return float(cosines(question.encoded.windows[:1], passage.sentence_vectors).max())


def best_matches(tokens: Vectors, encoded: Sequence[Encoded]) -> Floats:
    """For each text (rows) the best cosine of each of `tokens` (columns) with any of its tokens; 0 without
    tokens."""
    filled = [i for i, item in enumerate(encoded) if len(item.tokens)]
    out = np.zeros((len(encoded), len(tokens)))
    if filled:
        every = np.concatenate([encoded[i].tokens for i in filled])
        norms = np.concatenate([encoded[i].token_norms for i in filled])
        starts = np.cumsum([0, *(len(encoded[i].tokens) for i in filled[:-1])])
        out[filled] = np.maximum.reduceat(cosines(tokens, every, right_norms=norms), starts, axis=1).T
    return out


def texts(items: Sequence[str]) -> list[str]:
    """The distinct, non-blank texts in their own order."""
    return sorted({item for item in items if item.strip()})
