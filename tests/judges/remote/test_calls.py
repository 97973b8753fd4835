"""Ledger, budget, limits and concurrency, counted at the server: what is paid, when and how often."""

import json
import threading
import time
from collections.abc import Callable

import pytest

from steelyard.errors import ConfigurationError
from steelyard.judges.calling import request_digest
from steelyard.judges.calls import MemoryLedger
from steelyard.judges.chat import ChatJudge
from steelyard.judges.settings import RemoteSettings
from steelyard.schemas.judging import RequirementsAnswer
from steelyard.schemas.verdict import Unscored, UnscoredReason

from .conftest import Bench
from .model import answer as model
from .scripted import Answer, Received, completion, failure

TASKS = [f"When was bridge number {number} opened?" for number in range(8)]
PRICES = {"usd_per_million_prompt_tokens": 1.0, "usd_per_million_completion_tokens": 10.0}
EACH_USD = 100 * 1e-6 + 20 * 1e-5


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.005)


def test_a_finished_call_is_never_paid_again(bench: Bench) -> None:
    server, ledger = bench.server(model), MemoryLedger()
    first = bench.chat(server.url, ledger=ledger, **PRICES).requirements(TASKS)
    assert server.calls == len(TASKS)
    second = bench.chat(server.url, ledger=ledger, **PRICES).requirements(TASKS)
    assert server.calls == len(TASKS)
    for paid, found in zip(first, second, strict=True):
        assert isinstance(paid, RequirementsAnswer)
        assert isinstance(found, RequirementsAnswer)
        assert paid.requirements == found.requirements
        assert (paid.usage.calls, paid.usage.cached_calls, paid.usage.cost_usd) == (
            1,
            0,
            pytest.approx(EACH_USD),
        )
        assert (paid.usage.prompt_tokens, paid.usage.completion_tokens) == (100, 20)
        assert (found.usage.calls, found.usage.cached_calls, found.usage.cost_usd) == (0, 1, 0.0)


def test_an_unreadable_call_is_not_paid_again_either(bench: Bench) -> None:
    server, ledger = bench.server([completion("no JSON")]), MemoryLedger()
    for _ in range(2):
        (answer,) = bench.chat(server.url, ledger=ledger).requirements(TASKS[:1])
        assert isinstance(answer, Unscored)
        assert server.calls == 2


def test_another_model_or_server_is_another_call(bench: Bench) -> None:
    one, two, ledger = bench.server(model), bench.server(model), MemoryLedger()
    bench.chat(one.url, ledger=ledger).requirements(TASKS[:1])
    bench.chat(one.url, ledger=ledger, model="other").requirements(TASKS[:1])
    bench.chat(two.url, ledger=ledger).requirements(TASKS[:1])
    assert (one.calls, two.calls) == (2, 1)


def test_equal_questions_asked_together_are_paid_once(bench: Bench) -> None:
    server = bench.server(model)
    server.gate = threading.Event()
    judge = bench.chat(server.url)
    threads = [threading.Thread(target=judge.requirements, args=(TASKS[:1],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: server.under_way == 1)
    server.gate.set()
    for thread in threads:
        thread.join()
    assert server.calls == 1
    judge.requirements([TASKS[1]] * 5)
    assert server.calls == 2


def test_fresh_pays_every_time_and_leaves_the_ledger_as_it_was(bench: Bench) -> None:
    server, ledger = bench.server(model), MemoryLedger()
    judge = bench.chat(server.url, ledger=ledger)
    judge.requirements(TASKS[:1])
    fresh = judge.fresh()
    assert fresh.identity == judge.identity
    fresh.requirements(TASKS[:1])
    fresh.requirements(TASKS[:1])
    assert server.calls == 3
    assert [request.headers.get("cache-control") for request in server.requests] == [
        None,
        "no-store",
        "no-store",
    ]
    assert ledger.spent(server.url).calls == 3
    fresh.close()
    judge.requirements(TASKS[:2])
    assert server.calls == 4


def test_the_budget_of_calls_is_a_hard_stop(bench: Bench) -> None:
    server = bench.server(model)
    judge = bench.chat(server.url, budget_calls=3, concurrency=4)
    answers = judge.requirements(TASKS)
    assert server.calls == 3
    stopped = [answer for answer in answers if isinstance(answer, Unscored)]
    assert (
        stopped
        == [Unscored(reason=UnscoredReason.LIMIT_REACHED, detail="the budget of 3 calls is used up")] * 5
    )


def test_the_budget_of_money_is_never_exceeded(bench: Bench) -> None:
    server, ledger = bench.server(model), MemoryLedger()
    judge = bench.chat(
        server.url, ledger=ledger, budget_usd=0.004, max_reply_tokens=100, concurrency=4, **PRICES
    )
    answers = judge.requirements(TASKS * 4)
    assert 0 < ledger.spent(server.url).cost_usd <= 0.004
    reasons = {
        answer.reason
        for answer in judge.requirements([f"{task} Why?" for task in TASKS * 4])
        if isinstance(answer, Unscored)
    } | {a.reason for a in answers if isinstance(a, Unscored)}
    assert reasons <= {UnscoredReason.LIMIT_REACHED}


def test_a_budget_of_money_needs_prices(bench: Bench) -> None:
    with pytest.raises(ConfigurationError, match="budget_usd cannot be kept without prices"):
        bench.chat("http://127.0.0.1:9/v1", budget_usd=1.0)


def test_failed_calls_do_not_use_the_budget(bench: Bench) -> None:
    server = bench.server([failure(404), failure(404), completion('{"requirements": ["the year"]}')])
    judge = bench.chat(server.url, budget_calls=1)
    kinds = [type(judge.requirements([task])[0]) for task in TASKS[:4]]
    assert kinds == [Unscored, Unscored, RequirementsAnswer, Unscored]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_never_more_at_once_than_allowed(bench: Bench, concurrency: int) -> None:
    server = bench.server(model)
    server.gate = threading.Event()
    judge = bench.chat(server.url, concurrency=concurrency)
    callers = [threading.Thread(target=judge.requirements, args=(TASKS[start::2],)) for start in (0, 1)]
    for caller in callers:
        caller.start()
    until(lambda: server.under_way == concurrency)
    server.gate.set()
    for caller in callers:
        caller.join()
    assert server.calls == len(TASKS)
    assert server.most_at_once == concurrency


class Bucket:
    """A limiter that says to wait `waits` in turn, and remembers what it was asked for."""

    def __init__(self, *waits: float) -> None:
        self._waits = list(waits)
        self.asked: list[tuple[str, int, int | None, int | None]] = []

    def acquire(
        self, provider: str, *, tokens: int, requests_per_minute: int | None, tokens_per_minute: int | None
    ) -> float:
        self.asked.append((provider, tokens, requests_per_minute, tokens_per_minute))
        return self._waits.pop(0) if self._waits else 0.0


def test_the_limiter_is_asked_before_every_attempt(bench: Bench) -> None:
    server, bucket = (
        bench.server([failure(500), completion('{"requirements": ["the year"]}')]),
        Bucket(3.0, 0.5),
    )
    judge = bench.chat(server.url, limiter=bucket, requests_per_minute=60, tokens_per_minute=1_000)
    assert isinstance(judge.requirements(TASKS[:1])[0], RequirementsAnswer)
    assert bench.slept == [3.0, 0.5, 0.5]
    assert len(bucket.asked) == 4
    # What one call may take never exceeds a minute's allowance, or it could never be made.
    assert set(bucket.asked) == {(server.url, 1_000, 60, 1_000)}


def test_a_limit_that_never_opens_ends_unscored(bench: Bench) -> None:
    server = bench.server(model)
    (answer,) = bench.chat(server.url, limiter=Bucket(*[1e9] * 100)).requirements(TASKS[:1])
    assert answer == Unscored(
        reason=UnscoredReason.LIMIT_REACHED, detail="the rate limit left no room for 600 s"
    )
    assert server.calls == 0


def test_closing_ends_the_waiting(bench: Bench) -> None:
    server_asked = threading.Event()

    def busy(_: Received) -> Answer:
        server_asked.set()
        return failure(429, headers={"Retry-After": "60"})

    server = bench.server(busy)
    judge = ChatJudge(RemoteSettings(base_url=server.url, model="m"))
    answers: list[object] = []
    asking = threading.Thread(target=lambda: answers.extend(judge.requirements(TASKS[:1])))
    asking.start()
    assert server_asked.wait(10)
    judge.close()
    asking.join(10)
    assert not asking.is_alive()
    assert [answer.reason for answer in answers if isinstance(answer, Unscored)] == [
        UnscoredReason.JUDGE_UNAVAILABLE
    ]


@pytest.mark.parametrize(
    ("refused", "message", "not_honoured", "calls"),
    [
        ({"response_format"}, "response_format is not supported", {"json_schema"}, 2),
        ({"response_format"}, "bad request", {"json_schema"}, 2),
        ({"seed"}, "Unsupported parameter: 'seed'", {"seed"}, 2),
        ({"temperature"}, "Unsupported value: 'temperature' does not support 0", {"temperature"}, 2),
        ({"max_tokens"}, "use max_completion_tokens instead of max_tokens", {"max_tokens"}, 2),
        ({"response_format", "seed", "temperature"}, "?", {"json_schema", "seed", "temperature"}, 4),
    ],
)
@pytest.mark.parametrize("status", [400, 422, 501])
def test_what_a_server_refuses_is_left_out_and_recorded(
    bench: Bench, status: int, refused: set[str], message: str, not_honoured: set[str], calls: int
) -> None:
    def picky(received: Received) -> Answer:
        return failure(status, message=message) if refused & set(received.body) else model(received)

    server = bench.server(picky)
    judge = bench.chat(server.url)
    identity = judge.identity
    assert isinstance(judge.requirements(TASKS[:1])[0], RequirementsAnswer)
    assert server.calls == calls
    assert judge.habits.not_honoured == not_honoured
    assert judge.habits.returned == {"scripted-1"}
    assert judge.identity == identity
    judge.requirements(TASKS[1:2])
    assert server.calls == calls + 1, "what a server refuses is learned once"
    assert bench.slept == []


def test_a_server_without_system_messages(bench: Bench) -> None:
    def gemma(received: Received) -> Answer:
        if received.body["messages"][0]["role"] == "system":
            return failure(400, message="System role not supported")
        return model(received)

    server = bench.server(gemma)
    assert isinstance(bench.chat(server.url).requirements(TASKS[:1])[0], RequirementsAnswer)
    assert server.calls == 2


def test_a_server_that_refuses_everything(bench: Bench) -> None:
    server = bench.server([failure(400)])
    judge = bench.chat(server.url)
    (answer,) = judge.requirements(TASKS[:1])
    assert answer == Unscored(reason=UnscoredReason.JUDGE_UNAVAILABLE, detail="the server answered HTTP 400")
    assert server.calls == 4
    assert judge.habits.not_honoured == frozenset(), "nothing is learned from a request that never succeeds"


def test_what_is_sent(bench: Bench) -> None:
    server = bench.server(model)
    bench.chat(server.url).requirements(TASKS[:1])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    body = request.body
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == (
        "asked-for",
        0,
        20_260_101,
        2048,
    )
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    json.dumps(body)


def test_the_digest_is_over_address_and_request() -> None:
    assert request_digest("http://a", {"x": 1, "y": 2}) == request_digest("http://a", {"y": 2, "x": 1})
    assert request_digest("http://a", {"x": 1}) != request_digest("http://b", {"x": 1})
    assert request_digest("http://a", {"x": 1}) != request_digest("http://a", {"x": 2})
