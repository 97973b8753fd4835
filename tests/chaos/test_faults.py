"""What goes wrong around a server is said in a sentence that names thing and remedy, and loses nothing."""

import os
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from steelyard.jobs.waiting import wait_until

from .serving import Process, Site, cleared, crash_postgres
from .traffic import Account, Sender, body, make_key


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Site]:
    with cleared(Site(tmp_path, f"sqlite:///{tmp_path / 'steelyard.sqlite'}")) as site:
        yield site


def refusal(process: Process) -> str:
    """What a process says that refuses to start: a sentence, never a traceback."""
    process.start()
    code = process.wait(60.0)
    said = process.said()
    assert code != 0, said
    assert "Traceback" not in said, said
    return " ".join(said.split())


def test_a_second_server_on_one_sqlite_file_refuses(local: Site) -> None:
    first = local.server()
    first.start_and_wait()
    said = refusal(local.server())
    assert f"another process ({first.running.pid if first.running else 0}) already serves" in said
    assert "--data" in said
    assert first.answers()


def test_a_taken_port_is_named(local: Site) -> None:
    first = local.server()
    first.start_and_wait()
    elsewhere = f"sqlite:///{local.folder / 'other.sqlite'}"
    second = local.server(STEELYARD_DATABASE_URL=elsewhere, STEELYARD_PORT=str(first.port))
    assert f"port {first.port} on 127.0.0.1 is taken" in refusal(second)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("nonsense", "the database URL cannot be read"),
        ("mysql://localhost/steelyard", "there is no store for 'mysql' databases"),
        ("postgresql://someone:hunter2@127.0.0.1:1/steelyard", "Check that PostgreSQL runs"),
    ],
)
def test_a_broken_database_url_is_explained_without_its_password(
    local: Site, url: str, expected: str
) -> None:
    said = refusal(local.server(STEELYARD_DATABASE_URL=url))
    assert expected in said
    assert "hunter2" not in said


def test_a_database_that_is_not_there_is_named(local: Site, postgres_url: str) -> None:
    url = postgres_url.replace("steelyard_test_", "steelyard_missing_")
    assert "does not exist" in refusal(local.server(STEELYARD_DATABASE_URL=url))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sealed"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):  # the superuser may write anywhere but there
        folder = Path("/sys")
    if os.access(folder, os.W_OK) and os.geteuid() != 0:
        pytest.skip("no folder is sealed here")
    with cleared(Site(tmp_path, f"sqlite:///{folder / 'steelyard.sqlite'}")) as site:
        said = refusal(site.server())
    assert f"the folder {folder} cannot be written" in said
    assert "--data" in said


def test_a_file_that_is_no_database_is_named(local: Site) -> None:
    (local.folder / "steelyard.sqlite").write_text(
        "these are only words, but enough of them to be read " * 200
    )
    assert "not a database" in refusal(local.server())


def test_a_full_disk_refuses_new_events_keeps_the_old_and_recovers(local: Site) -> None:
    key = make_key(local.database_url)
    server = local.server(STEELYARD_WORKER="false")
    server.file_limit = 3_000_000
    server.start_and_wait()
    headers = {"authorization": f"Bearer {key}"}
    acknowledged: set[str] = set()
    with httpx2.Client(base_url=server.url, headers=headers, timeout=30.0) as client:
        for batch in range(500):
            names = [f"full-{batch * 20 + number}" for number in range(20)]
            response = client.post("/v1/events", json={"events": [body(name) for name in names]})
            if response.status_code != 200:
                break
            acknowledged.update(names)
        assert response.status_code == 503, response.text
        error = response.json()["error"]
        assert error["code"] == "store_unavailable"
        assert "disk" in f"{error['message']} {error.get('hint')}"
        assert client.get("/healthz").status_code == 200
    assert acknowledged
    server.kill()
    server.file_limit = None
    server.environment = {**server.environment, "STEELYARD_WORKER": "true"}
    server.start_and_wait()
    account = Account(local.database_url)
    account.wait_until_idle(60.0)
    account.settle(acknowledged)


def test_a_migration_that_is_interrupted_is_begun_again(site: Site) -> None:
    chance = random.Random(7)
    server = site.server()
    for _ in range(4):
        server.start()
        threading.Event().wait(chance.uniform(0.3, 1.8))
        if server.alive:
            server.kill()
    server.start_and_wait()
    server.signal(signal.SIGTERM)
    server.wait()
    key, account = make_key(site.database_url), Account(site.database_url)
    server.start_and_wait()
    sender = Sender(lambda: server.url, key, 20)
    sender.start()
    sender.finish(30.0)
    account.wait_until_idle(30.0)
    account.settle(sender.acknowledged)


def test_a_worker_without_a_shared_database_says_what_to_do(local: Site) -> None:
    said = refusal(local.worker())
    assert "PostgreSQL" in said


def test_a_database_that_goes_away_makes_the_server_unready_not_dead(
    tmp_path: Path, breakable_postgres: Any
) -> None:
    url = breakable_postgres.get_uri()
    with cleared(Site(tmp_path, url)) as site:
        key = make_key(url)
        server = site.server()
        server.start_and_wait()
        crash_postgres(breakable_postgres)
        with httpx2.Client(base_url=server.url, headers={"authorization": f"Bearer {key}"}) as client:
            assert wait_until(lambda: client.get("/readyz").status_code == 503, timeout=20.0)
            assert client.get("/healthz").status_code == 200
            response = client.post("/v1/log", json=body("late-1"))
            assert response.status_code == 503
            assert response.json()["error"]["code"] == "store_unavailable"
        breakable_postgres.ensure_postgres_running()
        assert wait_until(server.answers, timeout=20.0)
