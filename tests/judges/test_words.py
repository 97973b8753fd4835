"""Words, numbers, names, negations and sentences in any script, in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.words import Text, number_of, overlap, stem


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The dogs were running", ("the", "dog", "were", "runn")),
        ("café’s año", ("cafe", "ano")),
        ("1,200 men and 3.5 kg", ("1200", "men", "and", "3.5", "kg")),
        ("getUserName snake_case", ("get", "user", "name", "snake", "case")),
        ("日本語", ("日本", "本語")),
        ("हिन्दी भाषा", ("हिन्दी", "भाषा")),
        ("👩\u200d🔬 … !", ()),
        ("", ()),
    ],
)
def test_stems(text: str, stems: tuple[str, ...]) -> None:
    assert Text(text).stems == stems


@pytest.mark.parametrize(
    ("form", "number"),
    [
        ("1,000", "1000"),
        ("1.000", "1000"),
        ("3.5", "3.5"),
        ("007", "7"),
        ("0", "0"),
        ("twelve", "12"),
        ("cat", None),
    ],
)
def test_one_spelling_for_a_number(form: str, number: str | None) -> None:
    assert number_of(form) == number


def test_names_do_not_count_the_word_that_opens_a_sentence() -> None:
    assert Text("Yesterday we met Ada Lovelace. Tomorrow she leaves.").names == {"ada", "lovelace"}


@pytest.mark.parametrize(
    ("text", "count"),
    [("It was not open.", 1), ("It wasn’t open, and never will.", 2), ("No es así.", 1), ("Yes.", 0)],
)
def test_negations(text: str, count: int) -> None:
    assert Text(text).negations == count


def test_sentences_are_offsets_into_the_text() -> None:
    text = "One is 3.5 kg. Two!\nThree？ Four"
    assert [text[start:end] for start, end in Text(text).sentences] == [
        "One is 3.5 kg.",
        "Two!",
        "Three？",
        "Four",
    ]


@given(st.text())
def test_every_offset_is_true_for_any_text(text: str) -> None:
    read = Text(text)
    assert all(text[word.start : word.end] == word.form for word in read.words)
    assert all(0 <= start < end <= len(text) for start, end in read.sentences)
    assert all(stem(word.form) for word in read.words)


@given(st.lists(st.text("abc", max_size=2)), st.frozensets(st.text("abc", max_size=2)))
def test_overlap_is_a_share(wanted: list[str], given_: frozenset[str]) -> None:
    assert 0 <= overlap(wanted, given_) <= 1


@pytest.mark.parametrize("unit", ["a", "aB", "a'", "1.", "a.", '")', "\n", "? ", "日"])
def test_time_grows_with_the_length_alone(unit: str) -> None:
    def seconds(n: int) -> float:
        started = time.process_time()
        read = Text(unit * n)
        assert len(read.words) + len(read.sentences) <= 2 * n * len(unit)
        return time.process_time() - started

    assert seconds(100_000) < 50 * max(seconds(10_000), 0.01)
