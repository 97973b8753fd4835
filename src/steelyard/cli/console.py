"""Talking to people: a console on stderr, progress bars there, JSON on stdout, and a log without
tracebacks."""

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_QUIET_S = 60.0


def stderr() -> Console:
    return Console(stderr=True, highlight=False)


def stdout() -> Console:
    return Console(highlight=False)


def say(message: str) -> None:
    """A notice for people."""
    print(message, file=sys.stderr)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on stderr, gone when done; nothing where stderr is no terminal."""
    console = stderr()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        yield progress


@contextmanager
def replay_bar() -> Iterator[Callable[[Literal["store", "evaluate"], int, int], None]]:
    """A bar for each of the two phases of a replay."""
    with progress_bar() as bar:
        phases = {
            "store": bar.add_task("Storing", total=None),
            "evaluate": bar.add_task("Evaluating", total=None),
        }

        def show(phase: Literal["store", "evaluate"], done: int, total: int) -> None:
            bar.update(phases[phase], completed=done, total=total)

        yield show


class _OneLine(logging.Formatter):
    """A record as one line: the exception's last word instead of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        said = f"steelyard: {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            said += f" ({record.exc_info[0].__name__}: {record.exc_info[1]})"
        return said


class _NotAgain(logging.Filter):
    """Lets the same kind of record pass once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind = (record.name, str(record.msg))
        now = time.monotonic()
        if now - self._last.get(kind, -_QUIET_S) < _QUIET_S:
            return False
        self._last[kind] = now
        return True


def set_up_logging(*, verbose: bool) -> None:
    """Warnings of all libraries to stderr; with `verbose` everything, as it is."""
    handler = logging.StreamHandler()
    if verbose:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    else:
        handler.setFormatter(_OneLine())
        handler.addFilter(_NotAgain())
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
