"""A judge's published accuracy: on public sets, beside baselines, measured before it was shipped."""

from .base import Record
from .numbers import Estimate


class PublicSet(Record):
    """Citations on one public set, by cross-validation. `left_out`: macro F1 by heads that saw nothing of the
    set, the fairer guess for data of another kind. `baselines`: macro F1 of each, by name."""

    name: str
    macro_f1: Estimate
    exact_match: Estimate
    left_out: Estimate
    baselines: dict[str, float]


class RecallError(Record):
    """How far the recall that the judge estimates is from the recall by gold, events of one public set."""

    name: str
    n: int
    mean_absolute_error: float


class PublicCard(Record):
    """`ece`: expected calibration error of its probabilities, 0..1; `method` says how all was measured."""

    model: str
    digest: str
    method: str
    languages: dict[str, str]
    sets: tuple[PublicSet, ...]
    mean_macro_f1: float
    mean_macro_f1_left_out: float
    ece: float
    recall_errors: tuple[RecallError, ...]
