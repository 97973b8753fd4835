"""An open store on either database, with a project, and events to put into it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from steelyard.schemas.event import Event, GroundTruth, Passage
from steelyard.store import Store, open_store, projects

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = open_store(database_url)
    yield opened
    opened.close()


@pytest.fixture
def project(store: Store) -> str:
    return store.write(lambda c: projects.ensure(c, "default", now=NOW)).id


MakeEvent = Callable[..., Event]


@pytest.fixture
def make_event() -> MakeEvent:
    """An event with three passages `a`, `b`, `c`; the number tells its id, task and time."""

    def make(number: int = 1, *, gold: tuple[str, ...] | None = None, **given: Any) -> Event:
        fields: dict[str, Any] = {
            "event_id": f"event-{number}",
            "task": f"What is the answer to question {number}?",
            "context": tuple(
                Passage(text=f"Passage {name} of {number}", id=name, rank=rank)
                for rank, name in enumerate("abc", start=1)
            ),
            "ground_truth": None if gold is None else GroundTruth(gold_doc_ids=gold),
            "created_at": NOW + timedelta(seconds=number),
        }
        return Event(**fields | given)

    return make
