"""The documents of an event: unique ids in rank order, and how positions, citations and gold meet on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.schemas.event import Event, Passage

Key = str | int
"""A document: its id, or the 0-based position of a passage without id, which is a document of its own."""


@dataclass(frozen=True, kw_only=True)
class Documents:
    """`keys[position]` is the document at a position of `context`; `ranked` holds every document once, in
    rank order, at the place of its first occurrence. `has_order` says whether any passage carries a rank or a
    score (without one the rank order is the input order, and rank metrics are undefined)."""

    keys: tuple[Key, ...]
    ranked: tuple[Key, ...]
    has_order: bool

    @classmethod
    def of(cls, event: Event) -> "Documents":
        return cls.of_passages(event.context)

    @classmethod
    def of_passages(cls, passages: Sequence[Passage]) -> "Documents":
        keys: tuple[Key, ...] = tuple(
            position if passage.id is None else passage.id for position, passage in enumerate(passages)
        )
        order = sorted(range(len(passages)), key=lambda position: _place(passages[position]))
        return cls(
            keys=keys,
            ranked=tuple(dict.fromkeys(keys[position] for position in order)),
            has_order=any(passage.rank is not None or passage.score is not None for passage in passages),
        )

    def __len__(self) -> int:
        return len(self.ranked)

    def at(self, positions: Iterable[int]) -> frozenset[Key]:
        """The documents at these positions: a document is cited when any of its passages is."""
        return frozenset(self.keys[position] for position in positions)

    def positions(self, key: Key) -> tuple[int, ...]:
        """Where a document stands in `context`, ascending."""
        return tuple(position for position, other in enumerate(self.keys) if other == key)

    def gold(self, gold: Iterable[str]) -> frozenset[Key]:
        """The gold documents that are in the context, matched exactly by id."""
        return frozenset(gold).intersection(self.ranked)

    def hits(self, wanted: frozenset[Key]) -> list[bool]:
        """For each document in rank order, whether it is wanted."""
        return [key in wanted for key in self.ranked]


def _place(passage: Passage) -> tuple[int, float]:
    """Rank first, then score (higher first), then neither; `sorted` keeps the input order of ties."""
    if passage.rank is not None:
        return 0, passage.rank
    if passage.score is not None:
        return 1, -passage.score
    return 2, 0.0
