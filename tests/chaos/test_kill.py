"""Servers and workers killed while events flow: nothing acknowledged is lost, nothing is evaluated twice."""

import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.jobs.waiting import wait_until

from .serving import Process, Server, Site, cleared, crash_postgres
from .traffic import Account, Sender, make_key

pytestmark = pytest.mark.chaos
LEASE_S = 1.5
SEED = 20261130


def recovery(account: Account, held: set[str]) -> float:
    """Seconds until none of the leases in `held` is there any more."""
    started = time.monotonic()
    assert wait_until(lambda: not held & account.held(), timeout=30.0)
    return time.monotonic() - started


def storm(site: Site, key: str, account: Account, *, events: int, kills: int, seed: int) -> None:
    """Kills the server (on PostgreSQL now and then a worker instead) at random moments while events flow."""
    chance = random.Random(seed)
    server: Server = site.server()
    server.start_and_wait()
    sender = Sender(lambda: server.url, key, events)
    sender.start()
    worker: Process | None = None
    if not site.database_url.startswith("sqlite"):
        worker = site.worker()
        worker.start()
    pause = threading.Event()
    for _ in range(kills):
        pause.wait(chance.uniform(0.05, 0.6))
        if worker is not None and chance.random() < 0.4:
            worker.kill()
            worker.start()
            continue
        server.kill()
        held = account.held()
        server.start_and_wait()
        if held:
            assert recovery(account, held) <= 2 * LEASE_S
    sender.finish(60.0)
    account.wait_until_idle(30.0)
    assert len(sender.acknowledged) == events
    account.settle(sender.acknowledged)


@pytest.mark.timeout(300)
def test_killed_at_random_while_events_flow(site: Site, key: str, account: Account) -> None:
    storm(site, key, account, events=2_000, kills=10, seed=SEED)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", range(10))
def test_killed_at_random_for_long(site: Site, key: str, account: Account, seed: int) -> None:
    storm(site, key, account, events=10_000, kills=50, seed=seed)


def test_a_frozen_server_wakes_after_its_leases_and_does_no_harm(
    site: Site, key: str, account: Account
) -> None:
    server = site.server()
    server.start_and_wait()
    helper = None if site.database_url.startswith("sqlite") else site.worker()
    if helper is not None:
        helper.start()
    sender = Sender(lambda: server.url, key, 600)
    sender.start()
    assert wait_until(lambda: bool(account.held()), timeout=20.0)
    server.signal(signal.SIGSTOP)
    held, frozen_at = account.held(), time.monotonic()
    if helper is not None and held:
        assert recovery(account, held) <= 2 * LEASE_S + 5.0  # the helper may still be starting
    threading.Event().wait(max(0.0, 1.5 * LEASE_S - (time.monotonic() - frozen_at)))
    server.signal(signal.SIGCONT)
    sender.finish(60.0)
    account.wait_until_idle(30.0)
    account.settle(sender.acknowledged)


def test_a_dead_worker_is_followed_by_another_within_two_leases(postgres_url: str, tmp_path: Path) -> None:
    with cleared(Site(tmp_path, postgres_url, {"STEELYARD_WORKER": "false"})) as site:
        key, account = make_key(postgres_url), Account(postgres_url)
        server, first, second = site.server(), site.worker(), site.worker()
        server.start_and_wait()
        first.start()
        sender = Sender(lambda: server.url, key, 1_000)
        sender.start()
        assert wait_until(lambda: bool(account.held()), timeout=20.0)
        second.start()
        first.kill()
        held = account.held()
        assert recovery(account, held) <= 2 * LEASE_S + 5.0  # the second one may still be starting
        sender.finish(60.0)
        account.wait_until_idle(30.0)
        account.settle(sender.acknowledged)


def test_a_stopped_server_leaves_no_lease_behind(site: Site, key: str, account: Account) -> None:
    server = site.server()
    server.start_and_wait()
    sender = Sender(lambda: server.url, key, 200)
    sender.start()
    assert wait_until(lambda: len(sender.acknowledged) >= 60, timeout=20.0)
    server.signal(signal.SIGTERM)
    assert server.wait() in (0, -signal.SIGTERM)
    assert account.held() == set()
    server.start_and_wait()
    sender.finish(60.0)
    account.wait_until_idle(30.0)
    account.settle(sender.acknowledged)


def test_postgresql_restarted_under_load(breakable_postgres: Any, tmp_path: Path) -> None:
    url = breakable_postgres.get_uri()
    with cleared(Site(tmp_path, url)) as site:
        key, account = make_key(url), Account(url)
        server = site.server()
        server.start_and_wait()
        sender = Sender(lambda: server.url, key, 600)
        sender.start()
        for crash in range(2):
            assert wait_until(lambda: len(sender.acknowledged) > 200 * crash + 20, timeout=30.0)  # noqa: B023
            crash_postgres(breakable_postgres)
            breakable_postgres.ensure_postgres_running()
        sender.finish(60.0)
        account.wait_until_idle(40.0)
        account.settle(sender.acknowledged)
        assert server.alive
