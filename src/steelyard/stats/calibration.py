"""How far probabilities can be believed: Brier score, expected calibration error and the reliability
curve."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.schemas.numbers import Value

Labels = NDArray[np.bool_]
Probabilities = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Items with a probability in [low, high) (the last bin: up to 1): the mean probability said and the
    share that was true."""

    low: float
    high: float
    n: int
    said: float
    true: float


def brier(labels: Labels, probabilities: Probabilities) -> Value:
    """The mean squared error of the probabilities, 0 is perfect (Brier 1950)."""
    if not len(labels):
        return Value.undefined("there are no items")
    return Value.of(float(np.mean((probabilities - labels) ** 2)))


def reliability(labels: Labels, probabilities: Probabilities, *, bins: int = 10) -> tuple[Bin, ...]:
    """The curve over bins of equal width, empty bins left out."""
    places = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    counts = np.bincount(places, minlength=bins)
    said = np.bincount(places, weights=probabilities, minlength=bins)
    true = np.bincount(places, weights=labels, minlength=bins)
    return tuple(
        Bin(
            low=place / bins,
            high=(place + 1) / bins,
            n=int(counts[place]),
            said=float(said[place] / counts[place]),
            true=float(true[place] / counts[place]),
        )
        for place in np.flatnonzero(counts).tolist()
    )


def ece(labels: Labels, probabilities: Probabilities, *, bins: int = 10) -> Value:
    """The mean distance between said and true over bins of equal width, weighted by items, 0..1 (Naeini,
    Cooper and Hauskrecht 2015)."""
    if not len(labels):
        return Value.undefined("there are no items")
    curve = reliability(labels, probabilities, bins=bins)
    return Value.of(sum(part.n * abs(part.said - part.true) for part in curve) / len(labels))
