"""The pieces pages are made of: typed, frozen, shown as HTML and served as JSON alike."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from steelyard.schemas.base import Record
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.summary import Band, EvaluatorSummary

Unit = Literal["share", "seconds"]


class Point(Record):
    """One bucket of a trend, `start` included, `end` not."""

    start: datetime
    end: datetime
    estimate: Estimate


class Mark(Record):
    """A release first seen at a time; `letter` names it on the charts, the list under them spells it out."""

    letter: str
    name: str
    at: datetime


class Change(Record):
    """This period less the one before. `verdict` is `better` or `worse` only when the interval excludes 0.

    `value` is None with a `reason` when either period has no number; so may the interval be.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    verdict: Literal["better", "worse", "undecided"] = "undecided"
    reason: str | None = None


class Qualifier(Record):
    """What tells how far a number can be trusted: the evaluator's own accuracy, or the corrected number."""

    name: str
    estimate: Estimate
    band: Band | None = None


class Tile(Record):
    """One number of a page with all that is needed to believe it. `bounded` numbers lie in 0..1."""

    key: str
    name: str
    meaning: str
    estimate: Estimate
    unit: Unit = "share"
    estimated: bool = False
    change: Change | None = None
    trend: tuple[Point, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether there is anything to draw over time."""
        return any(point.estimate.value is not None for point in self.trend)


class Choice(Record):
    """One option of a filter, and how many events it would leave, when that is known."""

    value: str
    name: str
    chosen: bool = False
    n: int | None = None


class Empty(Record):
    """An empty state: what is missing, what to do next, and a line to paste."""

    title: str
    advice: str
    paste: str | None = None
    link: str | None = None
    link_name: str | None = None


class JudgeName(Record):
    """A judge as pages name it: its identity's id, and the parts people ask for."""

    id: str
    name: str
    kind: str
    model: str


class SliceRow(Record):
    """The events of one value of a metadata key; `value` None: those without the key."""

    value: str | None
    events: int
    recall: Estimate
    precision: Estimate
    gt_recall: Estimate
    gt_precision: Estimate
    evaluator: EvaluatorSummary
    unscored_share: float | None
