import time
import uuid

from steelyard.client.ids import new_event_id


def test_ids_are_uuid7_of_now_and_differ() -> None:
    before = time.time_ns() // 1_000_000
    ids = [new_event_id() for _ in range(2_000)]
    after = time.time_ns() // 1_000_000
    assert len(set(ids)) == len(ids)
    for text in ids:
        parsed = uuid.UUID(text)
        assert str(parsed) == text
        assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
        assert before <= parsed.int >> 80 <= after
