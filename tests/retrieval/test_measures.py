"""Rank measures: equal to trec_eval's, one by one and in batch, and named after themselves."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import InvalidInput
from steelyard.retrieval.documents import Documents
from steelyard.retrieval.measures import DEFAULT, Measure, parse_measure
from steelyard.retrieval.measures.ap import AP
from steelyard.retrieval.measures.ndcg import NDCG
from steelyard.retrieval.measures.precision import P
from steelyard.retrieval.measures.recall import R
from steelyard.retrieval.measures.rr import RR
from steelyard.retrieval.measures.success import Success
from steelyard.retrieval.metrics import ground_truth
from steelyard.schemas.event import Passage

# Ours by name, and the same measure as trec_eval names it.
PAIRS = {
    "nDCG": "ndcg",
    "nDCG@1": "ndcg_cut_1",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@100": "ndcg_cut_100",
    "RR": "recip_rank",
    "Success@1": "success_1",
    "Success@10": "success_10",
    "AP": "map",
    "AP@5": "map_cut_5",
    "P@5": "P_5",
    "P@10": "P_10",
    "R@5": "recall_5",
    "R@10": "recall_10",
}
WANTED = {"ndcg", "ndcg_cut", "recip_rank", "success", "map", "map_cut", "P", "recall"}
CUTS = {"ndcg_cut.1,5,10,100", "success.1,5,10", "map_cut.5", "P.5,10", "recall.5,10"}
MEASURES = [parse_measure(name) for name in PAIRS]


def reference(ranked: list[str], gold: set[str]) -> dict[str, float]:
    """trec_eval on a ranking of distinct documents: it breaks ties by id, so scores are made distinct
    here."""
    run = {"q": {document: float(len(ranked) - rank) for rank, document in enumerate(ranked)}}
    qrel = {"q": dict.fromkeys(gold, 1) | {"\x00never": 0}}
    plain = {name for name in WANTED if not any(cut.startswith(f"{name}.") for cut in CUTS)}
    return pytrec_eval.RelevanceEvaluator(qrel, plain | CUTS).evaluate(run)["q"]


passages = st.lists(
    st.builds(
        lambda id_, order: Passage(text="x", id=id_, **order),
        st.one_of(st.none(), st.integers(0, 14).map(str)),
        st.one_of(
            st.just({}),
            st.integers(1, 6).map(lambda rank: {"rank": rank}),
            st.sampled_from([0.1, 0.5, 0.5, 0.9]).map(lambda score: {"score": score}),
        ),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=300, deadline=None)
@given(passages, st.sets(st.integers(0, 20).map(str), max_size=8))
def test_equal_to_trec_eval_with_ties_duplicates_and_empty_gold(
    context: list[Passage], gold: set[str]
) -> None:
    documents = Documents.of_passages(context)
    found = ground_truth(documents, gold, measures=MEASURES)
    if not documents.has_order:
        assert {value.value for value in found.ir.values()} == {None}
        return
    theirs = reference([str(key) if isinstance(key, str) else f"-{key}" for key in documents.ranked], gold)
    for name, other in PAIRS.items():
        mine = found.ir[name].value
        if gold or name.startswith("P@"):
            assert mine == pytest.approx(theirs[other], abs=1e-9), name
            assert 0 <= mine <= 1
        else:
            assert mine is None
            assert theirs[other] == 0


def random_queries(count: int, depth: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    relevant = rng.random((count, depth)) < rng.random((count, 1)) * 0.3
    relevant[np.arange(depth)[None, :] >= rng.integers(0, depth + 1, count)[:, None]] = False
    return relevant, relevant.sum(axis=1) + rng.integers(0, 3, count)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_batch_is_many_single_queries(measure: Measure) -> None:
    relevant, gold = random_queries(200, 30)
    together = measure.batch(relevant, gold=gold)
    for row, count, value in zip(relevant.tolist(), gold.tolist(), together.tolist(), strict=True):
        alone = measure.of(row, gold=count)
        assert np.isnan(value) if alone is None else value == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_an_empty_ranking_finds_nothing(measure: Measure) -> None:
    assert measure.of([], gold=2) == 0
    assert measure.batch(np.zeros((1, 0), dtype=bool), gold=np.array([2])).tolist() == [0.0]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@given(st.integers(1, 12), st.integers(0, 12))
def test_perfect_is_one_and_swapping_a_hit_up_never_hurts(measure: Measure, hits: int, misses: int) -> None:
    perfect = [True] * hits + [False] * misses
    best = measure.of(perfect, gold=hits)
    if not isinstance(measure, P | R) and not (isinstance(measure, AP) and measure.k and measure.k < hits):
        assert best == pytest.approx(1.0)
    for worse in ([False, *perfect], list(reversed(perfect))):
        assert measure.of(worse, gold=hits) <= best + 1e-12


@pytest.mark.parametrize("name", list(PAIRS))
def test_the_name_is_the_identity(name: str) -> None:
    assert str(parse_measure(name)) == name
    assert parse_measure(name) == parse_measure(name)


def test_the_default_measures_are_named() -> None:
    assert [str(measure) for measure in DEFAULT] == ["nDCG@10", "RR", "Success@1", "Success@10", "AP"]


@pytest.mark.parametrize(
    "name",
    ["", "ndcg@10", "nDCG@", "nDCG@0", "nDCG@-1", "nDCG@1.5", "MRR", "P", "R", "Success", "RR@@1", "RR@1 "],
)
def test_a_wrong_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        parse_measure(name)


@pytest.mark.parametrize("kind", [NDCG, RR, AP, P, R, Success])
def test_a_cut_off_of_zero_is_refused(kind: type[Measure]) -> None:
    with pytest.raises(InvalidInput, match="must be 1 or more"):
        kind(0)
