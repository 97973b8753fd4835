"""A scripted server on loopback: real HTTP, with answers that a real server gives only on bad days."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


def wait_until(condition: Callable[[], Any], *, seconds: float = 10.0) -> None:
    """Polls until the condition holds; fails when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        threading.Event().wait(0.005)


@dataclass
class Answer:
    """One scripted answer; `drop` closes the connection instead, `hold` waits for the event first."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    hold: threading.Event | None = None


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    json: Any
    at: float


class ScriptedServer:
    """Gives `script` answers first, in order, then answers as a healthy server would."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.seen: list[Seen] = []
        self.refuse: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda _: None
        self.reads: dict[str, list[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._stored: set[str] = set()
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                if self.headers.get("content-encoding") == "gzip":
                    raw = gzip.decompress(raw)
                self._reply(json.loads(raw))

            def do_GET(self) -> None:
                self._reply(None)

            def _reply(self, body: Any) -> None:
                lower = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, lower, body, time.monotonic())
                with scripted._lock:
                    scripted.seen.append(seen)
                    answer = scripted.script.pop(0) if scripted.script else scripted.healthy(seen)
                if answer.hold is not None:
                    answer.hold.wait(30)
                if answer.drop:
                    self.close_connection = True
                    return
                payload = json.dumps(answer.body).encode()
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(payload)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: Any) -> None:
                return None

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                return None

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def healthy(self, seen: Seen) -> Answer:
        path = seen.path.partition("?")[0]
        if seen.method == "GET":
            pages = self.reads.get(path)
            return (
                Answer(body=pages.pop(0)) if pages else Answer(404, body=error("not_found", "nothing there"))
            )
        events = [seen.json] if path == "/v1/log" else seen.json["events"]
        receipts = []
        for index, event in enumerate(events):
            reason = self.refuse(event)
            known = event["event_id"] in self._stored
            outcome = "rejected" if reason else "duplicate" if known else "accepted"
            if not reason:
                self._stored.add(event["event_id"])
            receipts.append(
                {"index": index, "event_id": event["event_id"], "outcome": outcome, "error": reason}
            )
        if path == "/v1/log":
            return Answer(202, body=receipts[0])
        return Answer(202, body={"receipts": receipts})

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every event of every batch request, in the order received."""
        return [event for seen in self.seen if seen.path == "/v1/events" for event in seen.json["events"]]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def error(code: str, message: str, **more: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **more}}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    scripted = ScriptedServer()
    yield scripted
    scripted.stop()
