"""Serving over HTTP: the port is taken first, so that a taken one is said clearly and a free one known."""

import errno
import gc
import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from steelyard.errors import ConfigurationError

_BACKLOG = 2048
_KEEP_ALIVE_S = 65
_STOP_S = 15


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `ConfigurationError` when the port is taken or the host not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off (40 ms an answer, else) only where it sees the protocol named.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except OSError as problem:
        sock.close()
        if problem.errno == errno.EADDRINUSE:
            raise ConfigurationError(
                f"port {port} on {host} is taken", field="port", hint="Stop the other server or give --port."
            ) from None
        if problem.errno == errno.EACCES:
            raise ConfigurationError(
                f"port {port} may not be used", field="port", hint="Give --port."
            ) from None
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {problem.strerror}", field="host"
        ) from None
    return sock


def address(sock: socket.socket) -> str:
    """The base URL of a listening socket, as a browser on this machine reaches it."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "::1" if ":" in host else "127.0.0.1"
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def serve(app: FastAPI, sock: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM; requests in hand are finished. Meant for a process of its own."""
    _collect_less_often()
    uvicorn.Server(_config(app)).run(sockets=[sock])


@contextmanager
def serving(app: FastAPI, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves from a thread of this process while the context lasts; gives the base URL."""
    sock = bind(host, port)
    ready = threading.Event()
    failed: list[BaseException] = []

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    server = Announcing(_config(app))

    def run() -> None:
        try:
            server.run(sockets=[sock])
        except BaseException as problem:
            failed.append(problem)
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="steelyard-http", daemon=True)
    thread.start()
    ready.wait()
    try:
        if failed or not server.started:
            raise RuntimeError("the server did not start; its log says why") from (
                failed[0] if failed else None
            )
        yield address(sock)
    finally:
        server.should_exit = True
        thread.join()
        sock.close()


def _collect_less_often() -> None:
    """A batch of events makes thousands of objects and no cycles: by default, looking for cycles would take
    longer than validating it."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
    )
