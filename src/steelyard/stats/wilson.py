"""The interval of one proportion."""

import math

from scipy import special

from steelyard.schemas.numbers import Estimate

_Z = float(special.ndtri(0.975))


def wilson(successes: int, n: int) -> Estimate:
    """A proportion with its 95% score interval (Wilson 1927, without continuity correction).

    Written out, and equal to SciPy's `binomtest` (tests): importing `scipy.stats` for it would take 50 MB and
    most of a second from a server whose first page needs neither.
    """
    if n == 0:
        return Estimate(value=None, n=0, reason="there is nothing to count")
    share = successes / n
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Estimate(
        value=share,
        low=0.0 if successes == 0 else centre - half,
        high=1.0 if successes == n else centre + half,
        n=n,
        method="wilson",
    )
