"""A task is split only where each part asks for itself, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.splitting import MOST, question_of, slots, split

SPLIT = [
    ("Who wrote Hamlet and when was it published?", ("Who wrote Hamlet", "when was it published?")),
    (
        "What is the capital of France? Who is its mayor?",
        ("What is the capital of France?", "Who is its mayor?"),
    ),
    ("Answer these: 1) name the author 2) name the year", ("name the author", "name the year")),
    ("- the price\n- the colour", ("the price", "the colour")),
    ("¿Quién escribió el Quijote y cuándo se publicó?", ("¿Quién escribió el Quijote", "cuándo se publicó?")),
    (
        "Quem escreveu Dom Casmurro e quando foi publicado?",
        ("Quem escreveu Dom Casmurro", "quando foi publicado?"),
    ),
    ("Qui a écrit Candide et quand est-il paru ?", ("Qui a écrit Candide", "quand est-il paru ?")),
    ("Wer schrieb Faust und wann erschien er?", ("Wer schrieb Faust", "wann erschien er?")),
]
WHOLE = [
    "Were Scott Derrickson and Ed Wood of the same nationality?",
    "What is the difference between salt and pepper?",
    "salt and pepper",
    "How do I sort a list and remove duplicates?",
    "What year did the U.S. enter the war?",
    "Explain.",
]


@pytest.mark.parametrize(("task", "parts"), SPLIT)
def test_parts_that_ask_for_themselves(task: str, parts: tuple[str, ...]) -> None:
    assert split(task) == parts


@pytest.mark.parametrize("task", WHOLE)
def test_one_request_stays_whole(task: str) -> None:
    assert split(task) == (task,)


def test_the_last_user_turn_of_a_conversation_is_what_is_asked() -> None:
    assert (
        question_of("user: What is NAV?\nagent: A value.\nuser: Which matters more?") == "Which matters more?"
    )
    assert question_of("Note to user: keep it") == "Note to user: keep it"


@given(st.text(min_size=1))
def test_any_text_has_between_one_and_most_parts(task: str) -> None:
    assert 1 <= len(split(task)) <= MOST


def test_slots_are_marked_and_numbered() -> None:
    assert [(item.text, item.slot) for item in slots(2)] == [("fact 1 of 2", True), ("fact 2 of 2", True)]
