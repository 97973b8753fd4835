"""Changes between two periods."""

import numpy as np
import pytest

from steelyard.retrieval.changes import TRACKED, changes
from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import NAMES
from steelyard.retrieval.tasks import task_key


def period(values: list[float], *, metric: str = "recall") -> Columns:
    rows = [[value if name == metric else None for name in NAMES] for value in values]
    return Columns.of(
        rows,
        status=["evaluated"] * len(values),
        task_keys=[task_key(str(place)) for place in range(len(values))],
    )


def test_a_drop_is_seen_with_its_interval() -> None:
    rng = np.random.default_rng(1)
    now, before = period(rng.beta(2, 2, 400).tolist()), period(rng.beta(6, 2, 400).tolist())
    found = changes(now.by_task(), before.by_task())
    assert tuple(found) == TRACKED
    change = found["recall"]
    assert change.delta == pytest.approx(change.now.value - change.before.value)
    assert change.low < change.delta < change.high < 0
    assert found["ndcg"].reason == "one of the periods has no value"


def test_no_change_is_not_made_one() -> None:
    rng = np.random.default_rng(2)
    outside = 0
    for _ in range(300):
        sides = [period(rng.beta(4, 1, 60).tolist()).by_task() for _ in range(2)]
        change = changes(*sides, metrics=("recall",))["recall"]
        outside += not change.low <= 0 <= change.high
    assert outside <= 27


def test_groups_and_tasks_agree() -> None:
    rng = np.random.default_rng(3)
    now, before = (period(rng.beta(shape, 2, 2_000).tolist()) for shape in (4, 5))
    exact = changes(now.by_task(), before.by_task(), metrics=("recall",))["recall"]
    stored = changes(now.by_group(), before.by_group(), metrics=("recall",))["recall"]
    assert stored.delta == pytest.approx(exact.delta)
    assert stored.high - stored.low == pytest.approx(exact.high - exact.low, rel=0.35)


@pytest.mark.parametrize(
    ("now", "before", "reason"),
    [
        ([0.5, 0.6], [], "one of the periods has no value"),
        ([0.5], [0.5, 0.6], "one of the periods shows no spread"),
        ([0.5, 0.5], [0.7, 0.7], "one of the periods shows no spread"),
    ],
)
def test_without_an_interval_there_is_a_reason(now: list[float], before: list[float], reason: str) -> None:
    found = changes(period(now).by_task(), period(before).by_task(), metrics=("recall",))["recall"]
    assert (found.low, found.high, found.reason) == (None, None, reason)
