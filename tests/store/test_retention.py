"""What is deleted is gone from every table, and nothing else is."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from steelyard.errors import NotFound
from steelyard.schemas.query import Deleted, EventFilter
from steelyard.store import Store, audit, events, keys, projects, requirements, retention, rollups, tables

from .conftest import NOW, Judged, MakeEvent
from .test_requirements import made


def left(store: Store, project: str) -> list[str]:
    with store.read() as c:
        return sorted(row.event_id for row in events.page(c, project, EventFilter(), limit=100).items)


def test_an_event_with_everything_that_hangs_on_it(
    store: Store, project: str, make_event: MakeEvent, evaluated: Judged
) -> None:
    batch = [make_event(1, gold=("a",), subquery="A hop"), make_event(2)]
    evaluated(batch, cited=[("b",), ("a",)])
    lists = [made(text, "x") for text in (batch[0].task, "A hop", batch[1].task)]
    store.write(lambda c: requirements.put(c, project, lists, now=NOW))
    gone = store.write(lambda c: retention.delete_event(c, project, "event-1", now=NOW))
    assert gone == Deleted(events=1, evaluations=1, labels=1)
    assert left(store, project) == ["event-2"]
    with store.read() as c:
        for table in (tables.event_bodies, tables.evaluations, tables.requirement_lists):
            assert c.execute(select(func.count()).select_from(table)).scalar() == 1, table.name
        for table in (tables.labels, tables.comparisons, tables.reviews):
            assert c.execute(select(func.count()).select_from(table)).scalar() == 0, table.name
    with pytest.raises(NotFound):
        store.write(lambda c: retention.delete_event(c, project, "event-1", now=NOW))


def test_by_trace_and_user(store: Store, project: str, make_event: MakeEvent) -> None:
    batch = [
        make_event(1, trace_id="a" * 32),
        make_event(2, trace_id="a" * 32, metadata={"user": "u"}),
        make_event(3, metadata={"user": "u"}),
        make_event(4, metadata={"user_id": 7}),
        make_event(5),
    ]
    store.write(lambda c: events.insert(c, project, batch, now=NOW))
    assert store.write(lambda c: retention.delete_trace(c, project, "A" * 32, now=NOW)).events == 2
    assert store.write(lambda c: retention.delete_user(c, project, "u", now=NOW)).events == 1
    assert store.write(lambda c: retention.delete_user(c, project, "7", now=NOW)).events == 1
    assert store.write(lambda c: retention.delete_user(c, project, "u", now=NOW)).events == 0
    assert left(store, project) == ["event-5"]
    with pytest.raises(NotFound):
        store.write(lambda c: retention.delete_trace(c, project, "a" * 32, now=NOW))


def test_by_age_and_count_a_part_at_a_time(store: Store, project: str, make_event: MakeEvent) -> None:
    store.write(lambda c: events.insert(c, project, [make_event(n) for n in range(1, 8)], now=NOW))

    def step() -> int:
        return store.write(
            lambda c: retention.apply(c, project, before=NOW + timedelta(seconds=3), keep=3, now=NOW, limit=2)
        ).events

    assert [step(), step(), step()] == [2, 2, 0]
    assert left(store, project) == ["event-5", "event-6", "event-7"]


def test_a_project_and_nothing_but_it(
    store: Store, project: str, make_event: MakeEvent, evaluated: Judged
) -> None:
    other = store.write(lambda c: projects.create(c, "other", now=NOW)).id
    evaluated([make_event(1, gold=("a",))], cited=[("b",)])
    for one in (project, other):
        store.write(
            lambda c, one=one: keys.add(
                c, one, name="k", prefix="sy_", digest=one.rjust(64, "0"), scopes=["read"], now=NOW
            )
        )
        store.write(lambda c, one=one: audit.add(c, one, actor="me", action="key.add", subject="k", now=NOW))
    store.write(lambda c: events.insert(c, other, [make_event(1)], now=NOW))
    rollups.refresh(store, now=NOW, budget_s=60)
    assert store.write(lambda c: retention.delete_project(c, project)).events == 1
    with store.read() as c:
        assert [one.name for one in projects.all_projects(c)] == ["other"]
        for table in (tables.api_keys, tables.audit, tables.rollups, tables.events, tables.dirty_hours):
            owners = set(c.execute(select(table.c.project_id)).scalars())
            assert owners <= {other}, table.name
    assert left(store, other) == ["event-1"]
    with pytest.raises(NotFound):
        store.write(lambda c: retention.delete_project(c, project))
