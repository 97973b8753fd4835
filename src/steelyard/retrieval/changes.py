"""A metric now against the metric before, from sums of two separate sets of events."""

from steelyard.schemas.query import Change
from steelyard.stats.jackknife import difference, spread

from .summary import estimates
from .sums import Sums

TRACKED = ("recall", "precision", "f1", "ndcg", "evaluator_f1")
"""The metrics of the tiles."""


def changes(now: Sums, before: Sums, *, metrics: tuple[str, ...] = TRACKED) -> dict[str, Change]:
    """The change of each metric (`scores.METRICS`), with an interval that takes the two periods for
    independent: tasks that occur in both make it wider than need be, never too short."""
    current, previous = (
        estimates(now, metrics=metrics, quick=True),
        estimates(before, metrics=metrics, quick=True),
    )
    found = {}
    for metric in metrics:
        sides = [spread(part.column(f"{metric}.sum"), part.column(f"{metric}.n")) for part in (now, before)]
        delta = interval = None
        if sides[0] is not None and sides[1] is not None:
            delta, interval = sides[0].mean - sides[1].mean, difference(sides[0], sides[1])
        reason = None
        if delta is None:
            reason = "one of the periods has no value"
        elif interval is None:
            reason = "one of the periods shows no spread"
        low, high = interval or (None, None)
        found[metric] = Change(
            now=current[metric], before=previous[metric], delta=delta, low=low, high=high, reason=reason
        )
    return found
