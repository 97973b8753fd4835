"""The same file replayed in this process and against a server: the same events, the same numbers."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from steelyard import Client
from steelyard.config import Settings
from steelyard.replay import Plan, check, open_source, run_local, run_remote
from steelyard.schemas.event import Limits
from steelyard.server.app import create_app
from steelyard.server.serving import serving
from steelyard.store import open_store

from .conftest import Write

NOW = datetime(2026, 5, 1, tzinfo=UTC)
KEY = "sy_" + "k" * 43
ROWS = [
    {
        "task": f"What is the colour of thing {number}?",
        "context": [
            {"text": f"The colour of thing {number} is green.", "id": "a"},
            {"text": "Bread is baked in ovens.", "id": "b"},
            {"text": "", "id": "empty"},
        ],
        "ground_truth": {"gold_doc_ids": ["a"] if number % 3 else []},
    }
    for number in range(12)
]


def plan_of(path: Path) -> Plan:
    return check(open_source(path), dataset="things", limits=Limits(), now=NOW)


def settings_in(folder: Path) -> Settings:
    return Settings.load(
        judge="lexical", data=folder, database_url=f"sqlite:///{folder / 'steelyard.sqlite'}"
    )


def test_in_this_process_and_against_a_server_the_numbers_are_the_same(write: Write, tmp_path: Path) -> None:
    plan = plan_of(write("things.jsonl", ROWS))
    settings = settings_in(tmp_path / "local")
    phases: list[tuple[str, int, int]] = []
    store = open_store(settings.url)
    try:
        local = run_local(plan, store, settings, progress=lambda *told: phases.append(told))
        again = run_local(plan, store, settings)
    finally:
        store.close()
    assert (local.stored, local.known, local.rejected) == (12, 0, ())
    assert (again.stored, again.known, again.summary) == (0, 12, local.summary)
    assert phases[0] == ("store", 12, 12)
    assert phases[-1] == ("evaluate", 12, 12)
    assert local.summary.n == 12
    assert local.summary.coverage.share == 1.0
    assert local.summary.ground_truth.recall.n == 8
    with (
        serving(create_app(settings_in(tmp_path / "server"), demo_key=KEY)) as url,
        Client(KEY, url, background=False) as client,
    ):
        remote = run_remote(plan, client)
        assert run_remote(plan, client).known == 12
    assert remote.stored == 12
    assert remote.summary.evaluator == local.summary.evaluator
    assert remote.summary.label_free == local.summary.label_free


@pytest.mark.parametrize(
    "name",
    [
        "cosqa_retrieval",
        "covidqa",
        "hotpotqa_dev500",
        "hotpotqa_train100",
        "mtrag_un",
        "musique_train100",
        "policyqa_legal",
        "pubmedqa",
        "selqa",
        "xquad_en",
        "xquad_es",
    ],
)
def test_every_labelled_set_is_good_in_every_row(shared: Path, name: str) -> None:
    path = shared / "data" / "retrieval" / f"{name}.jsonl"
    plan = plan_of(path)
    assert plan.bad == ()
    assert plan.n == plan.labelled == sum(1 for line in path.read_bytes().splitlines() if line.strip())


@pytest.mark.parametrize("name", ["musique_train100", "hotpotqa_train100"])
def test_a_labelled_set_is_stored_and_evaluated_whole(shared: Path, tmp_path: Path, name: str) -> None:
    plan = plan_of(shared / "data" / "retrieval" / f"{name}.jsonl")
    settings = settings_in(tmp_path)
    store = open_store(settings.url)
    try:
        outcome = run_local(plan, store, settings)
    finally:
        store.close()
    assert (outcome.stored, outcome.rejected) == (plan.n, ())
    assert outcome.summary.coverage.share == 1.0
    assert outcome.summary.ground_truth.recall.value is not None


def test_real_rows_of_another_product(shared: Path) -> None:
    folder = shared / "data" / "files" / "continuous_eval" / "tests" / "data"
    retrieval = plan_of(folder / "retrieval_sm.jsonl")
    assert (retrieval.source.format, retrieval.n, retrieval.labelled, retrieval.bad) == ("ragas", 10, 10, ())
    for name in ("invalid.jsonl", "correctness_sm.jsonl"):
        plan = plan_of(folder / name)
        assert plan.n == 0
        assert [(row.line, row.field) for row in plan.bad] == [
            (line, "/retrieved_contexts") for line in range(1, 11)
        ]


def test_a_replay_runs_on_either_database(write: Write, tmp_path: Path, database_url: str) -> None:
    plan = plan_of(write("things.jsonl", ROWS))
    settings = Settings.load(judge="lexical", data=tmp_path / "data", database_url=database_url)
    store = open_store(settings.url)
    try:
        outcome = run_local(plan, store, settings)
    finally:
        store.close()
    assert (outcome.stored, outcome.summary.coverage.share) == (12, 1.0)


def test_rows_too_large_for_one_body_go_in_several(write: Write, tmp_path: Path) -> None:
    plan = plan_of(write("things.jsonl", ROWS))
    narrow = settings_in(tmp_path).model_copy(update={"limits": Limits(body_bytes=1_500)})
    with (
        serving(create_app(narrow, demo_key=KEY)) as url,
        Client(KEY, url, background=False) as client,
    ):
        assert run_remote(plan, client).stored == len(ROWS)
