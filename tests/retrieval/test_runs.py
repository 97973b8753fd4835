"""Whole runs: the same as query by query, and as trec_eval."""

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InvalidInput
from steelyard.retrieval.measures import parse_measure
from steelyard.retrieval.runs import measure_run

MEASURES = [parse_measure(name) for name in ("nDCG@10", "nDCG", "RR", "Success@5", "AP", "P@5", "R@10")]
TREC = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "RR": "recip_rank",
    "Success@5": "success_5",
    "AP": "map",
    "P@5": "P_5",
    "R@10": "recall_10",
}
documents = st.integers(0, 30).map(str)
runs = st.dictionaries(
    st.sampled_from("abcdef"),
    st.dictionaries(documents, st.sampled_from([0.0, 0.5, 1.0, -math.inf]), max_size=25),
)


@given(runs, st.dictionaries(st.sampled_from("abcdef"), st.sets(documents, max_size=6)))
def test_a_run_is_its_queries(run: dict[str, dict[str, float]], gold: dict[str, set[str]]) -> None:
    found = measure_run(run, gold, MEASURES)
    for query, scored in run.items():
        order = sorted(scored, key=lambda document: -scored[document])
        wanted = gold.get(query, set())
        for measure in MEASURES:
            alone = measure.of([document in wanted for document in order], gold=len(wanted))
            assert found[str(measure)][query] == (None if alone is None else pytest.approx(alone, abs=1e-12))


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.lists(documents, unique=True, min_size=1, max_size=25).map(
            lambda ranked: {document: float(-rank) for rank, document in enumerate(ranked)}
        ),
        min_size=1,
    ),
    st.dictionaries(st.sampled_from("abcdef"), st.sets(documents, min_size=1, max_size=6)),
)
def test_equal_to_trec_eval(run: dict[str, dict[str, float]], gold: dict[str, set[str]]) -> None:
    qrels = {query: dict.fromkeys(ids, 1) for query, ids in gold.items()}
    names = {"ndcg_cut.10", "ndcg", "recip_rank", "success.5", "map", "P.5", "recall.10"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    mine = measure_run(run, gold, MEASURES)
    for query, values in theirs.items():
        for name, other in TREC.items():
            assert mine[name][query] == pytest.approx(values[other], abs=1e-9)


def test_more_queries_than_one_portion() -> None:
    run = {str(query): {"a": 1.0, "b": float(query % 3)} for query in range(5_000)}
    found = measure_run(run, {query: ["b"] for query in run}, [parse_measure("RR")])["RR"]
    assert len(found) == 5_000
    assert [found[str(query)] for query in (0, 1, 2, 4_997, 4_999)] == [0.5, 0.5, 1.0, 1.0, 0.5]


def test_nan_is_refused() -> None:
    with pytest.raises(InvalidInput, match="NaN"):
        measure_run({"q": {"a": math.nan}}, {}, MEASURES)


def test_nothing() -> None:
    assert measure_run({}, {}, MEASURES) == {str(measure): {} for measure in MEASURES}
