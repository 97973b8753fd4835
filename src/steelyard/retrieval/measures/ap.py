"""AP: average precision; its mean over queries is MAP."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .measure import Counts, Hits, Measure, Values, undefined_without_gold


class AP(Measure):
    """The mean over all relevant documents of the precision at their rank, 0 for one not retrieved (Harman
    1992; with a cut-off as `trec_eval` computes `map_cut`)."""

    symbol: ClassVar[str] = "AP"

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        if gold == 0:
            return None
        found, total = 0, 0.0
        for rank, hit in enumerate(relevant[: self.k], start=1):
            if hit:
                found += 1
                total += found / rank
        return total / gold

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        top = relevant[:, : self.k]
        precisions = np.cumsum(top, axis=1, dtype=np.int32) / np.arange(1, top.shape[1] + 1)
        return undefined_without_gold(np.einsum("ij,ij->i", precisions, top) / np.maximum(gold, 1), gold)
