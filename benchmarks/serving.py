"""A real `steelyard serve` for the length of a benchmark, with a key for it."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx2

from steelyard.access.tokens import digest, new_key, shown
from steelyard.store import keys, open_store, projects

_READY_S = 60.0


@dataclass(frozen=True)
class Served:
    url: str
    headers: dict[str, str]
    pid: int
    folder: Path


@contextmanager
def serve(
    folder: Path, *, database_url: str | None = None, port: int = 18_321, **settings: object
) -> Iterator[Served]:
    """Serves `folder` (or `database_url`) with `settings` given as `STEELYARD_*` until the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    url = database_url or f"sqlite:///{folder / 'steelyard.sqlite'}"
    key = make_key(url)
    environment = {
        **os.environ,
        "STEELYARD_DATA": str(folder),
        "STEELYARD_DATABASE_URL": url,
        "STEELYARD_PORT": str(port),
        **{f"STEELYARD_{name.upper()}": str(value) for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "steelyard.cli", "serve"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + _READY_S
            while not _ready(address):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise SystemExit(
                        f"the server did not start: {log.read().decode(errors='replace')[-3000:]}"
                    )
                time.sleep(0.05)
            yield Served(address, {"authorization": f"Bearer {key}"}, process.pid, folder)
        finally:
            process.terminate()
            process.wait(30)


def make_key(url: str) -> str:
    key, now = new_key(), datetime.now(UTC)
    with closing(open_store(url)) as store:
        project = store.write(lambda c: projects.ensure(c, "default", now=now))
        scopes = ("write", "read", "admin")
        store.write(
            lambda c: keys.add(
                c, project.id, name="bench", prefix=shown(key), digest=digest(key), scopes=scopes, now=now
            )
        )
    return key


def _ready(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/readyz", timeout=2.0).status_code == 200
    except httpx2.HTTPError:
        return False
