"""How fast events are taken in over HTTP, durably, against the raw driver inserting the same bytes in the same run.

    python -m benchmarks.ingest [--seconds 6] [--output benchmarks/results/ingest.json]

Batches of 50 events of 5 KB. The raw driver inserts rows (id, project, time, body) in one transaction a batch, with
the store's own durability (SQLite: WAL and synchronous=FULL; PostgreSQL: synchronous_commit=on). Over HTTP the server
is a process of its own, with its worker off so that only ingest is measured, and again with it on.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psycopg

from benchmarks.machine import describe
from benchmarks.postgres import postgres
from benchmarks.serving import Served, serve

BATCH = 50
EVENT_BYTES = 5_000
CONNECTIONS = 4
PASSAGES = 8


@dataclass(frozen=True)
class Rate:
    """Events a second: the median over slices of the run, and the whole."""

    events_per_second: float
    events: int
    seconds: float


def bodies(prefix: str) -> Iterator[list[tuple[str, str]]]:
    """Endless batches of (event id, JSON of about 5 KB); no two events alike."""
    number = 0
    while True:
        batch = []
        for _ in range(BATCH):
            number += 1
            event_id = f"{prefix}-{number:08d}"
            batch.append((event_id, json.dumps(event(event_id, number))))
        yield batch


def event(event_id: str, number: int) -> dict[str, object]:
    """An event of about `EVENT_BYTES` bytes of JSON: a task, eight passages with ids, gold labels, metadata."""
    filler = (
        "the quick brown fox jumps over the lazy dog and keeps running through the forest until night falls "
    )
    text = (f"Passage about subject {number} with facts. " + filler * 8)[: (EVENT_BYTES - 700) // PASSAGES]
    return {
        "event_id": event_id,
        "task": f"What is known about subject {number} and its consequences?",
        "context": [
            {"id": f"doc-{number}-{at}", "text": f"{at}: {text}", "score": 1.0 / (at + 1)}
            for at in range(PASSAGES)
        ],
        "ground_truth": {"gold_doc_ids": [f"doc-{number}-0", f"doc-{number}-3"]},
        "metadata": {"env": "bench", "user": f"u{number % 100}"},
    }


def timed(step: Callable[[], int], seconds: float) -> Rate:
    """Calls `step` (which returns how many events it stored) for `seconds`, after one call to warm up."""
    step()
    started, slices, events = time.perf_counter(), [], 0
    while (begin := time.perf_counter()) - started < seconds:
        stored = step()
        slices.append(stored / (time.perf_counter() - begin))
        events += stored
    return Rate(statistics.median(slices), events, time.perf_counter() - started)


def raw_sqlite(folder: Path, seconds: float) -> Rate:
    connection = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE raw (id TEXT PRIMARY KEY, project TEXT, at REAL, body TEXT)")
    source = bodies("raw")

    def step() -> int:
        rows = [(event_id, "default", time.time(), body) for event_id, body in next(source)]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO raw VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        return BATCH

    try:
        return timed(step, seconds)
    finally:
        connection.close()


def raw_postgres(url: str, seconds: float) -> Rate:
    source = bodies("raw")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS raw")
        connection.execute("CREATE TABLE raw (id text PRIMARY KEY, project text, at timestamptz, body text)")

        def step() -> int:
            rows = [(event_id, "default", body) for event_id, body in next(source)]
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany("INSERT INTO raw VALUES (%s, %s, now(), %s)", rows)
            return BATCH

        return timed(step, seconds)


def over_http(served: Served, seconds: float, *, prefix: str) -> Rate:
    """`CONNECTIONS` callers, each with its bodies made beforehand, so that only the server is measured."""
    prepared = 4_000 // CONNECTIONS // 4
    stop = time.perf_counter() + seconds + 1.0
    begin = threading.Barrier(CONNECTIONS + 1)
    counts = [0] * CONNECTIONS
    failures: list[str] = []

    def call(caller: int) -> None:
        source = bodies(f"{prefix}-{caller}")
        requests = [
            ('{"events":[' + ",".join(body for _, body in next(source)) + "]}").encode()
            for _ in range(prepared)
        ]
        with httpx2.Client(base_url=served.url, headers=served.headers, timeout=60.0) as client:
            begin.wait()
            for request in requests:
                if time.perf_counter() > stop:
                    return
                response = client.post(
                    "/v1/events", content=request, headers={"content-type": "application/json"}
                )
                if response.status_code not in (200, 202):
                    failures.append(f"{response.status_code} {response.text[:300]}")
                    return
                counts[caller] += BATCH

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    begin.wait()
    started = time.perf_counter()
    stop = started + seconds
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    if failures:
        raise SystemExit(f"the server refused a batch: {failures[0]}")
    return Rate(sum(counts) / elapsed, sum(counts), elapsed)


@contextmanager
def databases() -> Iterator[dict[str, str | None]]:
    with postgres() as url:
        yield {"sqlite": None, "postgresql": url}


def measure(seconds: float) -> dict[str, object]:
    results: dict[str, object] = {}
    with databases() as urls:
        for name, url in urls.items():
            with tempfile.TemporaryDirectory() as folder:
                raw = raw_sqlite(Path(folder), seconds) if url is None else raw_postgres(url, seconds)
                figures: dict[str, object] = {"raw_driver_events_per_second": round(raw.events_per_second)}
                for label, worker in (("http", False), ("http_while_evaluating", True)):
                    with serve(Path(folder) / label, database_url=url, worker=worker) as served:
                        rate = over_http(served, seconds, prefix=f"{name}-{label}")
                    figures[f"{label}_events_per_second"] = round(rate.events_per_second)
                    figures[f"{label}_ratio"] = round(rate.events_per_second / raw.events_per_second, 3)
                results[name] = figures
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    report = {
        "benchmark": "ingest",
        "batch": BATCH,
        "event_bytes": EVENT_BYTES,
        "connections": CONNECTIONS,
        "seconds": arguments.seconds,
        "machine": describe(),
        "results": measure(arguments.seconds),
    }
    text = json.dumps(report, indent=2) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
