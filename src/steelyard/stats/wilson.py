"""The interval of one proportion."""

from scipy import stats

from steelyard.schemas.numbers import Estimate


def wilson(successes: int, n: int) -> Estimate:
    """A proportion with its 95% score interval (Wilson 1927), from SciPy."""
    if n == 0:
        return Estimate(value=None, n=0, reason="there is nothing to count")
    interval = stats.binomtest(successes, n).proportion_ci(confidence_level=0.95, method="wilson")
    return Estimate(
        value=successes / n, low=float(interval.low), high=float(interval.high), n=n, method="wilson"
    )
