"""BM25 and rarity of words among the passages of one list: no corpus, no order, nothing kept."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

K1: Final = 1.2
B: Final = 0.75


class Rarity:
    """How rare a stem is among the passages of a list: ln(1 + (n − df + ½) / (df + ½)) of Robertson and
    Zaragoza (2009, eq. 3.3, with 1 added so that it is positive)."""

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        self._n = len(passages)
        self._df = Counter(stem for passage in passages for stem in set(passage))

    def __call__(self, stem: str) -> float:
        df = self._df[stem]
        return math.log(1 + (self._n - df + 0.5) / (df + 0.5))

    def share(self, wanted: Sequence[str], given: frozenset[str] | set[str]) -> float:
        """The share of the distinct `wanted`, weighted by rarity, that is in `given`; 0 when nothing is
        wanted."""
        distinct = set(wanted)
        total = math.fsum(self(stem) for stem in distinct)
        return math.fsum(self(stem) for stem in distinct if stem in given) / total if total else 0.0


def bm25(
    query: Sequence[str], passages: Sequence[Sequence[str]], *, rarity: Rarity | None = None
) -> list[float]:
    """Okapi BM25 of each passage for the query's distinct stems, ≥ 0; the passages are the whole collection.

    Equal passages get equal scores in any order of the list.
    """
    rare = rarity or Rarity(passages)
    mean = sum(map(len, passages)) / len(passages) if passages else 0.0
    distinct = set(query)
    scores = []
    for passage in passages:
        counts = Counter(passage)
        norm = K1 * (1 - B + B * len(passage) / mean) if mean else K1
        hits = (
            counts[stem] * (K1 + 1) / (counts[stem] + norm) * rare(stem) for stem in distinct if counts[stem]
        )
        scores.append(math.fsum(hits))
    return scores
