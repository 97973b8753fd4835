"""The service around the API: health, measures, backpressure, a store that is gone, ports and start."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import Connection

from steelyard.access.demo import leave_demo_key
from steelyard.errors import ConfigurationError, RateLimited, StoreUnavailable
from steelyard.server.app import create_app
from steelyard.server.pressure import Pressure
from steelyard.server.serving import address, bind, serving
from steelyard.store import Store, open_store, projects

from .live import Api, Live, api_of, eventually, settings_in, start

GOOD = {"task": "q", "context": ["a"]}


def test_health_needs_no_key(live: Live) -> None:
    with live.client() as http:
        for path in ("/healthz", "/readyz"):
            assert http.get(path).json() == {"status": "ok"}


def test_measures_count_what_happened(sqlite_api: Api) -> None:
    def measure(name: str) -> float:
        with sqlite_api.live.client() as http:
            lines = http.get("/metrics").raise_for_status().text.splitlines()
        return float(next((line.rsplit(" ", 1)[1] for line in lines if line.startswith(name + " ")), "0"))

    accepted = 'steelyard_events_received_total{outcome="accepted"}'
    rejected = 'steelyard_events_received_total{outcome="rejected"}'
    requests = 'steelyard_http_requests_total{method="POST",route="/v1/events",status="200"}'
    before = measure(accepted), measure(rejected), measure(requests)
    sqlite_api.http.post("/v1/events", json={"events": [GOOD, GOOD, {"task": ""}]})
    assert (measure(accepted), measure(rejected), measure(requests)) == (
        before[0] + 2,
        before[1] + 1,
        before[2] + 1,
    )
    sqlite_api.http.get("/v1/events/a-name-of-one")
    with sqlite_api.live.client() as http:
        text = http.get("/metrics").text
    assert "a-name-of-one" not in text
    assert 'route="/v1/events/{event_id:path}"' in text
    eventually(lambda: measure("steelyard_queue_events") > 0)
    assert measure("steelyard_store_up") == 1


@pytest.fixture(params=["sqlite", "postgresql"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Api]:
    """A server whose queue holds three events."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else None
    settings = settings_in(tmp_path, url).model_copy(update={"max_queued": 3})
    for live in start(settings, work=False):
        yield from api_of(live)


def test_a_full_queue_is_429_until_it_is_shorter(small: Api) -> None:
    assert small.http.post("/v1/events", json={"events": [GOOD] * 3}).status_code == 200
    for path, body in (("/v1/log", GOOD), ("/v1/events", {"events": [GOOD]})):
        refused = small.http.post(path, json=body)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.json()["error"]["code"] == "rate_limited"
    first = small.http.get("/v1/events").json()["items"][0]["event_id"]
    small.http.delete(f"/v1/events/{first}")
    eventually(lambda: small.log(**GOOD).status_code == 200)


def test_bytes_in_hand_are_bounded() -> None:
    pressure = Pressure(max_queued=10, max_bytes=100)
    with pressure.holding(1_000), pytest.raises(RateLimited), pressure.holding(1):
        pass
    with pressure.holding(60), pressure.holding(40), pytest.raises(RateLimited), pressure.holding(1):
        pass
    assert pressure.bytes_in_hand == 0


class Failing:
    """A real store that stops answering when told to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.down = threading.Event()

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        return self._store.dialect

    @property
    def url(self) -> str:
        return self._store.url

    def read(self) -> AbstractContextManager[Connection]:
        self._check()
        return self._store.read()

    def write(self, work: Any, /) -> Any:
        self._check()
        return self._store.write(work)

    def submit(self, work: Any, /) -> Future[Any]:
        self._check()
        return self._store.submit(work)

    def close(self) -> None:
        self._store.close()

    def _check(self) -> None:
        if self.down.is_set():
            raise StoreUnavailable("the database does not answer")


def test_while_the_store_is_down_everything_is_503_but_health(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, None)
    with contextlib.closing(open_store(settings.url)) as real:
        store = Failing(real)
        for live in start(settings, store=store, work=False):
            for api in api_of(live):
                assert api.log(**GOOD).status_code == 200
                store.down.set()
                for response in (
                    api.log(**GOOD),
                    api.http.post("/v1/events", json={"events": [GOOD]}),
                    api.http.get("/v1/events"),
                    api.http.get("/readyz"),
                ):
                    assert response.status_code == 503, response.text
                    assert response.json()["error"]["code"] == "store_unavailable"
                    assert response.headers["retry-after"] == "5"
                assert api.http.get("/healthz").status_code == 200
                assert "steelyard_store_up 0" in api.http.get("/metrics").text
                store.down.clear()
                assert api.http.get("/v1/events").status_code == 200


class Broken(Failing):
    """A store with a fault of its own."""

    def _check(self) -> None:
        if self.down.is_set():
            raise ZeroDivisionError("password=hunter2 at /etc/secret")


def test_a_fault_of_our_own_is_500_and_tells_nothing(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, None)
    with contextlib.closing(open_store(settings.url)) as real:
        store = Broken(real)
        for live in start(settings, store=store, work=False):
            for api in api_of(live):
                assert api.http.get("/v1/judges").status_code == 200
                store.down.set()
                for response in (api.http.get("/v1/events"), api.log(**GOOD)):
                    assert response.status_code == 500
                    assert response.json()["error"] == {
                        "code": "internal",
                        "message": "the server failed to answer; its log says why",
                        "hint": "Try again, or look at the log.",
                    }
                    assert response.headers["x-content-type-options"] == "nosniff"
                store.down.clear()


def test_the_demo_key_counts_for_a_demo_only(tmp_path: Path) -> None:
    key = leave_demo_key(tmp_path, host="127.0.0.1", port=1)
    settings = settings_in(tmp_path, None)
    for live in start(settings, work=False, demo_key=key):
        with live.client(key) as http:
            assert http.get("/v1/keys").json() == {"items": []}
            assert http.post("/v1/log", json=GOOD).status_code == 200
    for live in start(settings, work=False):
        with live.client(key) as http:
            assert http.get("/v1/keys").status_code == 401


def test_a_taken_port_is_said_clearly() -> None:
    taken = bind("127.0.0.1", 0)
    port = taken.getsockname()[1]
    with (
        contextlib.closing(taken),
        pytest.raises(ConfigurationError, match=f"port {port} on 127.0.0.1 is taken") as no,
    ):
        bind("127.0.0.1", port)
    assert no.value.field == "port"
    assert no.value.hint == "Stop the other server or give --port."


def test_a_host_that_is_not_this_machine_is_said_clearly() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot listen on 203\.0\.113\.7:0"):
        bind("203.0.113.7", 0)


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:")]
)
def test_the_address_is_one_a_browser_can_open(host: str, url: str) -> None:
    with contextlib.closing(bind(host, 0)) as sock:
        assert address(sock) == f"{url}{sock.getsockname()[1]}"
        assert sock.proto == socket.IPPROTO_TCP


def test_a_store_that_was_handed_in_stays_open(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, None)
    with contextlib.closing(open_store(settings.url)) as store:
        with serving(create_app(settings, store=store, work=False)):
            pass
        with store.read() as c:
            assert projects.get(c, settings.project).name == settings.project
