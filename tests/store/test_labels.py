"""Labels are amended, never overwritten; the metrics against gold and the review queue follow."""

import pytest

from steelyard.errors import InvalidInput, NotFound
from steelyard.schemas.event import Passage
from steelyard.schemas.query import Decision, DisagreementKind, EventFilter
from steelyard.store import Store, disagreements, events, labels, reviews

from .conftest import NOW, Judged, MakeEvent

EVERYTHING = EventFilter()


def evaluator_f1(store: Store, project: str) -> float | None:
    with store.read() as c:
        return events.page(c, project, EVERYTHING).items[0].evaluator_f1


def queue(store: Store, project: str, judge_id: str, **given: object) -> list[tuple[str, str | None]]:
    options: dict[str, object] = {"agreements": False, **given}
    with store.read() as c:
        page = disagreements.page(c, project, EVERYTHING, judge_id=judge_id, **options)  # type: ignore[arg-type]
    return [(str(item.kind), item.passage_id) for item in page.items]


def test_amending(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    evaluated([make_event(1, gold=("a",))], cited=[("a", "b")])
    assert evaluator_f1(store, project) == pytest.approx(2 / 3)
    assert queue(store, project, judge_id) == [("false_citation", "b")]
    label = store.write(
        lambda c: labels.add(c, project, "event-1", gold_doc_ids=["a", "b", "a"], author="ann", now=NOW)
    )
    assert (label.version, label.gold_doc_ids, label.origin) == (2, ("a", "b"), "added")
    assert evaluator_f1(store, project) == 1.0
    assert queue(store, project, judge_id) == []
    store.write(lambda c: labels.add(c, project, "event-1", gold_doc_ids=["c"], author="bob", now=NOW))
    assert queue(store, project, judge_id) == [
        ("false_citation", "a"),
        ("false_citation", "b"),
        ("missed_gold", "c"),
    ]
    store.write(lambda c: labels.add(c, project, "event-1", gold_doc_ids=None, author="bob", now=NOW))
    assert queue(store, project, judge_id) == []
    assert evaluator_f1(store, project) is None
    with store.read() as c:
        history = labels.history(c, project, "event-1")
        assert [(one.version, one.gold_doc_ids) for one in history] == [
            (4, None),
            (3, ("c",)),
            (2, ("a", "b")),
            (1, ("a",)),
        ]
        assert labels.current(c, project, "event-1") == history[0]
        assert not events.page(c, project, EVERYTHING).items[0].labelled
    with store.read() as c, pytest.raises(NotFound):
        labels.history(c, project, "nowhere")


def test_reviewing(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    evaluated([make_event(1, gold=("a", "c"))], cited=[("a", "b")])
    assert queue(store, project, judge_id) == [("false_citation", "b"), ("missed_gold", "c")]

    def decide(position: int, decision: Decision) -> None:
        store.write(
            lambda c: reviews.add(
                c,
                project,
                "event-1",
                position=position,
                judge_id=judge_id,
                decision=decision,
                reason="I looked",
                reviewer="ann",
                now=NOW,
            )
        )

    decide(1, Decision.JUDGE_RIGHT)
    assert queue(store, project, judge_id) == [("missed_gold", "c")]
    decide(2, Decision.LABEL_RIGHT)
    assert queue(store, project, judge_id) == []
    decided = [("false_citation", "b"), ("missed_gold", "c")]
    assert queue(store, project, judge_id, reviewed=True) == decided
    assert queue(store, project, judge_id, reviewed=None) == decided
    assert queue(store, project, judge_id, reviewed=True, kind=DisagreementKind.MISSED_GOLD) == decided[1:]
    with store.read() as c:
        options = {"judge_id": judge_id, "reviewed": True, "limit": 1}
        first = disagreements.page(c, project, EVERYTHING, **options)  # type: ignore[arg-type]
        second = disagreements.page(c, project, EVERYTHING, **options, cursor=first.next_cursor)  # type: ignore[arg-type]
    ((amended,), (standing,)) = first.items, second.items
    assert (amended.passage_id, amended.cited, amended.gold) == ("b", True, True)
    assert amended.review is not None
    assert amended.review.decision is Decision.JUDGE_RIGHT
    assert (standing.passage_id, standing.cited, standing.gold) == ("c", False, True)
    assert second.next_cursor is None
    with store.read() as c:
        progress = reviews.progress(c, project, EVERYTHING, judge_id=judge_id)
        accuracy = reviews.accuracy(c, project, EVERYTHING, judge_id=judge_id)
        assert labels.history(c, project, "event-1")[0].gold_doc_ids == ("a", "c", "b")
        assert labels.history(c, project, "event-1")[0].origin == "review"
    assert (progress.disagreements, progress.reviewed, progress.judge_right, progress.label_right) == (
        2,
        2,
        1,
        1,
    )
    assert accuracy.original.evaluator.precision.value == 0.5
    assert accuracy.amended.evaluator.precision.value == 1.0
    decide(1, Decision.UNCLEAR)
    assert queue(store, project, judge_id, reviewed=None) == [("false_citation", "b"), ("missed_gold", "c")]
    with store.read() as c:
        assert labels.history(c, project, "event-1")[0].gold_doc_ids == ("a", "c")
        assert [one.decision for one in reviews.export(c, project, EVERYTHING)] == ["label_right", "unclear"]
        found = list(disagreements.export(c, project, EVERYTHING, judge_id=judge_id))
    assert [one.review.decision for one in found if one.review] == ["unclear", "label_right"]
    assert found[0].reason == "because 1"
    with pytest.raises(NotFound, match="no disagreement"):
        decide(0, Decision.UNCLEAR)


def test_a_passage_without_id_cannot_be_labelled(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    from .conftest import verdict

    event = make_event(1, gold=(), context=(Passage(text="no id"),))
    evaluated([event], cited=[()])
    cited = verdict(event, cited=(), version=2).model_copy(
        update={"passages": (verdict(event, cited=()).passages[0].model_copy(update={"cited": True}),)}
    )
    from steelyard.store import evaluations

    assert store.write(lambda c: evaluations.add(c, project, cited, now=NOW))
    with pytest.raises(InvalidInput, match="no id"):
        store.write(
            lambda c: reviews.add(
                c,
                project,
                "event-1",
                position=0,
                judge_id=judge_id,
                decision=Decision.JUDGE_RIGHT,
                reviewer="ann",
                now=NOW,
            )
        )
    assert queue(store, project, judge_id) == [("false_citation", None)]


def test_agreements_are_drawn_and_pages_follow_each_other(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    batch = [make_event(n, gold=("a", "b")) for n in range(60)]
    evaluated(batch, cited=[("a", "c")] * 60)
    with store.read() as c:
        every = disagreements.page(c, project, EVERYTHING, judge_id=judge_id, limit=500).items
        seen, cursor = [], None
        while True:
            page = disagreements.page(c, project, EVERYTHING, judge_id=judge_id, cursor=cursor, limit=7)
            seen += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        missed = disagreements.page(
            c, project, EVERYTHING, judge_id=judge_id, kind=DisagreementKind.MISSED_GOLD, limit=500
        )
        progress = reviews.progress(c, project, EVERYTHING, judge_id=judge_id)
    assert tuple(seen) == every
    drawn = [one for one in every if one.kind is DisagreementKind.AGREEMENT]
    assert 0 < len(drawn) < 15
    assert len(missed.items) == 60
    assert (progress.disagreements, progress.agreements) == (120, len(drawn))
