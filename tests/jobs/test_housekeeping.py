"""Retention deletes what is too old or too much, and nothing when nobody asked for it."""

from datetime import timedelta

import pytest

from steelyard.jobs.housekeeping import Housekeeping

from .bench import NOW, Bench, event


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        ({}, {"old", "new"}),
        ({"retention_days": 1.0}, {"new"}),
        ({"retention_events": 1}, {"new"}),
        ({"retention_days": 30.0, "retention_events": 5}, {"old", "new"}),
    ],
)
def test_retention(bench: Bench, policy: dict[str, float], left: set[str]) -> None:
    bench.add(event("old").model_copy(update={"created_at": NOW - timedelta(days=3)}), event("new"))
    house = Housekeeping(bench.store, bench.settings.model_copy(update=policy))
    assert house.retire(now=NOW) == 2 - len(left)
    assert set(bench.statuses("old", "new")) == left


def test_a_run_brings_rollups_up_to_date(bench: Bench) -> None:
    bench.add(event("a"))
    Housekeeping(bench.store, bench.settings).run()
    assert set(bench.statuses("a")) == {"a"}
