"""The sample that the package ships: shaped as events, varied as real traffic."""

from datetime import UTC, datetime

from steelyard.cli.demo import sample_rows
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Limits


def test_the_sample_is_valid_and_varied() -> None:
    events, ages = [], []
    for number, row in sample_rows():
        ages.append(row.pop("age_hours"))
        events.append(
            parse_event(row, limits=Limits(), now=datetime.now(UTC), new_id=lambda number=number: str(number))
        )
    labelled = [event for event in events if event.ground_truth is not None]
    assert 60 <= len(events) <= 120
    assert 50 <= len(labelled) <= 100
    for key in ("dataset", "feature_flag", "env"):
        assert len({event.metadata[key] for event in events}) == 2
    assert 0 < min(ages) < 2
    assert 24 * 5 < max(ages) < 24 * 7
    assert sum(event.sample_rate == 0 for event in events) == 8
    missed = [
        event
        for event in labelled
        if set(event.ground_truth.gold_doc_ids or ()) - {passage.id for passage in event.context}  # type: ignore[union-attr]
    ]
    assert len(missed) >= 5
    assert any(not event.ground_truth.gold_doc_ids for event in labelled)  # type: ignore[union-attr]
    assert any(not event.context for event in events)
