"""`steelyard export`: what is stored, as files."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.errors import ConfigurationError

from . import exits
from .flags import StoreFlags

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from steelyard.schemas.query import EventFilter

What = Literal["events", "evaluations", "labels"]


def export(
    file: Path | None = None,
    /,
    *,
    what: What = "events",
    format: Literal["jsonl", "csv"] | None = None,
    dataset: str | None = None,
    env: str | None = None,
    settings: StoreFlags | None = None,
) -> int:
    """Writes what is stored to FILE, or to stdout. Works beside a running server.

    JSONL of events can be logged or replayed again; CSV has one row of numbers an event.

    Args:
        file: File to write (.jsonl or .csv).
        what: Events, evaluations (JSONL only) or labels.
        format: Format, where FILE's name does not say it.
        dataset: Only this dataset.
        env: Only this environment.
    """
    from steelyard.config import Settings
    from steelyard.schemas.query import EventFilter
    from steelyard.store import open_store, projects

    from . import console

    form = format or ("csv" if file is not None and file.suffix == ".csv" else "jsonl")
    if form == "csv" and what == "evaluations":
        raise ConfigurationError(
            "evaluations are nested: there is no CSV of them", field="format", hint="Use jsonl."
        )
    loaded = Settings.load(**(settings or StoreFlags()).given())
    wanted = EventFilter(dataset=dataset, env=env)
    count = -1 if form == "csv" else 0
    with closing(open_store(loaded.url, read_only=True)) as store, store.read() as c:
        project = projects.get(c, loaded.project)
        lines = _lines(c, project.id, wanted, what=what, form=form)
        try:
            with (
                file.open("wb") if file is not None else open(sys.stdout.fileno(), "wb", closefd=False) as out
            ):
                for line in lines:
                    out.write(line)
                    count += 1
        except OSError as problem:
            if isinstance(problem, BrokenPipeError):
                raise
            raise ConfigurationError(
                f"{file or 'stdout'} cannot be written: {problem.strerror}", field="file"
            ) from None
    console.say(f"{count} {what} written to {file or 'stdout'}")
    return exits.DONE


def _lines(
    c: "Connection", project_id: str, wanted: "EventFilter", *, what: What, form: str
) -> Iterator[bytes]:
    from steelyard.schemas.query import EventRow, Label
    from steelyard.server.rows import event_line, event_row
    from steelyard.server.tables import csv_lines, jsonl_lines
    from steelyard.store import events

    stored = events.export(c, project_id, wanted)
    if what == "labels":
        labels = (item.label.model_dump(mode="json") for item in stored if item.label is not None)
        return (
            jsonl_lines(labels) if form == "jsonl" else csv_lines(labels, columns=tuple(Label.model_fields))
        )
    if what == "evaluations":
        return jsonl_lines(item for item in stored)
    if form == "csv":
        return csv_lines((event_row(item) for item in stored), columns=tuple(EventRow.model_fields))
    rows: Iterator[dict[str, Any]] = (event_line(item) for item in stored)
    return jsonl_lines(rows)
