"""`steelyard judge`: any judge measured on labelled files, and the card of the embedded one."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import InvalidInput, JudgeError

from . import exits
from .flags import Json, JudgeFlags, Verbose

if TYPE_CHECKING:
    from steelyard.judges.bench import Measured
    from steelyard.judges.protocol import Judge


def bench(
    *files: Path, json: Json = False, verbose: Verbose = False, settings: JudgeFlags | None = None
) -> int:
    """Measures a judge on labelled files and prints its agreement with the labels beside plain baselines.

    Each FILE is JSON lines of one shape: task, context and ground_truth; or source, output and human_label;
    or input, expected_output, output and human_label. Wrong labels count against the judge.

    Args:
        files: Labelled files.
    """
    from steelyard.config import Settings
    from steelyard.judges.bench import measure

    from . import console

    console.set_up_logging(verbose=verbose)
    if not files:
        raise InvalidInput("no file to measure on", hint="Give one or more labelled JSONL files.")
    loaded = Settings.load(**(settings or JudgeFlags()).given())
    sets = {str(path): _rows(path) for path in files}
    results: dict[str, Measured] = {}
    with closing(_open(loaded)) as judge, console.progress_bar() as bar:
        task = bar.add_task("Measuring", total=len(sets))
        for name, rows in sets.items():
            bar.update(task, description=f"Measuring {Path(name).name}")
            try:
                results[name] = measure(list(rows.values()), judge)
            except InvalidInput as problem:
                raise _placed(problem, name, list(rows)) from None
            bar.advance(task)
        identity = judge.identity.id
    if json:
        console.print_json({name: measured.summary() for name, measured in results.items()})
        return exits.DONE
    for name, measured in results.items():
        _show(name, measured)
    console.stdout().print(f"Judge: {identity}. Intervals are 95%.")
    return exits.DONE


def card(*, json: Json = False) -> int:
    """Shows the accuracy card of the embedded judge: on which data, with which licences, how accurate, how
    fast.

    Its accuracy on your own labels is on the Judges page.
    """
    from . import console

    try:
        import steelyard_judge

        found = steelyard_judge.card()
    except (ImportError, FileNotFoundError):
        raise JudgeError(
            "there is no card", hint="Install it again: pip install steelyard[server]."
        ) from None
    if json:
        console.print_json(found)
        return exits.DONE
    _show_card(found)
    return exits.DONE


def _open(settings: Any) -> "Judge":
    from steelyard.judges.opening import REMOTE, open_judge

    remote = settings.remote_settings() if settings.judge in REMOTE else None
    return open_judge(settings.judge, remote=remote, threads=settings.judge_threads)


def _rows(path: Path) -> dict[int, Mapping[str, Any]]:
    """The rows of a file by line number."""
    from steelyard.replay.lines import json_of, raw_lines

    rows: dict[int, Mapping[str, Any]] = {}
    for number, line in raw_lines(path):
        try:
            rows[number] = json_of(line)
        except InvalidInput as problem:
            raise InvalidInput(f"{path}:{number}: {problem.message}", field=problem.field) from None
    return rows


def _placed(problem: InvalidInput, name: str, lines: list[int]) -> InvalidInput:
    """The error of a row as one of a line: its pointer begins with the row's place."""
    place, _, rest = (problem.field or "/0").lstrip("/").partition("/")
    line = lines[int(place)] if place.isdecimal() and int(place) < len(lines) else 1
    return InvalidInput(
        f"{name}:{line}: {problem.message}", field=f"/{rest}" if rest else None, hint=problem.hint
    )


def _show(name: str, measured: "Measured") -> None:
    from rich.table import Table

    from . import console

    rate = measured.items_per_second
    speed = "" if rate is None else f" · {rate:g} items/s"
    console.stdout().print(f"{name} · {measured.kind} · {measured.n} rows{speed}")
    table = Table()
    table.add_column("")
    for title in ("value", "95% interval", *measured.baselines):
        table.add_column(title, justify="right")
    for metric, estimate in measured.metrics.items():
        others = [_number(values.get(metric)) for values in measured.baselines.values()]
        interval = (
            "-"
            if estimate.low is None or estimate.high is None
            else f"{estimate.low:.3f} to {estimate.high:.3f}"
        )
        table.add_row(metric, _number(estimate.value), interval, *others)
    console.stdout().print(table)
    if measured.unscored:
        console.stdout().print(f"{measured.unscored} of {measured.n} rows got no answer")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _show_card(found: Mapping[str, Any]) -> None:
    from rich.pretty import Pretty

    from . import console

    out = console.stdout()
    for name, value in found.items():
        if isinstance(value, str | int | float):
            out.print(f"[bold]{name}[/bold]: {value}", markup=True)
        else:
            out.print(f"[bold]{name}[/bold]")
            out.print(Pretty(value, max_length=60))
