"""The shipped judge's card is shown for that judge and for no other."""

import pytest

from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.public_card import public_card, read_card, shipped_card

steelyard_judge = pytest.importorskip("steelyard_judge", reason="the weights are not installed")


def test_the_card_is_of_the_shipped_weights() -> None:
    from steelyard.judges.embedded.files import Files

    card = shipped_card()
    assert card is not None
    assert card.digest == Files.shipped().digest
    assert card.sets
    for one in card.sets:
        assert one.macro_f1.value is not None
        assert 0 <= one.macro_f1.value <= 1
        assert one.baselines.keys() == {"bm25", "cosine"}


def test_only_the_measured_judge_has_it() -> None:
    from steelyard.judges.embedded.files import Files
    from steelyard.schemas.judging import JudgeIdentity

    shipped = JudgeIdentity(name="embedded", kind="embedded", model="m", model_digest=Files.shipped().digest)
    assert public_card(shipped) == shipped_card()
    assert public_card(shipped.model_copy(update={"model_digest": "0" * 64})) is None
    assert public_card(LexicalJudge().identity) is None


def test_a_card_without_its_parts_is_refused() -> None:
    with pytest.raises(KeyError, match="support"):
        read_card({"model": "m"})
