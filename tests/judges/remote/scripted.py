"""A real HTTP server on loopback that answers as it is told to, faults included, and remembers what it was
asked."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """One answer. `cut`: only that many bytes are sent, then the connection drops (0: not even a status
    line). `silent`: nothing is sent until the server stops. `trickle`: a byte at a time until the client
    gives up."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    silent: bool = False
    trickle: bool = False

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


Script = Callable[[Received], Answer] | Sequence[Answer]


class ScriptedServer:
    """`script` is a function of the request, or answers in order (the last one again and again)."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Received] = []
        self.most_at_once = 0
        self.gate: threading.Event | None = None
        """When set, no answer is sent before it is."""
        self._under_way = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server._answer(self)

            def log_message(self, *_: Any) -> None:
                return

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A client that hangs up in the middle is what some scripts are about."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def calls(self) -> int:
        return len(self.requests)

    @property
    def under_way(self) -> int:
        return self._under_way

    def stop(self) -> None:
        self._stopping.set()
        if self.gate is not None:
            self.gate.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["Content-Length"]))
        received = Received(handler.path, {k.lower(): v for k, v in handler.headers.items()}, json.loads(raw))
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            number = len(self.requests)
            self.requests.append(received)
        try:
            if self.gate is not None:
                self.gate.wait(30)
            answer = (
                self.script(received)
                if callable(self.script)
                else self.script[min(number, len(self.script) - 1)]
            )
            self._send(handler, answer)
        finally:
            with self._lock:
                self._under_way -= 1

    def _send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        if answer.silent:
            self._stopping.wait(30)
            handler.close_connection = True
            return
        if answer.cut == 0:
            handler.close_connection = True
            return
        body = answer.encoded()
        handler.send_response_only(answer.status)
        sent = {name.lower() for name in answer.headers}
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        if "content-type" not in sent:
            handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            if answer.trickle:
                for byte in body:
                    handler.wfile.write(bytes([byte]))
                    handler.wfile.flush()
                    if self._stopping.wait(0.02):
                        return
            else:
                handler.wfile.write(body if answer.cut is None else body[: answer.cut])
        except OSError:
            handler.close_connection = True
        if answer.cut is not None:
            handler.close_connection = True


@contextmanager
def serving(script: Script) -> Iterator[ScriptedServer]:
    server = ScriptedServer(script)
    try:
        yield server
    finally:
        server.stop()


def completion(content: str | None, **changes: Any) -> Answer:
    """A chat completion as servers send it; `changes` overwrite fields of the body, `message` of the
    message."""
    message = {"role": "assistant", "content": content, **changes.pop("message", {})}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "choices": [{"index": 0, "message": message, "finish_reason": changes.pop("finish", "stop")}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        **changes,
    }
    return Answer(body=body)


def failure(
    status: int, *, headers: Mapping[str, str] | None = None, message: str = "no", **more: Any
) -> Answer:
    """An error in the usual envelope."""
    return Answer(status=status, body={"error": {"message": message, **more}}, headers=headers or {})
