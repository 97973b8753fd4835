"""Texts as words, numbers, names, negations and sentences, in any script: what the judges without an LLM
read.

Pure and fast; it knows stop words and negations of a few languages and no more grammar than that.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from .vocabulary import NEGATIONS, NUMBER_WORDS, STOP_WORDS

_MARKS: Final = "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c)[0] == "M")
_WORD: Final = re.compile(rf"\d+(?:[.,:/]\d+)*|[^\W\d_](?:[^\W_]|[{_MARKS}])*(?:['’][^\W\d_]+)?")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}"
)
LONGEST_CAMEL: Final = 80
_CAMEL: Final = re.compile(r"[A-Z]?[a-z]{2,}(?=[A-Z])|[A-Z][A-Za-z0-9]+$")
_SENTENCE: Final = re.compile(
    r"[^.!?。！？؟।\n]+(?:\.(?=[^\s.])[^.!?。！？؟।\n]*)*[.!?。！？؟।]*[”\"'’)\]]*",
)


class Word(NamedTuple):
    """`form` as written, `stem` for comparing, `number` the number it stands for, code point offsets."""

    form: str
    stem: str
    number: str | None
    stop: bool
    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """A text taken apart. Sentences are (start, end) code point offsets."""

    text: str

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(_words(self.text))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(word.stem for word in self.words)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Stems without stop words; all stems when nothing else is there."""
        kept = tuple(word.stem for word in self.words if not word.stop)
        return kept or self.stems

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(word.number for word in self.words if word.number is not None)

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of capitalised words that do not open a sentence, and of all words with a capital inside."""
        openings = {_first_letter(self.text, start) for start, _ in self.sentences}
        return frozenset(
            word.stem
            for word in self.words
            if word.form.casefold() not in STOP_WORDS
            and (
                (word.form[0].isupper() and word.start not in openings)
                or any(c.isupper() for c in word.form[1:])
            )
        )

    @cached_property
    def negations(self) -> int:
        return sum(word.form.casefold().replace("’", "'") in NEGATIONS for word in self.words)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        return tuple(_sentences(self.text))

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def number_of(form: str) -> str | None:
    """The number that a word stands for, in one spelling (`1,000` and `1000` are one), or None."""
    if form[0].isdigit():
        plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", form).replace(",", ".")
        return plain.lstrip("0") or "0"
    return NUMBER_WORDS.get(form.casefold())


def stem(form: str) -> str:
    """One spelling for a word's commonest forms: case and accents folded, plain plural and verb endings
    off."""
    folded = form.casefold().replace("’", "'")
    if not folded.isascii():
        folded = (
            "".join(c for c in unicodedata.normalize("NFKD", folded) if not "\u0300" <= c <= "\u036f")
            or folded
        )
    folded = folded.split("'")[0] or folded
    for ending in ("ing", "ed", "es", "s"):
        if folded.endswith(ending) and len(folded) - len(ending) >= 4:
            return folded[: -len(ending)]
    if folded.endswith("s") and len(folded) == 4 and not folded.endswith("ss"):
        return folded[:-1]
    return folded


def overlap(wanted: Sequence[str], given: frozenset[str] | set[str]) -> float:
    """The share of the distinct `wanted` that is in `given`, 0..1; 0 when nothing is wanted."""
    distinct = set(wanted)
    return len(distinct & given) / len(distinct) if distinct else 0.0


@lru_cache(maxsize=32_768)
def _lexeme(form: str) -> tuple[str, str | None, bool]:
    """Stem, number and whether it is a stop word."""
    number = number_of(form)
    return number or stem(form), number, form.casefold() in STOP_WORDS


def _words(text: str) -> list[Word]:
    found = []
    for match in _WORD.finditer(text):
        form, start = match.group(), match.start()
        if _UNSPACED.fullmatch(form):
            pieces = [(form[i : i + 2], start + i) for i in range(len(form) - 1)]
        elif len(form) <= LONGEST_CAMEL and form.isascii() and len(parts := list(_CAMEL.finditer(form))) > 1:
            pieces = [(part.group(), start + part.start()) for part in parts]
        else:
            pieces = [(form, start)]
        found += [Word(piece, *_lexeme(piece), at, at + len(piece)) for piece, at in pieces]
    return found


def _sentences(text: str) -> list[tuple[int, int]]:
    spans = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            spans.append((start, end))
    return spans


def _first_letter(text: str, start: int) -> int:
    while start < len(text) and not text[start].isalnum():
        start += 1
    return start
