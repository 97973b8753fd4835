import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from steelyard.cli.app import run


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of this machine's settings or data is seen."""
    for name in list(os.environ):
        if name.startswith("STEELYARD_") and name != "STEELYARD_SHARED":
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


@pytest.fixture
def steelyard(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Ran]]:
    """Runs a command in this process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def call(*arguments: object) -> Ran:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    yield call
    root.handlers[:], root.level = handlers, level


class Running:
    """A command in a process of its own, its lines read as they come."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "steelyard.cli", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.out: list[str] = []
        self.err: list[str] = []
        self._threads = [
            threading.Thread(target=lines.extend, args=(stream,))
            for lines, stream in ((self.out, self.process.stdout), (self.err, self.process.stderr))
        ]
        for thread in self._threads:
            thread.start()

    def line(self, beginning: str, *, seconds: float = 60.0) -> str:
        """The first line of stdout that begins so, once it has come."""
        deadline = time.monotonic() + seconds
        while True:
            found = next((line for line in list(self.out) if line.startswith(beginning)), None)
            if found is not None:
                return found.strip()
            assert self.process.poll() is None, (self.process.returncode, self.out, self.err)
            assert time.monotonic() < deadline, (self.out, self.err)
            threading.Event().wait(0.02)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(30)
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


@pytest.fixture
def started() -> Iterator[Callable[..., Running]]:
    """Starts commands; kills what a test leaves running."""
    running: list[Running] = []

    def start(*arguments: object) -> Running:
        running.append(Running(*arguments))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.wait()
