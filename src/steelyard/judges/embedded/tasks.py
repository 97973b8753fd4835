"""Features of a task alone, from which the number of facts it needs is estimated; never of passages."""

import math
from typing import Final

import numpy as np

from steelyard.judges.splitting import question_of, split
from steelyard.judges.words import Text

from .encoder import Floats

NAMES: Final = (
    "words",
    "content_words",
    "names",
    "name_runs",
    "numbers",
    "commas",
    "questions",
    "question_words",
    "relatives",
    "of_chain",
    "possessives",
    "conjunctions",
    "comparison",
    "parts",
    "conversation",
    "turns",
    "opens_yes_no",
    "opens_what",
    "opens_who",
    "opens_how",
    "code",
)
_QUESTION_WORDS: Final = frozenset(
    {"who", "what", "which", "when", "where", "why", "how", "whose", "whom", "qué", "quién", "cuál", "cuándo"}
    | {
        "dónde",
        "cómo",
        "quem",
        "qual",
        "quando",
        "onde",
        "qui",
        "quel",
        "quelle",
        "quand",
        "wer",
        "was",
        "wann",
    }
)
_RELATIVE: Final = frozenset(
    {"that", "who", "which", "whose", "where", "when", "que", "quien", "cuyo", "dont", "whom", "featuring"}
    | {"starring", "named", "called", "known", "based", "located", "born"}
)
_OF: Final = frozenset({"of", "by", "de", "del", "du", "von", "di", "do", "da", "for", "in"})
_AND: Final = frozenset({"and", "or", "y", "o", "e", "et", "ou", "und", "oder"})
_COMPARE: Final = frozenset(
    {"both", "same", "more", "older", "younger", "earlier", "later", "larger", "between"}
)
_YES_NO: Final = frozenset(
    {"is", "are", "was", "were", "do", "does", "did", "can", "has", "have", "es", "son"}
)


def features(task: str) -> Floats:
    """One row, (len(NAMES),)."""
    question = question_of(task)
    text = Text(question)
    forms = [word.form.casefold() for word in text.words]
    first = forms[0] if forms else ""
    runs = sum(
        here.form[0].isupper() and not there.form[0].isupper()
        for here, there in zip(text.words[1:], text.words[2:], strict=False)
    )
    return np.asarray(
        [
            math.log1p(len(forms)),
            math.log1p(len(text.content)),
            len(text.names),
            runs,
            len(text.numbers),
            question.count(","),
            question.count("?"),
            sum(form in _QUESTION_WORDS for form in forms),
            sum(form in _RELATIVE for form in forms[1:]),
            sum(form in _OF for form in forms),
            sum("'s" in form or "’s" in form for form in forms),
            sum(form in _AND for form in forms),
            sum(form in _COMPARE for form in forms),
            len(split(task)),
            float(question != task.strip()),
            math.log1p(task.count("\n")),
            float(first in _YES_NO),
            float(first in ("what", "which", "qué", "cuál")),
            float(first in ("who", "quién", "whose")),
            float(first in ("how", "cómo", "cuántos", "cuántas", "cuánto")),
            sum(form in ("python", "function", "code", "string", "list") for form in forms),
        ],
        dtype=np.float64,
    )
