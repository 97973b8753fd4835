"""Samples are drawn at random from all traffic, labelled in order, and then correct the judge's means."""

import random
from collections import Counter
from datetime import timedelta

import pytest

from steelyard.errors import Conflict, InvalidInput, NotFound
from steelyard.retrieval.sample import ENOUGH
from steelyard.schemas.query import EventFilter
from steelyard.schemas.samples import Sample
from steelyard.schemas.summary import Corrected
from steelyard.store import Store, events, figures, labels, projects, retention, rollups, samples, summaries

from .conftest import NOW, Judged, MakeEvent

LATER = NOW + timedelta(hours=1)
EVERYTHING = EventFilter()
TRAFFIC = 120


@pytest.fixture
def traffic(store: Store, project: str, make_event: MakeEvent, evaluated: Judged) -> None:
    """The judge cites `a` and `b` in every event. Hand-picked labels, all of another data set, agree with it;
    the truth about the rest is `a` alone, in every event but each fourth, where it is `a` and `b`."""
    batch = [make_event(n, metadata={"env": "prod" if n % 2 else "test"}) for n in range(TRAFFIC)]
    picked = [
        make_event(TRAFFIC + n, gold=("a", "b"), metadata={"dataset": "picked", "env": "prod"})
        for n in range(30)
    ]
    evaluated([*batch, *picked], cited=[("a", "b")] * (TRAFFIC + 30), met=2)


def draw(store: Store, project: str, *, size: int = 40, filter: EventFilter = EVERYTHING) -> Sample:
    return store.write(lambda c: samples.draw(c, project, filter, size=size, author="me", now=LATER, seed=7))


def drawn_ids(store: Store, project: str, sample: Sample) -> list[str]:
    with store.read() as c:
        return [one.event_id for one in samples.queue(c, project, sample.id, limit=1_000).next]


def truth(event_id: str) -> tuple[str, ...]:
    return ("a", "b") if int(event_id.removeprefix("event-")) % 4 == 0 else ("a",)


def label(store: Store, project: str, event_id: str) -> None:
    store.write(
        lambda c: labels.add(c, project, event_id, gold_doc_ids=truth(event_id), author="me", now=LATER)
    )


def corrected(store: Store, project: str, judge_id: str, filter: EventFilter = EVERYTHING) -> Corrected:
    with store.read() as c:
        return summaries.summary(c, project, filter, judge_id=judge_id, now=LATER).corrected


@pytest.mark.usefixtures("traffic")
def test_labels_of_a_drawn_sample_correct_the_means_of_all_traffic(
    store: Store, project: str, judge_id: str
) -> None:
    assert "label a random sample" in (corrected(store, project, judge_id).withheld or "")
    sample = draw(store, project, size=60)
    assert (sample.population, sample.size, sample.events) == (TRAFFIC + 30, 60, 60)
    for event_id in drawn_ids(store, project, sample):
        label(store, project, event_id)
    found = corrected(store, project, judge_id)
    assert (found.withheld, found.basis, found.sample_id) == (None, "drawn", sample.id)
    assert (found.labelled, found.unlabelled) == (60, TRAFFIC + 30 - 60)
    assert found.precision is not None
    assert found.precision.low is not None
    assert found.precision.high is not None
    # 30 picked and 30 others of the 150 have two gold documents of three, the rest has one.
    assert found.precision.low < (60 * 2 / 3 + 90 * 1 / 3) / 150 < found.precision.high
    assert found.precision.high < 2 / 3  # what the judge, and the hand-picked labels, say of all events


@pytest.mark.usefixtures("traffic")
def test_sums_and_events_give_the_same_correction(store: Store, project: str, judge_id: str) -> None:
    sample = draw(store, project, size=60)
    for event_id in drawn_ids(store, project, sample):
        label(store, project, event_id)
    from_events = corrected(store, project, judge_id)
    # Copies of one event make the others too many to be looked at one by one.
    with store.read() as c:
        copies = events.get(c, project, "event-1").event
    crowd = [
        copies.model_copy(update={"event_id": f"copy-{n}", "created_at": LATER + timedelta(hours=2)})
        for n in range(figures.EXACT + 1)
    ]
    store.write(lambda c: events.insert(c, project, crowd, now=LATER))
    assert rollups.refresh(store, now=LATER, budget_s=60) == 0
    wide = corrected(store, project, judge_id)
    assert (wide.basis, wide.labelled, wide.unlabelled) == ("drawn", 60, from_events.unlabelled)
    assert wide.precision is not None
    assert from_events.precision is not None
    assert wide.precision.value == pytest.approx(from_events.precision.value, abs=0.02)


@pytest.mark.usefixtures("traffic")
def test_a_sample_that_is_labelled_by_taste_says_nothing(store: Store, project: str, judge_id: str) -> None:
    sample = draw(store, project)
    order = drawn_ids(store, project, sample)
    unlabelled_places = [n for n, event_id in enumerate(order) if n % 3]
    for place in unlabelled_places:
        label(store, project, order[place])
    reason = corrected(store, project, judge_id).withheld
    assert reason is not None
    assert "label them in that order" in reason
    with store.read() as c:
        queue = samples.queue(c, project, sample.id)
    assert [one.event_id for one in queue.next] == order[::3]
    for event_id in order[: ENOUGH + 2 : 3]:
        label(store, project, event_id)
    assert corrected(store, project, judge_id).basis == "drawn"


@pytest.mark.usefixtures("traffic")
def test_a_sample_speaks_for_what_it_was_drawn_from(store: Store, project: str, judge_id: str) -> None:
    sample = draw(store, project, size=45, filter=EventFilter(env="prod", end=LATER))
    for event_id in drawn_ids(store, project, sample):
        label(store, project, event_id)
    assert corrected(store, project, judge_id, EventFilter(env="prod")).basis == "drawn"
    narrower = EventFilter(env="prod", start=NOW + timedelta(seconds=3))
    assert corrected(store, project, judge_id, narrower).basis == "drawn"
    for other in (EVERYTHING, EventFilter(env="test"), EventFilter(start=LATER)):
        assert corrected(store, project, judge_id, other).basis != "drawn", other
    later = EventFilter(env="prod", end=LATER + timedelta(days=2))
    assert corrected(store, project, judge_id, later).until == LATER


@pytest.mark.usefixtures("traffic")
def test_a_caller_may_vouch_for_the_labels(store: Store, project: str, judge_id: str) -> None:
    with store.read() as c:
        found = summaries.summary(
            c, project, EVERYTHING, judge_id=judge_id, now=LATER, labelled_are_sample=True
        ).corrected
    assert (found.basis, found.labelled, found.unlabelled) == ("declared", 30, TRAFFIC)
    assert found.withheld is None
    assert found.precision is not None


@pytest.mark.usefixtures("traffic")
def test_every_event_has_the_same_chance(store: Store, project: str) -> None:
    seeds = random.Random(1)
    seen: Counter[str] = Counter()
    for _ in range(40):
        sample = store.write(
            lambda c: samples.draw(
                c, project, EVERYTHING, size=75, author="me", now=LATER, seed=seeds.randrange(2**32)
            )
        )
        with store.read() as c:
            seen.update(one.event_id for one in samples.queue(c, project, sample.id, limit=75).next)
    counts = [seen[f"event-{n}"] for n in range(TRAFFIC)]
    # Binomial(40, 1/2): mean 20, standard deviation 3.2; the bounds are five of these away.
    assert min(counts) >= 4
    assert max(counts) <= 36
    assert 19 <= sum(counts) / TRAFFIC <= 21


@pytest.mark.usefixtures("traffic")
def test_the_same_seed_draws_the_same(store: Store, project: str) -> None:
    one, other = draw(store, project), draw(store, project)
    assert one.id != other.id
    assert drawn_ids(store, project, one) == drawn_ids(store, project, other)
    with store.read() as c:
        assert samples.newest(c, project) == (other, one)
    unseeded = store.write(lambda c: samples.draw(c, project, EVERYTHING, size=3, author="me", now=LATER))
    assert 0 <= unseeded.seed < 2**32


@pytest.mark.usefixtures("traffic")
def test_what_cannot_be_drawn(store: Store, project: str) -> None:
    for size, filter, message in (
        (0, EVERYTHING, "1 to 1000 events, not 0"),
        (1_001, EVERYTHING, "not 1001"),
        (5, EventFilter(labelled=True), "cannot be drawn by labelled"),
    ):
        with pytest.raises(InvalidInput, match=message):
            draw(store, project, size=size, filter=filter)
    with pytest.raises(Conflict, match="no evaluated event matches"):
        draw(store, project, filter=EventFilter(env="nowhere"))
    elsewhere = store.write(lambda c: projects.ensure(c, "elsewhere", now=NOW)).id
    sample = draw(store, project)
    with store.read() as c:
        for foreign, known in ((elsewhere, sample.id), (project, "nothing")):
            with pytest.raises(NotFound, match="no sample"):
                samples.queue(c, foreign, known)


@pytest.mark.usefixtures("traffic")
def test_a_deleted_event_leaves_its_sample(store: Store, project: str) -> None:
    sample = draw(store, project)
    first = drawn_ids(store, project, sample)[0]
    store.write(lambda c: retention.delete_event(c, project, first, now=LATER))
    with store.read() as c:
        left = samples.get(c, project, sample.id)
    assert (left.size, left.events) == (40, 39)
    assert first not in drawn_ids(store, project, sample)
