"""Features of a claim against its source: what of it the source says, and what it says that the source does
not.

A claim of several sentences is read whole and sentence by sentence; its worst sentence counts beside the
mean.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.judges.words import Text, overlap

from .encoder import Floats, cosines, stretches
from .reading import Reading

SENTENCE: Final = (
    "late",
    "late_low",
    "unmatched",
    "best_sentence_cosine",
    "best_sentence_late",
    "coverage",
    "best_sentence_coverage",
    "bigrams",
    "unseen_names",
    "unseen_numbers",
    "negation_differs",
)
WHOLE: Final = (
    "cosine",
    "claim_words",
    "source_words",
    "sentences",
    "first_person",
    "second_person",
    "asks",
    "copied",
    "novel_words",
)
NAMES: Final = (
    *WHOLE,
    *SENTENCE,
    *(f"{name}:worst" for name in SENTENCE),
    *(f"{name}:mean" for name in SENTENCE),
)
_HIGHER_IS_WORSE: Final = frozenset({"unmatched", "unseen_names", "unseen_numbers", "negation_differs"})
_FIRST: Final = frozenset(
    {"i", "my", "me", "i'm", "i've", "mine", "myself", "yo", "mi", "ich", "je", "eu", "io"}
)
_SECOND: Final = frozenset({"you", "your", "you're", "yours", "usted", "tú", "vous", "sie", "você"})


def features(claim: Reading, source: Reading) -> Floats:
    """One row, (len(NAMES),)."""
    tokens, spans = claim.encoded.tokens, claim.spans or ((0, len(claim.text.text)),)
    near = cosines(tokens, source.encoded.tokens) if len(tokens) and len(source.encoded.tokens) else None
    vectors = stretches(claim.encoded, spans)
    beside = (
        cosines(vectors, source.sentence_vectors)
        if len(source.sentence_vectors)
        else np.zeros((len(spans), 1))
    )
    whole = _sentence(claim, source, near, beside.max(axis=0, initial=-1.0), (0, len(claim.text.text)))
    each = np.stack([_sentence(claim, source, near, beside[i], span) for i, span in enumerate(spans)])
    worst = [
        each[:, i].max() if name in _HIGHER_IS_WORSE else each[:, i].min() for i, name in enumerate(SENTENCE)
    ]
    return np.concatenate([_whole(claim, source), whole, worst, each.mean(axis=0)])


def nearest(claim: Reading, source: Reading) -> tuple[int, int]:
    """The source's sentence (start, end) nearest to the claim."""
    if not source.spans or not len(claim.encoded.tokens) or not len(source.sentence_vectors):
        return 0, len(source.text.text)
    whole = stretches(claim.encoded, [(0, len(claim.text.text))])
    scores = cosines(whole, source.sentence_vectors)[0]
    shares = np.asarray([overlap(claim.text.content, stems) for stems in source.sentence_stems])
    return source.spans[int(np.argmax(scores + shares))]


def unseen(claim: Text, source: Text) -> tuple[str, ...]:
    """Numbers, then names of the claim that the source does not hold."""
    return (*sorted(claim.numbers - source.numbers), *sorted(claim.names - frozenset(source.stems)))


def _sentence(
    claim: Reading, source: Reading, near: Floats | None, beside: Floats, span: tuple[int, int]
) -> Sequence[float]:
    start, end = span
    part = Text(claim.text.text[start:end])
    best = int(np.argmax(beside))
    held = source.sentence_stems[best] if best < len(source.sentence_stems) else source.stems
    inside = (claim.encoded.offsets[:, 0] >= start) & (claim.encoded.offsets[:, 0] < end)
    if near is None or not inside.any():
        late, low, unmatched, beside_late = 0.0, 0.0, 1.0, 0.0
    else:
        most = near[inside].max(axis=1)
        late, low, unmatched = float(most.mean()), float(np.quantile(most, 0.1)), float((most < 0.6).mean())
        beside_late = _late_in(near[inside], source, best)
    names = part.names - {stem for stem in part.stems if len(stem) < 2}
    bigrams = set(zip(part.content, part.content[1:], strict=False))
    return (
        late,
        low,
        unmatched,
        float(beside[best]),
        beside_late,
        overlap(part.content, source.stems),
        overlap(part.content, held),
        len(bigrams & source.bigrams) / len(bigrams) if bigrams else 1.0,
        1 - overlap(tuple(names), source.stems) if names else 0.0,
        1 - overlap(tuple(part.numbers), source.text.numbers) if part.numbers else 0.0,
        float((part.negations > 0) != (_negated(source, best))),
    )


def _late_in(near: Floats, source: Reading, best: int) -> float:
    if best >= len(source.spans):
        return 0.0
    start, end = source.spans[best]
    inside = (source.encoded.offsets[:, 0] >= start) & (source.encoded.offsets[:, 0] < end)
    return float(near[:, inside].max(axis=1).mean()) if inside.any() else 0.0


def _negated(source: Reading, best: int) -> bool:
    if best >= len(source.spans):
        return False
    start, end = source.spans[best]
    return Text(source.text.text[start:end]).negations > 0


def _whole(claim: Reading, source: Reading) -> Sequence[float]:
    forms = {word.form.casefold() for word in claim.text.words}
    left, right = claim.encoded.windows, source.encoded.windows
    novel = [stem for stem in claim.text.content if stem not in source.stems]
    return (
        float(cosines(left, right).max()) if len(left) and len(right) else 0.0,
        math.log1p(len(claim.text.words)),
        math.log1p(len(source.text.words)),
        float(len(claim.spans)),
        float(bool(forms & _FIRST)),
        float(bool(forms & _SECOND)),
        float("?" in claim.text.text),
        float(claim.text.text.strip().casefold().rstrip(".") in source.text.text.casefold()),
        math.log1p(len(novel)),
    )
