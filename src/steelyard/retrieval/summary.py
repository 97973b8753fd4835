"""Aggregates of many events: means with intervals, coverage with bounds, bands, and numbers corrected by
labels."""

import numpy as np
from numpy.typing import ArrayLike

from steelyard.schemas.numbers import Estimate
from steelyard.schemas.summary import (
    Corrected,
    Coverage,
    EvaluatorSummary,
    GroundTruthSummary,
    LabelFreeSummary,
    Summary,
)
from steelyard.stats.correction import CorrectedMean, ppi_from_sums
from steelyard.stats.means import cluster_means

from .bands import advice, band
from .columns import Columns
from .scores import IR, METRICS
from .sums import CORRECTED, MICRO, Sums

NOT_A_SAMPLE = (
    "the labelled events are not known to be a sample of this traffic: label a random sample, "
    "or filter to traffic that is labelled at random"
)
_POOLED_F1 = {
    "f1": ("recall", "precision"),
    "gt_f1": ("gt_recall", "gt_precision"),
    "evaluator_f1": ("evaluator_recall", "evaluator_precision"),
}


def summarise(
    columns: Columns,
    *,
    judge_id: str | None,
    seed: int = 0,
    withheld: str | None = NOT_A_SAMPLE,
    quick: bool = False,
) -> Summary:
    """Everything about these events, which one judge identity has evaluated.

    `withheld`: why the corrected numbers may not be shown; None only when the labelled events are a sample of
    the same traffic as the others. `quick` takes the jackknife where the bootstrap would be used, for many
    small sets.
    """
    return _summary(columns.by_task(), judge_id=judge_id, seed=seed, withheld=withheld, quick=quick)


def summarise_groups(
    sums: Sums,
    *,
    judge_id: str | None,
    withheld: str | None = NOT_A_SAMPLE,
    age_s: float | None = None,
) -> Summary:
    """The same from stored sums of hash groups; `age_s` is how old the sums are."""
    summary = _summary(sums, judge_id=judge_id, seed=0, withheld=withheld, quick=True)
    return summary.model_copy(update={"computed_from": "rollups", "age_s": age_s})


def summarise_by(
    columns: Columns,
    keys: ArrayLike,
    *,
    judge_id: str | None,
    withheld: str | None = NOT_A_SAMPLE,
) -> dict[int, Summary]:
    """One summary for each code in `keys` (an integer an event: a slice's or a time bucket's), by ascending
    code."""
    codes = np.asarray(keys, dtype=np.int64)
    return {
        int(code): summarise(columns.where(codes == code), judge_id=judge_id, withheld=withheld, quick=True)
        for code in np.unique(codes)
    }


def estimates(
    sums: Sums, *, metrics: tuple[str, ...] = METRICS, seed: int = 0, quick: bool = False
) -> dict[str, Estimate]:
    """The means of the named metrics (`scores.METRICS`) with intervals, the pooled value beside each that has
    one."""
    totals = np.stack([sums.column(f"{metric}.sum") for metric in metrics], axis=1)
    counts = np.stack([sums.column(f"{metric}.n") for metric in metrics], axis=1)
    found = cluster_means(totals, counts, seed=seed, grouped=sums.grouped, quick=quick)
    return {
        metric: estimate.model_copy(update={"micro": pooled(sums, metric)})
        for metric, estimate in zip(metrics, found, strict=True)
    }


def pooled(sums: Sums, metric: str) -> float | None:
    """The micro value: counts summed over events before they are divided; None where the metric has none."""
    if metric in MICRO:
        under = sums.total(f"{metric}.micro.under")
        return sums.total(f"{metric}.micro.over") / under if under else None
    if metric in _POOLED_F1:
        recall, precision = (pooled(sums, part) for part in _POOLED_F1[metric])
        if recall is None or precision is None:
            return 0.0 if recall == 0 or precision == 0 else None
        return 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return None


def coverage(sums: Sums) -> Coverage:
    """How much was judged, and between what bounds mean recall lies whatever the events that were not would
    have scored. An event that ended in an error counts as one that should have been judged; pending events do
    not yet."""
    scored, unscored, errors = (sums.count(name) for name in ("scored", "unscored", "errors"))
    total, judged = sums.total("recall.sum"), sums.count("recall.n")
    missed = unscored + errors
    due = scored + missed
    return Coverage(
        scored=scored,
        unscored=unscored,
        pending=sums.count("pending"),
        not_sampled=sums.count("not_sampled"),
        errors=errors,
        share=scored / due if due else None,
        worst_low=total / (judged + missed) if judged + missed else None,
        worst_high=min((total + missed) / (judged + missed), 1.0) if judged + missed else None,
    )


def corrected(sums: Sums, *, withheld: str | None) -> Corrected:
    """Mean recall and precision against gold over all traffic (PPI++, clustered), or why they are withheld.

    The labelled are the events with both numbers, the unlabelled those with the judge's alone.
    """
    labelled, unlabelled = sums.count("recall.labelled_n"), sums.count("recall.unlabelled_n")
    if withheld is None and not labelled:
        withheld = "no evaluated event is labelled"
    elif withheld is None and not unlabelled:
        withheld = "every evaluated event is labelled: the means against gold need no correction"
    if withheld is not None:
        return Corrected(labelled=labelled, unlabelled=unlabelled, withheld=withheld)
    recall, precision = (_corrected(sums, metric) for metric in CORRECTED)
    return Corrected(
        recall=recall.estimate,
        precision=precision.estimate,
        labelled=labelled,
        unlabelled=unlabelled,
        tuned_weight=recall.weight,
    )


def _corrected(sums: Sums, metric: str) -> CorrectedMean:
    return ppi_from_sums(
        labelled_gold=sums.column(f"{metric}.labelled_gold"),
        labelled_judge=sums.column(f"{metric}.labelled_judge"),
        labelled_n=sums.column(f"{metric}.labelled_n"),
        labelled_judge_n=sums.column(f"{metric}.labelled_judge_n"),
        unlabelled_judge=sums.column(f"{metric}.unlabelled_judge"),
        unlabelled_n=sums.column(f"{metric}.unlabelled_n"),
    )


def _summary(sums: Sums, *, judge_id: str | None, seed: int, withheld: str | None, quick: bool) -> Summary:
    means = estimates(sums, seed=seed, quick=quick)
    f1 = means["evaluator_f1"]
    found = band(f1.value)
    return Summary(
        n=sums.count("n"),
        judge_id=judge_id,
        label_free=LabelFreeSummary(
            recall=means["recall"], precision=means["precision"], f1=means["f1"], ndcg=means["ndcg"]
        ),
        ground_truth=GroundTruthSummary(
            recall=means["gt_recall"],
            precision=means["gt_precision"],
            f1=means["gt_f1"],
            ir={name: means[name] for name in IR},
        ),
        evaluator=EvaluatorSummary(
            precision=means["evaluator_precision"],
            recall=means["evaluator_recall"],
            f1=f1,
            exact_match=means["exact_match"],
            exact_match_strict=means["exact_match_strict"],
            band=found,
            low_band=band(f1.low),
            high_band=band(f1.high),
            advice=advice(found, labelled=means["exact_match"].n),
        ),
        coverage=coverage(sums),
        corrected=corrected(sums, withheld=withheld),
        estimated=sums.total("estimated") > 0,
    )
