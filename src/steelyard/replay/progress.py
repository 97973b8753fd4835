"""How a replay tells what it is doing, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from steelyard.schemas.summary import Summary

from .rows import BadRow

Progress = Callable[[Literal["store", "evaluate"], int, int], None]
"""Called with the phase, how many are done, and of how many."""


def silent(_phase: str, _done: int, _total: int) -> None:
    """A progress that says nothing."""


@dataclass(frozen=True)
class Outcome:
    """`stored` are new, `known` were there from an earlier replay, `rejected` were refused by the store."""

    summary: Summary
    stored: int
    known: int
    rejected: tuple[BadRow, ...] = field(default=())
