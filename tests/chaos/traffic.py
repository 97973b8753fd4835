"""Events sent by real HTTP until each is acknowledged, and the account of what became of them."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx2
from sqlalchemy import text

from steelyard.access.tokens import digest, new_key, shown
from steelyard.jobs.waiting import wait_until
from steelyard.schemas.query import Queue
from steelyard.store import Store, keys, leases, open_store, projects

BATCH = 20
PAUSE_S = 0.02


def body(name: str) -> dict[str, object]:
    """An event of four passages; every third task is shared with others, as in real traffic."""
    number = int(name.rpartition("-")[2])
    subject = f"the capital of country {number // 3}"
    passages = [{"id": f"{name}-{at}", "text": f"Passage {at} on {subject}. " * 12} for at in range(4)]
    return {"event_id": name, "task": f"What is {subject}?", "context": passages}


def make_key(url: str) -> str:
    """A key for the project `default`, made before any server runs."""
    key, now = new_key(), datetime.now(UTC)
    store = open_store(url)
    try:
        project = store.write(lambda c: projects.ensure(c, "default", now=now))
        store.write(
            lambda c: keys.add(
                c,
                project.id,
                name="chaos",
                prefix=shown(key),
                digest=digest(key),
                scopes=("write", "read", "admin"),
                now=now,
            )
        )
    finally:
        store.close()
    return key


@dataclass
class Sender:
    """Sends `count` events in batches from a thread; a batch that was not acknowledged is sent again."""

    address: Callable[[], str]
    key: str
    count: int
    prefix: str = "event"
    acknowledged: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    retries: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._send, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self, timeout: float) -> None:
        """Waits until everything is acknowledged; fails when that takes too long."""
        self._thread.join(timeout)
        self._stop.set()
        assert not self._thread.is_alive(), (
            f"{len(self.acknowledged)} of {self.count} were acknowledged in time"
        )
        assert not self.refused, self.refused[:3]

    def _send(self) -> None:
        names = [f"{self.prefix}-{number}" for number in range(self.count)]
        headers = {"authorization": f"Bearer {self.key}"}
        for start in range(0, self.count, BATCH):
            batch = {"events": [body(name) for name in names[start : start + BATCH]]}
            while not self._stop.is_set() and not self._delivered(batch, headers):
                self.retries += 1
                self._stop.wait(0.1)
            self._stop.wait(PAUSE_S)

    def _delivered(self, batch: dict[str, object], headers: dict[str, str]) -> bool:
        try:
            response = httpx2.post(f"{self.address()}/v1/events", json=batch, headers=headers, timeout=15.0)
        except httpx2.HTTPError:
            return False
        if response.status_code in (429, 503):
            return False
        if response.status_code >= 300:
            self.refused.append(f"{response.status_code} {response.text[:500]}")
            return True
        for receipt in response.json()["receipts"]:
            if receipt["outcome"] in ("accepted", "duplicate"):
                self.acknowledged.add(receipt["event_id"])
            else:
                self.refused.append(str(receipt))
        return True


@dataclass
class Account:
    """What the database says, read beside the running servers."""

    url: str

    def queue(self) -> Queue:
        with contextlib.closing(open_store(self.url, read_only=True)) as store, store.read() as connection:
            return leases.queue(connection)

    def held(self) -> set[str]:
        """The leases under which events are being evaluated."""
        rows = self._rows("SELECT lease FROM events WHERE status = 'evaluating'")
        return {row[0] for row in rows}

    def wait_until_idle(self, timeout: float) -> None:
        def idle() -> bool:
            queue = self.queue()
            return queue.queued == 0 and queue.evaluating == 0

        assert wait_until(idle, timeout=timeout), self.queue()

    def settle(self, acknowledged: set[str]) -> None:
        """Every acknowledged event is there and evaluated, each exactly once for the judge."""
        statuses = dict(self._rows("SELECT event_id, status FROM events"))
        assert acknowledged <= statuses.keys(), f"lost: {sorted(acknowledged - statuses.keys())[:5]}"
        wrong = {name: status for name, status in statuses.items() if status != "evaluated"}
        assert not wrong, dict(list(wrong.items())[:5])
        results = self._rows(
            "SELECT events.event_id, count(evaluations.judge_id) FROM events"
            " LEFT JOIN evaluations ON evaluations.event_seq = events.seq GROUP BY events.event_id"
        )
        twice = {name: n for name, n in results if n != 1}
        assert not twice, dict(list(twice.items())[:5])

    def _rows(self, query: str) -> list[tuple[str, str]]:
        store: Store
        with contextlib.closing(open_store(self.url, read_only=True)) as store, store.read() as connection:
            return [(row[0], row[-1]) for row in connection.execute(text(query))]
