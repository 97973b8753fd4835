"""Every snippet and command in the documents runs, every link leads somewhere, JSON and TOML parse.

Python blocks of one document run in order in one process, against a real demo server. Console blocks run line
by line in a fresh folder per document. What cannot run here (another program's command) is a `text` block.
"""

import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from benchmarks.table import MADE, written

from .markdown import blocks, links

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("judge/*.md")])
LANGUAGES = {"python", "console", "json", "toml", "text", "http", "csv"}
MAKE = {"make demo", "make test", "make lint", "make venv", "make long", "make judge"}

_RUN = """
import json, sys
for line, path, source in json.load(sys.stdin):
    exec(compile("\\n" * (line - 1) + source, path, "exec"), globals())
"""


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _having(language: str) -> list[Path]:
    return [path for path in DOCUMENTS if any(block.language == language for block in blocks(path))]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(home: Path, port: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}
    return kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_DATA_HOME": str(home),
        "STEELYARD_PORT": str(port),
        "STEELYARD_URL": f"http://127.0.0.1:{port}",
    }


def _answers(server: subprocess.Popen[bytes], url: str) -> None:
    transport = httpx2.HTTPTransport(retries=50)
    with httpx2.Client(transport=transport) as client:
        while server.poll() is None:
            try:
                client.get(f"{url}/healthz").raise_for_status()
            except httpx2.TransportError:
                continue
            return
    raise AssertionError(f"the server stopped with {server.returncode}")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of an app beside a running `steelyard demo`."""
    home, port = tmp_path_factory.mktemp("home"), _free_port()
    environment = _environment(home, port)
    with (home / "log").open("wb") as log:
        command = [sys.executable, "-m", "steelyard.cli", "demo"]
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            _answers(server, environment["STEELYARD_URL"])
            yield environment
        finally:
            server.terminate()
            server.wait(30)


@pytest.mark.parametrize("path", DOCUMENTS, ids=_name)
def test_blocks_say_what_they_are(path: Path) -> None:
    for block in blocks(path):
        where = f"{_name(path)}:{block.line}"
        assert block.language in LANGUAGES, f"{where}: a block of {block.language or 'no language'}"
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)


@pytest.mark.parametrize("path", DOCUMENTS, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    missing = [target for target in links(path) if not (path.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("path", _having("python"), ids=_name)
def test_python_runs(path: Path, demo: dict[str, str], tmp_path: Path) -> None:
    snippets = [(b.line, _name(path), b.text) for b in blocks(path) if b.language == "python"]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", _RUN],
        input=json.dumps(snippets),
        env=demo,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", _having("console"), ids=_name)
def test_commands_run(path: Path, tmp_path: Path) -> None:
    port = _free_port()
    environment = _environment(tmp_path / "home", port)
    url = environment.pop("STEELYARD_URL")
    folder = tmp_path / "folder"
    folder.mkdir()
    servers: list[subprocess.Popen[bytes]] = []
    try:
        for block in blocks(path):
            if block.language != "console":
                continue
            for line in block.text.splitlines():
                if not line.startswith("$ "):
                    continue
                command = line[2:].split("  #")[0].strip().replace("127.0.0.1:8321", f"127.0.0.1:{port}")
                where = f"{_name(path)}:{block.line}: {command}"
                if command in MAKE:
                    plan = ["make", "-n", *command.split()[1:]]
                    assert subprocess.run(plan, cwd=ROOT, capture_output=True).returncode == 0, where
                elif command.startswith(("steelyard serve", "steelyard demo --serve")):
                    server = subprocess.Popen(
                        ["bash", "-c", f"exec {command}"], env=environment, cwd=folder, start_new_session=True
                    )
                    servers.append(server)
                    _answers(server, url)
                else:
                    run = subprocess.run(
                        ["bash", "-euo", "pipefail", "-c", command],
                        env=environment,
                        cwd=folder,
                        capture_output=True,
                        text=True,
                        timeout=150,
                    )
                    assert run.returncode == 0, f"{where}\n{run.stdout}\n{run.stderr}"
    finally:
        for server in servers:
            os.killpg(server.pid, 15)
            server.wait(30)


@pytest.mark.parametrize("path", MADE, ids=_name)
def test_the_committed_figures_are_shown(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == written(path)
