"""Labelled retrievals out of files: readers for four formats, a check of every row, and two ways to run them.

Knows no terminal and no pages; the command is in `steelyard.cli`.
"""

from .formats import Format, Source, open_source
from .local import run_local
from .plan import Plan, check
from .progress import Outcome, Progress, silent
from .remote import run_remote
from .rows import BadRow, Row

__all__ = [
    "BadRow",
    "Format",
    "Outcome",
    "Plan",
    "Progress",
    "Row",
    "Source",
    "check",
    "open_source",
    "run_local",
    "run_remote",
    "silent",
]
