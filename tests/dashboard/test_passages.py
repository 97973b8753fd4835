"""Passages as the event page shows them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.dashboard.passages import PassageView, Segment, fold, passage_views, segments
from steelyard.schemas.event import Event, Passage
from steelyard.schemas.judging import Requirement
from steelyard.schemas.numbers import Value
from steelyard.schemas.result import Evaluation, LabelFree, PassageVerdict, RequirementVerdict
from steelyard.schemas.verdict import Evidence, Outcome, Unscored, UnscoredReason, Verdict

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ONE = Value.of(1.0)


def event(*passages: Passage) -> Event:
    return Event(event_id="e", task="t", context=passages, created_at=NOW)


def evaluation(*verdicts: PassageVerdict, evidence: tuple[Evidence, ...] = ()) -> Evaluation:
    met = Verdict(outcome=Outcome.PASS, explanation="said", evidence=evidence)
    return Evaluation(
        event_id="e",
        judge_id="j",
        requirements_version=1,
        requirements=(RequirementVerdict(requirement=Requirement(text="r"), verdict=met, passages=(1,)),),
        passages=verdicts,
        label_free=LabelFree(recall=ONE, precision=ONE, f1=ONE, ndcg=ONE),
        evaluated_at=NOW,
    )


def text(parts: tuple[Segment, ...]) -> str:
    return "".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("spans", "marked"),
    [
        ([], []),
        ([(0, 3)], ["abc"]),
        ([(2, 5), (1, 3)], ["bcde"]),
        ([(1, 2), (2, 3)], ["bc"]),
        ([(4, 99), (-5, 1)], ["a", "efgh"]),
        ([(3, 3), (6, 5)], []),
    ],
)
def test_segments(spans: list[tuple[int, int]], marked: list[str]) -> None:
    parts = segments("abcdefgh", spans)
    assert text(parts) == "abcdefgh"
    assert [part.text for part in parts if part.marked] == marked


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70)), max_size=6))
def test_segments_lose_nothing_and_mark_exactly_the_spans(body: str, spans: list[tuple[int, int]]) -> None:
    parts = segments(body, spans)
    assert text(parts) == body
    wanted = {i for start, end in spans for i in range(max(start, 0), min(end, len(body)))}
    at, found = 0, set()
    for part in parts:
        if part.marked:
            found |= set(range(at, at + len(part.text)))
        at += len(part.text)
    assert found == wanted


@given(st.lists(st.tuples(st.text(min_size=1, max_size=40), st.booleans()), max_size=8), st.integers(1, 50))
def test_folding_loses_nothing(parts: list[tuple[str, bool]], head: int) -> None:
    whole = tuple(Segment(text=t, marked=m) for t, m in parts)
    shown, rest = fold(whole, head=head)
    assert text(shown) + text(rest) == text(whole)
    assert not rest or len(text(shown)) == head


def by_position(views: tuple[PassageView, ...]) -> dict[int, PassageView]:
    return {view.position: view for view in views}


def test_rank_order_and_repeated_documents() -> None:
    views = passage_views(
        event(
            Passage(text="low", id="a", rank=3),
            Passage(text="top", id="b", rank=1),
            Passage(text="again", id="b", rank=2),
            Passage(text="none"),
        ),
        None,
        None,
    )
    assert [view.position for view in views] == [1, 2, 0, 3]
    assert [view.place for view in views] == [1, None, 2, 3]
    assert all(view.cited is None and view.gold is None and view.disagreement is None for view in views)


def test_disagreements_are_of_documents() -> None:
    views = by_position(
        passage_views(
            event(*(Passage(text="x", id=name) for name in ("cited", "gold", "both", "neither", "both"))),
            evaluation(
                PassageVerdict(position=0, cited=True, probability=0.9, reason="why"),
                PassageVerdict(position=2, cited=True),
                PassageVerdict(position=3, cited=None),
            ),
            ("gold", "both", "elsewhere"),
        )
    )
    assert [views[i].disagreement for i in range(5)] == ["false_citation", "missed_gold", None, None, None]
    assert views[4].document_cited
    assert not views[4].cited
    assert views[3].cited is None
    assert (views[0].probability, views[0].reason) == (0.9, "why")
    assert views[1].requirements == (1,)


def test_evidence_is_marked_by_offsets_in_code_points() -> None:
    view = passage_views(
        event(Passage(text="a\U0001f600bcd")),
        evaluation(evidence=(Evidence(pointer="/context/0/text", start=2, end=4),)),
        None,
    )[0]
    assert [part.text for part in view.head if part.marked] == ["bc"]


def test_nothing_relevant_makes_every_citation_a_disagreement() -> None:
    view = passage_views(event(Passage(text="x")), evaluation(PassageVerdict(position=0, cited=True)), ())[0]
    assert view.gold is False
    assert view.disagreement == "false_citation"


def test_an_unscored_evaluation_says_nothing_of_passages() -> None:
    unscored = Evaluation(
        event_id="e",
        judge_id="j",
        requirements_version=1,
        unscored=Unscored(reason=UnscoredReason.REFUSED, detail="no"),
        evaluated_at=NOW,
    )
    view = passage_views(event(Passage(text="x", id="g")), unscored, ("g",))[0]
    assert view.cited is None
    assert view.disagreement is None
