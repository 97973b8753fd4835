"""A batch from claim to verdict: judged once, by one denominator, fenced, and wrong only where it must be."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from steelyard.jobs.evaluate import Evaluator
from steelyard.jobs.judging import JudgeSource
from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.protocol import Judge
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import Status
from steelyard.schemas.query import EventFilter
from steelyard.store import judges, leases, requirements

from .bench import NOW, Bench, GatedJudge, PickyJudge, event, eventually


def evaluator(bench: Bench, judge: Judge) -> Evaluator:
    return Evaluator(bench.store, JudgeSource(bench.store, bench.settings, lambda: judge), bench.settings)


def test_a_batch_is_evaluated_and_its_judge_written_down(bench: Bench) -> None:
    judge = LexicalJudge()
    bench.add(*(event(f"e{number}") for number in range(40)))
    one = evaluator(bench, judge)
    assert not one.idle()
    assert [one.evaluate_any(), one.evaluate_any(), one.evaluate_any()] == [32, 8, 0]
    assert one.idle()
    assert bench.counts() == {Status.EVALUATED: 40}
    (stored,) = bench.results("e7")
    assert stored.evaluation.judge_id == judge.identity.id
    assert [passage.cited for passage in stored.evaluation.passages] == [True, False]
    assert stored.evaluator is not None
    assert stored.evaluator.f1.value == 1.0
    with bench.store.read() as connection:
        assert judges.get(connection, judge.identity.id) == judge.identity


def test_only_the_named_events_are_evaluated(bench: Bench) -> None:
    bench.add(event("a"), event("b"), event("c"))
    one = evaluator(bench, LexicalJudge())
    assert one.evaluate(bench.project, ["a", "c", "unknown"]) == 2
    assert bench.statuses("a", "b", "c") == {
        "a": Status.EVALUATED,
        "b": Status.QUEUED,
        "c": Status.EVALUATED,
    }
    assert one.evaluate(bench.project, ["a", "c"]) == 0


def test_equal_tasks_share_one_requirement_list_and_are_asked_once(bench: Bench) -> None:
    judge = PickyJudge()
    bench.add(event("a", task="Who wrote  Faust?"), event("b", task="who wrote faust?"))
    one = evaluator(bench, judge)
    one.evaluate_any()
    bench.add(event("c", task="WHO WROTE FAUST?"))
    one.evaluate_any()
    assert len(judge.tasks) == 1
    versions = {bench.results(name)[0].evaluation.requirements_version for name in "abc"}
    assert versions == {1}
    with bench.store.read() as connection:
        kept = requirements.current(
            connection, bench.project, task_key("who wrote faust?"), judge_id=judge.identity.id
        )
    assert kept is not None
    assert (kept.version, kept.origin) == (1, "judge")


def test_a_judge_that_does_not_answer_leaves_unscored_events_that_can_be_asked_again(bench: Bench) -> None:
    bench.add(event("riddle", task="riddle of the sphinx"), event("plain"))
    one = evaluator(bench, PickyJudge())
    one.evaluate_any()
    assert bench.counts() == {Status.UNSCORED: 1, Status.EVALUATED: 1}
    assert "does not do riddles" in (bench.reason("riddle") or "")
    again = EventFilter(status=(Status.UNSCORED,))
    assert bench.store.write(lambda c: leases.requeue(c, bench.project, again, now=NOW)) == 1
    assert one.evaluate_any() == 1
    assert bench.counts() == {Status.UNSCORED: 1, Status.EVALUATED: 1}


def test_one_bad_event_fails_alone_after_its_attempts_and_tells_no_secret(bench: Bench) -> None:
    bench.add(event("a"), event("bad", task="poison of the judge"), event("b"))
    one = evaluator(bench, PickyJudge())
    assert one.evaluate_any() == 3
    assert bench.statuses("a", "b") == {"a": Status.EVALUATED, "b": Status.EVALUATED}

    def failed() -> bool:
        one.evaluate_any()
        return bench.statuses("bad")["bad"] == Status.ERROR

    eventually(failed)
    assert bench.reason("bad") == "evaluation failed 3 times, at last with RuntimeError"
    assert bench.results("bad") == ()


def test_a_slow_judge_keeps_its_lease(bench: Bench, gated: GatedJudge) -> None:
    bench.add(event("a"))
    slow, other = evaluator(bench, gated), evaluator(bench, LexicalJudge())
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(slow.evaluate_any)
        assert gated.asked.wait(20)
        looks, done = 0, threading.Event()
        while not done.wait(0.1) and looks < 25:  # a lease of 1.5 s would have run out
            assert (other.recover(), other.evaluate_any()) == (0, 0)
            looks += 1
        gated.gate.set()
        assert batch.result(20) == 1
    assert bench.counts() == {Status.EVALUATED: 1}
    assert gated.calls == 1


def test_a_late_writer_is_fenced(bench: Bench, gated: GatedJudge) -> None:
    bench.add(event("a"))
    frozen, other = evaluator(bench, gated), evaluator(bench, LexicalJudge())
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(frozen.evaluate_any)
        assert gated.asked.wait(20)
        assert other.take_over() == 1
        assert other.evaluate_any() == 1
        (first,) = bench.results("a")
        gated.gate.set()
        batch.result(20)
    assert bench.results("a") == (first,)
    assert bench.counts() == {Status.EVALUATED: 1}


def test_released_events_are_evaluated_by_another_without_losing_an_attempt(
    bench: Bench, gated: GatedJudge
) -> None:
    bench.add(event("a"), event("b"))
    stuck, other = evaluator(bench, gated), evaluator(bench, LexicalJudge())
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(stuck.evaluate_any)
        assert gated.asked.wait(20)
        stuck.stop()
        stuck.release()
        assert bench.counts() == {Status.QUEUED: 2}
        assert stuck.evaluate_any() == 0
        assert other.evaluate_any() == 2
        gated.gate.set()
        batch.result(20)
    assert bench.counts() == {Status.EVALUATED: 2}
    assert [len(bench.results(name)) for name in "ab"] == [1, 1]


def test_the_judge_is_opened_once_and_only_for_work(bench: Bench) -> None:
    opened: list[Judge] = []

    def open_it() -> Judge:
        if not opened:
            opened.append(LexicalJudge())
            raise RuntimeError("not yet")
        opened.append(LexicalJudge())
        return opened[-1]

    one = Evaluator(bench.store, JudgeSource(bench.store, bench.settings, open_it), bench.settings)
    assert one.evaluate_any() == 0
    assert opened == []
    bench.add(event("a"))
    with pytest.raises(RuntimeError, match="not yet"):
        one.evaluate_any()
    assert bench.counts() == {Status.QUEUED: 1}
    assert one.evaluate_any() == 1
    bench.add(event("b"))
    assert one.evaluate_any() == 1
    assert len(opened) == 2
