"""When two tasks are one task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.tasks import normalise, task_key

SAME = [
    ("What is ML?", "  what is\tml?\n"),
    ("Straße", "STRASSE"),
    ("caf\u00e9", "cafe\u0301"),
    ("a b", "a\u00a0\u2003b"),
    ("\u0130x", "i\u0307X"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_task(first: str, second: str) -> None:
    assert normalise(first) == normalise(second)
    assert task_key(first) == task_key(second)


@pytest.mark.parametrize(("first", "second"), [("a b", "ab"), ("a?", "a"), ("é", "e"), ("1", "¹")])
def test_different_tasks(first: str, second: str) -> None:
    assert task_key(first) != task_key(second)


@given(st.text())
def test_the_normal_form_is_its_own_normal_form(task: str) -> None:
    assert normalise(normalise(task)) == normalise(task)
    assert len(task_key(task)) == 32


def test_the_key_is_part_of_the_wire() -> None:
    """Stored requirements are found again under this key."""
    assert task_key("What is ML?") == task_key("what is ml?") == "95291e102ceec494716532d8c479beb3"
