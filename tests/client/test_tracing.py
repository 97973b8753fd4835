import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

import pytest

from steelyard import Client, trace
from steelyard.errors import ConfigurationError

from .conftest import ScriptedServer


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[Client]:
    with Client("k", server.url, flush_interval=60) as made:
        yield made


def logged(client: Client, server: ScriptedServer) -> list[tuple[str, list[Any]]]:
    assert client.flush(10)
    return [(event["task"], event["context"]) for event in server.events]


def test_a_function(client: Client, server: ScriptedServer) -> None:
    @trace(task_arg="query", context_from_return=True, client=client, metadata={"env": "t"}, sample_rate=0.5)
    def search(query: str, k: int = 2) -> list[str]:
        """Searches."""
        return [query] * k

    assert search("a") == ["a", "a"]
    assert search(k=1, query="b") == ["b"]
    assert (search.__name__, search.__doc__) == ("search", "Searches.")
    assert logged(client, server) == [("a", ["a", "a"]), ("b", ["b"])]
    assert {(event["metadata"]["env"], event["sample_rate"]) for event in server.events} == {("t", 0.5)}


def test_passages_from_an_argument_or_picked_from_the_result(client: Client, server: ScriptedServer) -> None:
    @trace(task_arg="question", context_arg="passages", client=client)
    def answer(question: str, passages: list[str]) -> str:
        return "an answer"

    @trace(
        context_from_return=lambda found: found["hits"],
        client=client,
        metadata=lambda query, k: {"k": k, "words": len(query.split())},
    )
    def search(query: str, k: int = 3) -> dict[str, Any]:
        return {"hits": [{"text": "h", "id": 1}]}

    answer("q", ["p"])
    search("two words")
    assert logged(client, server) == [("q", ["p"]), ("two words", [{"text": "h", "id": 1}])]
    assert server.events[1]["metadata"] == {"k": 3, "words": 2}


def test_a_coroutine(client: Client, server: ScriptedServer) -> None:
    @trace(context_from_return=True, client=client)
    async def search(query: str) -> list[str]:
        await asyncio.sleep(0)
        return ["a"]

    assert asyncio.run(search("q")) == ["a"]
    assert logged(client, server) == [("q", ["a"])]


def test_a_generator_keeps_send_throw_and_return(client: Client, server: ScriptedServer) -> None:
    @trace(context_from_return=True, client=client)
    def search(query: str) -> Generator[str, str, str]:
        got = yield "first"
        try:
            yield got
        except KeyError:
            yield "caught"
        return "returned"

    running = search("q")
    assert next(running) == "first"
    assert running.send("sent") == "sent"
    assert running.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as stop:
        next(running)
    assert stop.value.value == "returned"
    assert logged(client, server) == [("q", ["first", "sent", "caught"])]


def test_a_generator_left_early_logs_what_it_gave(client: Client, server: ScriptedServer) -> None:
    closed = []

    @trace(context_from_return=True, client=client)
    def search(query: str) -> Iterator[str]:
        try:
            yield from "abc"
        finally:
            closed.append(True)

    running = search("q")
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert closed == [True]
    assert logged(client, server) == [("q", ["a"])]


def test_an_async_generator(client: Client, server: ScriptedServer) -> None:
    @trace(context_from_return=True, client=client)
    async def search(query: str) -> AsyncGenerator[str, str]:
        got = yield "a"
        yield got

    async def main() -> None:
        running = search("q")
        assert await anext(running) == "a"
        assert await running.asend("b") == "b"
        with pytest.raises(StopAsyncIteration):
            await anext(running)
        early = search("early")
        await anext(early)
        await early.aclose()

    asyncio.run(main())
    assert logged(client, server) == [("q", ["a", "b"]), ("early", ["a"])]


def test_the_functions_own_exceptions_pass_untouched_and_are_not_logged(
    client: Client, server: ScriptedServer
) -> None:
    problem = ZeroDivisionError("mine")

    @trace(context_from_return=True, client=client)
    def search(query: str) -> list[str]:
        raise problem

    @trace(context_from_return=True, client=client)
    def stream(query: str) -> Iterator[str]:
        yield "a"
        raise problem

    @trace(context_from_return=True, client=client)
    async def later(query: str) -> list[str]:
        raise problem

    for call in (lambda: search("q"), lambda: list(stream("q")), lambda: asyncio.run(later("q"))):
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        assert caught.value is problem
    with pytest.raises(TypeError):
        search()
    assert logged(client, server) == []


@pytest.mark.parametrize("returned", [7, object(), [object()]])
def test_a_result_that_is_no_context_is_returned_all_the_same(client: Client, returned: Any) -> None:
    @trace(context_from_return=True, client=client)
    def search(query: str) -> Any:
        return returned

    assert search("q") is returned


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"task_arg": "question", "context_from_return": True}, "no parameter 'question'"),
        ({"context_arg": "passages"}, "no parameter 'passages'"),
        ({}, "either context_arg or context_from_return"),
        ({"context_arg": "query", "context_from_return": True}, "either context_arg or context_from_return"),
    ],
)
def test_a_decoration_that_cannot_work_is_an_error_at_once(options: dict[str, Any], says: str) -> None:
    def search(query: str) -> list[str]:
        return [query]

    with pytest.raises(ConfigurationError, match=says):
        trace(**options)(search)
