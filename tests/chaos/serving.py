"""Real servers and workers as processes that tests may kill, freeze and start again."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from steelyard.jobs.waiting import wait_until

READY_S = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Process:
    """`steelyard ARGUMENTS` with an environment; what it says goes to `log`. No file of it grows past
    `file_limit` bytes."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    file_limit: int | None = None
    running: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.running = subprocess.Popen(
                [sys.executable, "-m", "steelyard.cli", *self.arguments],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        if self.file_limit is not None:
            limits = (self.file_limit, resource.RLIM_INFINITY)
            resource.prlimit(self.running.pid, resource.RLIMIT_FSIZE, limits)

    def signal(self, number: int) -> None:
        assert self.running is not None
        os.kill(self.running.pid, number)

    def kill(self) -> None:
        """SIGKILL: no chance to say goodbye."""
        self.signal(signal.SIGKILL)
        self.wait()

    def wait(self, timeout: float = 30.0) -> int:
        assert self.running is not None
        return self.running.wait(timeout)

    @property
    def alive(self) -> bool:
        return self.running is not None and self.running.poll() is None

    def said(self) -> str:
        return self.log.read_text(errors="replace")


@dataclass
class Server(Process):
    """`steelyard serve` on a port of its own."""

    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        assert self.alive, f"the server ended: {self.said()[-3000:]}"
        try:
            return httpx2.get(f"{self.url}/readyz", timeout=2.0).status_code == 200
        except httpx2.HTTPError:
            return False

    def start_and_wait(self) -> None:
        self.start()
        assert wait_until(self.answers, timeout=READY_S), self.said()[-3000:]


@dataclass
class Site:
    """A data folder and a database for servers and workers, and what they are to be told."""

    folder: Path
    database_url: str
    settings: dict[str, str] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        return {
            "STEELYARD_DATA": str(self.folder),
            "STEELYARD_DATABASE_URL": self.database_url,
            "STEELYARD_JUDGE": "lexical",
            "STEELYARD_LEASE_S": "1.5",
            "STEELYARD_MAX_ATTEMPTS": "50",
            **self.settings,
        }

    def server(self, *arguments: str, **settings: str) -> Server:
        port = free_port()
        environment = {**self.environment(), "STEELYARD_PORT": str(port), **settings}
        log = self.folder / f"server-{len(self.processes)}.log"
        server = Server(("serve", *arguments), environment, log, port=port)
        self.processes.append(server)
        return server

    def worker(self, *arguments: str, **settings: str) -> Process:
        log = self.folder / f"worker-{len(self.processes)}.log"
        worker = Process(("worker", *arguments), {**self.environment(), **settings}, log)
        self.processes.append(worker)
        return worker


@contextlib.contextmanager
def cleared(site: Site) -> Iterator[Site]:
    """The site, with every process of its ended afterwards, by its id."""
    try:
        yield site
    finally:
        for process in site.processes:
            if process.alive:
                with contextlib.suppress(ProcessLookupError):
                    process.signal(signal.SIGCONT)
                    process.kill()


def crash_postgres(server: Any) -> None:
    """Ends a PostgreSQL as a crash would, without a checkpoint, and waits until it is gone."""
    os.kill(server.get_pid(), signal.SIGQUIT)
    assert wait_until(lambda: not (server.pgdata / "postmaster.pid").exists(), timeout=20.0)
