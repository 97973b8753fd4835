"""Every command by its contract: what goes to stdout and stderr, and the exit code."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from steelyard.jobs import queue_schema

from .conftest import Ran

Command = Callable[..., Ran]
COMMANDS = [
    ("serve",),
    ("demo",),
    ("worker",),
    ("replay",),
    ("export",),
    ("keys", "create"),
    ("keys", "list"),
    ("keys", "revoke"),
    ("doctor",),
    ("db", "upgrade"),
    ("judge", "bench"),
    ("judge", "card"),
]
ROW = {
    "task": "What is the capital of France?",
    "context": [
        {"text": "Paris is the capital of France.", "id": "paris"},
        {"text": "Bread is baked.", "id": "bread"},
    ],
    "ground_truth": {"gold_doc_ids": ["paris"]},
}
PARTS = {
    "label_free": ["recall", "precision", "f1", "ndcg"],
    "ground_truth": ["recall", "precision", "f1"],
    "evaluator": ["precision", "recall", "f1", "exact_match"],
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({**ROW, "task": f"{ROW['task']} {n}"}) + "\n" for n in range(5)))
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(steelyard: Command, command: tuple[str, ...]) -> None:
    told = steelyard(*command, "--help")
    assert told.code == 0
    assert told.err == ""
    assert f"Usage: steelyard {' '.join(command)}" in told.out


def test_help_names_every_command_and_comes_fast() -> None:
    def once() -> tuple[float, str]:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "steelyard.cli", "--help"], capture_output=True, text=True, check=True
        )
        return time.perf_counter() - start, done.stdout

    (seconds, text), *more = [once() for _ in range(3)]
    for command in {name for name, *_ in COMMANDS}:
        assert f" {command} " in text
    assert "Exit codes: 0 done" in text
    # The bound is 0.5 s on an idle machine; a busy one gets twice that.
    assert min(seconds, *(taken for taken, _ in more)) < 1.0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replai",), 'Unknown command "replai". Did you mean "replay"?'),
        (("replay",), "requires an argument"),
        (("replay", "x.jsonl", "--no-such"), "Unknown option"),
        (("serve", "--port", "x"), "--port"),
        (("replay", "x.jsonl", "--format", "csv"), "--format"),
    ],
)
def test_wrong_usage_is_2(steelyard: Command, arguments: tuple[str, ...], says: str) -> None:
    told = steelyard(*arguments)
    assert (told.code, told.out) == (2, "")
    assert says in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay", "absent.jsonl"), "there is no file absent.jsonl"),
        (("serve", "--port", "99999"), "(at port)"),
        (("serve", "--no-worker"), "on SQLite nobody else can evaluate"),
        (("serve", "--database-url", "mysql://x/y"), "there is no store for 'mysql' databases"),
        (("worker",), "workers need PostgreSQL"),
        (("export",), "there is no database"),
        (("keys", "list"), "there is no database"),
        (("judge", "bench"), "no file to measure on"),
        (("serve", "--config", "absent.toml"), "absent.toml does not exist"),
        (("demo", "--database-url", "postgresql://x/y"), "the demo keeps its data in SQLite"),
    ],
)
def test_what_cannot_work_is_1_and_one_line(
    steelyard: Command, arguments: tuple[str, ...], says: str
) -> None:
    told = steelyard(*arguments)
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith("steelyard: ")
    assert told.err.count("\n") == 1
    assert says in told.err


def test_replay_prints_the_contracts_json(steelyard: Command, rows: Path) -> None:
    told = steelyard("replay", rows, "--judge", "lexical", "--json")
    assert (told.code, told.err) == (0, "")
    found: dict[str, Any] = json.loads(told.out)
    assert list(found) == ["n", "label_free", "ground_truth", "evaluator", "coverage", "judge"]
    for part, names in PARTS.items():
        assert list(found[part]) == names
        for number in found[part].values():
            assert list(number) == ["value", "low", "high", "n"]
    assert (found["n"], found["coverage"]) == (5, 1.0)
    assert found["judge"].startswith("lexical:")
    assert found["ground_truth"]["recall"]["value"] == 1.0
    assert found["label_free"]["ndcg"] == {"value": None, "low": None, "high": None, "n": 0}


def test_replay_prints_tables_for_people(steelyard: Command, rows: Path) -> None:
    told = steelyard("replay", rows, "--judge", "lexical")
    assert told.code == 0
    for text in ("GT recall", "Evaluator F1", "Exact match", "95% interval", "Coverage 100.0%", "50-100"):
        assert text in told.out


def test_a_bad_line_stops_everything_unless_it_may_be_skipped(
    steelyard: Command, rows: Path, tmp_path: Path
) -> None:
    rows.write_text(rows.read_text() + '{"task": "q"}\n')
    keep = ("--data", tmp_path / "data", "--judge", "lexical")
    told = steelyard("replay", rows, *keep)
    assert (told.code, told.out) == (1, "")
    assert "rows.jsonl:6: context is missing (at /context)" in told.err
    assert "1 of 6 rows are bad and nothing was stored" in told.err
    assert not (tmp_path / "data").exists()
    told = steelyard("replay", rows, *keep, "--skip-bad", "--json")
    assert told.code == 0
    assert json.loads(told.out)["n"] == 5
    again = steelyard("replay", rows, *keep, "--skip-bad", "--json")
    assert "5 of 5 events were there from an earlier replay" in again.err
    assert json.loads(again.out) == json.loads(told.out)


def test_what_was_replayed_can_be_exported_and_replayed(
    steelyard: Command, rows: Path, tmp_path: Path
) -> None:
    data = ("--data", tmp_path / "data")
    assert steelyard("replay", rows, *data, "--judge", "lexical", "--dataset", "x").code == 0
    out = tmp_path / "out.jsonl"
    assert steelyard("export", out, *data).code == 0
    exported = [json.loads(line) for line in out.read_text().splitlines()]
    assert [event["ground_truth"] for event in exported] == [{"gold_doc_ids": ["paris"]}] * 5
    assert json.loads(steelyard("replay", out, "--judge", "lexical", "--json").out)["n"] == 5
    csv = steelyard("export", *data, "--format", "csv").out
    assert csv.lstrip("\ufeff").startswith("event_id,task,status,")
    assert csv.count("\n") == 6
    assert len(steelyard("export", *data, "--what", "evaluations").out.splitlines()) == 5
    assert len(steelyard("export", *data, "--what", "labels", "--dataset", "x").out.splitlines()) == 5
    assert steelyard("export", *data, "--dataset", "other").out == ""
    assert steelyard("export", *data, "--what", "evaluations", "--format", "csv").code == 1
    assert "cannot be written" in steelyard("export", tmp_path, *data).err


def test_keys_are_made_listed_and_revoked(steelyard: Command, tmp_path: Path) -> None:
    data = ("--data", tmp_path)
    made = steelyard("keys", "create", "ci", "--scope", "read", *data)
    assert made.code == 0
    assert made.out.strip().startswith("sy_")
    assert made.out.strip() not in made.err
    second = json.loads(steelyard("keys", "create", "--json", *data).out)
    assert (second["scopes"], second["name"]) == (["write", "read"], "default")
    listed = json.loads(steelyard("keys", "list", "--json", *data).out)
    assert [key["name"] for key in listed] == ["default", "ci"]
    assert made.out.strip() not in json.dumps(listed)
    assert steelyard("keys", "revoke", second["id"], *data).code == 0
    listed = json.loads(steelyard("keys", "list", "--json", *data).out)
    assert [key["revoked_at"] is not None for key in listed] == [True, False]
    assert steelyard("keys", "revoke", "nothing", *data).code == 1
    assert "ci" in steelyard("keys", "list", *data).out


def test_judges_are_measured(steelyard: Command, rows: Path) -> None:
    told = steelyard("judge", "bench", rows, "--judge", "lexical", "--json")
    assert told.code == 0
    (found,) = json.loads(told.out).values()
    assert (found["kind"], found["n"]) == ("retrieval", 5)
    assert set(found["macro_f1"]) >= {"value", "low", "high"}
    assert "macro_f1" in steelyard("judge", "bench", rows, "--judge", "lexical").out
    rows.write_text(rows.read_text() + '\n{"question": "q"}\n')
    told = steelyard("judge", "bench", rows, "--judge", "lexical")
    assert told.code == 1
    assert f"{rows}:7: " in told.err


def test_the_database_is_brought_up_to_date(steelyard: Command, tmp_path: Path) -> None:
    for _ in range(2):
        told = steelyard("db", "upgrade", "--data", tmp_path)
        assert told.code == 0
        assert "is up to date" in told.err


def test_on_postgresql_the_queue_is_brought_up_to_date_too(steelyard: Command, postgres_url: str) -> None:
    told = steelyard("db", "upgrade", "--database-url", postgres_url)
    assert told.code == 0
    with psycopg.connect(postgres_url) as connection:
        assert queue_schema.installed(connection) == queue_schema.migrations()[-1].name


def test_the_doctor_is_content_with_a_working_setup(steelyard: Command, tmp_path: Path) -> None:
    place = ("--data", tmp_path, "--judge", "lexical", "--port", "0")
    found = json.loads(steelyard("doctor", "--json", *place).out)
    assert found["ok"], found
    states = {finding["name"]: finding["state"] for finding in found["findings"]}
    assert {"python", "steelyard", "settings", "data", "database", "judge", "port"} <= states.keys()
    steelyard("db", "upgrade", "--data", tmp_path)
    told = steelyard("doctor", *place)
    assert told.code == 0
    assert "schema" in told.out


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("--judge", "llm"), "judge"),
        (("--judge", "llm", "--llm-base-url", "http://127.0.0.1:9", "--llm-model", "m"), "judge"),
        (("--judge", "lexical", "--database-url", "postgresql://127.0.0.1:9/x"), "database"),
        (("--judge", "lexical", "--data", f"{__file__}/inside"), "data"),
        (("--concurrency", "0"), "settings"),
    ],
)
def test_the_doctor_finds_what_is_wrong(steelyard: Command, arguments: tuple[str, ...], name: str) -> None:
    told = steelyard("doctor", "--json", "--port", "0", *arguments)
    assert told.code == 1
    wrong = {finding["name"] for finding in json.loads(told.out)["findings"] if finding["state"] == "wrong"}
    assert name in wrong


NOT_UTF8 = "a\udcff"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("replay", "{rows}", "--dataset", NOT_UTF8), 2),
        (("export", "--env", NOT_UTF8), 2),
        (("keys", "create", NOT_UTF8), 2),
        (("keys", "list", "--project", NOT_UTF8), 1),
        (("replay", "{rows}", "--project", NOT_UTF8), 1),
        (("serve", "--host", NOT_UTF8), 1),
    ],
)
def test_text_that_is_not_utf8_is_refused_in_words(
    steelyard: Command, rows: Path, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    steelyard("db", "upgrade", "--data", tmp_path / "data")
    told = steelyard(*(part.format(rows=rows) for part in arguments), "--data", tmp_path / "data")
    assert told.code == code
    assert "not UTF-8" in told.err
    assert told.out == ""


def test_a_file_name_that_is_not_utf8_is_only_a_name(steelyard: Command, rows: Path, tmp_path: Path) -> None:
    odd = rows.rename(tmp_path / f"{NOT_UTF8}.jsonl")
    assert json.loads(steelyard("replay", odd, "--judge", "lexical", "--json").out)["n"] == 5


def test_a_key_needs_a_name(steelyard: Command, tmp_path: Path) -> None:
    told = steelyard("keys", "create", " ", "--data", tmp_path / "data")
    assert (told.code, told.out) == (1, "")
    assert "a key needs a name" in told.err
