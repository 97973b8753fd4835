"""Sums: the same whichever way they are added up."""

import numpy as np
import pytest

from steelyard.errors import InvalidInput
from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import EVALUATOR, GROUND_TRUTH, IR, NAMES
from steelyard.retrieval.sums import FIELDS, GROUPS, Sums, group_of, group_sums
from steelyard.retrieval.tasks import task_key

STATUSES = ("evaluated", "evaluated", "unscored", "queued", "evaluating", "not_sampled", "error", "cancelled")


def columns(n: int = 300, *, tasks: int = 90, seed: int = 1) -> Columns:
    rng = np.random.default_rng(seed)
    numbers = rng.random((n, len(NAMES)))
    numbers[:, NAMES.index("requirements") :] = rng.integers(1, 5, (n, 7))
    unlabelled = rng.random(n) < 0.4
    for name in (*GROUND_TRUTH, *IR, *EVALUATOR, "gold", "gold_in_context", "cited_gold"):
        numbers[unlabelled, NAMES.index(name)] = np.nan
    return Columns.of(
        numbers,
        status=[STATUSES[place] for place in rng.integers(0, len(STATUSES), n)],
        task_keys=[task_key(str(place)) for place in rng.integers(0, tasks, n)],
        estimated=(rng.random(n) < 0.5).tolist(),
    )


def test_every_event_is_in_one_task_and_one_group() -> None:
    events = columns()
    for sums in (events.by_task(), events.by_group()):
        assert sums.values.sum(axis=0) == pytest.approx(events.addends().sum(axis=0))
    assert len(events.by_group().values) == GROUPS


def test_groups_of_parts_add_up_to_the_groups_of_the_whole() -> None:
    events = columns()
    half = np.arange(len(events)) % 2 == 0
    parts = [events.where(mask).by_group().values for mask in (half, ~half)]
    assert sum(parts) == pytest.approx(events.by_group().values)
    rows = np.concatenate(parts)
    added = group_sums(rows, np.tile(np.arange(GROUPS), 2))
    assert added.values == pytest.approx(events.by_group().values)
    assert added.grouped


def test_nothing_adds_up_to_nothing() -> None:
    nothing = Columns.of([], status=[], task_keys=[])
    assert len(nothing) == 0
    assert nothing.by_task().values.shape == (0, len(FIELDS))
    assert not nothing.by_group().values.any()
    assert not group_sums([], []).values.any()


def test_one_event_adds_its_numbers_once() -> None:
    row: list[float | None] = [None] * len(NAMES)
    for name, value in {"recall": 0.5, "documents": 4, "requirements": 2, "supported": 1, "cited": 3}.items():
        row[NAMES.index(name)] = value
    sums = Columns.of([row], status=["evaluated"], task_keys=[task_key("t")], estimated=[True]).by_task()
    found = {name: sums.total(name) for name in FIELDS if sums.total(name)}
    assert found == {
        "recall.sum": 0.5,
        "recall.n": 1,
        "recall.micro.over": 1,
        "recall.micro.under": 2,
        "precision.micro.over": 3,
        "precision.micro.under": 4,
        "recall.unlabelled_judge": 0.5,
        "recall.unlabelled_n": 1,
        "n": 1,
        "scored": 1,
        "estimated": 1,
    }


def test_a_task_is_always_in_the_same_group() -> None:
    groups = [group_of(task_key(str(place))) for place in range(4_000)]
    assert groups == [group_of(task_key(str(place))) for place in range(4_000)]
    assert set(groups) == set(range(GROUPS))
    assert np.bincount(groups).max() < 2 * 4_000 / GROUPS


def test_stored_sums_of_another_layout_are_refused() -> None:
    with pytest.raises(InvalidInput, match="sums have 68 fields"):
        Sums(values=np.zeros((GROUPS, len(FIELDS) - 1)), grouped=True)
