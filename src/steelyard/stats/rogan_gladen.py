"""A pass rate corrected by the judge's measured sensitivity and specificity."""

from dataclasses import dataclass

from scipy import special

from steelyard.schemas.numbers import Estimate

_Z = float(special.ndtri(0.975))


@dataclass(frozen=True, kw_only=True)
class JudgeErrors:
    """Labelled items: `passes` by the label, `passed` of them also by the judge; `fails` by the label,
    `failed` of them also by the judge."""

    passes: int
    passed: int
    fails: int
    failed: int


def rogan_gladen(judged_pass: int, n: int, *, errors: JudgeErrors) -> Estimate:
    """The true pass rate among n items of which the judge passed `judged_pass`, in 0..1.

    Value: (t + sp - 1) / (se + sp - 1), cut to 0..1 (Rogan and Gladen 1978). Interval: Lang and Reiczigel
    2014, which adds pseudo-counts and a bias term, for the plain one is too short near 0 and 1. Undefined
    unless sensitivity + specificity > 1: such a judge knows nothing.
    """
    for count, what in ((n, "judged"), (errors.passes, "labelled pass"), (errors.fails, "labelled fail")):
        if count == 0:
            return Estimate(value=None, n=n, reason=f"no item is {what}")
    sensitivity, specificity = errors.passed / errors.passes, errors.failed / errors.fails
    if sensitivity + specificity <= 1:
        return Estimate(
            value=None, n=n, reason="sensitivity + specificity is not above 1: the judge is no guide"
        )
    value = (judged_pass / n + specificity - 1) / (sensitivity + specificity - 1)
    size, hits, misses = n + _Z**2, errors.passes + 2, errors.fails + 2
    apparent = (judged_pass + _Z**2 / 2) / size
    se, sp = (errors.passed + 1) / hits, (errors.failed + 1) / misses
    youden = se + sp - 1
    if youden <= 0:
        return Estimate(
            value=min(max(value, 0.0), 1.0), n=n, reason="too few labels to tell the judge from chance"
        )
    rate = (apparent + sp - 1) / youden
    shift = 2 * _Z**2 * (rate * se * (1 - se) / hits - (1 - rate) * sp * (1 - sp) / misses)
    variance = (
        apparent * (1 - apparent) / size
        + rate**2 * se * (1 - se) / hits
        + (1 - rate) ** 2 * sp * (1 - sp) / misses
    ) / youden**2
    half = _Z * variance**0.5
    value = min(max(value, 0.0), 1.0)
    return Estimate(
        value=value,
        low=min(max(rate + shift - half, 0.0), value),
        high=max(min(rate + shift + half, 1.0), value),
        n=n,
        method="rogan-gladen",
    )
