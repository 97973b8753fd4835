import json
import stat
from pathlib import Path

import pytest

from steelyard.access.demo import DEMO_KEY_FILE, leave_demo_key, remove_demo_key
from steelyard.access.tokens import looks_like_key
from steelyard.client.connection import connect
from steelyard.errors import ConfigurationError


def test_the_demo_leaves_a_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    key = leave_demo_key(tmp_path, host="127.0.0.1", port=8321)
    assert looks_like_key(key)
    path = tmp_path / DEMO_KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {"api_key": key, "port": 8321}
    assert [entry.name for entry in tmp_path.iterdir()] == [DEMO_KEY_FILE]


def test_a_client_on_this_machine_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_DATA", str(tmp_path))
    monkeypatch.delenv("STEELYARD_API_KEY", raising=False)
    key = leave_demo_key(tmp_path, host="127.0.0.1", port=8321)
    assert connect(None, "http://127.0.0.1:8321").api_key == key
    with pytest.raises(ConfigurationError):
        connect(None, "http://127.0.0.1:9999")
    remove_demo_key(tmp_path)
    remove_demo_key(tmp_path)
    with pytest.raises(ConfigurationError):
        connect(None, "http://127.0.0.1:8321")


def test_a_demo_for_other_machines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="this machine only"):
        leave_demo_key(tmp_path, host="0.0.0.0", port=8321)
    assert list(tmp_path.iterdir()) == []
