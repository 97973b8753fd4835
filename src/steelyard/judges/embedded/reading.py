"""One text as the heads read it: its words, its vectors, its sentences, its title."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Final

import numpy as np

from steelyard.judges.words import Text

from .encoder import Encoded, Encoder, Vectors, stretches

LONGEST_TITLE: Final = 100
"""A first line of at most this many characters, with more lines below it, counts as a title."""
MOST_SENTENCES: Final = 200
KEPT_CHARACTERS: Final = 200_000
"""Characters of the texts whose readings are kept, about 30 MiB with all that is derived from them."""


@dataclass(frozen=True)
class Reading:
    """Words and vectors of one text."""

    text: Text
    encoded: Encoded

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(self.text.stems)

    @cached_property
    def content(self) -> frozenset[str]:
        return frozenset(self.text.content)

    @cached_property
    def bigrams(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.text.content, self.text.content[1:], strict=False))

    @cached_property
    def title(self) -> frozenset[str]:
        """Content stems of the title, empty without one."""
        head, newline, rest = self.text.text.partition("\n")
        if not newline or not rest.strip() or len(head) > LONGEST_TITLE:
            return frozenset()
        return frozenset(Text(head).content)

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return self.text.sentences[:MOST_SENTENCES]

    @cached_property
    def sentence_vectors(self) -> Vectors:
        return stretches(self.encoded, self.spans)

    @cached_property
    def sentence_stems(self) -> tuple[frozenset[str], ...]:
        """The stems of each of `spans`."""
        starts = np.asarray([word.start for word in self.text.words] or [0])
        edges = np.searchsorted(starts, np.asarray(self.spans or [(0, 0)]))
        stems = self.text.stems
        return tuple(frozenset(stems[a:b]) for a, b in edges) if self.spans else ()

    @cached_property
    def content_tokens(self) -> tuple[Vectors, tuple[str, ...]]:
        """The vectors of the tokens inside content words, and for each the stem of its word; all tokens when
        there is no content word."""
        words = [word for word in self.text.words if not word.stop] or self.text.words
        if not words or not len(self.encoded.tokens):
            return self.encoded.tokens, ("",) * len(self.encoded.tokens)
        starts = np.asarray([word.start for word in words])
        ends = np.asarray([word.end for word in words])
        at = np.searchsorted(starts, self.encoded.offsets[:, 0], side="right") - 1
        inside = (at >= 0) & (self.encoded.offsets[:, 0] < ends[np.maximum(at, 0)])
        if not inside.any():
            return self.encoded.tokens, ("",) * len(self.encoded.tokens)
        return self.encoded.tokens[inside], tuple(words[i].stem for i in at[inside])


class Readings:
    """Texts read once: the last ones are kept, up to a number of characters. Thread-safe."""

    def __init__(self, encoder: Encoder, *, characters: int = KEPT_CHARACTERS) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._room = characters
        self._lock = Lock()

    def read(self, texts: Iterable[str]) -> dict[str, Reading]:
        """Each distinct text's reading."""
        found: dict[str, Reading] = {}
        with self._lock:
            wanted = list(dict.fromkeys(texts))
            for text in wanted:
                if (kept := self._kept.get(text)) is not None:
                    self._kept.move_to_end(text)
                    found[text] = kept
        encoded = self._encoder.encode(text for text in wanted if text not in found)
        for text, vectors in encoded.items():
            found[text] = Reading(text=Text(text), encoded=vectors)
        with self._lock:
            for text in encoded:
                if text not in self._kept:
                    self._kept[text] = found[text]
                    self._room -= len(text)
            while self._room < 0 and self._kept:
                dropped, _ = self._kept.popitem(last=False)
                self._room += len(dropped)
        return found
