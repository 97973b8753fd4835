"""The command line: `steelyard COMMAND`. Answers go to stdout, progress and notices to stderr."""

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its code (docs/cli.md lists them)."""
    from .app import run

    raise SystemExit(run(arguments))
