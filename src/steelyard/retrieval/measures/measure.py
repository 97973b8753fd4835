"""What a rank measure is: a name with an optional cut-off, over binary relevance in rank order."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InvalidInput

Hits = NDArray[np.bool_]
Counts = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Measure(ABC):
    """A measure at a cut-off `k` (None: the whole ranking).

    `relevant` is, for each retrieved document in rank order, whether it is relevant; `gold` is how many
    relevant documents there are in all, retrieved or not.
    """

    symbol: ClassVar[str]
    needs_cutoff: ClassVar[bool] = False

    k: int | None = None

    def __post_init__(self) -> None:
        if self.k is not None and self.k < 1:
            raise InvalidInput(
                f"the cut-off of {self.symbol} must be 1 or more, not {self.k}", field=self.symbol
            )
        if self.needs_cutoff and self.k is None:
            raise InvalidInput(
                f"{self.symbol} needs a cut-off", field=self.symbol, hint=f"Write {self.symbol}@10."
            )

    def __str__(self) -> str:
        return self.symbol if self.k is None else f"{self.symbol}@{self.k}"

    @abstractmethod
    def of(self, relevant: Sequence[bool], *, gold: int) -> float | None:
        """One query's value in 0..1, None where the measure is undefined (no relevant document to find)."""

    @abstractmethod
    def batch(self, relevant: Hits, *, gold: Counts) -> Values:
        """Many queries at once: `relevant` is queries × ranks (False past the end of a ranking), `gold` one
        count a query; the values are NaN where undefined."""


def undefined_without_gold(values: Values, gold: Counts) -> Values:
    return np.where(gold > 0, values, np.nan)
