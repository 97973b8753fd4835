"""`steelyard demo`: the product on its own sample data, from nothing to pages."""

import json as jsonlib
import os
import sys
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from steelyard.errors import ConfigurationError

from . import exits
from .flags import Json, ServeFlags, Verbose
from .serving import ending_quietly

if TYPE_CHECKING:
    from steelyard.access.services import Services
    from steelyard.config import Settings
    from steelyard.replay import Outcome
    from steelyard.store import Store

_FOLDER = "demo"
_SHOWN = 5


def demo(
    *,
    no_serve: Annotated[bool, Parameter(negative="")] = False,
    keep: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
    verbose: Verbose = False,
    settings: ServeFlags | None = None,
) -> int:
    """Loads sample data (the help pages of an imagined backup service and what people searched there),
    evaluates it, prints the results, then serves the pages.

    Everything is kept in the folder demo of the data folder and made anew each time. No key, no network.
    While it serves, `Client()` on this machine needs no key.

    Args:
        no_serve: Print the results and exit.
        keep: Go on with the last demo's data, reviews included.
    """
    from steelyard.config import Settings
    from steelyard.server.serving import bind
    from steelyard.store import open_store

    from . import console

    console.set_up_logging(verbose=verbose)
    flags = settings or ServeFlags()
    if flags.database_url is not None:
        raise ConfigurationError(
            "the demo keeps its data in SQLite", field="database_url", hint="Leave it out."
        )
    usual = Settings.load(**flags.given())
    folder = usual.data / _FOLDER
    loaded = usual.model_copy(update={"database_url": None, "data": folder})
    sock = None if no_serve else bind(loaded.host, loaded.port)
    try:
        _make_room(folder, keep=keep)
        store = open_store(loaded.url)
        try:
            outcome = load(store, loaded)
            _show(store, loaded, outcome, json=json)
            if sock is not None:
                _serve(store, loaded, sock, home=usual.data)
        finally:
            store.close()
    finally:
        if sock is not None:
            sock.close()
    return exits.DONE


def sample_rows() -> "Iterator[tuple[int, dict[str, Any]]]":
    """The rows of the package's own sample with their line numbers; `age_hours` says how long ago each
    was."""
    text = files("steelyard.cli").joinpath("demo_data", "retrieval.jsonl").read_text("utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        yield number, jsonlib.loads(line)


def load(store: "Store", settings: "Settings") -> "Outcome":
    """Stores and evaluates the sample, its times counted back from now; an event that is there stays as it
    is."""
    from steelyard.replay import Plan, Row, Source, run_local

    from . import console

    now = datetime.now(UTC)
    there = _stored(store, settings)

    def rows() -> "Iterator[Row]":
        for number, row in sample_rows():
            name = f"demo-{number:03}"
            if name in there:
                continue
            moment = now - timedelta(hours=row.pop("age_hours"))
            yield Row("retrieval.jsonl", number, {**row, "event_id": name, "created_at": moment.isoformat()})

    source = Source("demo", "trec", "demo", rows)
    plan = Plan(source, None, settings.limits, sum(1 for _ in rows()), 0, ())
    with console.replay_bar() as progress:
        return run_local(plan, store, settings, progress=progress)


def _stored(store: "Store", settings: "Settings") -> frozenset[str]:
    from steelyard.store import events, projects

    names = [f"demo-{number:03}" for number, _ in sample_rows()]
    project = store.write(lambda c: projects.ensure(c, settings.project, now=datetime.now(UTC)))
    with store.read() as c:
        return frozenset(events.statuses(c, project.id, names))


def _make_room(folder: Path, *, keep: bool) -> None:
    """Removes the last demo's database; raises `StoreLocked` while that demo still runs."""
    from steelyard.store.lock import FileLock

    database = folder / "steelyard.sqlite"
    if keep or not database.exists():
        return
    lock = FileLock(database)
    try:
        for suffix in ("", "-wal", "-shm"):
            database.with_name(database.name + suffix).unlink(missing_ok=True)
    finally:
        lock.release()


def _show(store: "Store", settings: "Settings", outcome: "Outcome", *, json: bool) -> None:
    from . import console, report

    if json:
        console.print_json(report.as_json(outcome.summary))
        return
    out = console.stdout()
    report.show(out, outcome.summary)
    _disagreements(store, settings)


def _disagreements(store: "Store", settings: "Settings") -> None:
    """The first few documents on which judge and label disagree, for people."""
    from rich.table import Table

    from steelyard.schemas.query import EventFilter
    from steelyard.store import disagreements, judges, projects

    from . import console

    with store.read() as c:
        project = projects.get(c, settings.project)
        judge_id = judges.latest(c, project.id)
        if judge_id is None:
            return
        page = disagreements.page(
            c, project.id, EventFilter(), judge_id=judge_id, agreements=False, limit=_SHOWN
        )
    if not page.items:
        return
    table = Table(title="Judge and label disagree here, for example", title_justify="left")
    for title in ("task", "passage", "judge", "label"):
        table.add_column(title)
    for item in page.items:
        table.add_row(
            item.task,
            item.passage_id or f"#{item.position}",
            "supports" if item.cited else "does not support",
            "relevant" if item.gold else "not relevant",
        )
    console.stdout().print(table)


def _serve(store: "Store", settings: "Settings", sock: Any, *, home: Path) -> None:
    from steelyard.access.demo import leave_demo_key, remove_demo_key
    from steelyard.server.app import create_app
    from steelyard.server.serving import address, serve

    url = address(sock)
    key = leave_demo_key(home, host=settings.host, port=sock.getsockname()[1])
    try:

        def ready(services: "Services") -> None:
            link = f"{url}/login?token={services.gate.login_token()}"
            print(f"The pages are at {url}", flush=True)
            print(f"Log in (works once): {link}", flush=True)
            print(
                "Log to it from this machine: from steelyard import Client; Client().log(...)",
                file=sys.stderr,
            )
            print("Ctrl-C stops.", file=sys.stderr)
            if _has_desktop():
                webbrowser.open(link)

        app = create_app(settings, store=store, demo_key=key, on_ready=ready)
        with ending_quietly():
            serve(app, sock)
    finally:
        remove_demo_key(home)


def _has_desktop() -> bool:
    """Whether a browser window can be seen by whoever started this."""
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
