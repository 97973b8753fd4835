"""Exit codes, as documented in docs/cli.md."""

from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INCOMPLETE: Final = 3
INTERRUPTED: Final = 130

ENOUGH_COVERAGE: Final = 0.95
"""Under this share of judged events that have a verdict, a report's command exits with `INCOMPLETE`."""
