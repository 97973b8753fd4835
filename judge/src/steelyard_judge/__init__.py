"""Weights, tokenizer, heads and accuracy card of Steelyard's embedded judge: data, and two functions to reach
it."""

import json
from pathlib import Path
from typing import Any

__all__ = ["card", "path"]

_FOLDER = Path(__file__).parent


def path(name: str) -> Path:
    """Where the file `name` of this distribution lies (`.`: the folder). Raises FileNotFoundError without
    it."""
    found = _FOLDER / name
    if not found.exists():
        raise FileNotFoundError(f"steelyard-judge has no file {name!r}")
    return found


def card() -> dict[str, Any]:
    """How accurate this judge is, on which data, under which licences, and how fast; made by `make judge`."""
    content: dict[str, Any] = json.loads(path("card.json").read_text(encoding="utf-8"))
    return content
