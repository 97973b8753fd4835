"""Cuts texts into pieces that fit a call and packs them into calls, the same way in whatever order they come.
Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
OVERLAP = 200


@dataclass(frozen=True)
class Piece:
    """A stretch of a text: `text` starts at code point `start`; `positions` are where the whole text
    stands."""

    text: str
    start: int
    positions: tuple[int, ...]


def windows(text: str, *, chars: int) -> list[tuple[int, str]]:
    """(start, stretch) covering `text`: one when it is at most `chars` long, else overlapping stretches of
    `chars`, cut at white space where there is some in the last fifth."""
    found = []
    start = 0
    while len(text) - start > chars:
        end = start + chars
        cut = max(text.rfind(space, start + chars * 4 // 5, end) for space in " \n\t")
        end = cut + 1 if cut > 0 else end
        found.append((start, text[start:end]))
        start = end - min(OVERLAP, chars // 5)
    found.append((start, text[start:]))
    return found


def pieces(texts: Sequence[str], *, chars: int) -> list[Piece]:
    """The non-blank texts in the order of their digests, equal ones once, long ones in windows."""
    positions: dict[str, list[int]] = {}
    for position, text in enumerate(texts):
        if text.strip():
            positions.setdefault(text, []).append(position)
    ordered = sorted(
        positions, key=lambda text: hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    )
    return [
        Piece(stretch, start, tuple(positions[text]))
        for text in ordered
        for start, stretch in windows(text, chars=chars)
    ]


def packs(items: Sequence[Piece], *, chars: int, most: int) -> list[list[Piece]]:
    """Consecutive groups of at most `most` pieces and `chars` code points together (one piece may be
    longer)."""
    groups: list[list[Piece]] = []
    size = 0
    for item in items:
        if not groups or len(groups[-1]) >= most or size + len(item.text) > chars:
            groups.append([])
            size = 0
        groups[-1].append(item)
        size += len(item.text)
    return groups


def parts(items: Sequence[T], *, most: int) -> list[tuple[int, Sequence[T]]]:
    """(start, items) in consecutive parts of at most `most`."""
    return [(start, items[start : start + most]) for start in range(0, len(items), most)]
