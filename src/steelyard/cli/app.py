"""The commands by name, each imported when it is run, and what becomes of their errors."""

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter

from steelyard import __version__
from steelyard.errors import SteelyardError

from .exits import FAILED, INTERRUPTED, USAGE

_HERE = "steelyard.cli"
_EPILOGUE = (
    "Exit codes: 0 done, 1 failed (one line says why), 2 wrong usage, 3 done but incomplete, "
    "130 interrupted. "
    "Settings also come from STEELYARD_* variables and from steelyard.toml in the data folder."
)


def build() -> App:
    app = App(
        name="steelyard",
        help="Evaluates retrieval, and evaluates the evaluator.",
        help_epilogue=_EPILOGUE,
        version=__version__,
        default_parameter=Parameter(validator=_is_text),
    )
    for name, where, says in (
        ("serve", "serving:serve", "Serve the API and the pages, and evaluate what is logged."),
        ("demo", "demo:demo", "Load sample data, evaluate it, print the results and open the pages."),
        ("worker", "serving:worker", "Evaluate what others store (PostgreSQL)."),
        ("replay", "replaying:replay", "Evaluate a file of retrievals, with or without a server."),
        ("export", "exporting:export", "Write events, numbers or labels as JSONL or CSV."),
        ("doctor", "doctor:doctor", "Say what is there and what is wrong."),
    ):
        app.command(f"{_HERE}.{where}", name=name, help=says)
    for group, says, commands in (
        (
            "keys",
            "Make, list and revoke API keys.",
            (
                ("create", "keys:create", "Make a key; its secret is shown this once."),
                ("list", "keys:show", "List the project's keys."),
                ("revoke", "keys:revoke", "Revoke a key for good."),
            ),
        ),
        (
            "db",
            "Look after the database.",
            (("upgrade", "database:upgrade", "Bring the database's schema up to date."),),
        ),
        (
            "judge",
            "Measure judges.",
            (
                ("bench", "judging:bench", "Measure a judge on labelled files."),
                ("card", "judging:card", "Show what is known of a judge's accuracy."),
            ),
        ),
    ):
        sub = App(name=group, help=says)
        for name, where, told in commands:
            sub.command(f"{_HERE}.{where}", name=name, help=told)
        app.command(sub)
    return app


def _is_text(_type: object, value: object) -> None:
    """Bytes of the shell that are not UTF-8 are lone surrogates: file names may hold them, text may not."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("This is not UTF-8.") from None


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command; says errors made on purpose in one line."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = build()(given, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except CycloptsError as problem:
        print(f"steelyard: {problem}\nSee steelyard --help.", file=sys.stderr)
        return USAGE
    except SteelyardError as problem:
        print(f"steelyard: {problem}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("steelyard: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left (`| head`): what is still buffered must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
