"""Judges are opened by name, with errors that say what is missing; nothing is sent by opening one."""

import pytest

from steelyard.config import Settings
from steelyard.errors import ConfigurationError
from steelyard.judges.opening import JUDGES, REMOTE, open_judge
from steelyard.judges.settings import RemoteSettings
from steelyard.judges.wire import is_loopback

from .conftest import KEY, Bench
from .scripted import failure


@pytest.mark.parametrize("name", REMOTE)
def test_a_remote_judge_opens_without_asking_anybody(bench: Bench, name: str) -> None:
    server = bench.server([failure(500)])
    judge = open_judge(name, remote=RemoteSettings(base_url=server.url, model="m", api_key=KEY))
    assert name in JUDGES
    judge.close()
    assert server.calls == 0


@pytest.mark.parametrize("name", REMOTE)
def test_a_remote_judge_needs_its_settings(name: str) -> None:
    with pytest.raises(ConfigurationError, match="needs an address and a model"):
        open_judge(name)


def test_an_unknown_judge() -> None:
    with pytest.raises(ConfigurationError, match=r"no judge 'gpt'.*lexical"):
        open_judge("gpt")


def test_an_unknown_setting_is_named_without_its_value() -> None:
    with pytest.raises(ConfigurationError, match=r"remote\.budget_calls") as caught:
        RemoteSettings.checked(base_url="http://127.0.0.1:9", model="m", budget_calls=KEY)
    assert KEY not in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"remote\.bugdet_calls.*Known are timeout_s"):
        RemoteSettings.checked(base_url="http://127.0.0.1:9", model="m", bugdet_calls=5)


def test_settings_reach_the_judge(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    for name, value in {
        "DATA": str(tmp_path),
        "JUDGE": "llm",
        "LLM_BASE_URL": "http://127.0.0.1:11434/v1/",
        "LLM_MODEL": "llama3.2",
        "REMOTE__BUDGET_CALLS": "100",
        "REMOTE__CHARS_PER_CALL": "6000",
    }.items():
        monkeypatch.setenv(f"STEELYARD_{name}", value)
    remote = Settings.load().remote_settings()
    assert (remote.base_url, remote.model) == ("http://127.0.0.1:11434/v1", "llama3.2")
    assert (remote.budget_calls, remote.chars_per_call) == (100, 6000)


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.example.com/v1", False),
        ("https://api.example.com/v1", False),
    ],
)
def test_loopback_never_goes_through_a_proxy(address: str, loopback: bool) -> None:
    assert is_loopback(address) is loopback
