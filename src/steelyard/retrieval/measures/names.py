"""Measures from their names and back: `parse_measure(str(measure)) == measure`."""

import re

from steelyard.errors import InvalidInput

from .ap import AP
from .measure import Measure
from .ndcg import NDCG
from .precision import P
from .recall import R
from .rr import RR
from .success import Success

_BY_SYMBOL: dict[str, type[Measure]] = {kind.symbol: kind for kind in (NDCG, RR, Success, AP, P, R)}
_NAME = re.compile(r"([A-Za-z]+)(?:@([0-9]{1,6}))?", re.ASCII)

DEFAULT: tuple[Measure, ...] = (NDCG(10), RR(), Success(1), Success(10), AP())
"""The measures shown when none are asked for."""


def parse_measure(name: str) -> Measure:
    """The measure of a name such as `nDCG@10`; raises `InvalidInput` for a name that is none."""
    match = _NAME.fullmatch(name)
    kind = _BY_SYMBOL.get(match[1]) if match else None
    if match is None or kind is None:
        raise InvalidInput(
            f"{name!r} is not a measure",
            field="measure",
            hint=f"Known are {', '.join(_BY_SYMBOL)}, with a cut-off as in nDCG@10.",
        )
    return kind(int(match[2]) if match[2] else None)
