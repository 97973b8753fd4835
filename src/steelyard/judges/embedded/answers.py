"""Features of an answer against the expected ones: what of an expected answer it says, and what speaks
against it."""

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.judges.words import Text, overlap

from .encoder import Encoded, Floats, cosines
from .reading import Reading

PAIR: Final = (
    "contained",
    "contains",
    "recall",
    "precision",
    "f1",
    "novel_recall",
    "late_recall",
    "late_recall_low",
    "late_precision",
    "cosine",
    "numbers_missing",
    "numbers_other",
    "names_missing",
    "letters",
)
WHOLE: Final = (
    "golds",
    "gold_words",
    "answer_words",
    "question_words",
    "refuses",
    "negation_differs",
    "yes_no_clash",
    "answer_to_question",
    "asks_number",
)
NAMES: Final = (*(f"{name}:best" for name in PAIR), *(f"{name}:chosen" for name in PAIR), *WHOLE)
MOST_GOLDS: Final = 40
_REFUSAL: Final = re.compile(
    r"\b(?:i (?:do not|don't|dont) know|unknown|cannot (?:answer|determine|find)|not enough information|"
    r"not (?:sure|certain|available|provided|specified|mentioned)|no (?:answer|information)|unable to|"
    r"i'm sorry|i am sorry|no idea|no comment|no lo sé|não sei|je ne sais pas|weiß (?:es )?nicht)\b",
    re.IGNORECASE,
)
_YES: Final = frozenset({"yes", "yeah", "true", "correct", "sí", "si", "sim", "oui", "ja"})
_NO: Final = frozenset({"no", "nope", "false", "incorrect", "não", "non", "nein", "never"})
_COUNTS: Final = re.compile(
    r"\b(?:how (?:many|much|old|long|far)|when|what year|cuánt[oa]s?|cuándo|wie viele|wann)\b", re.I
)


def features(question: Reading, golds: Sequence[Reading], answer: Reading) -> Floats:
    """One row, (len(NAMES),): each pair feature at its best over the golds, and for the gold that fits
    best."""
    pairs = np.asarray([_pair(question, gold, answer) for gold in golds[:MOST_GOLDS]])
    chosen = int(np.argmax(pairs[:, PAIR.index("late_recall")] + pairs[:, PAIR.index("recall")]))
    best = pairs.max(axis=0)
    for name in ("numbers_missing", "numbers_other", "names_missing"):
        best[PAIR.index(name)] = pairs[:, PAIR.index(name)].min()
    return np.concatenate([best, pairs[chosen], _whole(question, golds, golds[chosen], answer)])


def plain(text: Text) -> str:
    """Words without articles and punctuation, as one string with spaces around."""
    return f" {' '.join(word.stem for word in text.words if word.form.casefold() not in ('a', 'an', 'the'))} "


def _pair(question: Reading, gold: Reading, answer: Reading) -> Sequence[float]:
    wanted, said = gold.text.content, answer.text.content
    recall, precision = overlap(wanted, answer.stems), overlap(said, gold.stems)
    novel = [stem for stem in wanted if stem not in question.stems]
    there, back = _matches(gold.encoded, answer.encoded), _matches(answer.encoded, gold.encoded)
    left, right = gold.encoded.windows, answer.encoded.windows
    numbers, given = gold.text.numbers, answer.text.numbers
    names = tuple(gold.text.names)
    written, heard = plain(gold.text), plain(answer.text)
    return (
        float(written.strip() != "" and written in heard),
        float(heard.strip() != "" and heard in written),
        recall,
        precision,
        2 * recall * precision / (recall + precision) if recall + precision else 0.0,
        overlap(novel, answer.stems) if novel else recall,
        float(there.mean()) if len(there) else 0.0,
        float(there.min()) if len(there) else 0.0,
        float(back.mean()) if len(back) else 0.0,
        float(cosines(left, right).max()) if len(left) and len(right) else 0.0,
        1 - overlap(tuple(numbers), given) if numbers else 0.0,
        float(bool(given - numbers - question.text.numbers)) if numbers else 0.0,
        1 - overlap(names, answer.stems) if names else 0.0,
        _letters(written, heard),
    )


def _whole(question: Reading, golds: Sequence[Reading], gold: Reading, answer: Reading) -> Sequence[float]:
    first = answer.text.words[0].form.casefold() if answer.text.words else ""
    expected = gold.text.words[0].form.casefold() if gold.text.words else ""
    clash = (first in _YES and expected in _NO) or (first in _NO and expected in _YES)
    return (
        math.log1p(len(golds)),
        math.log1p(len(gold.text.words)),
        math.log1p(len(answer.text.words)),
        math.log1p(len(question.text.words)),
        float(bool(_REFUSAL.search(answer.text.text[:2_000]))),
        float((answer.text.negations > 0) != (gold.text.negations > 0)),
        float(clash),
        overlap(question.text.content, answer.stems),
        float(bool(_COUNTS.search(question.text.text[:2_000]))),
    )


def _matches(wanted: Encoded, given: Encoded) -> Floats:
    if not len(wanted.tokens) or not len(given.tokens):
        return np.zeros(0)
    best: Floats = cosines(wanted.tokens, given.tokens).max(axis=1)
    return best


def _letters(written: str, heard: str) -> float:
    """The share of the expected answer's letter trigrams that the answer has: spelling variants."""
    wanted = {written[i : i + 3] for i in range(len(written) - 2)}
    return len(wanted & {heard[i : i + 3] for i in range(len(heard) - 2)}) / len(wanted) if wanted else 0.0
