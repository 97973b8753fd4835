"""Where judge and label differ."""

from collections.abc import Callable
from datetime import datetime

import pytest

from steelyard.retrieval.disagreements import compare, disagreements
from steelyard.retrieval.evaluation import evaluate
from steelyard.schemas.event import Event
from steelyard.schemas.query import DisagreementKind
from steelyard.schemas.verdict import Unscored, UnscoredReason

Make = Callable[..., Event]

FALSE, MISSED, AGREED = (
    DisagreementKind.FALSE_CITATION,
    DisagreementKind.MISSED_GOLD,
    DisagreementKind.AGREEMENT,
)


def passages(*pairs: tuple[str, str | None]) -> list[dict[str, str]]:
    return [{"text": text, **({} if id_ is None else {"id": id_})} for text, id_ in pairs]


CASES = [
    (
        "all four",
        passages(("paris", "a"), ("paris", "b"), ("oslo", "c"), ("oslo", "d")),
        ["a", "c"],
        [(0, "a", AGREED), (1, "b", FALSE), (2, "c", MISSED), (3, "d", AGREED)],
    ),
    ("nothing is relevant", passages(("paris", "a"), ("oslo", "b")), [], [(0, "a", FALSE), (1, "b", AGREED)]),
    ("gold elsewhere is no disagreement", passages(("oslo", "a")), ["z"], [(0, "a", AGREED)]),
    ("without id, a citation is false", passages(("paris", None)), ["a"], [(0, None, FALSE)]),
    (
        "a document twice is one, at its cited passage",
        passages(("oslo", "a"), ("paris", "a")),
        [],
        [(1, "a", FALSE)],
    ),
    ("unlabelled", passages(("paris", "a")), None, []),
]


@pytest.mark.parametrize(("name", "context", "gold", "expected"), CASES)
def test_every_document(event: Make, keyword_judge, now: datetime, name, context, gold, expected) -> None:
    logged = event("paris", context)
    (evaluation,) = evaluate([logged], keyword_judge(), {}, now=now)
    found = compare(logged, evaluation, gold=gold)
    assert [(one.position, one.passage_id, one.kind) for one in found] == expected
    assert [one.reason for one in found if one.cited] == ["It says paris." for one in found if one.cited]
    left = [one for one in found if one.kind is not AGREED]
    assert list(disagreements(logged, evaluation, gold=gold)) == left


def test_an_unscored_event_disagrees_with_nobody(event: Make, keyword_judge, now: datetime) -> None:
    down = Unscored(reason=UnscoredReason.REFUSED, detail="Refused.")
    logged = event("paris", passages(("paris", "a")))
    (evaluation,) = evaluate([logged], keyword_judge(answers={"paris": down}), {}, now=now)
    assert compare(logged, evaluation, gold=[]) == ()
