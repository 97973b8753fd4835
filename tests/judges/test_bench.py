"""Measuring a judge on labelled rows: the three shapes, parts, undefined values and rows that do not fit."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from steelyard.errors import InvalidInput
from steelyard.judges.baselines import Labelled, expected
from steelyard.judges.bench import METRICS, kind_of, measure
from steelyard.judges.lexical import LexicalJudge
from steelyard.schemas.judging import GroundedAnswer, GroundedCase, GroundedClaim
from steelyard.schemas.verdict import Unscored, UnscoredReason

JUDGE = LexicalJudge()


def retrieval(task: str, gold: Sequence[str], *, dataset: str = "one") -> dict[str, Any]:
    context = [
        {"id": "h", "text": "Hamlet was written by William Shakespeare."},
        {"id": "b", "text": "Bread is baked from flour and water."},
        {"id": "e", "text": ""},
    ]
    return {
        "task": task,
        "context": context,
        "ground_truth": {"gold_doc_ids": list(gold)},
        "metadata": {"dataset": dataset},
    }


def claim(source: str, output: str, label: int) -> dict[str, Any]:
    return {"source": source, "output": output, "human_label": label}


def answer(expected: str, output: str, label: int, **metadata: str) -> dict[str, Any]:
    return {
        "input": "Who?",
        "expected_output": expected,
        "output": output,
        "human_label": label,
        "metadata": metadata,
    }


RETRIEVAL = [
    retrieval("Who wrote Hamlet by Shakespeare?", ["h"]),
    retrieval("What is bread baked from?", ["b"]),
    retrieval("Is the moon made of cheese?", []),
]
CLAIMS = [
    claim("The bridge opened in 1932.", "The bridge opened in 1932.", 1),
    claim("The bridge opened in 1932.", "The bridge opened in 1987.", 0),
    claim("Salt is a mineral.", "Salt is a mineral.", 1),
    claim("Salt is a mineral.", "Pepper grows on vines.", 0),
]
ANSWERS = [answer("Paris", "It is Paris.", 1), answer("Paris", "London, I think.", 0)]


@pytest.mark.parametrize(
    ("rows", "kind"), [(RETRIEVAL, "retrieval"), (CLAIMS, "groundedness"), (ANSWERS, "answers")]
)
def test_every_metric_of_the_shape_is_there_and_perfect_agreement_is_1(
    rows: Sequence[Mapping[str, Any]], kind: str
) -> None:
    measured = measure(rows, JUDGE)
    assert measured.kind == kind
    assert measured.n == len(rows)
    assert set(measured.metrics) == set(METRICS[measured.kind])
    best = {
        "macro_f1",
        "micro_f1",
        "exact_match",
        "accuracy",
        "balanced_accuracy",
        "kappa",
        "auc",
        "answered",
    }
    assert {measured.metrics[name].value for name in best & set(measured.metrics)} == {1.0}
    shown = measured.summary()
    assert {"kind", "n", "items_per_second", "baselines"} <= set(shown)
    assert set(shown["answered"]) == {"value", "low", "high", "n"}


def test_an_event_where_nothing_is_cited_and_nothing_is_gold_is_exact_and_has_no_f1() -> None:
    measured = measure(RETRIEVAL, JUDGE)
    assert measured.metrics["macro_f1"].n == 2
    assert measured.metrics["exact_match"].n == 3


def test_parts_are_averaged_and_listed() -> None:
    wrong = retrieval("Who wrote Hamlet by Shakespeare?", ["b"], dataset="two")
    measured = measure([*RETRIEVAL, wrong], JUDGE)
    assert set(measured.parts) == {"one", "two"}
    assert measured.metrics["macro_f1"].value == 0.5
    assert set(measured.summary()["parts"]) == {"one", "two"}


class Abstains(LexicalJudge):
    def grounded(self, cases: Sequence[GroundedCase], /) -> list[GroundedAnswer | Unscored]:
        unscored = Unscored(reason=UnscoredReason.REFUSED, detail="no")
        unsure = GroundedAnswer(claims=(GroundedClaim(claim="x", supported=None, probability=0.6),))
        return [unsure if "Salt" in case.source else unscored for case in cases]


def test_unsure_items_count_by_their_probability_and_unscored_items_are_left_out() -> None:
    measured = measure(CLAIMS, Abstains())
    assert measured.unscored == 2
    assert measured.metrics["accuracy"].value == 0.5
    assert measured.metrics["answered"].value == 0.0
    assert measured.metrics["accuracy_answered"].value is None


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ([], "/0"),
        ([{"input": "x"}], "/0"),
        ([*CLAIMS, ANSWERS[0]], "/4"),
        ([claim("a", "b", 2)], "/0/human_label"),
        ([{"task": "x", "context": [], "ground_truth": {"answer": "y"}}], "/0/ground_truth/gold_doc_ids"),
    ],
)
def test_a_row_that_does_not_fit_is_named(rows: Sequence[Mapping[str, Any]], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        measure(rows, JUDGE)
    assert caught.value.field == field


def test_answers_split_with_a_slash_keep_the_whole() -> None:
    row = answer("1/2/half", "half", 1, golds='split with "/"')
    assert expected(row) == ("1/2/half", "1", "2", "half")
    assert kind_of(row) == "answers"


def test_documents_are_counted_once_and_a_passage_without_an_id_is_its_own() -> None:
    row = Labelled.of(
        {
            "task": "x",
            "context": [{"id": 7, "text": "a"}, {"id": "7", "text": "b"}, {"text": "c"}, "d"],
            "ground_truth": {"gold_doc_ids": [7, "gone"]},
        }
    )
    assert len(row.gold) == 1
    (f1, _), *_ = row.scores([0, 1, 2])
    assert f1 == 2 / 3
