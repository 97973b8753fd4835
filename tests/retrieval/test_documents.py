"""Documents: unique ids in rank order."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.documents import Documents
from steelyard.schemas.event import Event, Passage

Make = Callable[..., Event]


def passage(id_: str | None, **order: float) -> dict[str, object]:
    return {"text": "x", **({} if id_ is None else {"id": id_}), **order}


ORDERS = [
    ("as given without rank or score", [passage("a"), passage("b")], ["a", "b"], False),
    ("by rank", [passage("a", rank=2), passage("b", rank=1)], ["b", "a"], True),
    ("by score, higher first", [passage("a", score=0.1), passage("b", score=0.9)], ["b", "a"], True),
    ("rank wins", [passage("a", rank=2, score=0.9), passage("b", rank=1, score=0.1)], ["b", "a"], True),
    ("ties keep the input order", [passage("b", score=0.5), passage("a", score=0.5)], ["b", "a"], True),
    (
        "rank, then score, then neither",
        [passage("n"), passage("s", score=9), passage("r", rank=7)],
        ["r", "s", "n"],
        True,
    ),
    (
        "the first of two",
        [passage("a", rank=3), passage("b", rank=2), passage("a", rank=1)],
        ["a", "b"],
        True,
    ),
    ("without id each is its own", [passage(None), passage("a"), passage(None)], [0, "a", 2], False),
    ("nothing", [], [], False),
]


@pytest.mark.parametrize(("name", "context", "ranked", "has_order"), ORDERS)
def test_rank_order(
    event: Make, name: str, context: list[object], ranked: list[object], has_order: bool
) -> None:
    documents = Documents.of(event("t", context))
    assert list(documents.ranked) == ranked
    assert documents.has_order is has_order
    assert len(documents) == len(ranked)


def test_a_document_is_cited_by_any_of_its_passages(event: Make) -> None:
    documents = Documents.of(event("t", [passage("a"), passage("b"), passage("a"), "no id"]))
    assert documents.at([2]) == documents.at([0, 2]) == {"a"}
    assert documents.at([3]) == {3}
    assert documents.positions("a") == (0, 2)
    assert documents.hits(documents.at([1, 3])) == [False, True, True]


def test_an_id_that_looks_like_a_position_is_not_one(event: Make) -> None:
    documents = Documents.of(event("t", ["no id", passage("0"), {"text": "x", "id": 0}]))
    assert documents.ranked == (0, "0")
    assert documents.gold(["0"]) == {"0"}


def test_gold_is_matched_exactly(event: Make) -> None:
    documents = Documents.of(event("t", [passage("A"), passage("b "), passage("c")]))
    assert documents.gold(["a", "b", "c", "elsewhere"]) == {"c"}


@given(st.lists(st.tuples(st.one_of(st.none(), st.sampled_from("abcd")), st.integers(1, 3)), max_size=12))
def test_every_document_once(context: list[tuple[str | None, int]]) -> None:
    documents = Documents.of_passages([Passage(text="x", id=id_, rank=rank) for id_, rank in context])
    assert len(set(documents.ranked)) == len(documents.ranked)
    assert set(documents.ranked) == set(documents.keys)
    assert sorted(place for key in documents.ranked for place in documents.positions(key)) == list(
        range(len(context))
    )
