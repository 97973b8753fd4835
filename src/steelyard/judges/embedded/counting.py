"""How many passages of a list are relevant: features of the whole list, for heads that say P(≥ 1), P(≥ 2),
…"""

from typing import Final

import numpy as np

from . import tasks
from .encoder import Floats
from .support import NAMES as ROW

_TOP: Final = (("second", 6), ("first", 3), ("margin", 5))
_SCORES: Final = (("cosine", 3), ("late_rare", 3), ("coverage", 3), ("bm25", 2))
NAMES: Final = (
    "second:sum",
    "first:sum",
    "passages",
    *(f"{name}:{i + 1}" for name, k in (*_TOP, *_SCORES) for i in range(k)),
    *(f"task:{name}" for name in tasks.NAMES),
    "length:median",
)
MOST: Final = 4
"""Heads for at least 1 … MOST relevant passages."""


def features(first: Floats, second: Floats, margins: Floats, rows: Floats, task: Floats) -> Floats:
    """One row (len(NAMES),): `first`, `second` are both stages' probabilities, `margins` stage two's, `rows`
    stage one's features, `task` the task's own. Independent of the order of passages."""
    scores = [_top(rows[:, ROW.index(name)], k, 0.0) for name, k in _SCORES]
    median = float(np.median(rows[:, ROW.index("length")])) if len(rows) else 0.0
    ordered = [np.sort(values)[::-1] for values in (second, first)]
    return np.concatenate(
        [
            [ordered[0].sum(), ordered[1].sum(), len(second)],
            _top(second, _TOP[0][1], 0.0),
            _top(first, _TOP[1][1], 0.0),
            _top(margins, _TOP[2][1], -9.0),
            *scores,
            task,
            [median],
        ]
    )


def distribution(at_least: Floats, n: int) -> Floats:
    """P(0), P(1), … P(k − 1), P(≥ k) relevant passages of n, k = min(MOST, n), from the heads' P(≥ 1), P(≥
    2), …"""
    k = min(MOST, n)
    falling = np.minimum.accumulate(np.clip(at_least, 0.0, 1.0))[:k]
    return -np.diff(np.concatenate([[1.0], falling, [0.0]]))


def _top(values: Floats, k: int, missing: float) -> Floats:
    ordered = np.sort(values)[::-1][:k]
    return np.concatenate([ordered, np.full(k - len(ordered), missing)])
