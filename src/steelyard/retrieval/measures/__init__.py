"""Rank measures by the names of `ir_measures`: the name is the identity, parsed back from the same text."""

from .measure import Measure
from .names import DEFAULT, parse_measure

__all__ = ["DEFAULT", "Measure", "parse_measure"]
