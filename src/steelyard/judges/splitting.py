"""A task taken apart into what it asks, by rules: several questions, enumerated parts, conjunctions of
requests.

Made from the task alone. It splits only where both sides stand as requests of their own ("who wrote X and
when was it published"), never a name or a list of things ("salt and pepper"), so it errs towards one
requirement.
"""

import re
from typing import Final

from steelyard.schemas.judging import Requirement

MOST: Final = 8
"""No more requirements than this, however long the task."""

_QUESTION_WORDS: Final = (
    # English
    "who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|has|have|list|name|"
    "explain|describe|compare|define|summari[sz]e|tell|give|find|"
    # Spanish, Portuguese
    "qui[eé]n|qui[eé]nes|qu[eé]|cu[aá]l|cu[aá]les|cu[aá]ndo|d[oó]nde|por qu[eé]|c[oó]mo|cu[aá]nt[oa]s?|"
    "quem|o que|qual|quais|quando|onde|por que|quant[oa]s?|explique|describe|liste|"
    # French, German, Italian
    "qui|que|quel(?:le)?s?|quand|où|pourquoi|comment|combien|est-ce|"
    "wer|wen|wem|was|welche[rsnm]?|wann|wo|warum|wie|wieviele?|nenne|erkläre|chi|cosa|quale|dove|perché|quanti"
)
_AND: Final = "and|and also|as well as|then|y|e|et|und|sowie|et aussi|y también|e também"
_JOINT: Final = re.compile(
    rf"(?:[,;]\s*(?:{_AND})?\s+|\s+(?:{_AND})\s+)[¿¡]?(?=(?:(?:in|on|at|by|from|to|for|with|en|de|em|à|in)\s+)?"
    rf"(?:{_QUESTION_WORDS})\b)",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:^|(?<=[\s:]))(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\S)")
_TURN: Final = re.compile(
    r"(?:^|\n)[ \t]*(?P<who>user|human|agent|assistant|system|bot)\s*:\s*", re.IGNORECASE
)
_OPENS: Final = re.compile(rf"^[¿¡\s\"'“(]*(?:{_QUESTION_WORDS})\b", re.IGNORECASE)
_QUESTION: Final = re.compile(r"[^?？؟¿]+[?？؟]+|[^?？؟¿]+$")


def question_of(task: str) -> str:
    """What is asked now: the last user turn of a written-out conversation, else the task itself."""
    turns = list(_TURN.finditer(task))
    if not turns or turns[0].start() > 0:
        return task.strip()
    ends = [turn.start() for turn in turns[1:]] + [len(task)]
    said = [
        task[turn.end() : end].strip()
        for turn, end in zip(turns, ends, strict=True)
        if turn["who"].casefold() in ("user", "human")
    ]
    asked = [text for text in said if text]
    return asked[-1] if asked else task.strip()


def split(task: str) -> tuple[str, ...]:
    """The parts of a task in reading order, at least one, at most `MOST`; a task that cannot be split is one
    part."""
    question = question_of(task)
    parts = [part for piece in _pieces(question) for part in _conjuncts(piece)]
    kept = list(
        dict.fromkeys(tidy for part in parts if (tidy := part.strip(" \t\n,;")) and _says_something(tidy))
    )
    return tuple(kept[:MOST]) or (question or task.strip() or task,)


def requirements(parts: tuple[str, ...]) -> tuple[Requirement, ...]:
    return tuple(Requirement(text=part) for part in parts)


def slots(k: int) -> tuple[Requirement, ...]:
    """K requirements that nobody has phrased: `fact 1 of 2`, `fact 2 of 2`."""
    return tuple(Requirement(text=f"fact {i} of {k}", slot=True) for i in range(1, k + 1))


def _pieces(question: str) -> list[str]:
    marks = list(_ITEM.finditer(question))
    if len(marks) >= 2:
        ends = [mark.start() for mark in marks[1:]] + [len(question)]
        return [question[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    questions = [match.group() for match in _QUESTION.finditer(question) if match.group().strip()]
    asked = [piece for piece in questions if piece.rstrip().endswith(("?", "？", "؟"))]
    return asked if len(asked) >= 2 else [question]


def _conjuncts(piece: str) -> list[str]:
    if not _OPENS.match(piece):
        return [piece]
    cuts = [match.span() for match in _JOINT.finditer(piece)]
    parts, start = [], 0
    for left, right in cuts:
        if len(piece[start:left].split()) >= 2 and len(piece[right:].split()) >= 2:
            parts.append(piece[start:left])
            start = right
    return [*parts, piece[start:]]


def _says_something(part: str) -> bool:
    return any(character.isalnum() for character in part)
