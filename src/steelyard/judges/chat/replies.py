"""Reads the replies of chat models: exactly the shape asked for, known ids only, or `UnreadableReply`. Pure.

What is said about a bad reply is in words of ours and never repeats it: the words go back to the model and to
pages.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..inert import inert

MAX_TEXT = 2_000
_FENCE = re.compile(r"^```[\w-]*\s*\n(.*?)\n?```$", re.DOTALL)
_THINKING = re.compile(r"^\s*<(think|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)


class UnreadableReply(Exception):
    """A reply not in the shape asked for. `problem` fits into a sentence."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True)
class SupportReply:
    """One requirement's row: which passages (0-based, as asked) support it, each with its quotation."""

    reason: str
    passages: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ClaimReply:
    supported: bool | None
    reason: str
    quote: str


@dataclass(frozen=True)
class GradeReply:
    correct: bool | None
    reason: str


def parse(text: str) -> dict[str, Any]:
    """The one JSON object that `text` is; a code fence around it and a model's thinking before it are taken
    off."""
    bare = _THINKING.sub("", text, count=1).strip()
    fence = _FENCE.match(bare)
    try:
        value = json.loads(
            fence.group(1) if fence else bare, object_pairs_hook=_distinct, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        raise UnreadableReply("it is not valid JSON" if bare else "it is empty") from None
    return _mapping(value, "the reply")


def read_requirements(text: str, *, most: int) -> tuple[str, ...]:
    """1 to `most` requirements; blank ones and repetitions (whatever the case and white space) dropped."""
    reply = parse(text)
    _keys(reply, ["requirements"], "the reply")
    found: dict[str, str] = {}
    for item in _list(reply["requirements"], "requirements"):
        line = " ".join(_text(item, "a requirement").split())
        if line:
            found.setdefault(line.casefold(), line)
    if not found:
        raise UnreadableReply("it lists no requirement")
    if len(found) > most:
        raise UnreadableReply(f"it lists more than {most} requirements")
    return tuple(found.values())


def read_support(
    text: str, *, requirements: Sequence[str], passages: Sequence[str]
) -> tuple[SupportReply, ...]:
    reply = parse(text)
    _keys(reply, requirements, "the reply")
    position = {name: index for index, name in enumerate(passages)}
    rows = []
    for name in requirements:
        row = _mapping(reply[name], name)
        _keys(row, ["reason", "passages"], name)
        cited: dict[int, str] = {}
        for item in _list(row["passages"], f"passages of {name}"):
            entry = _mapping(item, f"a passage of {name}")
            _keys(entry, ["passage", "quote"], f"a passage of {name}")
            passage = _text(entry["passage"], f"passage of {name}")
            if passage not in position:
                raise UnreadableReply(f"{name} names a passage that was not given")
            cited.setdefault(position[passage], _text(entry["quote"], f"quote of {name}"))
        rows.append(SupportReply(_sentence(row["reason"], name), tuple(sorted(cited.items()))))
    return tuple(rows)


def read_claims(text: str, *, claims: Sequence[str]) -> tuple[ClaimReply, ...]:
    reply = parse(text)
    _keys(reply, claims, "the reply")
    rows = []
    for name in claims:
        row = _mapping(reply[name], name)
        _keys(row, ["reason", "supported", "quote"], name)
        supported = _choice(
            row["supported"], {"yes": True, "no": False, "unsure": None}, f"supported of {name}"
        )
        rows.append(
            ClaimReply(supported, _sentence(row["reason"], name), _text(row["quote"], f"quote of {name}"))
        )
    return tuple(rows)


def read_grade(text: str) -> GradeReply:
    reply = parse(text)
    _keys(reply, ["reason", "verdict"], "the reply")
    verdict = _choice(reply["verdict"], {"correct": True, "incorrect": False, "unsure": None}, "verdict")
    return GradeReply(verdict, _sentence(reply["reason"], "the reply"))


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableReply(f"{where} is not a JSON object")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableReply(f"{where} is not a list")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise UnreadableReply(f"{where} is not a string")
    if len(value) > MAX_TEXT:
        raise UnreadableReply(f"{where} is longer than {MAX_TEXT} characters")
    return inert(value)


def _sentence(value: object, where: str) -> str:
    return " ".join(_text(value, f"reason of {where}").split())


def _choice(value: object, meaning: dict[str, bool | None], where: str) -> bool | None:
    if not isinstance(value, str) or value not in meaning:
        raise UnreadableReply(f"{where} is not one of {', '.join(meaning)}")
    return meaning[value]


def _keys(value: dict[str, Any], wanted: Sequence[str], where: str) -> None:
    missing = [name for name in wanted if name not in value]
    if missing:
        raise UnreadableReply(f"{where} lacks {', '.join(missing)}")
    if len(value) != len(wanted):
        raise UnreadableReply(f"{where} has keys that were not asked for")
