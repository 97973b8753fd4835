"""What a judge must beat: BM25 for retrieval, word overlap and containment for claims and answers.

Each baseline's one threshold is chosen on the very rows it is measured on, which flatters the baseline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.classification import Confusion, auc

from . import splitting
from .bm25 import bm25
from .words import Text, overlap

Row = Mapping[str, Any]
SHARES: Final = tuple(i / 20 for i in range(8, 21))
"""Thresholds tried for retrieval: cite what scores at least this share of the best passage's score."""


def passages(row: Row) -> tuple[str, ...]:
    return tuple(item if isinstance(item, str) else item["text"] for item in row["context"])


def expected(row: Row) -> tuple[str, ...]:
    """The expected answers: as written, and its parts where `metadata.golds` says that "/" stands between
    them."""
    written = row["expected_output"]
    if (row.get("metadata") or {}).get("golds") != 'split with "/"':
        return (written,)
    return tuple(dict.fromkeys([written, *(part.strip() for part in written.split("/") if part.strip())]))


@dataclass(frozen=True)
class Labelled:
    """A retrieval row by documents: `keys` one a position, `gold` those in context that are gold."""

    task: str
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    gold: frozenset[str]

    @classmethod
    def of(cls, row: Row) -> "Labelled":
        keys = tuple(
            f"id {item['id']}"
            if isinstance(item, Mapping) and item.get("id") is not None
            else f"position {i}"
            for i, item in enumerate(row["context"])
        )
        gold = frozenset(f"id {gold}" for gold in row["ground_truth"]["gold_doc_ids"]) & frozenset(keys)
        return cls(task=row["task"], texts=passages(row), keys=keys, gold=gold)

    def scores(self, positions: Sequence[int]) -> tuple[tuple[float, float], ...]:
        """Totals and counts of macro F1, micro F1, exact match, precision and recall; count 0 where
        undefined."""
        cited = {self.keys[position] for position in positions}
        hits, said, true = len(cited & self.gold), len(cited), len(self.gold)
        f1 = 2 * hits / (said + true) if said + true else 0.0
        return (
            (f1, float(said + true > 0)),
            (2.0 * hits, float(said + true)),
            (float(cited == self.gold), 1.0),
            (hits / said if said else 0.0, float(said > 0)),
            (hits / true if true else 0.0, float(true > 0)),
        )


def retrieval(rows: Sequence[Labelled]) -> dict[str, dict[str, float | None]]:
    """BM25 at its best threshold on these rows."""
    scored = []
    for row in rows:
        texts = [Text(text) for text in row.texts]
        scored.append(
            bm25(Text(splitting.question_of(row.task)).content, [text.stems for text in texts])
            if texts
            else []
        )
    return {"bm25": at_best(rows, scored)}


def at_best(rows: Sequence[Labelled], scored: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """Macro F1 and exact match at the share of the best score that gives the highest macro F1."""
    best: dict[str, float | None] = {"macro_f1": None, "exact_match": None, "share": None}
    for share in SHARES:
        sums = np.zeros((5, 2))
        for row, scores in zip(rows, scored, strict=True):
            most = max(scores, default=0.0)
            sums += row.scores([i for i, score in enumerate(scores) if score > 0 and score >= share * most])
        f1 = float(sums[0, 0] / sums[0, 1]) if sums[0, 1] else None
        if f1 is not None and (best["macro_f1"] is None or f1 > best["macro_f1"]):
            best = {"macro_f1": f1, "exact_match": float(sums[2, 0] / sums[2, 1]), "share": share}
    return best


def yes_no(rows: Sequence[Row], labels: NDArray[np.bool_]) -> dict[str, dict[str, float | None]]:
    """`overlap`: the share of the claim's or the expected answer's words, yes from the best threshold on.
    `majority`: the commoner label. For answers also `containment`: an expected answer stands in the
    answer."""
    shares = np.asarray([_share(row) for row in rows], dtype=np.float64)
    cuts = np.unique(shares)[:: max(1, len(np.unique(shares)) // 50)] if len(shares) else shares
    best = max(
        (_agreement(labels, shares >= cut) for cut in cuts), default=_agreement(labels, labels), key=_balanced
    )
    out = {
        "overlap": {**best, "auc": auc(labels, shares).value},
        "majority": _agreement(labels, np.full(len(labels), labels.mean() >= 0.5 if len(labels) else False)),
    }
    if rows and "expected_output" in rows[0]:
        out["containment"] = _agreement(labels, np.asarray([_contains(row) for row in rows], dtype=bool))
    return out


def _share(row: Row) -> float:
    if "source" in row:
        return overlap(Text(row["output"]).content, set(Text(row["source"]).stems))
    said = set(Text(row["output"]).stems)
    return max((overlap(Text(gold).content, said) for gold in expected(row)), default=0.0)


def _contains(row: Row) -> bool:
    said = f" {' '.join(Text(row['output']).stems)} "
    return any(f" {' '.join(stems)} " in said for gold in expected(row) if (stems := Text(gold).stems))


def _agreement(labels: NDArray[np.bool_], judged: NDArray[np.bool_]) -> dict[str, float | None]:
    counts = Confusion.of(labels, judged)
    return {"accuracy": counts.accuracy.value, "balanced_accuracy": counts.balanced_accuracy.value}


def _balanced(agreement: Mapping[str, float | None]) -> float:
    return agreement["balanced_accuracy"] or agreement["accuracy"] or 0.0
