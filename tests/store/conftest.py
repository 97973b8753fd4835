"""An open store on either database, with a project, and events to put into it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from steelyard.judges.lexical import LexicalJudge
from steelyard.retrieval.documents import Documents
from steelyard.retrieval.metrics import label_free
from steelyard.schemas.event import Event, GroundTruth, Passage
from steelyard.schemas.judging import Requirement, Usage
from steelyard.schemas.query import Finished
from steelyard.schemas.result import Evaluation, PassageVerdict, RequirementVerdict
from steelyard.schemas.verdict import Outcome, Verdict
from steelyard.store import Store, events, judges, leases, open_store, projects

JUDGE = LexicalJudge()
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


Judged = Callable[..., None]


@pytest.fixture
def judge_id(store: Store) -> str:
    store.write(lambda c: judges.register(c, JUDGE.identity, now=NOW))
    return JUDGE.identity.id


@pytest.fixture
def evaluated(store: Store, project: str, judge_id: str) -> Judged:
    """Stores events and evaluates them, citing the documents named in `cited` (all of one requirement)."""

    def run(batch: Sequence[Event], *, cited: Sequence[Sequence[str]], met: int = 1) -> None:
        store.write(lambda c: events.insert(c, project, batch, now=NOW))
        claims = store.write(lambda c: leases.claim(c, owner="me", lease_s=60, limit=10_000))
        by_id = {event.event_id: names for event, names in zip(batch, cited, strict=True)}
        finished = [
            Finished(claim=one, evaluation=verdict(one.event, cited=by_id[one.event.event_id], met=met))
            for one in claims
        ]
        assert all(store.write(lambda c: leases.finish(c, finished, now=NOW)))

    return run


def verdict(event: Event, *, cited: Sequence[str], met: int = 1, version: int = 1) -> Evaluation:
    """An evaluation with two requirements, `met` of them met, and the named documents cited."""
    places = [place for place, passage in enumerate(event.context) if passage.id in cited]
    return Evaluation(
        event_id=event.event_id,
        judge_id=JUDGE.identity.id,
        requirements_version=version,
        requirements=tuple(
            RequirementVerdict(
                requirement=Requirement(text=f"fact {number}"),
                verdict=Verdict(outcome=Outcome.PASS if number < met else Outcome.FAIL, explanation="so"),
            )
            for number in range(2)
        ),
        passages=tuple(
            PassageVerdict(position=place, cited=place in places, reason=f"because {place}")
            for place in range(len(event.context))
        ),
        label_free=label_free(Documents.of(event), requirements=2, supported=met, cited=places),
        usage=Usage(latency_s=0.01, calls=1),
        evaluated_at=NOW,
    )


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'steelyard.sqlite'}"


@pytest.fixture
def sqlite_store(sqlite_url: str) -> Iterator[Store]:
    opened = open_store(sqlite_url)
    yield opened
    opened.close()


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[Store]:
    opened = open_store(postgres_url)
    yield opened
    opened.close()
