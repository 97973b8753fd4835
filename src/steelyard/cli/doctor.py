"""`steelyard doctor`: what is there, and what is wrong with it."""

import platform
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal

from steelyard.errors import ConfigurationError, SteelyardError, StoreLocked

from . import exits
from .flags import Json, ServeFlags

if TYPE_CHECKING:
    from steelyard.config import Settings

_PACKAGES = ("steelyard", "steelyard-judge", "onnxruntime", "sqlalchemy", "fastapi", "httpx2")
State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `hint` says how to mend what is wrong."""

    name: str
    state: State
    says: str
    hint: str | None = None


def doctor(*, json: Json = False, settings: ServeFlags | None = None) -> int:
    """Says what Steelyard sees (Python, packages, data folder, database, judge, model server, port) and what
    is wrong.

    Changes nothing. Exits with 1 when something is wrong.
    """
    from . import console

    findings = tuple(_look((settings or ServeFlags()).given()))
    wrong = [finding for finding in findings if finding.state == "wrong"]
    if json:
        console.print_json({"ok": not wrong, "findings": [asdict(finding) for finding in findings]})
    else:
        marks = {"ok": "[green]ok[/green]   ", "note": "[yellow]note[/yellow] ", "wrong": "[red]wrong[/red]"}
        out = console.stdout()
        for finding in findings:
            out.print(f"{marks[finding.state]} {finding.name}: ", end="")
            out.print(finding.says + (f" {finding.hint}" if finding.hint else ""), markup=False)
    return exits.FAILED if wrong else exits.DONE


def _look(flags: dict[str, object]) -> Iterator[Finding]:
    yield Finding("python", "ok", f"{platform.python_version()} at {sys.executable}")
    for name in _PACKAGES:
        try:
            yield Finding(name, "ok", version(name))
        except PackageNotFoundError:
            yield Finding(name, "wrong", "not installed", "pip install 'steelyard[server]'.")
    try:
        from steelyard.config import Settings

        settings = Settings.load(**flags)
    except (SteelyardError, ImportError) as problem:
        yield Finding("settings", "wrong", str(problem))
        return
    yield Finding("settings", "ok", f"judge {settings.judge}, project {settings.project}")
    for name, look in (("data", _data), ("database", _database), ("judge", _judge), ("port", _port)):
        yield _tried(name, settings, look)


def _tried(name: str, settings: "Settings", look: "Callable[[Settings], Finding]") -> Finding:
    try:
        return look(settings)
    except SteelyardError as problem:
        return Finding(name, "wrong", str(problem))
    except OSError as problem:
        return Finding(name, "wrong", f"{problem.strerror or problem}")


def _data(settings: "Settings") -> Finding:
    import os
    import shutil

    folder = settings.data.absolute()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        return Finding("data", "wrong", f"{nearest} cannot be written", "Give another folder with --data.")
    free = shutil.disk_usage(nearest).free
    says = f"{folder}{'' if folder.exists() else ' (made by the first start)'}, {free / 1e9:.1f} GB free"
    if free < 1e9:
        return Finding("data", "note", says, "Less than 1 GB is left.")
    return Finding("data", "ok", says)


def _database(settings: "Settings") -> Finding:
    from steelyard.store import open_store
    from steelyard.store.schema import HEAD

    lite = settings.url.startswith("sqlite")
    with_version = f", SQLite {sqlite3.sqlite_version}" if lite else ""
    if lite and settings.database_url is None and not (settings.data / "steelyard.sqlite").exists():
        return Finding("database", "ok", f"none yet, made by the first start{with_version}")
    try:
        store = open_store(settings.url, upgrade=False, read_only=True)
    except StoreLocked as problem:
        return Finding("database", "note", str(problem))
    with closing(store):
        return Finding("database", "ok", f"{store.url}, schema {HEAD}{with_version}")


def _judge(settings: "Settings") -> Finding:
    from steelyard.judges.opening import REMOTE, open_judge
    from steelyard.schemas.judging import SupportAnswer, SupportCase
    from steelyard.schemas.verdict import Unscored

    if settings.judge in REMOTE:
        remote = settings.remote_settings()
        _reach(remote.base_url)
        return Finding("judge", "ok", f"{settings.judge}: {remote.model} at {remote.base_url} can be reached")
    with closing(open_judge(settings.judge, threads=settings.judge_threads)) as judge:
        (listed,) = judge.requirements(["What is the capital of France?"])
        if isinstance(listed, Unscored):
            return Finding("judge", "wrong", listed.detail)
        case = SupportCase(
            task="What is the capital of France?",
            requirements=listed.requirements,
            passages=("Paris is the capital of France.", "Bread is baked."),
        )
        (answer,) = judge.support([case])
        if not isinstance(answer, SupportAnswer):
            return Finding("judge", "wrong", answer.detail)
        return Finding("judge", "ok", f"{judge.identity.id} answers")


def _reach(base_url: str) -> None:
    """Opens a connection, sends nothing: an API key is not spent on a look."""
    from urllib.parse import urlsplit

    parts = urlsplit(base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=5.0).close()
    except OSError as problem:
        raise ConfigurationError(
            f"nothing answers at {base_url}: {problem.strerror or problem}",
            hint="Is the model server running?",
        ) from None


def _port(settings: "Settings") -> Finding:
    from steelyard.server.serving import bind

    try:
        bind(settings.host, settings.port).close()
    except ConfigurationError as problem:
        return Finding("port", "note", str(problem), "A running server is no fault.")
    return Finding("port", "ok", f"{settings.host}:{settings.port} is free")
