"""The word-overlap judge: order, blanks, numbers and what it answers when there is nothing to answer."""

from hypothesis import given
from hypothesis import strategies as st

from steelyard.judges.lexical import LexicalJudge
from steelyard.schemas.judging import CorrectCase, GroundedCase, Requirement, SupportAnswer, SupportCase
from steelyard.schemas.verdict import Unscored, UnscoredReason

JUDGE = LexicalJudge()


def support(task: str, *passages: str) -> SupportAnswer:
    (answer,) = JUDGE.support(
        [SupportCase(task=task, requirements=(Requirement(text=task),), passages=passages)]
    )
    assert isinstance(answer, SupportAnswer)
    return answer


def test_the_passage_with_the_words_is_cited_with_its_sentence_as_evidence() -> None:
    answer = support(
        "Who wrote Hamlet?", "It rains. Hamlet was written by Shakespeare.", "", "Paris is a city."
    )
    assert answer.cited == (0,)
    (evidence,) = answer.cells[0].evidence
    assert (evidence.pointer, evidence.start, evidence.end) == ("/context/0/text", 10, 44)


@given(st.permutations(["Is Hamlet good?", "He wrote Hamlet.", "He wrote Hamlet.", "", "Salt."]))
def test_order_never_changes_what_is_cited(passages: list[str]) -> None:
    answer = support("Who wrote Hamlet", *passages)
    assert [passages[position] for position in answer.cited] == ["He wrote Hamlet."] * 2


def test_a_number_the_source_does_not_hold_is_not_grounded() -> None:
    case = GroundedCase(
        claims=("The bridge opened in 1932", "The bridge opened in 1987"), source="The bridge opened in 1932."
    )
    (answer,) = JUDGE.grounded([case])
    assert not isinstance(answer, Unscored)
    assert [claim.supported for claim in answer.claims] == [True, False]
    assert "1987" in answer.claims[1].reason


def test_nothing_to_compare_with_is_unscored() -> None:
    (correct,) = JUDGE.correct([CorrectCase(question="?", expected=(" ",), answer="yes")])
    (grounded,) = JUDGE.grounded([GroundedCase(claims=("yes",), source=" ")])
    (listed,) = JUDGE.requirements([" "])
    for answer in (correct, grounded, listed):
        assert isinstance(answer, Unscored)
        assert answer.reason is UnscoredReason.MISSING_DATA
