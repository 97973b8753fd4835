"""Every fault of a server, with the exact answer, the number of calls and the waits it leads to."""

from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

import pytest

from steelyard.schemas.judging import RequirementsAnswer
from steelyard.schemas.verdict import Unscored, UnscoredReason

from .conftest import KEY, NOW, Bench
from .scripted import Answer, completion, failure

GOOD = completion('{"requirements": ["the year of opening"]}')
UNAVAILABLE, UNREADABLE = UnscoredReason.JUDGE_UNAVAILABLE, UnscoredReason.UNREADABLE_REPLY
REFUSED, LIMIT = UnscoredReason.REFUSED, UnscoredReason.LIMIT_REACHED


@dataclass(frozen=True)
class Fault:
    """What the server does, and what comes of it: `None` for a good answer, else reason and detail."""

    script: list[Answer]
    calls: int
    waits: list[float] = field(default_factory=list)
    unscored: tuple[UnscoredReason, str] | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def date(offset: float) -> str:
    return formatdate(NOW + offset, usegmt=True)


FAULTS = {
    "429 then good": Fault([failure(429), GOOD], 2, [0.5]),
    "429 with seconds": Fault([failure(429, headers={"Retry-After": "7"}), GOOD], 2, [7.0]),
    "429 with milliseconds": Fault([failure(429, headers={"Retry-After-Ms": "250"}), GOOD], 2, [0.25]),
    "429 with a date": Fault(
        [failure(429, headers={"Retry-After": date(9), "Date": date(0)}), GOOD], 2, [9.0]
    ),
    "429 with a date of a server whose clock is an hour ahead": Fault(
        [failure(429, headers={"Retry-After": date(3609), "Date": date(3600)}), GOOD], 2, [9.0]
    ),
    "429 with a date gone by": Fault(
        [failure(429, headers={"Retry-After": date(-9), "Date": date(0)}), GOOD], 2, [0.0]
    ),
    "429 that asks for an hour": Fault([failure(429, headers={"Retry-After": "3600"}), GOOD], 2, [60.0]),
    "429 that asks for nonsense": Fault([failure(429, headers={"Retry-After": "soon"}), GOOD], 2, [0.5]),
    "429 for ever": Fault(
        [failure(429)],
        5,
        [0.5, 1.0, 2.0, 4.0],
        (UNAVAILABLE, "the server has too many requests (HTTP 429) (asked 5 times)"),
    ),
    "408 then good": Fault([failure(408), GOOD], 2, [0.5]),
    "409 then good": Fault([failure(409), GOOD], 2, [0.5]),
    "500 twice then good": Fault([failure(500), failure(500), GOOD], 3, [0.5, 1.0]),
    "503 for ever, one retry": Fault(
        [failure(503)],
        2,
        [0.5],
        (UNAVAILABLE, "the server answered HTTP 503 (asked 2 times)"),
        {"retries": 1},
    ),
    "529 then good": Fault([failure(529), GOOD], 2, [0.5]),
    "500 with a web page then good": Fault([Answer(500, "<html>oops</html>"), GOOD], 2, [0.5]),
    "401": Fault(
        [failure(401, message=f"Incorrect API key provided: {KEY}")],
        1,
        [],
        (UNAVAILABLE, "the server does not accept the key (HTTP 401)"),
    ),
    "403": Fault([failure(403)], 1, [], (UNAVAILABLE, "the server does not accept the key (HTTP 403)")),
    "404": Fault(
        [failure(404)],
        1,
        [],
        (UNAVAILABLE, "the server knows no such model or path (HTTP 404): check the address and the model"),
    ),
    "a redirect, which would carry the key elsewhere": Fault(
        [Answer(307, "", {"Location": "http://127.0.0.1:9/v1/chat/completions"})],
        1,
        [],
        (UNAVAILABLE, "the server sends elsewhere (HTTP 307), which is not followed"),
    ),
    "a connection dropped before the answer": Fault([Answer(cut=0), GOOD], 2, [0.5]),
    "a connection dropped in the answer": Fault([Answer(body=GOOD.body, cut=40), GOOD], 2, [0.5]),
    "dropped for ever": Fault(
        [Answer(cut=0)],
        2,
        [0.5],
        (UNAVAILABLE, "the connection broke before the answer was complete (asked 2 times)"),
        {"retries": 1},
    ),
    "silent": Fault(
        [Answer(silent=True)],
        1,
        [],
        (UNAVAILABLE, "the server did not answer in time (asked 1 times)"),
        {"timeout_s": 0.2, "retries": 0},
    ),
    "a trickle, each byte in time": Fault(
        [Answer(body=GOOD.body, trickle=True)],
        1,
        [],
        (UNAVAILABLE, "the server did not answer in time (asked 1 times)"),
        {"timeout_s": 0.3, "retries": 0},
    ),
    "half a JSON body, then good": Fault([Answer(body='{"choices": [{"mess'), GOOD], 2, [0.5]),
    "half a JSON body for ever": Fault(
        [Answer(body='{"choices": [{"mess')],
        2,
        [0.5],
        (UNREADABLE, "the server's answer is not complete JSON (asked 2 times)"),
        {"retries": 1},
    ),
    "a web page": Fault(
        [Answer(body="<!doctype html><p>Log in", headers={"Content-Type": "text/html"})],
        1,
        [],
        (UNREADABLE, "the server answered with a web page, not JSON: check the address of the judge"),
    ),
    "a huge body": Fault(
        [Answer(body=b'{"x": "' + b"y" * (5 * 2**20) + b'"}')],
        1,
        [],
        (UNREADABLE, "the reply is longer than 4194304 bytes"),
    ),
    "a huge body of an error": Fault(
        [Answer(status=500, body=b"y" * (5 * 2**20))],
        1,
        [],
        (UNREADABLE, "the reply is longer than 4194304 bytes"),
    ),
    "a compressed body": Fault(
        [Answer(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})],
        1,
        [],
        (UNREADABLE, "the reply is compressed though an uncompressed one was asked for"),
    ),
    "JSON so deep that it cannot be read": Fault(
        [Answer(body="[" * 200_000)],
        1,
        [],
        (UNREADABLE, "the server's answer is not complete JSON (asked 1 times)"),
        {"retries": 0},
    ),
    "JSON that is no completion": Fault(
        [Answer(body={"hello": 1})], 1, [], (UNREADABLE, "the server's answer is no chat completion")
    ),
    "a list": Fault([Answer(body=[1])], 1, [], (UNREADABLE, "the server's answer is no chat completion")),
    "content of the wrong type": Fault(
        [completion(None, message={"content": 7})],
        1,
        [],
        (UNREADABLE, "the server's answer is no chat completion"),
    ),
    "an error inside a success, to try again": Fault(
        [Answer(body={"error": {"code": 502, "message": "upstream"}}), GOOD], 2, [0.5]
    ),
    "an error inside a success": Fault(
        [Answer(body={"error": {"code": "bad", "message": "upstream"}})],
        1,
        [],
        (UNREADABLE, "the server answered with an error inside a success"),
    ),
    "a refusal": Fault(
        [completion(None, message={"refusal": "I can't help with that."})],
        1,
        [],
        (REFUSED, "the model refused to answer"),
    ),
    "a reply stopped by the content filter": Fault(
        [completion("", finish="content_filter")], 1, [], (REFUSED, "the model refused to answer")
    ),
    "a request refused by the content filter": Fault(
        [failure(400, code="content_filter")],
        1,
        [],
        (REFUSED, "the server's content filter refused the question"),
    ),
    "longer than the context": Fault(
        [failure(400, type="exceed_context_size_error", message="the request exceeds the context size")],
        1,
        [],
        (LIMIT, "the question is longer than the model's context: lower chars_per_call"),
    ),
    "truncated content, repaired": Fault([completion('{"requirements": ["the ye', finish="length"), GOOD], 2),
    "truncated content twice": Fault(
        [completion('{"requirements": ["the ye', finish="length")],
        2,
        [],
        (
            UNREADABLE,
            "the model's reply cannot be read, nor could the second one: it was cut off, be shorter",
        ),
    ),
    "prose, repaired": Fault([completion("The year of opening."), GOOD], 2),
    "empty, repaired": Fault([completion(""), GOOD], 2),
    "no content at all, repaired": Fault([completion(None), GOOD], 2),
    "another shape, repaired": Fault([completion('{"facts": ["the year"]}'), GOOD], 2),
    "another shape twice": Fault(
        [completion('{"facts": ["the year"]}')],
        2,
        [],
        (
            UNREADABLE,
            "the model's reply cannot be read, nor could the second one: the reply lacks requirements",
        ),
    ),
    "a code fence": Fault([completion('```json\n{"requirements": ["the year of opening"]}\n```')], 1),
    "thinking first": Fault(
        [completion('<think>{"requirements": []}</think>\n{"requirements": ["the year of opening"]}')], 1
    ),
    "content in parts": Fault(
        [
            completion(
                None,
                message={
                    "content": [{"type": "text", "text": GOOD.body["choices"][0]["message"]["content"]}]
                },
            )
        ],
        1,
    ),
    "an unknown charset": Fault(
        [Answer(body=GOOD.body, headers={"Content-Type": "application/json; charset=martian"})], 1
    ),
    "bytes that are no UTF-8": Fault(
        [Answer(body=GOOD.encoded().replace(b"scripted-1", b"scripted-\xff"))], 1
    ),
    "an unknown model answers": Fault(
        [GOOD],
        1,
        [],
        (UNREADABLE, "another model answered than the one settings insist on"),
        {"returned_model": "scripted-2"},
    ),
    "the model insisted on answers": Fault([GOOD], 1, [], None, {"returned_model": "scripted-1"}),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_fault(bench: Bench, fault: Fault) -> None:
    server = bench.server(fault.script)
    (answer,) = bench.chat(server.url, **fault.settings).requirements(["When was the bridge opened?"])
    if fault.unscored is None:
        assert isinstance(answer, RequirementsAnswer)
        assert [requirement.text for requirement in answer.requirements] == ["the year of opening"]
    else:
        assert answer == Unscored(reason=fault.unscored[0], detail=fault.unscored[1])
    assert (server.calls, bench.slept) == (fault.calls, fault.waits)
    assert KEY not in repr(answer)


def test_nobody_listens(bench: Bench) -> None:
    server = bench.server([GOOD])
    server.stop()
    (answer,) = bench.chat(server.url, retries=1).requirements(["When was the bridge opened?"])
    assert answer == Unscored(reason=UNAVAILABLE, detail="no connection to the server (asked 2 times)")
    assert bench.slept == [0.5]
