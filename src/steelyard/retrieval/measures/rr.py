"""RR: reciprocal rank; its mean over queries is MRR."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .measure import Counts, Hits, Measure, Values, undefined_without_gold


class RR(Measure):
    """1 / rank of the first relevant document, 0 when none is retrieved (Voorhees 1999)."""

    symbol: ClassVar[str] = "RR"

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        if gold == 0:
            return None
        top = list(relevant[: self.k])
        return 1.0 / (top.index(True) + 1) if True in top else 0.0

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        top = relevant[:, : self.k]
        if top.shape[1] == 0:
            return undefined_without_gold(np.zeros(len(gold)), gold)
        return undefined_without_gold(top.any(axis=1) / (top.argmax(axis=1) + 1.0), gold)
