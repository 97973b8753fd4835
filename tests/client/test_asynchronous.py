import asyncio
from typing import Any

import pytest

from steelyard import AsyncClient, Stats
from steelyard.errors import InvalidInput

from .conftest import Answer, ScriptedServer, error


def test_it_logs_in_the_background(server: ScriptedServer) -> None:
    async def main() -> Stats:
        async with AsyncClient("k", server.url, max_queue_size=5, flush_interval=0) as client:
            await asyncio.gather(
                *(client.log(f"q{n}", ["a"], ground_truth={"gold_doc_ids": []}) for n in range(50))
            )
            assert await client.flush(10)
            return client.stats

    assert asyncio.run(main()) == Stats(logged=50, accepted=50)
    assert len(server.events) == 50


def test_without_background_it_awaits_the_answer(server: ScriptedServer) -> None:
    server.script = [Answer(503, body=None), Answer(drop=True)]

    async def main() -> str | None:
        async with AsyncClient("k", server.url, background=False) as client:
            given = await client.log("q", ["a"])
            server.script = [Answer(422, body=error("invalid", "task is blank"))]
            with pytest.raises(InvalidInput, match="task is blank"):
                await client.log("", ["a"])
            return given

    given = asyncio.run(main())
    assert [seen.json["event_id"] for seen in server.seen[:3]] == [given] * 3


def test_events_are_read(server: ScriptedServer) -> None:
    server.reads["/v1/events"] = [
        {"items": [{"event_id": "a"}], "next_cursor": "n"},
        {"items": [{"event_id": "b"}, {"event_id": "c"}], "next_cursor": "m"},
    ]

    async def main() -> list[dict[str, Any]]:
        async with AsyncClient("k", server.url) as client:
            return [event async for event in client.events(limit=2)]

    assert [event["event_id"] for event in asyncio.run(main())] == ["a", "b"]
