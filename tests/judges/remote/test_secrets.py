"""A key planted in the settings is sent to the server and appears nowhere else."""

import logging
import traceback

import pytest

from steelyard.errors import ConfigurationError
from steelyard.judges.calls import MemoryLedger
from steelyard.judges.chat import ChatJudge
from steelyard.judges.decisions import OpenAIDecisionsJudge, SystemOneJudge
from steelyard.judges.settings import RemoteSettings
from steelyard.schemas.judging import CorrectCase

from .conftest import KEY, Bench
from .model import answer as model
from .scripted import Answer, completion, failure

CASE = CorrectCase(question="When?", expected=("1932",), answer="In 1932.")

ECHOES = {
    "401": failure(401, message=f"bad key {KEY}"),
    "400": failure(400, message=f"bad key {KEY}", param=KEY, code=KEY, type=KEY),
    "500": failure(500, message=f"bad key {KEY}", code=KEY),
    "302": Answer(302, "", {"Location": f"http://127.0.0.1:9/?key={KEY}"}),
    "html": Answer(200, f"<p>{KEY}</p>"),
    "no JSON": Answer(200, f'{{"{KEY}'),
    "no completion": Answer(200, {KEY: KEY}),
    "unreadable content": completion(KEY),
    "wrong key in content": completion(f'{{"{KEY}": 1}}'),
    "dropped": Answer(body=KEY, cut=3),
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES.keys())
@pytest.mark.parametrize("kind", ["llm", "systemone", "openai-decisions"])
def test_the_key_is_nowhere(bench: Bench, kind: str, echo: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="openai")
    server = bench.server([echo])
    judge = (
        bench.chat(server.url, retries=1)
        if kind == "llm"
        else bench.decisions(
            SystemOneJudge if kind == "systemone" else OpenAIDecisionsJudge, server.url, retries=1
        )
    )
    answers = judge.correct([CASE])
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    shown = [repr(answers), repr(judge), judge.identity.model_dump_json(), caplog.text]
    assert not [text for text in shown if KEY in text]


def test_nor_in_the_settings_or_the_ledger(bench: Bench) -> None:
    server, ledger = bench.server(model), MemoryLedger()
    bench.chat(server.url, ledger=ledger).correct([CASE])
    settings = RemoteSettings(base_url=server.url, model="m", api_key=KEY)
    assert KEY not in f"{settings!r} {settings} {settings.model_dump_json()} {ledger._calls!r}"


@pytest.mark.parametrize(
    "address",
    [f"http://user:{KEY}@127.0.0.1:9/v1", f"http://127.0.0.1:9/v1?key={KEY}", f"ftp://{KEY}", KEY, ""],
)
def test_an_address_with_a_secret_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ChatJudge(RemoteSettings(base_url=address, model="m"))
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("kind", ["llm", "systemone", "openai-decisions"])
def test_without_a_key_none_is_sent_whatever_the_environment_holds(
    bench: Bench, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    server = bench.server(model if kind == "llm" else [failure(501)])
    if kind == "llm":
        bench.chat(server.url, api_key=None).correct([CASE])
    else:
        wire = SystemOneJudge if kind == "systemone" else OpenAIDecisionsJudge
        bench.decisions(wire, server.url, api_key=None).correct([CASE])
    (request,) = server.requests
    assert not [name for name in request.headers if name == "authorization"]
    assert not [value for value in request.headers.values() if KEY in value]
