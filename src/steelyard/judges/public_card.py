"""The published card of a judge that is shipped, read from its distribution; others have none."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ValidationError

from steelyard.errors import JudgeError
from steelyard.schemas.cards import PublicCard, PublicSet, RecallError
from steelyard.schemas.judging import JudgeIdentity


def public_card(identity: JudgeIdentity) -> PublicCard | None:
    """The card that was measured with exactly this judge's model; None for every other judge, and without the
    distribution. Raises `JudgeError` for a card that cannot be read."""
    if identity.kind != "embedded":
        return None
    card = shipped_card()
    return card if card is not None and card.digest == identity.model_digest else None


@cache
def shipped_card() -> PublicCard | None:
    """The card beside the installed weights; None when there are none."""
    try:
        import steelyard_judge

        found = steelyard_judge.card()
    except (ImportError, FileNotFoundError):
        return None
    try:
        return read_card(found)
    except (KeyError, TypeError, AttributeError, ValueError, ValidationError) as problem:
        raise JudgeError(
            f"the judge's card cannot be read: {problem!r}"[:300],
            hint="Install it again: pip install --force-reinstall steelyard-judge.",
        ) from None


def read_card(found: Mapping[str, Any]) -> PublicCard:
    """The part of `card.json` that is about retrieval."""
    support = found["support"]
    return PublicCard(
        model=found["model"],
        digest=found["digest"],
        method=found["method"],
        languages=found["languages"],
        sets=tuple(
            PublicSet(
                name=name,
                macro_f1=one["macro_f1"],
                exact_match=one["exact_match"],
                left_out=one["left_out"]["macro_f1"],
                baselines={baseline: value["macro_f1"] for baseline, value in one["baselines"].items()},
            )
            for name, one in support["sets"].items()
        ),
        mean_macro_f1=support["mean_macro_f1"],
        mean_macro_f1_left_out=support["mean_macro_f1_left_out"],
        ece=support["ece"],
        recall_errors=tuple(
            RecallError(name=name, n=one["n"], mean_absolute_error=one["mean_absolute_error"])
            for name, one in found["requirements"]["recall"].items()
        ),
    )
