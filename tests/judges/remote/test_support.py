"""The LLM judge's answers: cells, offsets, windows, batches and what a case without content gets."""

import json
from typing import Any

import pytest

from steelyard.judges.protocol import Judge
from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    Requirement,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.verdict import Evidence, Unscored, UnscoredReason
from steelyard.testing import check_judge

from .conftest import Bench
from .model import answer as model
from .model import read_prompt
from .scripted import Answer, Received, completion

TASK = "Who built the bridge and when was it opened?"
YEAR = Requirement(text="bridge opened year")
BUILDER = Requirement(text="bridge builder name")
PASSAGES = (
    "The 🌉 bridge was opened in the year 1932.",
    "Bread is baked from flour.",
    "  ",
    "The builder of the bridge bears the name Dorman.",
)


def judged(
    judge: Judge, *passages: str, requirements: tuple[Requirement, ...] = (YEAR, BUILDER)
) -> SupportAnswer:
    (answer,) = judge.support([SupportCase(task=TASK, requirements=requirements, passages=passages)])
    assert isinstance(answer, SupportAnswer)
    return answer


def test_it_conforms(bench: Bench) -> None:
    check_judge(bench.chat(bench.server(model).url))


def test_cells_and_citations(bench: Bench) -> None:
    server = bench.server(model)
    answer = judged(bench.chat(server.url), *PASSAGES)
    assert answer.cited == (0, 3)
    assert [(cell.requirement, cell.passage, cell.supported) for cell in answer.cells] == [
        (0, 0, True),
        (0, 1, False),
        (0, 3, False),
        (1, 0, False),
        (1, 1, False),
        (1, 3, True),
    ]
    assert server.calls == 1
    assert not [
        text
        for text in read_prompt(server.requests[0].body["messages"][1]["content"])[0].values()
        if not text.strip()
    ]


def test_the_order_of_passages_changes_nothing_not_even_the_request(bench: Bench) -> None:
    server = bench.server(model)
    judge = bench.chat(server.url)
    straight = judged(judge, *PASSAGES)
    other = judged(judge, *reversed(PASSAGES))
    assert server.calls == 1
    assert other.cited == tuple(sorted(3 - position for position in straight.cited))
    assert other.usage.cached_calls == 1


def test_equal_passages_are_sent_once_and_cited_everywhere(bench: Bench) -> None:
    server = bench.server(model)
    assert judged(bench.chat(server.url), PASSAGES[0], PASSAGES[1], PASSAGES[0]).cited == (0, 2)
    assert len(read_prompt(server.requests[0].body["messages"][1]["content"])[0]) == 1 + 2 + 2


def quoting(quote: str) -> Any:
    def script(received: Received) -> Answer:
        blocks, _ = read_prompt(received.body["messages"][1]["content"])
        found = [name for name, text in blocks.items() if name[0] == "P" and "1932" in text]
        row = {"reason": "it says so", "passages": [{"passage": name, "quote": quote} for name in found]}
        return completion(json.dumps({"R1": row}))

    return script


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("opened in the year 1932", (17, 40)),
        ("OPENED  in the\nyear 1932", (17, 40)),
        ("opened in 1932", None),
        ("", None),
    ],
)
def test_a_quotation_becomes_code_points_or_nothing(
    bench: Bench, quote: str, place: tuple[int, int] | None
) -> None:
    judge = bench.chat(bench.server(quoting(quote)).url)
    answer = judged(judge, PASSAGES[1], PASSAGES[0], requirements=(YEAR,))
    assert answer.cited == (1,), "the verdict stays"
    cell = next(cell for cell in answer.cells if cell.supported)
    if place is None:
        assert cell.evidence == ()
    else:
        assert cell.evidence == (Evidence(pointer="/context/1/text", start=place[0], end=place[1]),)
        assert PASSAGES[0][place[0] : place[1]] == "opened in the year 1932"


def test_a_long_passage_is_read_in_windows(bench: Bench) -> None:
    server = bench.server(quoting("opened in the year 1932"))
    long = "bread and flour " * 100 + PASSAGES[0] + " more bread" * 100
    answer = judged(bench.chat(server.url, chars_per_call=700), long, requirements=(YEAR,))
    assert server.calls > 3
    assert answer.cited == (0,)
    (cell,) = answer.cells
    (evidence,) = cell.evidence
    assert long[evidence.start : evidence.end] == "opened in the year 1932"
    assert answer.usage.calls == server.calls
    assert all(len(request.body["messages"][1]["content"]) < 1_500 for request in server.requests)


def test_long_lists_are_asked_in_parts(bench: Bench) -> None:
    server = bench.server(model)
    requirements = tuple(Requirement(text=f"bridge number {1000 + number}") for number in range(25))
    passages = tuple(f"The bridge number {1000 + number} stands." for number in range(45))
    answer = judged(bench.chat(server.url), *passages, requirements=requirements)
    assert server.calls == 3 * 5
    assert len(answer.cells) == 25 * 45
    exact = {(cell.requirement, cell.passage) for cell in answer.cells if cell.supported}
    assert {(number, number) for number in range(25)} <= exact


def test_slots_are_judged_as_one_question(bench: Bench) -> None:
    slots = (Requirement(text="fact 1 of 2", slot=True), Requirement(text="fact 2 of 2", slot=True))
    server = bench.server(model)
    answer = judged(
        bench.chat(server.url), "Every fact that is needed for the task.", *PASSAGES, requirements=slots
    )
    assert (answer.cells, answer.cited, answer.estimated) == ((), (0,), True)


def missing(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.MISSING_DATA, detail=detail)


def test_what_is_empty_is_never_sent(bench: Bench) -> None:
    server = bench.server(model)
    judge = bench.chat(server.url)
    assert judge.requirements(["", " \n"]) == [missing("the task is empty")] * 2
    assert judge.support(
        [
            SupportCase(task=TASK, requirements=(), passages=PASSAGES),
            SupportCase(task=TASK, requirements=(YEAR,), passages=()),
            SupportCase(task=TASK, requirements=(YEAR,), passages=("", " ")),
        ]
    ) == [
        missing("there is no requirement to support"),
        SupportAnswer(cells=(), cited=()),
        SupportAnswer(cells=(), cited=()),
    ]
    assert judge.grounded([GroundedCase(claims=("x",), source=" "), GroundedCase(claims=(), source="x")]) == [
        missing("the source is empty"),
        GroundedAnswer(claims=()),
    ]
    assert judge.correct(
        [
            CorrectCase(question="q", expected=(" ",), answer="a"),
            CorrectCase(question="q", expected=("e",), answer=" "),
        ]
    ) == [
        missing("there is no expected answer to compare with"),
        CorrectAnswer(correct=False, reason="The answer is empty."),
    ]
    assert server.calls == 0


def test_one_bad_reply_spoils_its_own_case_only(bench: Bench) -> None:
    def script(received: Received) -> Answer:
        return completion("?") if "spoil" in received.body["messages"][1]["content"] else model(received)

    answers = bench.chat(bench.server(script).url).requirements(["spoil this", "When was the bridge opened?"])
    assert isinstance(answers[0], Unscored)
    assert not isinstance(answers[1], Unscored)


def test_unsure_is_an_abstention(bench: Bench) -> None:
    judge = bench.chat(
        bench.server([completion('{"reason": "Both can be meant.", "verdict": "unsure"}')]).url
    )
    (answer,) = judge.correct([CorrectCase(question="q", expected=("e",), answer="a")])
    assert isinstance(answer, CorrectAnswer)
    assert (answer.correct, answer.reason) == (None, "Both can be meant.")


def test_a_claim_is_grounded_when_one_window_supports_it(bench: Bench) -> None:
    source = "bread and flour " * 100 + "The bridge was opened in 1932." + " more bread" * 100
    judge = bench.chat(bench.server(model).url, chars_per_call=700)
    (answer,) = judge.grounded(
        [GroundedCase(claims=("bridge opened 1932", "", "castle closed 1544"), source=source)]
    )
    assert isinstance(answer, GroundedAnswer)
    assert [claim.supported for claim in answer.claims] == [True, None, False]


def test_the_identity_is_of_what_was_asked(bench: Bench) -> None:
    server = bench.server(model)
    judge, same = bench.chat(server.url), bench.chat(server.url, timeout_s=9.0, retries=0, concurrency=2)
    assert judge.identity == same.identity, "what cannot move a verdict is no part of the identity"
    for change in ({"model": "other"}, {"chars_per_call": 900}, {"returned_model": "scripted-1"}):
        assert bench.chat(server.url, **change).identity.id != judge.identity.id
    assert judge.identity.id.startswith("llm:")
