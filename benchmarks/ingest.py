"""How fast events are taken in over HTTP, durably, against the raw driver inserting the same in one run.

    python -m benchmarks.ingest [--batches 400] [--output benchmarks/results/ingest.json]

Batches of 50 events of 5 KB, as an app logs them (unlabelled; `http_labelled` has gold ids on every event, so
that each is scored against them on arrival). Medians of `--rounds`, each of which measures all in turn. The
raw driver inserts rows (id, project, time, body), one transaction a batch,
as durably as the store (SQLite: WAL and synchronous=FULL; PostgreSQL: synchronous_commit=on). Over HTTP the
server is a process of its own: `http` with its worker off, so that ingest alone is measured, and
`http_while_evaluating` with the lexical judge at work beside it. `raw_driver_same_tables` is the raw driver
inserting the very rows that the server stored, with their indexes: what durability and the schema cost alone.
"""

import argparse
import itertools
import json
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx2
import psycopg

from benchmarks.machine import describe
from benchmarks.postgres import postgres
from benchmarks.serving import Served, serve
from steelyard.store import open_store

BATCH = 50
EVENT_BYTES = 5_000
CONNECTIONS = 4
PASSAGES = 8
TABLES = ("events", "event_bodies")
FILLER = "the quick brown fox jumps over the lazy dog and runs on through the forest until night falls "


@dataclass(frozen=True)
class Rate:
    events: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.events / self.seconds


def event(event_id: str, number: int, *, labelled: bool) -> dict[str, object]:
    """An event of about `EVENT_BYTES` bytes of JSON: task, eight passages with ids, metadata, perhaps
    gold."""
    text = (f"Passage about subject {number} with facts. " + FILLER * 8)[: (EVENT_BYTES - 700) // PASSAGES]
    context = [
        {"id": f"doc-{number}-{at}", "text": f"{at}: {text}", "score": 1.0 / (at + 1)}
        for at in range(PASSAGES)
    ]
    gold = {"ground_truth": {"gold_doc_ids": [f"doc-{number}-0", f"doc-{number}-3"]}} if labelled else {}
    return {
        "event_id": event_id,
        "task": f"What is known about subject {number} and its consequences?",
        "context": context,
        "metadata": {"env": "bench", "user": f"u{number % 100}"},
        **gold,
    }


def bodies(prefix: str, *, labelled: bool = False) -> Iterator[list[tuple[str, str]]]:
    """Endless batches of (event id, its JSON); no two events alike."""
    numbers = itertools.count(1)
    while True:
        batch = [(f"{prefix}-{number:08d}", number) for number in itertools.islice(numbers, BATCH)]
        yield [
            (event_id, json.dumps(event(event_id, number, labelled=labelled))) for event_id, number in batch
        ]


def timed(insert: Callable[[list[tuple[str, str]]], None], batches: list[list[tuple[str, str]]]) -> Rate:
    insert(batches[0])
    started = time.perf_counter()
    for batch in batches[1:]:
        insert(batch)
    return Rate(BATCH * (len(batches) - 1), time.perf_counter() - started)


def raw_sqlite(folder: Path, batches: list[list[tuple[str, str]]]) -> Rate:
    connection = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE raw (id TEXT PRIMARY KEY, project TEXT, at REAL, body TEXT)")

    def insert(batch: list[tuple[str, str]]) -> None:
        rows = [(event_id, "default", time.time(), body) for event_id, body in batch]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO raw VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")

    try:
        return timed(insert, batches)
    finally:
        connection.close()


def raw_postgres(url: str, batches: list[list[tuple[str, str]]]) -> Rate:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS raw")
        connection.execute("CREATE TABLE raw (id text PRIMARY KEY, project text, at timestamptz, body text)")

        def insert(batch: list[tuple[str, str]]) -> None:
            rows = [(event_id, "default", body) for event_id, body in batch]
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany("INSERT INTO raw VALUES (%s, %s, now(), %s)", rows)

        try:
            return timed(insert, batches)
        finally:
            connection.execute("DROP TABLE raw")


def raw_same_tables(url: str, folder: Path) -> Rate:
    """The raw driver inserting the very rows that the server has stored, into the same tables with the same
    indexes, emptied first."""
    if url.startswith("sqlite"):
        with closing(open_store(f"sqlite:///{folder / 'copy.sqlite'}")):
            pass
        source = sqlite3.connect(url.removeprefix("sqlite:///"))
        target = sqlite3.connect(folder / "copy.sqlite", isolation_level=None)
        target.execute("PRAGMA synchronous=FULL")
        begin, mark = "BEGIN IMMEDIATE", "?"
    else:
        source = target = psycopg.connect(url, autocommit=True)
        begin, mark = "BEGIN", "%s"
    with closing(source), closing(target):
        tables = {t: source.execute(f"SELECT * FROM {t} ORDER BY seq").fetchall() for t in TABLES}
        if source is target:
            target.execute("TRUNCATE events CASCADE")
        else:
            target.execute(
                "INSERT INTO projects SELECT 1, 'raw', 0 WHERE NOT EXISTS (SELECT 1 FROM projects)"
            )
        into = {
            t: f"INSERT INTO {t} VALUES ({', '.join([mark] * len(rows[0]))})" for t, rows in tables.items()
        }
        count = len(tables["events"]) // BATCH
        started = time.perf_counter()
        for at in range(count):
            cursor = target.cursor()
            cursor.execute(begin)
            for t in TABLES:
                cursor.executemany(into[t], tables[t][at * BATCH : (at + 1) * BATCH])
            cursor.execute("COMMIT")
        return Rate(count * BATCH, time.perf_counter() - started)


def over_http(served: Served, *, batches: int, prefix: str, labelled: bool = False) -> Rate:
    """`CONNECTIONS` callers, each with its requests made beforehand, so that only the server is measured."""
    start = threading.Barrier(CONNECTIONS + 1)
    failures: list[str] = []
    headers = {**served.headers, "content-type": "application/json"}

    def call(caller: int) -> None:
        made = bodies(f"{prefix}-{caller}", labelled=labelled)
        source = itertools.islice(made, batches // CONNECTIONS)
        requests = [('{"events":[' + ",".join(body for _, body in batch) + "]}").encode() for batch in source]
        with httpx2.Client(base_url=served.url, headers=headers, timeout=60.0) as client:
            client.get("/healthz")
            start.wait()
            for request in requests:
                response = client.post("/v1/events", content=request)
                if response.status_code >= 300 or b"rejected" in response.content:
                    failures.append(f"{response.status_code} {response.text[:300]}")
                    return

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    start.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    if failures:
        raise SystemExit(f"the server refused a batch: {failures[0]}")
    return Rate(batches // CONNECTIONS * CONNECTIONS * BATCH, elapsed)


def measure(database: str, *, batches: int) -> dict[str, float]:
    """One round: the raw driver's events a second, and the server's in three ways."""
    with (
        postgres() if database == "postgresql" else nullcontext(None) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        made = list(itertools.islice(bodies("raw"), batches))
        raw = raw_sqlite(Path(folder), made) if url is None else raw_postgres(url, made)
        figures = {"raw_driver": raw.per_second}
        for label, worker in (("http", False), ("http_labelled", False), ("http_while_evaluating", True)):
            labelled = label == "http_labelled"
            with serve(Path(folder) / label, database_url=url, worker=worker, judge="lexical") as served:
                over_http(served, batches=CONNECTIONS * 4, prefix=f"warm-{label}", labelled=labelled)
                rate = over_http(served, batches=batches, prefix=label, labelled=labelled)
            figures[label] = rate.per_second
            if label == "http":
                stored = url or f"sqlite:///{Path(folder) / label / 'steelyard.sqlite'}"
                figures["raw_driver_same_tables"] = raw_same_tables(stored, Path(folder)).per_second
        return figures


def medians(rounds: list[dict[str, float]]) -> dict[str, object]:
    """Events a second, and each way's ratio to the raw driver's rate of the same round."""
    rates = {f"{name}_events_per_second": round(median(r[name] for r in rounds)) for name in rounds[0]}
    ratios = {
        f"{name}_ratio": round(median(r[name] / r["raw_driver"] for r in rounds), 3)
        for name in rounds[0]
        if not name.startswith("raw_driver")
    }
    same = median(r["http"] / r["raw_driver_same_tables"] for r in rounds)
    return {**rates, **ratios, "http_ratio_to_raw_driver_same_tables": round(same, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    databases = ["sqlite", "postgresql"] if arguments.database == "both" else [arguments.database]
    report = {
        "benchmark": "ingest",
        "target": "http_ratio >= 0.4",
        "batch": BATCH,
        "batches": arguments.batches,
        "connections": CONNECTIONS,
        "machine": describe(),
        "rounds": arguments.rounds,
        "event_bytes": round(sum(len(body) for _, body in next(bodies("size"))) / BATCH),
        "results": {
            database: medians([measure(database, batches=arguments.batches) for _ in range(arguments.rounds)])
            for database in databases
        },
    }
    text = json.dumps(report, indent=2) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
