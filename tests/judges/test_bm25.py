"""BM25 within a list: bounds, and no dependence on order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.bm25 import Rarity, bm25

WORDS = st.lists(st.sampled_from(["salt", "bread", "water", "flour"]), max_size=6)


@given(WORDS, st.lists(WORDS, max_size=6), st.randoms())
def test_scores_are_not_negative_and_follow_the_passage_not_its_place(
    query: list[str], passages: list[list[str]], random: Random
) -> None:
    scores = bm25(query, passages)
    order = list(range(len(passages)))
    random.shuffle(order)
    assert bm25(query, [passages[i] for i in order]) == [scores[i] for i in order]
    assert all(score >= 0 for score in scores)


def test_a_rarer_word_weighs_more_and_repeats_saturate() -> None:
    passages = [["salt", "bread"], ["salt", "flour"], ["salt", "salt"]]
    rare = Rarity(passages)
    assert rare("flour") > rare("salt") > 0
    once, _, twice = bm25(["salt"], passages)
    assert once < twice < 2 * once


def test_the_formula_by_hand() -> None:
    assert bm25(["a"], [["a"], ["b"]]) == pytest.approx([0.6931471805599453, 0.0])


def test_a_share_of_nothing_is_nothing() -> None:
    assert Rarity([]).share([], set()) == 0.0
