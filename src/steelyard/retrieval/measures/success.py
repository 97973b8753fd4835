"""Success@k, also called hit@k."""

from collections.abc import Sequence
from typing import ClassVar

from .measure import Counts, Hits, Measure, Values, undefined_without_gold


class Success(Measure):
    """1 when any of the first k documents is relevant, else 0."""

    symbol: ClassVar[str] = "Success"
    needs_cutoff: ClassVar[bool] = True

    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        return None if gold == 0 else float(any(relevant[: self.k]))

    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        return undefined_without_gold(relevant[:, : self.k].any(axis=1).astype(float), gold)
