"""nDCG@k: normalised discounted cumulative gain."""

from collections.abc import Sequence
from functools import cache
from typing import ClassVar

import numpy as np

from .measure import Counts, Hits, Measure, Values, undefined_without_gold


class NDCG(Measure):
    """Binary gain, discount 1/log2(rank + 1), ideal: all relevant documents first (Järvelin and Kekäläinen
    2002, as `trec_eval` computes `ndcg_cut`)."""

    symbol: ClassVar[str] = "nDCG"

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        if gold == 0:
            return None
        depth = len(relevant) if self.k is None else min(self.k, len(relevant))
        discounts = _discounts(depth)
        gained = sum(discounts[rank] for rank in range(depth) if relevant[rank])
        return gained / ideal(gold if self.k is None else min(gold, self.k))

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        depth = relevant.shape[1] if self.k is None else min(self.k, relevant.shape[1])
        gained = relevant[:, :depth] @ np.asarray(_discounts(depth))
        most = gold if self.k is None else np.minimum(gold, self.k)
        ideals = np.concatenate([[1.0], np.cumsum(_discounts(int(most.max(initial=1))))])
        return undefined_without_gold(gained / ideals[most], gold)


@cache
def _discounts(depth: int) -> tuple[float, ...]:
    return tuple((1.0 / np.log2(np.arange(2, depth + 2))).tolist())


def ideal(count: int) -> float:
    """The gain of `count` relevant documents at the top."""
    return sum(_discounts(count))
