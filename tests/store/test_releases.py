"""When releases were first seen."""

from datetime import timedelta

import pytest

from steelyard.schemas.query import EventFilter
from steelyard.store import Store, events, releases

from .conftest import NOW, MakeEvent

DAY = timedelta(days=1)
RANGE = EventFilter(start=NOW, end=NOW + 10 * DAY)


@pytest.mark.parametrize(
    ("seen", "marks"),
    [
        ({}, []),
        ({0: "a"}, []),
        ({0: "a", 4: "b", 5: "a", 6: "b"}, [("b", 4)]),
        ({0: "a", 2: "b", 7: 3}, [("b", 2), ("3", 7)]),
        ({0: "a", 1: None, 2: True, 3: {"x": 1}, 4: "b"}, [("b", 4)]),
        ({3: "a", 11: "b"}, []),
    ],
)
def test_first_seen(
    store: Store,
    project: str,
    make_event: MakeEvent,
    seen: dict[int, object],
    marks: list[tuple[str, int]],
) -> None:
    logged = [
        make_event(day, metadata={"release": value}, created_at=NOW + day * DAY)
        for day, value in seen.items()
    ]
    store.write(lambda c: events.insert(c, project, logged, now=NOW))
    with store.read() as c:
        found = releases.first_seen(c, project, RANGE)
    assert [(release.name, release.at) for release in found] == [(n, NOW + day * DAY) for n, day in marks]


def test_only_the_filtered_events_count(store: Store, project: str, make_event: MakeEvent) -> None:
    logged = [
        make_event(n, metadata={"release": str(n), "env": "ab"[n % 2]}, created_at=NOW + n * DAY)
        for n in range(6)
    ]
    store.write(lambda c: events.insert(c, project, logged, now=NOW))
    with store.read() as c:
        found = releases.first_seen(c, project, RANGE.model_copy(update={"env": "b"}))
        latest = releases.first_seen(c, project, RANGE, limit=2)
        open_range = releases.first_seen(c, project, EventFilter())
    assert [release.name for release in found] == ["3", "5"]
    assert [release.name for release in latest] == ["4", "5"]
    assert open_range == ()
