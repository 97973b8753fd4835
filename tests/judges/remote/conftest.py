"""Judges that talk to a scripted server, with waiting that is written down instead of done."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from steelyard.judges.calls import Ledger, Limiter, Waiting
from steelyard.judges.chat import ChatJudge
from steelyard.judges.decisions import OpenAIDecisionsJudge, SystemOneJudge
from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.protocol import Judge
from steelyard.judges.settings import RemoteSettings

from .scripted import Script, ScriptedServer

KEY = "sk-planted-5f1e2d3c4b5a69788796"
NOW = 1_800_000_000.0


class Bench:
    """A scripted server and the judges opened on it. `slept` are the waits that were asked for, in
    seconds."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._open: list[Callable[[], None]] = []

    def server(self, script: Script) -> ScriptedServer:
        server = ScriptedServer(script)
        self._open.append(server.stop)
        return server

    def waiting(self) -> Waiting:
        return Waiting(sleep=self.slept.append, jitter=lambda: 1.0, now=lambda: NOW)

    def chat(
        self, url: str, *, ledger: Ledger | None = None, limiter: Limiter | None = None, **settings: Any
    ) -> ChatJudge:
        judge = ChatJudge(_settings(url, **settings), ledger=ledger, limiter=limiter, waiting=self.waiting())
        self._open.append(judge.close)
        return judge

    def decisions(
        self, kind: type[SystemOneJudge] | type[OpenAIDecisionsJudge], url: str, **settings: Any
    ) -> SystemOneJudge | OpenAIDecisionsJudge:
        judge = kind(_settings(url, **settings), requirements_from=_lexical, waiting=self.waiting())
        self._open.append(judge.close)
        return judge

    def close(self) -> None:
        for close in reversed(self._open):
            close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


def _settings(url: str, **settings: Any) -> RemoteSettings:
    return RemoteSettings(
        base_url=url, **{"model": "asked-for", "api_key": KEY, "timeout_s": 5.0, **settings}
    )


def _lexical() -> Judge:
    return LexicalJudge()
