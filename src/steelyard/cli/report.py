"""The results of a replay: the two groups of metrics with intervals and bands, as tables and as JSON."""

from typing import Any

from rich.console import Console
from rich.table import Table

from steelyard.schemas.numbers import Estimate
from steelyard.schemas.summary import Coverage, Summary

_LABEL_FREE = (("recall", "Recall"), ("precision", "Precision"), ("f1", "F1"), ("ndcg", "nDCG"))
_GROUND_TRUTH = (("recall", "GT recall"), ("precision", "GT precision"), ("f1", "GT F1"))
_EVALUATOR = (
    ("precision", "Evaluator precision"),
    ("recall", "Evaluator recall"),
    ("f1", "Evaluator F1"),
    ("exact_match", "Exact match"),
)
_TRUST = {
    "high": "high: trust it for monitoring",
    "moderate": "moderate: review the disagreements",
    "low": "low: check labels, terms and passage length first",
}


def as_json(summary: Summary) -> dict[str, Any]:
    """The report's numbers: `n`, three groups of `{value, low, high, n}`, the share judged, and the judge."""

    def group(of: object, names: tuple[tuple[str, str], ...]) -> dict[str, Any]:
        return {name: _interval(getattr(of, name)) for name, _ in names}

    return {
        "n": summary.n,
        "label_free": group(summary.label_free, _LABEL_FREE),
        "ground_truth": group(summary.ground_truth, _GROUND_TRUTH),
        "evaluator": group(summary.evaluator, _EVALUATOR),
        "coverage": summary.coverage.share,
        "judge": summary.judge_id,
    }


def show(console: Console, summary: Summary) -> None:
    """The same for people, with what it takes to read it rightly."""
    table = Table(title=f"Retrieval · {_count(summary.n, 'event')}", title_justify="left")
    _columns(table)
    for name, title in _LABEL_FREE:
        estimated = " (estimated)" if summary.estimated and name in ("recall", "f1") else ""
        _line(table, f"{title}{estimated}", getattr(summary.label_free, name))
    table.add_section()
    for name, title in _GROUND_TRUTH:
        _line(table, title, getattr(summary.ground_truth, name))
    console.print(table)
    accuracy = Table(title="Evaluator accuracy · the judge against your labels", title_justify="left")
    _columns(accuracy)
    for name, title in _EVALUATOR:
        _line(accuracy, title, getattr(summary.evaluator, name))
    console.print(accuracy)
    console.print(_band(summary))
    console.print(coverage_line(summary.coverage))
    console.print(f"Judge: {summary.judge_id}. Intervals are 95%, events of one task counted together.")
    for line in summary.evaluator.advice[:1] if summary.evaluator.band else ():
        console.print(line)


def coverage_line(coverage: Coverage) -> str:
    parts = [f"{coverage.scored} judged"]
    for name, title in (
        ("unscored", "unscored"),
        ("errors", "failed"),
        ("pending", "waiting"),
        ("not_sampled", "not sampled"),
    ):
        count = getattr(coverage, name)
        if count:
            parts.append(f"{count} {title}")
    share = "" if coverage.share is None else f" Coverage {coverage.share:.1%}."
    return f"{', '.join(parts)}.{share}"


def _band(summary: Summary) -> str:
    found = summary.evaluator
    if found.band is None:
        return "Accuracy of the judge is unknown here: no event with gold_doc_ids was judged."
    ends = ""
    if found.low_band and found.high_band and {found.low_band, found.high_band} != {found.band}:
        ends = f" (its interval reaches from {found.low_band} to {found.high_band})"
    return f"The judge's accuracy is [bold]{_TRUST[found.band]}[/bold]{ends}."


def _interval(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def _columns(table: Table) -> None:
    table.add_column("")
    for title in ("value", "95% interval", "n"):
        table.add_column(title, justify="right")


def _line(table: Table, title: str, estimate: Estimate) -> None:
    if estimate.value is None:
        table.add_row(title, "-", estimate.reason or "", str(estimate.n))
        return
    interval = (
        "-" if estimate.low is None or estimate.high is None else f"{estimate.low:.3f} to {estimate.high:.3f}"
    )
    table.add_row(title, f"{estimate.value:.3f}", interval, str(estimate.n))


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
