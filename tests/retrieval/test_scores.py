"""The flat numbers of one event."""

from collections.abc import Callable
from datetime import datetime

import pytest

from steelyard.retrieval.evaluation import evaluate
from steelyard.retrieval.scores import EVALUATOR, GROUND_TRUTH, IR, LABEL_FREE, NAMES, Scores, flagged, score
from steelyard.schemas.event import Event
from steelyard.schemas.verdict import Unscored, UnscoredReason

Make = Callable[..., Event]


@pytest.fixture
def logged(event: Make) -> Event:
    return event(
        "paris rome", [{"text": "paris", "id": "a", "rank": 1}, {"text": "oslo", "id": "b", "rank": 2}]
    )


def defined(scores: Scores) -> set[str]:
    return {name for name, value in zip(NAMES, scores.row, strict=True) if value is not None}


def test_labelled_and_evaluated(logged: Event, keyword_judge, now: datetime) -> None:
    (evaluation,) = evaluate([logged], keyword_judge(), {}, now=now)
    scores = score(logged, gold=["b", "elsewhere"], evaluation=evaluation)
    expected = {
        "recall": 0.5,
        "precision": 0.5,
        "f1": 0.5,
        "ndcg": 1.0,
        "gt_recall": 0.5,
        "gt_precision": 0.5,
        "gt_f1": 0.5,
        "RR": 0.5,
        "Success@1": 0.0,
        "Success@10": 1.0,
        "evaluator_precision": 0.0,
        "evaluator_recall": 0.0,
        "evaluator_f1": 0.0,
        "exact_match": 0.0,
        "exact_match_strict": 0.0,
        "requirements": 2,
        "supported": 1,
        "documents": 2,
        "cited": 1,
        "gold": 2,
        "gold_in_context": 1,
        "cited_gold": 0,
    }
    assert {name: scores.get(name) for name in expected} == expected
    assert scores.get("subquery_recall") is None
    assert scores.ground_truth is not None
    assert scores.evaluator is not None


def test_only_what_there_is(logged: Event, keyword_judge, now: datetime) -> None:
    (evaluation,) = evaluate([logged], keyword_judge(), {}, now=now)
    bare, judged, labelled = (
        score(logged, gold=None),
        score(logged, gold=None, evaluation=evaluation),
        score(logged, gold=[]),
    )
    assert defined(bare) == {"documents"}
    assert defined(judged) == {*LABEL_FREE} - {"subquery_recall"} | {
        "documents",
        "requirements",
        "supported",
        "cited",
    }
    assert defined(labelled) == {"gt_precision", "gt_f1", "documents", "gold", "gold_in_context"}
    assert (bare.ground_truth, bare.evaluator, judged.evaluator, labelled.evaluator) == (None,) * 4


def test_an_unscored_event_keeps_its_gold_metrics_and_nothing_else(logged: Event, keyword_judge, now) -> None:
    down = Unscored(reason=UnscoredReason.JUDGE_UNAVAILABLE, detail="Down.")
    (evaluation,) = evaluate([logged], keyword_judge(answers={"paris rome": down}), {}, now=now)
    found = defined(score(logged, gold=["a"], evaluation=evaluation))
    assert found == {*GROUND_TRUTH, *IR, "documents", "gold", "gold_in_context"}
    assert not found & {*EVALUATOR, *LABEL_FREE}


@pytest.mark.parametrize(("task", "flag"), [("paris", False), ("paris rome", True), ("rome", True)])
def test_flagged_is_recall_below_1(event: Make, keyword_judge, now: datetime, task: str, flag: bool) -> None:
    logged = event(task, ["paris"])
    (evaluation,) = evaluate([logged], keyword_judge(), {}, now=now)
    assert flagged(score(logged, gold=None, evaluation=evaluation)) is flag
    assert flagged(score(logged, gold=["elsewhere"])) is False
