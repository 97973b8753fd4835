"""Laws of storing and paging, against a model: what a dictionary and a sorted list would do."""

import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import InvalidInput
from steelyard.schemas.event import Event
from steelyard.schemas.query import EventFilter, decode_cursor, encode_cursor
from steelyard.store import Store, events, open_store, projects

from .conftest import NOW


@pytest.fixture(scope="module")
def shared_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        opened = open_store(f"sqlite:///{Path(folder) / 'laws.sqlite'}")
        yield opened
        opened.close()


def make(event_id: int, body: int, second: int) -> Event:
    return Event(
        event_id=f"e{event_id}", task=f"task {body}", context=(), created_at=NOW + timedelta(seconds=second)
    )


batches = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 2)), max_size=6), max_size=5
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(batches, st.integers(1, 4))
def test_storing_is_what_a_dictionary_does(
    shared_store: Store, batches: list[list[tuple[int, int, int]]], limit: int
) -> None:
    with shared_store.read() as c:
        name = f"p{len(projects.all_projects(c))}"
    project = shared_store.write(lambda c: projects.create(c, name, now=NOW)).id
    model: dict[str, Event] = {}
    later = NOW + timedelta(days=1)
    for batch in batches:
        given_events = [make(*one) for one in batch]
        expected = []
        for event in given_events:
            there = model.setdefault(event.event_id, event)
            expected.append("accepted" if there is event else "duplicate" if there == event else "rejected")
        receipts = shared_store.write(lambda c, some=given_events: events.insert(c, project, some, now=later))
        assert [receipt.outcome for receipt in receipts] == expected
    with shared_store.read() as c:
        stored = {one.event.event_id: one.event for one in events.export(c, project, EventFilter(), chunk=2)}
        assert stored == model
        seen, cursor = [], None
        while True:
            page = events.page(c, project, EventFilter(), cursor=cursor, limit=limit)
            seen += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
    times = [row.created_at for row in seen]
    assert times == sorted(times, reverse=True)
    assert sorted(row.event_id for row in seen) == sorted(model)


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.text()), min_size=1, max_size=4))
def test_a_cursor_reads_back(key: list[int | str]) -> None:
    assert decode_cursor(encode_cursor(*key), *map(type, key)) == tuple(key)


@given(st.text())
def test_no_text_but_a_cursor_is_a_cursor(text: str) -> None:
    try:
        created, seq = decode_cursor(text, int, int)
    except InvalidInput:
        return
    assert isinstance(created, int)
    assert isinstance(seq, int)
