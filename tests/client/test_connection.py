import json
from pathlib import Path

import pytest

from steelyard import config
from steelyard.client.connection import DEMO_KEY_FILE, connect, data_folder
from steelyard.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("STEELYARD_URL", "STEELYARD_API_KEY", "STEELYARD_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_arguments_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_URL", "https://other.example/")
    monkeypatch.setenv("STEELYARD_API_KEY", "sy_env")
    found = connect(None, None)
    assert (found.base_url, found.api_key, found.loopback) == ("https://other.example", "sy_env", False)
    found = connect("sy_arg", "http://localhost:9/")
    assert (found.base_url, found.api_key, found.loopback) == ("http://localhost:9", "sy_arg", True)


def test_the_key_is_not_in_the_repr() -> None:
    assert "sy_secret" not in repr(connect("sy_secret", None))


@pytest.mark.parametrize("url", ["ftp://x", "127.0.0.1:8321", "http://", "http://x:99999", "http://[::1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the address of a server"):
        connect("k", url)


@pytest.mark.parametrize("key", ["a b", "sy_é", "sy_\n"])
def test_a_key_that_is_none(key: str) -> None:
    with pytest.raises(ConfigurationError, match="characters no key has"):
        connect(key, None)


def test_without_a_key_only_the_demo_on_this_machine_is_open(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no API key .*steelyard keys create"):
        connect(None, None)
    folder = tmp_path / "steelyard"
    folder.mkdir()
    (folder / DEMO_KEY_FILE).write_text(json.dumps({"api_key": "sy_demo", "port": 8321}))
    assert connect(None, None).api_key == "sy_demo"
    for elsewhere in ("http://127.0.0.1:8322", "https://steelyard.example:8321"):
        with pytest.raises(ConfigurationError, match="no API key"):
            connect(None, elsewhere)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"port": 8321}', "\x00"])
def test_a_broken_demo_key_file_is_no_key(tmp_path: Path, content: str) -> None:
    (tmp_path / "steelyard").mkdir()
    (tmp_path / "steelyard" / DEMO_KEY_FILE).write_text(content)
    with pytest.raises(ConfigurationError, match="no API key"):
        connect(None, None)


def test_the_data_folder_is_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder() == config.default_data()
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_folder() == config.default_data()
