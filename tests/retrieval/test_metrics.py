"""The metrics of one event: the seed's scenarios, every undefined case, and the traps others fell into."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.documents import Documents
from steelyard.retrieval.metrics import evaluator, gold_of, ground_truth, harmonic_mean, label_free
from steelyard.schemas.event import Event, Passage
from steelyard.schemas.numbers import Value

Make = Callable[..., Event]

SEED = {
    "task": "What is machine learning and who coined the term?",
    "context": [
        {"text": "ML is a subset of AI that learns from data.", "id": "doc-ml-intro"},
        {"text": "The weather is nice today.", "id": "doc-weather"},
        {"text": "Arthur Samuel coined the term ML in 1959.", "id": "doc-ml-history"},
        {"text": "Python is a programming language.", "id": "doc-python"},
    ],
    "ground_truth": {"gold_doc_ids": ["doc-ml-intro", "doc-ml-history"]},
}
SCENARIOS = [
    ("perfect match", (0, 2), [1.0, 0.5, 1.0, 1.0, 1.0]),
    ("one false citation", (0, 1), [1.0, 0.5, 0.5, 0.5, 0.0]),
]


@pytest.mark.parametrize(("name", "cited", "expected"), SCENARIOS)
def test_the_two_scenarios(event: Make, name: str, cited: tuple[int, ...], expected: list[float]) -> None:
    logged = event(**SEED)
    gold = gold_of(logged)
    assert gold is not None
    against, judged = (
        ground_truth(Documents.of(logged), gold),
        evaluator(Documents.of(logged), gold, cited=cited),
    )
    assert [
        against.recall.value,
        against.precision.value,
        judged.recall.value,
        judged.precision.value,
        judged.exact_match.value,
    ] == expected


def documents(*ids: str | None, scored: bool = False) -> Documents:
    return Documents.of_passages(
        [Passage(text="x", id=id_, score=float(-place) if scored else None) for place, id_ in enumerate(ids)]
    )


GOLD = [
    # context, gold → recall, precision, F1
    (["a", "b"], ["a"], 1.0, 0.5, 2 / 3),
    (["a", "b"], ["c"], 0.0, 0.0, 0.0),
    (["a", "b"], [], None, 0.0, 0.0),
    ([], ["a"], 0.0, None, 0.0),
    ([], [], None, None, None),
    (["a", "a", "b"], ["a"], 1.0, 0.5, 2 / 3),
    ([None, None, "a"], ["a"], 1.0, 1 / 3, 0.5),
    (["a"], ["a", "b", "c", "d"], 0.25, 1.0, 0.4),
]


@pytest.mark.parametrize(("context", "gold", "recall", "precision", "f1"), GOLD)
def test_against_gold(context, gold, recall, precision, f1) -> None:
    found = ground_truth(documents(*context), gold)
    assert [found.recall.value, found.precision.value, found.f1.value] == [
        None if value is None else pytest.approx(value) for value in (recall, precision, f1)
    ]
    assert all(part.reason for part in (found.recall, found.precision, found.f1) if part.value is None)


JUDGE = [
    # context, gold, cited → precision, recall, F1, exact match, strict
    (["a", "b"], ["a"], [0], 1.0, 1.0, 1.0, 1.0, 1.0),
    (["a", "b"], ["a", "elsewhere"], [0], 1.0, 1.0, 1.0, 1.0, 0.0),
    (["a", "b"], ["a"], [], None, 0.0, 0.0, 0.0, 0.0),
    (["a", "b"], ["elsewhere"], [0], 0.0, None, 0.0, 0.0, 0.0),
    (["a", "b"], ["elsewhere"], [], None, None, None, 1.0, 0.0),
    (["a", "b"], [], [], None, None, None, 1.0, 1.0),
    (["a", "b"], [], [1], 0.0, None, 0.0, 0.0, 0.0),
    ([], ["a"], [], None, None, None, 1.0, 0.0),
    (["a", "a", "b"], ["a"], [1], 1.0, 1.0, 1.0, 1.0, 1.0),
    ([None, "a"], ["a"], [0, 1], 0.5, 1.0, 2 / 3, 0.0, 0.0),
]


@pytest.mark.parametrize(("context", "gold", "cited", "precision", "recall", "f1", "exact", "strict"), JUDGE)
def test_the_evaluator(context, gold, cited, precision, recall, f1, exact, strict) -> None:
    found = evaluator(documents(*context), gold, cited=cited)
    expected = [precision, recall, f1, exact, strict]
    parts = [found.precision, found.recall, found.f1, found.exact_match, found.exact_match_strict]
    assert [part.value for part in parts] == [None if v is None else pytest.approx(v) for v in expected]


def test_unlabelled_and_nothing_relevant_are_two_things(event: Make) -> None:
    assert gold_of(event("t", ["x"])) is None
    assert gold_of(event("t", ["x"], ground_truth={"answer": "42"})) is None
    assert gold_of(event("t", ["x"], ground_truth={"gold_doc_ids": []})) == ()
    assert gold_of(event("t", ["x"], ground_truth={"gold_doc_ids": ["a", "b", "a", 1, "1"]})) == (
        "a",
        "b",
        "1",
    )


def free(docs: Documents, cited: Sequence[int], *, k: int = 2, met: int = 1):
    return label_free(docs, requirements=k, supported=met, cited=cited)


def test_label_free_without_order() -> None:
    found = free(documents("a", "b", "c", "d"), [0])
    assert (found.recall.value, found.precision.value) == (0.5, 0.25)
    assert found.f1.value == pytest.approx(1 / 3)
    assert found.ndcg.reason == "no passage carries a rank or a score"


NDCG = [
    (["a", "b", "c"], [0], 1.0),
    (["a", "b", "c"], [2], 0.5),
    (["a", "b", "c"], [0, 1, 2], 1.0),
    (["a", "b", "c"], [], None),
    (["a", "b", "a"], [2], 1.0),
    (["b", "a", "a"], [1, 2], 0.6309297535714575),
]


@pytest.mark.parametrize(("ids", "cited", "value"), NDCG)
def test_label_free_ndcg(ids: list[str], cited: list[int], value: float | None) -> None:
    found = free(documents(*ids, scored=True), cited).ndcg
    assert found.value == (None if value is None else pytest.approx(value))
    assert (found.reason == "nothing is cited") is (value is None)


def test_an_empty_context_has_recall_0_and_no_precision() -> None:
    found = label_free(documents(), requirements=2, supported=0, cited=[])
    assert (found.recall.value, found.precision.value, found.f1.value, found.ndcg.value) == (
        0.0,
        None,
        0.0,
        None,
    )
    assert found.precision.reason == found.ndcg.reason == "the context is empty"


def test_recall_is_not_whether_anything_was_found() -> None:
    """The denominator comes from the task: one good passage does not make recall 1."""
    found = label_free(documents("a"), requirements=4, supported=1, cited=[0])
    assert (found.recall.value, found.precision.value) == (0.25, 1.0)


ids = st.lists(st.one_of(st.none(), st.sampled_from("abcdef")), max_size=12)


@given(ids, st.sets(st.sampled_from("abcdefgh")), st.data())
def test_everything_is_in_bounds_however_often_a_document_comes(context, gold, data) -> None:
    docs = documents(*context, scored=True)
    cited = data.draw(st.lists(st.integers(0, len(context) - 1), unique=True)) if context else []
    k = data.draw(st.integers(1, 5))
    against, judged = ground_truth(docs, gold), evaluator(docs, gold, cited=cited)
    own = label_free(docs, requirements=k, supported=data.draw(st.integers(0, k)), cited=cited)
    values = [
        own.recall, own.precision, own.f1, own.ndcg,
        against.recall, against.precision, against.f1, *against.ir.values(),
        judged.precision, judged.recall, judged.f1, judged.exact_match, judged.exact_match_strict,
    ]  # fmt: skip
    assert all(value.reason if value.value is None else 0 <= value.value <= 1 for value in values)


@given(ids, st.sets(st.sampled_from("abcdef")))
def test_a_perfect_judge_is_perfect(context, gold) -> None:
    docs = documents(*context)
    found = evaluator(docs, gold, cited=[p for p, id_ in enumerate(context) if id_ in gold])
    assert found.exact_match.value == 1.0
    assert {found.precision.value, found.recall.value, found.f1.value} in ({1.0}, {None})


@given(ids, st.sets(st.sampled_from("abcdefgh")), st.randoms())
def test_without_order_the_order_does_not_matter(context, gold, random) -> None:
    shuffled = random.sample(context, len(context))
    assert ground_truth(documents(*context), gold) == ground_truth(documents(*shuffled), gold)


HARMONIC = [
    (1.0, 0.5, 2 / 3),
    (0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (None, 0.0, 0.0),
    (0.0, None, 0.0),
    (None, None, None),
    (None, 0.5, None),
]


@pytest.mark.parametrize(("first", "second", "mean"), HARMONIC)
def test_the_harmonic_mean(first: float | None, second: float | None, mean: float | None) -> None:
    parts = [Value.undefined("none") if part is None else Value.of(part) for part in (first, second)]
    assert harmonic_mean(*parts).value == (None if mean is None else pytest.approx(mean))
