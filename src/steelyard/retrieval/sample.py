"""Which part of a random sample may speak for its population while people are still labelling it. Pure."""

from collections.abc import Sequence

ENOUGH = 25
"""Labelled events below which a sample says too little: under so many the intervals are a little short."""

MOST_SKIPPED = 0.05
"""Share of the events before the last used one that may be without a label."""


def usable(labelled: Sequence[bool]) -> int:
    """How many of the first events of a sample, in the order drawn, may be used: the longest beginning of
    which at least 95% is labelled, for any beginning of a random order is a random sample itself. Whoever
    labels only the easy ones leaves a short beginning, not a flattering sample."""
    best = skipped = 0
    for place, has_label in enumerate(labelled, start=1):
        skipped += not has_label
        if skipped <= MOST_SKIPPED * place:
            best = place
    return best


def still_needed(labelled: Sequence[bool]) -> str | None:
    """Why the sample says too little yet; None when it says enough."""
    used = sum(labelled[: usable(labelled)])
    if used >= ENOUGH:
        return None
    return (
        f"{sum(labelled)} of {len(labelled)} events drawn at random are labelled, {used} of them without "
        f"gaps in the order drawn: label them in that order, {ENOUGH} are enough to begin with"
    )
