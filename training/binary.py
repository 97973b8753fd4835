"""Heads with one row an item: claim grounded, answer correct, task needs at least so many facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rows import Row, folds, golds
from steelyard.judges.embedded import answers, claims, tasks
from steelyard.judges.embedded.encoder import Encoded
from support import ensemble, predict
from trees import Model, curve
from vectors import reading

SHAPE = {"rounds": 120, "leaves": 10, "rate": 0.06, "least": 20}


@dataclass
class Table:
    """Items of one question: features, labels, the fold, the data set and the part each belongs to."""

    names: Sequence[str]
    rows: np.ndarray
    labels: np.ndarray
    fold: np.ndarray
    dataset: np.ndarray
    part: np.ndarray
    group: np.ndarray
    weights: np.ndarray

    def fit(self, inside: np.ndarray) -> list[Model]:
        return ensemble(self.rows[inside], self.labels[inside], self.weights[inside], **SHAPE)

    def crossed(self, split: np.ndarray | None = None) -> np.ndarray:
        """Margins by models that saw nothing of the item's fold (or of its `split`: a data set left out)."""
        by, out = self.fold if split is None else split, np.zeros(len(self.labels))
        for k in sorted(set(by.tolist())):
            out[by == k] = predict(self.fit(by != k), self.rows[by == k])
        return out

    def calibrated(self, margin: np.ndarray, split: np.ndarray | None = None) -> np.ndarray:
        by, out = self.fold if split is None else split, np.zeros(len(margin))
        for k in sorted(set(by.tolist())):
            x, y = curve(margin[by != k], self.labels[by != k], self.weights[by != k])
            out[by == k] = np.interp(margin[by == k], x, y)
        return out


def grounded(rows: Sequence[Row], vectors: Mapping[str, Encoded]) -> Table:
    kept = [row for row in rows if row.dataset != "halueval_qa_synthetic"]
    made = [
        claims.features(reading(row.data["output"], vectors), reading(row.data["source"], vectors))
        for row in kept
    ]
    return _table(claims.NAMES, kept, made, [row.data["human_label"] for row in kept])


def correct(rows: Sequence[Row], vectors: Mapping[str, Encoded]) -> Table:
    made = []
    for row in rows:
        expected = [reading(gold, vectors) for gold in golds(row.data) if gold.strip()]
        question = reading(row.data["input"], vectors)
        made.append(answers.features(question, expected, reading(row.data["output"], vectors)))
    return _table(answers.NAMES, rows, made, [row.data["human_label"] for row in rows])


def facts(rows: Sequence[Row], *, least: int) -> Table:
    """Whether a task needs at least `least` facts, by the gold counts of the retrieval rows."""
    kept = [row for row in rows if row.data["ground_truth"]["gold_doc_ids"]]
    made = [tasks.features(row.data["task"]) for row in kept]
    return _table(tasks.NAMES, kept, made, [needed(row) >= least for row in kept])


def needed(row: Row) -> int:
    """Distinct gold passages in context: two copies are one fact."""
    gold = set(map(str, row.data["ground_truth"]["gold_doc_ids"]))
    return len({item["text"] for item in row.data["context"] if str(item["id"]) in gold}) or 1


def _table(names: Sequence[str], rows: Sequence[Row], made: Sequence[Any], labels: Sequence[Any]) -> Table:
    dataset = np.asarray([row.dataset for row in rows])
    counts = {name: int((dataset == name).sum()) for name in set(dataset.tolist())}
    return Table(
        names=names,
        rows=np.stack(made),
        labels=np.asarray(labels, dtype=float),
        fold=folds([row.group for row in rows]),
        dataset=dataset,
        part=np.asarray([row.part for row in rows]),
        group=np.asarray([row.group for row in rows]),
        weights=np.asarray([(500 / counts[row.dataset]) ** 0.5 for row in rows]),
    )
