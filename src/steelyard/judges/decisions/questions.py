"""The yes/no questions to a decision model and the state they are about. User text stands in the state only.
Pure."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..inert import inert

VERSION = 1


@dataclass(frozen=True)
class Asked:
    """One call: a state, and instructions by question id, in order."""

    state: Mapping[str, Any]
    questions: Mapping[str, str]


def ask_support(task: str, requirements: Sequence[str], passages: Sequence[str]) -> Asked:
    """Every requirement against every passage: ids `R1P1`, `R1P2`, …"""
    wanted, known = _labelled("R", requirements), _labelled("P", passages)
    return Asked(
        {"task": inert(task), "requirements": wanted, "passages": known},
        {
            requirement + passage: _wording("support", requirement=requirement, passage=passage)
            for requirement in wanted
            for passage in known
        },
    )


def ask_needed(task: str, passages: Sequence[str]) -> Asked:
    """Every passage on its own, for a task whose requirements are not phrased: ids `P1`, `P2`, …"""
    known = _labelled("P", passages)
    return Asked(
        {"task": inert(task), "passages": known},
        {passage: _wording("needed", passage=passage) for passage in known},
    )


def ask_grounded(claims: Sequence[str], source: str) -> Asked:
    """Every claim: ids `C1`, `C2`, …"""
    stated = _labelled("C", claims)
    return Asked(
        {"source": inert(source), "claims": stated},
        {claim: _wording("grounded", claim=claim) for claim in stated},
    )


def ask_correct(question: str, expected: Sequence[str], answer: str) -> Asked:
    """One question, `correct`."""
    return Asked(
        {"question": inert(question), "expected": _labelled("E", expected), "answer": inert(answer)},
        {"correct": _wording("correct")},
    )


@cache
def prompts_digest() -> str:
    """SHA-256 hex over the wording of the questions."""
    return hashlib.sha256(_source().encode()).hexdigest()


def _labelled(letter: str, texts: Sequence[str]) -> dict[str, str]:
    return {f"{letter}{number}": inert(text) for number, text in enumerate(texts, start=1)}


def _wording(kind: str, **ids: str) -> str:
    return str(_wordings()[kind]).format(**ids)


@cache
def _wordings() -> dict[str, Any]:
    return tomllib.loads(_source())


def _source() -> str:
    return (files(__package__) / "prompts" / f"questions.v{VERSION}.toml").read_text("utf-8")
