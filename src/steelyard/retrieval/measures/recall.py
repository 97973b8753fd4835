"""R@k: recall at a cut-off."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .measure import Counts, Hits, Measure, Values, undefined_without_gold


class R(Measure):
    """Relevant documents among the first k, divided by all relevant documents."""

    symbol: ClassVar[str] = "R"
    needs_cutoff: ClassVar[bool] = True

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        return None if gold == 0 else sum(relevant[: self.k]) / gold

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        return undefined_without_gold(relevant[:, : self.k].sum(axis=1) / np.maximum(gold, 1), gold)
