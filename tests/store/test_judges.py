"""Who judged in a project."""

from datetime import timedelta

import pytest

from steelyard.errors import NotFound
from steelyard.judges.lexical import LexicalJudge
from steelyard.store import Store, evaluations, events, judges, projects

from .conftest import NOW, Judged, MakeEvent, verdict


def test_identities_are_of_the_project_latest_used_first(
    store: Store, project: str, make_event: MakeEvent, judge_id: str, evaluated: Judged
) -> None:
    mine = LexicalJudge().identity
    other = mine.model_copy(update={"name": "other"})
    unused = mine.model_copy(update={"name": "unused"})
    for identity in (other, unused):
        store.write(lambda c, one=identity: judges.register(c, one, now=NOW))
    evaluated([make_event(1)], cited=[["a"]])
    later = verdict(make_event(1), cited=["b"]).model_copy(
        update={"judge_id": other.id, "evaluated_at": NOW + timedelta(hours=1)}
    )
    store.write(lambda c: evaluations.add(c, project, later, now=NOW))
    elsewhere = store.write(lambda c: projects.ensure(c, "elsewhere", now=NOW)).id
    with store.read() as c:
        assert [one.id for one in judges.identities(c, project)] == [other.id, judge_id]
        assert judges.identities(c, elsewhere) == ()
        assert judges.recent(c, project, mine) == next(
            r for r in judges.used(c, project) if r.judge_id == mine.id
        )
        assert judges.recent(c, project, other, latest=1).evaluations == 1
        with pytest.raises(NotFound):
            judges.recent(c, elsewhere, mine)
        assert {row.judge_id for row in judges.used(c, project)} == {other.id, judge_id}


def test_environments(store: Store, project: str, make_event: MakeEvent) -> None:
    batch = [
        make_event(n, metadata={"env": env} if env else {})
        for n, env in enumerate(["b", "a", None, "b", "ä"])
    ]
    store.write(lambda c: events.insert(c, project, batch, now=NOW))
    with store.read() as c:
        assert sorted(events.environments(c, project)) == ["a", "b", "ä"]
        assert len(events.environments(c, project, limit=2)) == 2
