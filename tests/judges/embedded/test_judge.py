"""The embedded judge keeps the protocol, answers the same whatever stands beside a case, and gives
evidence."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.judges.bench import measure
from steelyard.judges.embedded import EmbeddedJudge
from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    Requirement,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.testing import check_judge

PASSAGES = (
    "Sydney Harbour Bridge\nThe Sydney Harbour Bridge is a steel arch bridge. It opened on 19 March 1932.",
    "The Eiffel Tower was completed in 1889 for the World's Fair in Paris.",
    "Bread is baked from flour, water, salt and yeast.",
    "",
    "Kangaroos live in Australia and eat grass.",
)
TASK = "When did the Sydney Harbour Bridge open?"


def case(task: str, passages: tuple[str, ...], *requirements: str) -> SupportCase:
    listed = tuple(Requirement(text=text) for text in requirements or (task,))
    return SupportCase(task=task, requirements=listed, passages=passages)


def support(judge: EmbeddedJudge, asked: SupportCase) -> SupportAnswer:
    (answer,) = judge.support([asked])
    assert isinstance(answer, SupportAnswer)
    return answer.model_copy(update={"usage": SupportAnswer(cells=(), cited=()).usage})


def test_it_conforms(judge: EmbeddedJudge) -> None:
    check_judge(judge)


def test_the_answering_passage_is_cited_with_the_sentence_that_answers(judge: EmbeddedJudge) -> None:
    answer = support(judge, case(TASK, PASSAGES))
    assert answer.cited == (0,)
    (cell,) = [cell for cell in answer.cells if cell.supported]
    (evidence,) = cell.evidence
    assert evidence.pointer == "/context/0/text"
    assert "Sydney Harbour Bridge" in PASSAGES[0][evidence.start : evidence.end]
    assert answer.probabilities[0] == max(p for p in answer.probabilities if p is not None)
    assert answer.probabilities[3] == 0.0


@settings(max_examples=12, deadline=None)
@given(order=st.permutations(range(len(PASSAGES))))
def test_order_moves_no_bit(judge: EmbeddedJudge, order: list[int]) -> None:
    straight = support(judge, case(TASK, PASSAGES))
    other = support(judge, case(TASK, tuple(PASSAGES[i] for i in order)))
    assert tuple(sorted(order[position] for position in other.cited)) == straight.cited
    assert [other.probabilities[order.index(i)] for i in range(len(PASSAGES))] == list(straight.probabilities)


def test_neither_batch_nor_threads_nor_the_past_move_a_bit(judge: EmbeddedJudge) -> None:
    cases = [
        case(TASK, PASSAGES),
        case("Who eats grass in Australia?", PASSAGES),
        case("What is in bread?", PASSAGES[1:]),
    ]
    alone = [support(judge, asked) for asked in cases]
    fresh = EmbeddedJudge.load(threads=1)
    backwards = fresh.support(list(reversed(cases)))
    with ThreadPoolExecutor(3) as callers:
        together = list(callers.map(lambda asked: support(judge, asked), cases * 2))
    fresh.close()
    assert together == alone * 2
    assert [a.model_dump(exclude={"usage"}) for a in reversed(backwards)] == [
        a.model_dump(exclude={"usage"}) for a in alone
    ]


def test_copies_of_a_passage_are_cited_together(judge: EmbeddedJudge) -> None:
    answer = support(judge, case(TASK, (*PASSAGES, PASSAGES[0])))
    assert answer.cited == (0, 5)
    assert answer.probabilities[0] == answer.probabilities[5]


def test_nothing_about_the_question_is_not_cited(judge: EmbeddedJudge) -> None:
    assert support(judge, case("Who won the 1998 football world cup?", PASSAGES[2:])).cited == ()


def test_each_part_of_a_task_gets_the_passage_that_serves_it(judge: EmbeddedJudge) -> None:
    task = "When did the Sydney Harbour Bridge open and what is bread baked from?"
    (listed,) = judge.requirements([task])
    assert isinstance(listed, RequirementsAnswer)
    assert len(listed.requirements) == 2
    assert not listed.estimated
    answer = support(judge, SupportCase(task=task, requirements=listed.requirements, passages=PASSAGES))
    served = {(cell.requirement, cell.passage) for cell in answer.cells if cell.supported}
    assert {passage for _, passage in served} == set(answer.cited)
    assert (0, 0) in served


def test_an_edited_list_is_decided_by_its_own_words(judge: EmbeddedJudge) -> None:
    edited = case(TASK, PASSAGES, "When was the Eiffel Tower completed?", "What is bread baked from?")
    answer = support(judge, edited)
    assert {(cell.requirement, cell.passage) for cell in answer.cells if cell.supported} >= {(0, 1), (1, 2)}


def test_slots_are_estimated(judge: EmbeddedJudge) -> None:
    slots = tuple(Requirement(text=f"fact {i} of 2", slot=True) for i in (1, 2))
    answer = support(judge, SupportCase(task=TASK, requirements=slots, passages=PASSAGES))
    assert answer.estimated
    assert answer.cited == (0,)
    assert {cell.requirement for cell in answer.cells if cell.supported} == {0}


def test_k_is_estimated_where_the_task_cannot_be_split(judge: EmbeddedJudge) -> None:
    (listed,) = judge.requirements(["What is the birthplace of the director of the film that won the award?"])
    assert isinstance(listed, RequirementsAnswer)
    assert listed.estimated


SOURCE = "The bridge opened on 19 March 1932. It was designed by John Bradfield and is 503 metres long."


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The bridge opened in March 1932.", "The bridge opened in March 1987."),
        ("It is 503 metres long.", "It is 740 metres long."),
        ("The bridge was designed by John Bradfield.", "The bridge was designed by Ralph Freeman."),
        ("The bridge was designed by John Bradfield.", "Cats sleep most of the day."),
    ],
)
def test_a_changed_number_or_name_is_less_supported(judge: EmbeddedJudge, true: str, false: str) -> None:
    (answer,) = judge.grounded([GroundedCase(claims=(true, false), source=SOURCE)])
    assert isinstance(answer, GroundedAnswer)
    kept, changed = answer.claims
    assert kept.probability is not None
    assert changed.probability is not None
    assert kept.probability > changed.probability
    assert kept.supported is not False
    assert changed.supported is not True


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        (("1932",), "It opened in 1932.", "It opened in 1987."),
        (
            ("John Bradfield", "J. J. C. Bradfield"),
            "The engineer was Bradfield, John Bradfield.",
            "I don't know.",
        ),
        (("yes",), "Yes, it is.", "No, it is not."),
        (("three apples",), "3 apples", "seven pears"),
    ],
)
def test_a_right_answer_is_likelier_than_a_wrong_one(
    judge: EmbeddedJudge, expected: tuple[str, ...], right: str, wrong: str
) -> None:
    cases = [
        CorrectCase(question="What about the bridge?", expected=expected, answer=text)
        for text in (right, wrong)
    ]
    first, second = judge.correct(cases)
    assert isinstance(first, CorrectAnswer)
    assert isinstance(second, CorrectAnswer)
    assert (first.probability or 0) > (second.probability or 0)
    assert second.correct is not True


def test_it_opens_and_answers_within_two_seconds_of_processor_time() -> None:
    started = time.process_time()
    fresh = EmbeddedJudge.load()
    fresh.support([case(TASK, PASSAGES)])
    fresh.close()
    assert time.process_time() - started < 2


def test_opening_reads_no_weights() -> None:
    program = (
        "from steelyard.judges.embedded import EmbeddedJudge; j = EmbeddedJudge.load(); "
        "j.requirements(['Who?']); import sys; sys.exit(j.identity.id.count(':') != 1)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("kind", ["retrieval", "groundedness", "answers"])
def test_every_labelled_set_can_be_measured(judge: EmbeddedJudge, shared: Path, kind: str) -> None:
    for path in sorted((shared / "data" / kind).glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in islice(lines, 2)]
        measured = measure(rows, judge)
        assert measured.n == 2, path.name
        assert measured.unscored == 0, path.name
        assert measured.kind == kind


def test_blank_passages_of_a_real_set_are_never_cited(judge: EmbeddedJudge, shared: Path) -> None:
    lines = (shared / "data/retrieval/selqa.jsonl").read_text("utf-8").strip().split("\n")
    rows = [json.loads(line) for line in lines]
    holed = [row for row in rows if any(not item["text"].strip() for item in row["context"])][:3]
    assert holed
    for row in holed:
        texts = tuple(item["text"] for item in row["context"])
        answer = support(judge, case(row["task"], texts))
        assert all(texts[position].strip() for position in answer.cited)
