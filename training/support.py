"""Trains the two stages of the support head and measures them by grouped cross-validation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rows import Row
from steelyard.judges.embedded.encoder import Encoded
from steelyard.judges.embedded.support import Board, beliefs, texts
from steelyard.judges.splitting import question_of
from trees import Model, boosted, curve, margins
from vectors import reading

SEEDS = (0, 1, 2)


@dataclass
class Event:
    """One row's distinct passages in text order: stage one's features, links, labels and the positions behind
    them."""

    row: Row
    features: np.ndarray
    links: np.ndarray
    labels: np.ndarray
    positions: list[list[int]]

    def cited(self, chosen: np.ndarray) -> tuple[int, ...]:
        """The positions in the row's context of the chosen distinct passages, ascending."""
        return tuple(
            sorted(i for where, hit in zip(self.positions, chosen, strict=True) if hit for i in where)
        )


def prepare(row: Row, vectors: Mapping[str, Encoded]) -> Event:
    task, context = row.data["task"], row.data["context"]
    gold = frozenset(map(str, row.data["ground_truth"]["gold_doc_ids"]))
    distinct = texts([item["text"] for item in context])
    positions = [[i for i, item in enumerate(context) if item["text"] == text] for text in distinct]
    board = Board(
        reading(task, vectors),
        reading(question_of(task), vectors),
        [reading(t, vectors) for t in distinct],
    )
    features, links = board.features()
    labels = np.asarray(
        [any(str(context[i]["id"]) in gold for i in where) for where in positions], dtype=float
    )
    return Event(row, features, links, labels, positions)


def ensemble(
    rows: np.ndarray, labels: np.ndarray, weights: np.ndarray, *, seeds: Sequence[int] = SEEDS, **shape: float
) -> list[Model]:
    return [boosted(seed=seed, **shape).fit(rows, labels, sample_weight=weights) for seed in seeds]


def predict(models: Sequence[Model], rows: np.ndarray) -> np.ndarray:
    return np.mean([margins(model, rows) for model in models], axis=0)


def sigmoid(margin: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-margin))


class Stages:
    """Both stages over a list of events, with each event's fold."""

    def __init__(self, events: Sequence[Event], fold: np.ndarray) -> None:
        self.events, self.fold = events, fold
        self.sizes = np.asarray([len(event.labels) for event in events])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.owner = np.repeat(np.arange(len(events)), self.sizes)
        self.rows = np.concatenate([event.features for event in events])
        self.labels = np.concatenate([event.labels for event in events])
        counts = Counter(event.row.dataset for event in events if not event.row.variant)
        share = np.asarray(
            [(300 / counts[e.row.dataset]) ** 0.5 / max(len(e.labels), 1) * 10 for e in events]
        )
        made = np.asarray([0.5 if event.row.variant else 1.0 for event in events])
        self.weights = (share * made)[self.owner]
        self.real = np.asarray([not event.row.variant for event in events])

    def one(self, inside: np.ndarray, *, seeds: Sequence[int] = SEEDS) -> list[Model]:
        mask = inside[self.owner]
        return ensemble(self.rows[mask], self.labels[mask], self.weights[mask], seeds=seeds)

    def two_rows(self, belief: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """Stage two's rows of the events `inside`, given stage one's probabilities of all passages."""
        out = []
        for i in np.flatnonzero(inside):
            here = slice(self.starts[i], self.starts[i + 1])
            event = self.events[i]
            out.append(np.concatenate([event.features, beliefs(event.links, belief[here])], axis=1))
        return np.concatenate(out)

    def two(self, belief: np.ndarray, inside: np.ndarray, *, seeds: Sequence[int] = SEEDS) -> list[Model]:
        mask = inside[self.owner]
        return ensemble(self.two_rows(belief, inside), self.labels[mask], self.weights[mask], seeds=seeds)

    def crossed(self) -> tuple[np.ndarray, np.ndarray]:
        """Out-of-fold margins of stage one and of stage two, whose training beliefs are out of fold as
        well."""
        ks = sorted(set(self.fold.tolist()))
        alone = {k: self.one(self.fold != k) for k in ks}
        pairs = {
            frozenset(p): self.one((self.fold != p[0]) & (self.fold != p[1])) for p in combinations(ks, 2)
        }
        first, second = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        for k in ks:
            outside, inside = (self.fold == k)[self.owner], (self.fold != k)
            belief = np.zeros(len(self.rows))
            first[outside] = predict(alone[k], self.rows[outside])
            belief[outside] = sigmoid(first[outside])
            for j in ks:
                if j != k:
                    there = (self.fold == j)[self.owner]
                    belief[there] = sigmoid(predict(pairs[frozenset((j, k))], self.rows[there]))
            models = self.two(belief, inside)
            second[outside] = predict(models, self.two_rows(belief, self.fold == k))
        return first, second

    def calibrated(self, margin: np.ndarray) -> np.ndarray:
        """Probabilities by curves fitted on the other folds."""
        out = np.zeros(len(margin))
        for k in sorted(set(self.fold.tolist())):
            here = (self.fold == k)[self.owner]
            x, y = curve(margin[~here], self.labels[~here])
            out[here] = np.interp(margin[here], x, y)
        return out
