"""What an evaluator's F1 means for its user: the band, and what to do in it."""

from collections.abc import Sequence

from steelyard.schemas.summary import Band

HIGH, MODERATE = 0.9, 0.7
ENOUGH = 50
"""Labelled events below which the advice is to label more first."""

_DIGITS = 9

TUNING = "Where the built-in judge does not fit your domain, tune a custom evaluator on your labels."

_BY_BAND: dict[Band, tuple[str, ...]] = {
    "high": ("The judge agrees with your labels: trust its numbers for monitoring.",),
    "moderate": (
        "Review the disagreements before relying on single verdicts.",
        "Implicit relevance: a passage may support the task without saying so outright.",
        "Incomplete labels: the judge may have found relevant passages that nobody marked.",
        "Domain terms: unusual jargon may escape the judge.",
        TUNING,
    ),
    "low": (
        "Check the labels first: do they name every relevant passage?",
        "Check the terminology: highly specialised words may be unknown to the judge.",
        "Check the passages: long or complex ones are harder to judge; try shorter chunks.",
        TUNING,
    ),
}
_FEW = "{n} labelled {noun} so far: start with 50-100 before reading much into these numbers."
_PRACTICES = (
    "Use consistent passage ids: gold ids must match them exactly.",
    "Cover borderline cases too, where the context half answers the task.",
    "Review disagreements: sometimes the judge is right and the label incomplete.",
    "Set sample_rate=1.0 when replaying labelled data, so that every example is evaluated.",
)


def band(f1: float | None) -> Band | None:
    """high above 0.9, moderate from 0.7 to 0.9 inclusive, low under 0.7; None for None. Compared at nine
    decimals, so that a mean of 0.9 is 0.9 however it was summed."""
    if f1 is None:
        return None
    rounded = round(f1, _DIGITS)
    if rounded > HIGH:
        return "high"
    return "moderate" if rounded >= MODERATE else "low"


def advice(found: Band | None, *, labelled: int) -> tuple[str, ...]:
    """Sentences for people: what the band calls for, whether there are labels enough, and good practice."""
    lines: list[str] = []
    if labelled < ENOUGH:
        lines.append(_FEW.format(n=labelled, noun="event" if labelled == 1 else "events"))
    return (*lines, *_of(found), *_PRACTICES)


def _of(found: Band | None) -> Sequence[str]:
    return () if found is None else _BY_BAND[found]
