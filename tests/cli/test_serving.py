"""`serve` and `demo` as processes: what they print, whom they let in, and how they end."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from steelyard import Client

from .conftest import Running

Start = Callable[..., Running]


def url_of(running: Running, beginning: str) -> str:
    found = re.search(r"http://\S+", running.line(beginning))
    assert found
    return found.group()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_prints_a_link_that_works_once_and_ends_cleanly(
    started: Start, tmp_path: Path, number: signal.Signals
) -> None:
    running = started("serve", "--data", tmp_path, "--judge", "lexical", "--port", "0")
    link = url_of(running, "Log in")
    first = httpx2.get(link, follow_redirects=False, trust_env=False)
    assert first.status_code == 303
    assert "httponly" in first.headers["set-cookie"].lower()
    assert httpx2.get(link, follow_redirects=False, trust_env=False).status_code == 401
    assert running.end(number) == 0
    assert "Traceback" not in "".join(running.err)
    assert not (tmp_path / "steelyard.sqlite-wal").exists(), "the database was closed"


def test_a_second_server_and_a_taken_port_are_said_in_one_line(started: Start, tmp_path: Path) -> None:
    running = started("serve", "--data", tmp_path, "--judge", "lexical", "--port", "0")
    port = url_of(running, "Steelyard serves").rpartition(":")[2]
    for arguments, says in (
        (("--data", tmp_path, "--port", "0"), "already serves"),
        (("--data", tmp_path / "other", "--port", port), f"port {port} on 127.0.0.1 is taken"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "steelyard.cli", "serve", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
    assert running.end() == 0


def test_a_key_made_before_lets_clients_log_and_read(
    started: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--data", tmp_path)
    key = subprocess.run(
        [sys.executable, "-m", "steelyard.cli", "keys", "create", *map(str, place)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    running = started("serve", *place, "--judge", "lexical", "--port", "0")
    url = url_of(running, "Steelyard serves")
    with Client(key, url) as client:
        client.log("What is the capital of France?", [{"text": "Paris is the capital of France.", "id": 1}])
        assert client.flush(20)
        assert client.stats.accepted == 1
        assert [event["task"] for event in client.events()] == ["What is the capital of France?"]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"task": "q", "context": ["a"], "ground_truth": {"gold_doc_ids": []}}) + "\n")
    monkeypatch.setenv("STEELYARD_API_KEY", key)
    done = subprocess.run(
        [sys.executable, "-m", "steelyard.cli", "replay", str(rows), "--url", url, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 1
    assert running.end() == 0


def test_the_demo_evaluates_serves_and_lets_this_machine_in_without_a_key(
    started: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = started("demo", "--data", tmp_path, "--judge", "lexical", "--port", "0", "--json")
    url = url_of(running, "The pages are at")
    results = json.loads(running.out[0])
    assert results["n"] == 107
    assert results["coverage"] == 1.0
    assert results["evaluator"]["f1"]["value"] is not None
    monkeypatch.setenv("STEELYARD_DATA", str(tmp_path))
    assert (tmp_path / "demo-key.json").stat().st_mode & 0o777 == 0o600
    with Client(base_url=url) as client:
        client.log("a task", ["a passage"])
        assert client.flush(20)
        assert client.stats.accepted == 1
        assert len(list(client.events(dataset="docs-faq"))) == 58
    assert running.end() == 0
    assert not (tmp_path / "demo-key.json").exists()
    with sqlite3.connect(tmp_path / "demo" / "steelyard.sqlite") as database:
        assert database.execute("select count(*) from events").fetchone() == (108,)
    database.close()


def test_the_demo_without_serving_can_go_on_with_its_data(tmp_path: Path) -> None:
    def demo(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "steelyard.cli", "demo", "--no-serve", "--data", str(tmp_path), *more],
            capture_output=True,
            text=True,
            check=False,
        )

    first = demo("--judge", "lexical")
    assert first.returncode == 0, first.stderr
    for text in ("Evaluator F1", "95% interval", "8 not sampled", "Judge and label disagree here"):
        assert text in first.stdout
    again = demo("--judge", "lexical", "--keep", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["n"] == 107


def test_on_postgresql_a_worker_evaluates_what_a_server_stores(
    started: Start, postgres_url: str, tmp_path: Path
) -> None:
    place = ("--database-url", postgres_url, "--data", tmp_path, "--judge", "lexical")
    key = subprocess.run(
        [sys.executable, "-m", "steelyard.cli", "keys", "create", *map(str, place[:4])],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    server = started("serve", *place, "--port", "0", "--no-worker")
    worker = started("worker", *place)
    with Client(key, url_of(server, "Steelyard serves"), background=False) as client:
        event_id = client.log("What is the capital of France?", ["Paris is the capital of France."])
        deadline = time.monotonic() + 60
        while client.get(f"/v1/events/{event_id}")["status"] != "evaluated":
            assert time.monotonic() < deadline, (server.err, worker.err)
            threading.Event().wait(0.1)
    assert worker.end() == 0
    assert server.end(signal.SIGINT) == 0
    said = "".join(worker.err)
    assert "Evaluating with lexical:" in said
    assert "Traceback" not in said
    password = postgres_url.partition("://")[2].partition("@")[0].partition(":")[2]
    assert not password or password not in said
