"""From events to evaluations with a judge handed in."""

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import JudgeError
from steelyard.judges.protocol import Judge
from steelyard.retrieval.evaluation import ask_requirements, evaluate, tasks_of, total
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import Event
from steelyard.schemas.judging import Cell, Requirement, RequirementsAnswer, SupportAnswer, Usage
from steelyard.schemas.result import RequirementList
from steelyard.schemas.verdict import Outcome, Unscored, UnscoredReason

Make = Callable[..., Event]
DOWN = Unscored(reason=UnscoredReason.JUDGE_UNAVAILABLE, detail="No answer within 60 s.")
SLOTS = RequirementsAnswer(
    requirements=(Requirement(text="fact 1 of 2", slot=True), Requirement(text="fact 2 of 2", slot=True)),
    estimated=True,
)


def test_requirements_support_metrics(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    assert isinstance(judge, Judge)
    logged = event("Paris France", ["paris is big", {"text": "rome", "id": "r"}, "PARIS again"])
    (found,) = evaluate([logged], judge, {}, now=now)
    assert [met.verdict.outcome for met in found.requirements] == [Outcome.PASS, Outcome.FAIL]
    assert found.requirements[0].passages == (0, 2)
    assert found.requirements[0].verdict.explanation == "It says paris."
    assert [passage.cited for passage in found.passages] == [True, False, True]
    assert (found.label_free.recall.value, found.label_free.precision.value) == (0.5, 2 / 3)
    assert (found.judge_id, found.requirements_version, found.evaluated_at) == (judge.identity.id, 1, now)
    assert found.usage == Usage(latency_s=3.0, calls=2, cost_usd=0.75)
    assert found.unscored is None


def test_a_task_is_asked_once_however_it_is_written(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    events = [event(task, ["paris"]) for task in ("Paris", " PARIS ", "paris", "Rome")]
    found = evaluate(events, judge, {}, now=now)
    assert judge.asked == ["Paris", "Rome"]
    assert [evaluation.usage.calls for evaluation in found] == [2, 1, 1, 2]


def test_requirements_never_come_from_the_passages(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    contexts = [["paris"], ["rome", "paris"], []]
    found = evaluate([event("Paris Rome", context) for context in contexts], judge, {}, now=now)
    assert len({tuple(met.requirement for met in one.requirements) for one in found}) == 1
    assert [one.label_free.recall.value for one in found] == [0.5, 1.0, 0.0]


def test_stored_lists_are_used_and_not_asked_for(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    key = task_key("anything")
    edited = RequirementList(
        task_key=key,
        judge_id=judge.identity.id,
        version=3,
        requirements=(Requirement(text="paris"),),
        estimated=False,
        origin="edited",
        created_at=now,
    )
    (found,) = evaluate([event("Anything", ["paris"])], judge, {key: edited}, now=now)
    assert judge.asked == []
    assert (found.requirements_version, found.label_free.recall.value) == (3, 1.0)
    (empty,) = evaluate(
        [event("Anything", ["paris"])], judge, {key: edited.model_copy(update={"requirements": ()})}, now=now
    )
    assert empty.label_free.recall.reason == "the task has no requirements"


def test_empty_passages_are_kept_counted_and_never_cited(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    (found,) = evaluate([event("paris", ["", "paris", " \n", "rome"])], judge, {}, now=now)
    assert judge.cases[0].passages == ("paris", "rome")
    assert [passage.cited for passage in found.passages] == [False, True, False, False]
    assert found.passages[0].reason == "The passage is empty."
    assert found.label_free.precision.value == 0.25


@pytest.mark.parametrize("context", [[], [""], ["", " "]])
def test_without_text_no_one_is_asked_and_nothing_is_supported(
    event: Make, keyword_judge, now: datetime, context: list[str]
) -> None:
    judge = keyword_judge()
    (found,) = evaluate([event("paris", context)], judge, {}, now=now)
    assert judge.cases == []
    assert found.label_free.recall.value == 0.0
    assert found.label_free.precision.value == (0.0 if context else None)
    assert len(found.passages) == len(context)


def test_unscored_requirements_and_unscored_support(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge(lists={"one": DOWN}, answers={"two": DOWN})
    events = [event("one", ["x"]), event("two", ["x"]), event("three", ["three"])]
    first, second, third = evaluate(events, judge, {}, now=now)
    assert (first.unscored, first.label_free, first.requirements_version) == (DOWN, None, 0)
    assert (second.unscored, second.label_free, second.requirements_version) == (DOWN, None, 1)
    assert third.label_free.recall.value == 1.0


def test_the_subquery_has_its_own_requirements_and_recall(event: Make, keyword_judge, now: datetime) -> None:
    judge = keyword_judge(answers={"down": DOWN})
    events = [
        event("paris rome", ["paris"], subquery="paris"),
        event("paris rome", ["paris"], subquery="down"),
        event("paris rome", ["paris"]),
        event("paris rome", [], subquery="paris"),
    ]
    found = [one.label_free.subquery_recall for one in evaluate(events, judge, {}, now=now)]
    assert sorted(judge.asked) == ["down", "paris", "paris rome"]
    assert (found[0].value, found[2], found[3].value) == (1.0, None, 0.0)
    assert found[1].reason == "unscored: No answer within 60 s."


ESTIMATES = [
    # cited positions, context → met slots, recall
    ((), ["a", "b", "c"], [(), ()], 0.0),
    ((1,), ["a", "b", "c"], [(1,), ()], 0.5),
    ((0, 2), ["a", "b", "c"], [(0,), (2,)], 1.0),
    ((0, 1, 2), ["a", "b", "c"], [(0,), (1, 2)], 1.0),
    ((0, 1), ["a", "a", "c"], [(0, 1), ()], 0.5),
]


@pytest.mark.parametrize(("cited", "ids", "slots", "recall"), ESTIMATES)
def test_slots_are_met_by_the_number_of_cited_documents(
    event: Make, keyword_judge, now: datetime, cited, ids, slots, recall
) -> None:
    judge = keyword_judge(
        lists={"t": SLOTS}, answers={"t": SupportAnswer(cells=(), cited=cited, estimated=True)}
    )
    logged = event("t", [{"text": "x", "id": id_} for id_ in ids])
    (found,) = evaluate([logged], judge, {}, now=now)
    assert found.estimated
    assert [met.passages for met in found.requirements] == slots
    assert found.label_free.recall.value == recall


def test_a_decision_per_requirement_wins_over_counting(event: Make, keyword_judge, now: datetime) -> None:
    both = tuple(Cell(requirement=r, passage=0, supported=True) for r in (0, 1))
    answer = SupportAnswer(cells=both, cited=(0,), estimated=True)
    judge = keyword_judge(lists={"t": SLOTS}, answers={"t": answer})
    (found,) = evaluate([event("t", ["x", "y"])], judge, {}, now=now)
    assert (found.label_free.recall.value, found.estimated) == (1.0, True)


def sure(requirement: int, passage: int, supported: bool | None = True) -> Cell:
    return Cell(requirement=requirement, passage=passage, supported=supported, probability=0.5)


ABSTAINING = [
    # what the judge says of "a b" over two passages → unscored detail, outcomes
    (
        SupportAnswer(cells=(sure(0, 0), sure(1, 1, None)), cited=(0,), unsure=(1,)),
        "The judge abstains on 1 of 2 requirements.",
        [Outcome.PASS, Outcome.UNSCORED],
    ),
    (
        SupportAnswer(cells=(sure(0, 0), sure(1, 0), sure(1, 1, None)), cited=(0,), unsure=(1,)),
        None,
        [Outcome.PASS, Outcome.PASS],
    ),
    (
        SupportAnswer(cells=(), cited=(), unsure=(0, 1)),
        "The judge cites nothing and abstains on 2 passages.",
        [Outcome.FAIL, Outcome.FAIL],
    ),
    (SupportAnswer(cells=(), cited=()), None, [Outcome.FAIL, Outcome.FAIL]),
]


@pytest.mark.parametrize(("answer", "detail", "outcomes"), ABSTAINING)
def test_abstaining_is_never_a_zero(event: Make, keyword_judge, now, answer, detail, outcomes) -> None:
    judge = keyword_judge(answers={"a b": answer})
    (found,) = evaluate([event("a b", ["x", "y"])], judge, {}, now=now)
    assert [met.verdict.outcome for met in found.requirements] == outcomes
    if detail is None:
        assert found.unscored is None
    else:
        assert (found.unscored.reason, found.unscored.detail) == (UnscoredReason.ABSTAINED, detail)
        assert found.label_free is None
        assert len(found.passages) == 2


STRAY = [
    SupportAnswer(cells=(), cited=(2,)),
    SupportAnswer(cells=(), cited=(-1,)),
    SupportAnswer(cells=(), cited=(), unsure=(7,)),
    SupportAnswer(cells=(sure(0, 5),), cited=()),
    SupportAnswer(cells=(sure(4, 0),), cited=()),
]


@pytest.mark.parametrize("answer", STRAY)
def test_an_answer_about_something_else_is_unreadable(event: Make, keyword_judge, now, answer) -> None:
    judge = keyword_judge(answers={"a": answer})
    (found,) = evaluate([event("a", ["x", "", "y"])], judge, {}, now=now)
    assert found.unscored.reason is UnscoredReason.UNREADABLE_REPLY


def test_a_judge_that_miscounts_breaks_the_protocol(event: Make, keyword_judge, now: datetime) -> None:
    class Short(keyword_judge):
        def support(self, cases, /):
            return super().support(cases)[:-1]

    with pytest.raises(JudgeError, match="1 answers to 2 cases of support"):
        evaluate([event("a", ["a"]), event("b", ["b"])], Short(), {}, now=now)


def test_what_a_judge_raises_is_the_callers_matter(event: Make, keyword_judge, now: datetime) -> None:
    class Broken(keyword_judge):
        def support(self, cases, /):
            raise OSError(f"gone with {len(cases)}")

    with pytest.raises(OSError, match="gone with 1"):
        evaluate([event("a", ["a"])], Broken(), {}, now=now)


def test_asking_first_and_evaluating_later_comes_to_the_same(
    event: Make, keyword_judge, now: datetime
) -> None:
    events = [event("paris rome", ["paris"], subquery="rome"), event("rome", ["rome"])]
    asked = ask_requirements(tasks_of(events), keyword_judge(), now=now)
    judge = keyword_judge()
    later = evaluate(events, judge, asked.requirements, now=now, usage=asked.usage)
    assert judge.asked == []
    assert later == evaluate(events, keyword_judge(), {}, now=now)


def test_no_events_no_calls(keyword_judge, now: datetime) -> None:
    judge = keyword_judge()
    assert evaluate([], judge, {}, now=now) == []
    assert (judge.asked, judge.cases) == ([], [])


words = st.sampled_from(["paris", "rome", "oslo", ""])


@given(
    st.lists(words, min_size=1, max_size=3).map(" ".join).filter(str.strip),
    st.lists(st.lists(words, max_size=3).map(" ".join), max_size=6),
    st.randoms(use_true_random=False),
)
def test_passage_order_changes_no_recall_and_no_citation(
    event: Make, keyword_judge, now, task, texts, random
) -> None:
    order = random.sample(range(len(texts)), len(texts))
    first, second = (
        evaluate([event(task, context)], keyword_judge(), {}, now=now)[0]
        for context in (texts, [texts[place] for place in order])
    )
    assert first.label_free.recall == second.label_free.recall
    assert first.label_free.precision == second.label_free.precision
    assert [first.passages[place].cited for place in order] == [passage.cited for passage in second.passages]


COSTS = [
    ([], None),
    ([Usage()], None),
    ([Usage(calls=1, cost_usd=0.5), Usage(calls=1, cost_usd=0.25)], 0.75),
    ([Usage(calls=1, cost_usd=0.5), Usage()], 0.5),
    ([Usage(calls=1, cost_usd=0.5), Usage(calls=1)], None),
]


@pytest.mark.parametrize(("parts", "cost"), COSTS)
def test_an_unknown_price_makes_the_sum_unknown(parts: list[Usage], cost: float | None) -> None:
    assert total(parts).cost_usd == cost
