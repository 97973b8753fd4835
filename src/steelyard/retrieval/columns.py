"""The numbers of many events as columns, and what each of them adds to the sums."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.schemas.event import Status

from .scores import AGAINST_GOLD, METRICS, NAMES
from .sums import AT, CORRECTED, FIELDS, GROUPS, MICRO, Matrix, Sums, group_of

_STATE_OF = {
    Status.EVALUATED: "scored",
    Status.UNSCORED: "unscored",
    Status.QUEUED: "pending",
    Status.EVALUATING: "pending",
    Status.NOT_SAMPLED: "not_sampled",
    Status.ERROR: "errors",
    Status.CANCELLED: "errors",
}


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The numbers of many events under one judge identity. `numbers`: events × `scores.NAMES`, NaN where
    undefined; `tasks`: a code 0..n-1 for each event's normalised task; `groups`: the hash group of that
    task."""

    numbers: Matrix
    status: NDArray[np.str_]
    tasks: NDArray[np.int64]
    groups: NDArray[np.int64]
    estimated: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        rows: Sequence[Sequence[float | None]] | Matrix,
        *,
        status: Sequence[str],
        task_keys: Sequence[str],
        estimated: Sequence[bool] | None = None,
    ) -> "Columns":
        """From one row an event (`Scores.row`), its status, the key of its task and whether its recall is
        estimated."""
        # By key, not by arrival, so that the order events come in moves no interval.
        codes = {key: code for code, key in enumerate(sorted(set(task_keys)))}
        tasks = [codes[key] for key in task_keys]
        by_code = [group_of(key) for key in codes]
        numbers = np.array(rows, dtype=np.float64).reshape(len(tasks), len(NAMES))
        return cls(
            numbers=numbers,
            status=np.array([str(state) for state in status], dtype=np.str_),
            tasks=np.array(tasks, dtype=np.int64),
            groups=np.array([by_code[code] for code in tasks], dtype=np.int64),
            estimated=np.array([False] * len(tasks) if estimated is None else estimated, dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.tasks)

    def where(self, mask: NDArray[np.bool_]) -> "Columns":
        return Columns(
            numbers=self.numbers[mask],
            status=self.status[mask],
            tasks=self.tasks[mask],
            groups=self.groups[mask],
            estimated=self.estimated[mask],
        )

    def labelled_only(self, mask: NDArray[np.bool_]) -> "Columns":
        """The same events, those outside `mask` as if they had no gold ids."""
        numbers = self.numbers.copy()
        against_gold = np.array([name in AGAINST_GOLD for name in NAMES])
        numbers[np.ix_(~mask, against_gold)] = np.nan
        return replace(self, numbers=numbers)

    def number(self, name: str) -> Matrix:
        return np.asarray(self.numbers[:, NAMES.index(name)])

    def by_task(self) -> Sums:
        return Sums(values=_reduced(self.addends(), self.tasks), grouped=False)

    def by_group(self) -> Sums:
        """What a store keeps of these events: 64 × `FIELDS`."""
        values = np.zeros((GROUPS, len(FIELDS)))
        present = np.unique(self.groups)
        values[present] = _reduced(self.addends(), self.groups)
        return Sums(values=values, grouped=True)

    def addends(self) -> Matrix:
        """What each event adds to the sums: events × `FIELDS`."""
        added = np.zeros((len(self), len(FIELDS)))
        scored = self.status == Status.EVALUATED
        labelled = ~np.isnan(self.number("gold"))
        for metric in METRICS:
            number = self.number(metric)
            added[:, AT[f"{metric}.sum"]] = np.nan_to_num(number)
            added[:, AT[f"{metric}.n"]] = ~np.isnan(number)
        for metric, (over, under) in MICRO.items():
            needed = np.isnan(self.number("gold" if metric.startswith("gt_") else "cited"))
            if metric.startswith("evaluator_"):
                needed |= ~labelled
            added[:, AT[f"{metric}.micro.over"]] = np.where(needed, 0.0, np.nan_to_num(self.number(over)))
            added[:, AT[f"{metric}.micro.under"]] = np.where(needed, 0.0, np.nan_to_num(self.number(under)))
        for metric in CORRECTED:
            gold, judge = self.number(f"gt_{metric}"), self.number(metric)
            both, alone = ~np.isnan(gold) & ~np.isnan(judge), ~labelled & ~np.isnan(judge)
            beside = labelled & ~np.isnan(judge)
            added[:, AT[f"{metric}.labelled_gold"]] = np.where(both, gold, 0.0)
            added[:, AT[f"{metric}.labelled_n"]] = both
            added[:, AT[f"{metric}.labelled_judge"]] = np.where(beside, judge, 0.0)
            added[:, AT[f"{metric}.labelled_judge_n"]] = beside
            added[:, AT[f"{metric}.unlabelled_judge"]] = np.where(alone, judge, 0.0)
            added[:, AT[f"{metric}.unlabelled_n"]] = alone
        added[:, AT["n"]] = 1.0
        for status, state in _STATE_OF.items():
            added[:, AT[state]] += self.status == status
        added[:, AT["estimated"]] = self.estimated & scored
        added[:, AT["labelled"]] = labelled
        return added


def _reduced(added: Matrix, codes: NDArray[np.int64]) -> Matrix:
    """The sums of the rows of each code, codes ascending."""
    if not len(codes):
        return np.zeros((0, added.shape[1]))
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return np.asarray(np.add.reduceat(added[order], starts, axis=0), dtype=np.float64)
