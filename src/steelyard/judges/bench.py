"""Measures any judge on labelled rows of three shapes (retrieval, groundedness, answers), beside plain
baselines.

The numbers say how often the judge agrees with the labels; wrong labels count against it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InvalidInput
from steelyard.schemas.base import Record
from steelyard.schemas.judging import (
    CorrectCase,
    GroundedCase,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.verdict import Unscored
from steelyard.stats.calibration import ece
from steelyard.stats.classification import Confusion, auc
from steelyard.stats.means import cluster_means
from steelyard.stats.resampling import resampled

from . import baselines
from .protocol import Judge

Kind = Literal["retrieval", "groundedness", "answers"]
Row = Mapping[str, Any]
BATCH: Final = 16
METRICS: Final[dict[Kind, tuple[str, ...]]] = {
    "retrieval": ("macro_f1", "micro_f1", "exact_match", "precision", "recall", "answered"),
    "groundedness": ("accuracy", "balanced_accuracy", "kappa", "auc", "ece", "answered", "accuracy_answered"),
    "answers": ("accuracy", "balanced_accuracy", "kappa", "auc", "ece", "answered", "accuracy_answered"),
}


class Measured(Record):
    """One set's numbers. `parts`: the same for each `metadata.dataset` inside it, when there are several; the
    metrics above are then the means over the parts."""

    kind: Kind
    n: int
    unscored: int
    metrics: Mapping[str, Estimate]
    baselines: Mapping[str, Mapping[str, float | None]]
    items_per_second: float | None
    parts: Mapping[str, "Measured"] = {}

    def summary(self) -> dict[str, Any]:
        """The JSON of `steelyard judge bench`: `{"kind", "n", metric: {"value", "low", "high"}, …}`."""
        numbers = {
            name: {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
            for name, estimate in self.metrics.items()
        }
        parts = {"parts": {name: part.summary() for name, part in self.parts.items()}} if self.parts else {}
        return {
            "kind": self.kind,
            "n": self.n,
            "unscored": self.unscored,
            **numbers,
            "items_per_second": self.items_per_second,
            "baselines": {name: dict(values) for name, values in self.baselines.items()},
            **parts,
        }


def kind_of(row: Row) -> Kind:
    """Which of the three shapes a row has. Raises `InvalidInput` for any other."""
    if "context" in row and "ground_truth" in row:
        return "retrieval"
    if "source" in row and "human_label" in row:
        return "groundedness"
    if "expected_output" in row and "human_label" in row:
        return "answers"
    raise InvalidInput(
        f"a row with the fields {', '.join(sorted(row)) or '(none)'} has none of the three labelled shapes",
        hint="Needed: context and ground_truth; source, output and human_label; or input, expected_output, "
        "output and human_label.",
    )


def measure(
    rows: Sequence[Row], judge: Judge, *, seed: int = 0, clock: Callable[[], float] = time.perf_counter
) -> Measured:
    """`judge` on `rows`, all of one shape. Raises `InvalidInput` naming the first row that does not fit."""
    if not rows:
        raise InvalidInput("there are no rows to measure", field="/0")
    kinds = [_checked(row, i) for i, row in enumerate(rows)]
    for i, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise InvalidInput(f"this row is of the shape {kind}, the first is of {kinds[0]}", field=f"/{i}")
    split: dict[str, list[Row]] = {}
    for row in rows:
        split.setdefault(str((row.get("metadata") or {}).get("dataset") or ""), []).append(row)
    one = _retrieval if kinds[0] == "retrieval" else _yes_no
    parts = {name: one(part, judge, kinds[0], seed, clock) for name, part in sorted(split.items())}
    return next(iter(parts.values())) if len(parts) == 1 else _mean_of(parts)


def _checked(row: Row, i: int) -> Kind:
    try:
        kind = kind_of(row)
    except InvalidInput as problem:
        raise InvalidInput(problem.message, field=f"/{i}", hint=problem.hint) from None
    if kind != "retrieval" and row["human_label"] not in (0, 1):
        raise InvalidInput(f"human_label is {row['human_label']!r}, not 0 or 1", field=f"/{i}/human_label")
    if kind == "retrieval" and not isinstance(row["ground_truth"].get("gold_doc_ids"), list):
        raise InvalidInput("there is no list gold_doc_ids", field=f"/{i}/ground_truth/gold_doc_ids")
    return kind


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def _retrieval(
    rows: Sequence[Row], judge: Judge, kind: Kind, seed: int, clock: Callable[[], float]
) -> Measured:
    started, cited = clock(), []
    for batch in _batches(rows):
        cited += _cited(batch, judge)
    seconds = clock() - started
    labelled = [baselines.Labelled.of(row) for row in rows]
    clusters = _codes([row.task for row in labelled])
    columns = np.zeros((clusters.max() + 1, 6, 2))
    for row, positions, code in zip(labelled, cited, clusters, strict=True):
        columns[code, 5] += (positions is not None, 1)
        if positions is not None:
            columns[code, :5] += row.scores(positions)
    estimates = cluster_means(columns[:, :, 0], columns[:, :, 1], seed=seed)
    return Measured(
        kind=kind,
        n=len(rows),
        unscored=sum(positions is None for positions in cited),
        metrics=dict(zip(METRICS[kind], estimates, strict=True)),
        baselines=baselines.retrieval(labelled),
        items_per_second=_rate(len(rows), seconds),
    )


def _cited(rows: Sequence[Row], judge: Judge) -> list[tuple[int, ...] | None]:
    """The cited positions of each row, None where the judge gives no answer."""
    listed = judge.requirements([row["task"] for row in rows])
    asked = [i for i, answer in enumerate(listed) if isinstance(answer, RequirementsAnswer)]
    cases = [
        SupportCase(
            task=rows[i]["task"], requirements=answer.requirements, passages=baselines.passages(rows[i])
        )
        for i in asked
        if isinstance(answer := listed[i], RequirementsAnswer)
    ]
    found: list[tuple[int, ...] | None] = [None] * len(rows)
    for i, decided in zip(asked, judge.support(cases), strict=True):
        found[i] = decided.cited if isinstance(decided, SupportAnswer) else None
    return found


def _yes_no(rows: Sequence[Row], judge: Judge, kind: Kind, seed: int, clock: Callable[[], float]) -> Measured:
    started, said = clock(), []
    for batch in _batches(rows):
        said += _grounded(batch, judge) if kind == "groundedness" else _correct(batch, judge)
    seconds = clock() - started
    kept = [i for i, answer in enumerate(said) if answer is not None]
    labels = np.asarray([rows[i]["human_label"] == 1 for i in kept], dtype=bool)
    answers = [said[i] or (None, None) for i in kept]
    sure = np.asarray([decided is not None for decided, _ in answers], dtype=bool)
    scores = np.asarray([_score(*answer) for answer in answers], dtype=np.float64)
    yes = np.asarray(
        [
            (score >= 0.5 if decided is None else decided)
            for (decided, _), score in zip(answers, scores, strict=True)
        ],
        dtype=bool,
    )
    group = "source" if kind == "groundedness" else "input"
    clusters = _codes([str(rows[i][group]) for i in kept])

    def over(statistic: Callable[[NDArray[np.int64]], Any]) -> Estimate:
        return resampled(statistic, clusters, seed=seed, resamples=400)

    right, size = (labels == yes).astype(np.float64), (int(clusters.max()) + 1 if len(kept) else 0)
    sums = np.zeros((size, 3, 2))
    for i, code in enumerate(clusters):
        sums[code] += ((right[i], 1), (sure[i], 1), (right[i] * sure[i], sure[i]))
    accuracy, answered, accuracy_answered = cluster_means(sums[:, :, 0], sums[:, :, 1], seed=seed)
    return Measured(
        kind=kind,
        n=len(rows),
        unscored=len(rows) - len(kept),
        metrics={
            "accuracy": accuracy,
            "balanced_accuracy": over(lambda at: Confusion.of(labels[at], yes[at]).balanced_accuracy),
            "kappa": over(lambda at: Confusion.of(labels[at], yes[at]).kappa),
            "auc": over(lambda at: auc(labels[at], scores[at])),
            "ece": over(lambda at: ece(labels[at], scores[at])),
            "answered": answered,
            "accuracy_answered": accuracy_answered,
        },
        baselines=baselines.yes_no([rows[i] for i in kept], labels),
        items_per_second=_rate(len(rows), seconds),
    )


Said = tuple[bool | None, float | None]


def _grounded(rows: Sequence[Row], judge: Judge) -> list[Said | None]:
    answers = judge.grounded([GroundedCase(claims=(row["output"],), source=row["source"]) for row in rows])
    return [
        None if isinstance(answer, Unscored) else (answer.claims[0].supported, answer.claims[0].probability)
        for answer in answers
    ]


def _correct(rows: Sequence[Row], judge: Judge) -> list[Said | None]:
    cases = [
        CorrectCase(question=row["input"], expected=baselines.expected(row), answer=row["output"])
        for row in rows
    ]
    return [
        None if isinstance(answer, Unscored) else (answer.correct, answer.probability)
        for answer in judge.correct(cases)
    ]


def _score(decided: bool | None, probability: float | None) -> float:
    return probability if probability is not None else {True: 1.0, None: 0.5, False: 0.0}[decided]


def _codes(names: Sequence[str]) -> NDArray[np.int64]:
    return np.unique(np.asarray(names, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)


def _rate(items: int, seconds: float) -> float | None:
    return round(items / seconds, 2) if seconds > 0 else None


def _mean_of(parts: Mapping[str, Measured]) -> Measured:
    """The mean over parts, its interval from the parts' own (independent sets: half widths add in
    squares)."""
    first = next(iter(parts.values()))
    return Measured(
        kind=first.kind,
        n=sum(part.n for part in parts.values()),
        unscored=sum(part.unscored for part in parts.values()),
        metrics={
            name: _average([part.metrics[name] for part in parts.values()]) for name in METRICS[first.kind]
        },
        baselines={
            name: {
                metric: _plain_mean([part.baselines[name][metric] for part in parts.values()])
                for metric in first.baselines[name]
            }
            for name in first.baselines
        },
        items_per_second=_plain_mean([part.items_per_second for part in parts.values()]),
        parts=parts,
    )


def _average(estimates: Sequence[Estimate]) -> Estimate:
    known = [estimate for estimate in estimates if estimate.value is not None]
    n = sum(estimate.n for estimate in known)
    value = _plain_mean([estimate.value for estimate in known])
    if value is None:
        return Estimate(value=None, n=n, reason="undefined on every part")
    if any(estimate.low is None or estimate.high is None for estimate in known):
        return Estimate(value=value, n=n, reason="a part has no interval")
    below = sum(((e.value or 0.0) - (e.low or 0.0)) ** 2 for e in known) ** 0.5 / len(known)
    above = sum(((e.high or 0.0) - (e.value or 0.0)) ** 2 for e in known) ** 0.5 / len(known)
    return Estimate(value=value, low=value - below, high=value + above, n=n, method="mean-of-parts")


def _plain_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
