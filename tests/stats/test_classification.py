"""Agreement measures by hand and by their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.classification import Confusion, auc

TABLE = Confusion(tp=20, fp=10, fn=5, tn=15)

VALUES = [
    ("accuracy", 0.7),
    ("precision", 2 / 3),
    ("sensitivity", 0.8),
    ("specificity", 0.6),
    ("balanced_accuracy", 0.7),
    ("f1", 40 / 55),
    ("macro_f1", (40 / 55 + 30 / 45) / 2),
    ("kappa", 0.4),
]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values(name: str, value: float) -> None:
    assert getattr(TABLE, name).value == pytest.approx(value)


UNDEFINED = [
    (Confusion(tp=0, fp=0, fn=0, tn=0), "accuracy"),
    (Confusion(tp=0, fp=0, fn=3, tn=3), "precision"),
    (Confusion(tp=0, fp=3, fn=0, tn=3), "sensitivity"),
    (Confusion(tp=3, fp=0, fn=3, tn=0), "specificity"),
    (Confusion(tp=3, fp=0, fn=3, tn=0), "balanced_accuracy"),
    (Confusion(tp=0, fp=0, fn=0, tn=9), "f1"),
    (Confusion(tp=9, fp=0, fn=0, tn=0), "macro_f1"),
    (Confusion(tp=9, fp=0, fn=0, tn=0), "kappa"),
    (Confusion(tp=0, fp=0, fn=0, tn=0), "kappa"),
]


@pytest.mark.parametrize(("table", "name"), UNDEFINED)
def test_undefined_with_a_reason(table: Confusion, name: str) -> None:
    found = getattr(table, name)
    assert found.value is None
    assert found.reason


def test_counting() -> None:
    labels, judged = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 1], bool)
    assert Confusion.of(labels, judged) == Confusion(tp=2, fp=1, fn=1, tn=1)


def test_a_judge_that_always_says_yes_has_high_accuracy_and_no_kappa() -> None:
    lazy = Confusion(tp=91, fp=9, fn=0, tn=0)
    assert lazy.accuracy.value == 0.91
    assert lazy.balanced_accuracy.value == 0.5
    assert lazy.kappa.value == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("labels", "scores", "value"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], 1.0),
        ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], 0.0),
        ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], 0.5),
        ([0, 1, 1], [0.5, 0.5, 0.9], 0.75),
        ([1, 1], [0.5, 0.6], None),
    ],
)
def test_auc(labels: list[int], scores: list[float], value: float | None) -> None:
    assert auc(np.array(labels, bool), np.array(scores)).value == value


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=60))
def test_auc_turns_round_with_the_scores(items: list[tuple[bool, float]]) -> None:
    labels, scores = np.array([a for a, _ in items]), np.array([b for _, b in items])
    there, back = auc(labels, scores).value, auc(labels, -scores).value
    if there is None:
        assert back is None
    else:
        assert there + back == pytest.approx(1.0)
