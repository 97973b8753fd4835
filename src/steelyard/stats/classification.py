"""Agreement of a judge's yes or no with a label's: accuracy, F1, kappa, AUC."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from steelyard.schemas.numbers import Value

Labels = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """Counts of items by label (first letter: right or wrong) and judge: `tp` both yes, `fp` judge only, `fn`
    label only, `tn` neither."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, labels: Labels, judged: Labels) -> "Confusion":
        return cls(
            tp=int((labels & judged).sum()),
            fp=int((~labels & judged).sum()),
            fn=int((labels & ~judged).sum()),
            tn=int((~labels & ~judged).sum()),
        )

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> Value:
        return _ratio(self.tp + self.tn, self.n, "there are no items")

    @property
    def precision(self) -> Value:
        return _ratio(self.tp, self.tp + self.fp, "the judge says yes to nothing")

    @property
    def sensitivity(self) -> Value:
        """Recall: the share of the label's yes that the judge says yes to."""
        return _ratio(self.tp, self.tp + self.fn, "no label is yes")

    @property
    def specificity(self) -> Value:
        return _ratio(self.tn, self.tn + self.fp, "no label is no")

    @property
    def balanced_accuracy(self) -> Value:
        """The mean of sensitivity and specificity."""
        return _mean(self.sensitivity, self.specificity)

    @property
    def f1(self) -> Value:
        """Of the yes class, pooled over items (micro)."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn, "neither label nor judge says yes")

    @property
    def macro_f1(self) -> Value:
        """The mean of the F1 of yes and of no."""
        return _mean(self.f1, Confusion(tp=self.tn, fp=self.fn, fn=self.fp, tn=self.tp).f1)

    @property
    def kappa(self) -> Value:
        """Agreement beyond chance, -1..1 (Cohen 1960)."""
        if self.n == 0:
            return Value.undefined("there are no items")
        yes, judged = (self.tp + self.fn) / self.n, (self.tp + self.fp) / self.n
        chance = yes * judged + (1 - yes) * (1 - judged)
        observed = (self.tp + self.tn) / self.n
        if chance == 1:
            return Value.undefined("label and judge give one answer only")
        return Value.of((observed - chance) / (1 - chance))


def auc(labels: Labels, scores: NDArray[np.float64]) -> Value:
    """The chance that a yes item scores above a no item, ties counting half (Mann and Whitney 1947)."""
    yes = int(labels.sum())
    no = len(labels) - yes
    if yes == 0 or no == 0:
        return Value.undefined("all labels are the same")
    ranks = stats.rankdata(scores)
    return Value.of(float((ranks[labels].sum() - yes * (yes + 1) / 2) / (yes * no)))


def _ratio(over: float, under: float, reason: str) -> Value:
    return Value.of(over / under) if under else Value.undefined(reason)


def _mean(first: Value, second: Value) -> Value:
    if first.value is None or second.value is None:
        return Value.undefined("; ".join(part.reason for part in (first, second) if part.reason))
    return Value.of((first.value + second.value) / 2)
