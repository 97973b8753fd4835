"""P@k: precision at a cut-off."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .measure import Counts, Hits, Measure, Values


class P(Measure):
    """Relevant documents among the first k, divided by k even when fewer were retrieved (as `trec_eval`).
    Defined without gold: then nothing retrieved is relevant."""

    symbol: ClassVar[str] = "P"
    needs_cutoff: ClassVar[bool] = True

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:  # noqa: ARG002 - part of the interface
        assert self.k is not None
        return sum(relevant[: self.k]) / self.k

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:  # noqa: ARG002 - part of the interface
        assert self.k is not None
        return np.asarray(relevant[:, : self.k].sum(axis=1) / self.k, dtype=np.float64)
