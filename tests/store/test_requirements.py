"""Requirement lists: the first one stays, an edit makes a version, and two versions are never mixed."""

import pytest

from steelyard.errors import InvalidInput, NotFound
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import Status
from steelyard.schemas.judging import Requirement
from steelyard.schemas.query import EventFilter
from steelyard.schemas.result import RequirementList
from steelyard.store import Store, events, leases, requirements, summaries

from .conftest import JUDGE, NOW, Judged, MakeEvent


def made(task: str, *texts: str) -> RequirementList:
    return RequirementList(
        task_key=task_key(task),
        judge_id=JUDGE.identity.id,
        version=1,
        requirements=tuple(Requirement(text=text) for text in texts),
        estimated=False,
        origin="judge",
        created_at=NOW,
    )


def test_the_first_list_stays(store: Store, project: str) -> None:
    first, second = made("A task", "one", "two"), made("a  TASK", "three")
    assert store.write(lambda c: requirements.put(c, project, [first], now=NOW)) == {first.task_key: first}
    assert store.write(lambda c: requirements.put(c, project, [second], now=NOW)) == {first.task_key: first}
    with store.read() as c:
        assert requirements.current(c, project, first.task_key, judge_id="other") is None


def test_editing(store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged) -> None:
    same, hop, other = (
        make_event(1),
        make_event(2, subquery="What is the answer to question 1?"),
        make_event(3),
    )
    unsampled = make_event(4, task=same.task, sample_rate=0.0)
    evaluated([same, hop, other], cited=[("a",)] * 3)
    store.write(lambda c: events.insert(c, project, [unsampled], now=NOW))
    first = made(same.task, "one")
    store.write(lambda c: requirements.put(c, project, [first], now=NOW))

    edited = store.write(
        lambda c: requirements.edit(
            c,
            project,
            first.task_key,
            judge_id=judge_id,
            requirements=[Requirement(text="better")],
            author="ann",
            now=NOW,
        )
    )
    assert (edited.version, edited.origin, edited.author) == (2, "edited", "ann")
    with store.read() as c:
        assert requirements.history(c, project, first.task_key, judge_id=judge_id) == (edited, first)
        standing = events.statuses(c, project, [f"event-{n}" for n in (1, 2, 3, 4)])
        assert [standing[f"event-{n}"] for n in (1, 2, 3, 4)] == [
            Status.QUEUED,
            Status.QUEUED,
            Status.EVALUATED,
            Status.NOT_SAMPLED,
        ]
        assert (
            summaries.summary(c, project, EventFilter(), judge_id=judge_id, now=NOW).label_free.recall.n == 1
        )
        (listed,) = requirements.page(c, project).items
        assert (listed.task, listed.k, listed.version, listed.events) == (same.task, 1, 2, 2)


def test_editing_takes_the_lease_from_whoever_judges_by_the_old_list(
    store: Store, project: str, make_event: MakeEvent, judge_id: str
) -> None:
    event = make_event(1)
    store.write(lambda c: events.insert(c, project, [event], now=NOW))
    store.write(lambda c: requirements.put(c, project, [made(event.task, "one")], now=NOW))
    held = store.write(lambda c: leases.claim(c, owner="me", lease_s=60))
    store.write(
        lambda c: requirements.edit(
            c,
            project,
            task_key(event.task),
            judge_id=judge_id,
            requirements=[Requirement(text="x")],
            author="ann",
            now=NOW,
        )
    )
    assert store.write(lambda c: leases.extend(c, held, lease_s=60)) == (False,)


@pytest.mark.parametrize("texts", [[], [" "], ["ok", ""], ["One", "two", "one "], ["x"] * 101])
def test_a_list_that_says_nothing_or_one_thing_twice_is_refused(
    store: Store, project: str, texts: list[str]
) -> None:
    first = made("A task", "one")
    store.write(lambda c: requirements.put(c, project, [first], now=NOW))

    def edit(key: str) -> None:
        store.write(
            lambda c: requirements.edit(
                c,
                project,
                key,
                judge_id=first.judge_id,
                requirements=[Requirement(text=text) for text in texts],
                author="ann",
                now=NOW,
            )
        )

    with pytest.raises(InvalidInput, match="requirement"):
        edit(first.task_key)
    with pytest.raises(NotFound):
        edit("0" * 32)


def test_pages(store: Store, project: str, make_event: MakeEvent) -> None:
    batch = [make_event(n) for n in range(5)]
    store.write(lambda c: events.insert(c, project, batch, now=NOW))
    store.write(lambda c: requirements.put(c, project, [made(one.task, "x") for one in batch], now=NOW))
    seen, cursor = [], None
    with store.read() as c:
        for _ in range(3):
            page = requirements.page(c, project, cursor=cursor, limit=2)
            seen += [one.task for one in page.items]
            cursor = page.next_cursor
    assert cursor is None
    assert sorted(seen) == sorted(one.task for one in batch)
