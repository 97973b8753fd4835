"""A SQLite database of many evaluated events, for measuring pages.

    python -m benchmarks.generate --data FOLDER [--events 1000000]

A few thousand events are stored and evaluated by the word-overlap judge the usual way; the rest are copies of
their rows, shifted in time, made by SQL. Then every hour's sums are made, as a server's housekeeping does.
"""

import argparse
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from steelyard.judges.lexical import LexicalJudge
from steelyard.retrieval.evaluation import ask_requirements, evaluate, tasks_of
from steelyard.schemas.event import Event, GroundTruth, Passage
from steelyard.schemas.query import Finished
from steelyard.store import Store, events, judges, leases, open_store, projects, requirements, rollups

SEEDS, TASKS, DAYS, BATCH = 5_000, 2_000, 30, 500
WORDS = [
    "refund",
    "parcel",
    "voucher",
    "sale",
    "return",
    "label",
    "gift",
    "card",
    "delivery",
    "island",
    "warranty",
    "shoe",
    "order",
    "invoice",
]
COPIED = {
    "events": ("seq", {"event_id": "'c' || :copy || '-' || event_id", "created_at": "{shifted}"}),
    "event_bodies": ("seq", {}),
    "labels": ("event_seq", {}),
    "evaluations": ("event_seq", {}),
    "comparisons": ("event_seq", {"created_at": "{shifted}"}),
}
"""By table: the column that counts events, and what else of a copied row differs."""


def seeds(start: datetime, *, seed: int = 7) -> Iterator[Event]:
    draw = random.Random(seed)
    for number in range(SEEDS):
        asked = random.Random(number % TASKS).sample(WORDS, 3)
        found = [draw.sample(asked if draw.random() < 0.4 else WORDS, 3) for _ in range(8)]
        gold = tuple(f"doc-{place}" for place, words in enumerate(found) if set(words) >= set(asked[:2]))
        yield Event(
            event_id=f"seed-{number}",
            task=f"What about {' and '.join(asked)} in case {number % TASKS}?",
            context=tuple(
                Passage(text=f"It says {' '.join(words)}.", id=f"doc-{place}", rank=place + 1, source="faq")
                for place, words in enumerate(found)
            ),
            ground_truth=GroundTruth(gold_doc_ids=gold) if number % 10 == 0 else None,
            metadata={"env": "production" if number % 5 else "staging", "dataset": f"set-{number % 12}"},
            created_at=start + timedelta(days=DAYS) * draw.random(),
        )


def plant(store: Store, *, now: datetime) -> None:
    """Stores and evaluates the seeds."""
    judge = LexicalJudge()
    project = store.write(lambda c: projects.ensure(c, "default", now=now)).id
    store.write(lambda c: judges.register(c, judge.identity, now=now))
    logged = list(seeds(now - timedelta(days=DAYS)))
    for at in range(0, SEEDS, BATCH):
        batch = logged[at : at + BATCH]
        store.write(lambda c, batch=batch: events.insert(c, project, batch, now=now))
    while claims := store.write(lambda c: leases.claim(c, owner="generate", lease_s=600, limit=BATCH)):
        asked = ask_requirements(tasks_of([one.event for one in claims]), judge, now=now)
        lists = store.write(
            lambda c, made=asked: requirements.put(c, project, list(made.requirements.values()), now=now)
        )
        made = evaluate([one.event for one in claims], judge, lists, now=now)
        done = [Finished(claim=c, evaluation=e) for c, e in zip(claims, made, strict=True)]
        store.write(lambda c, done=done: leases.finish(c, done, now=now))


def multiply(path: Path, *, until: int, start: datetime) -> None:
    """Copies the seeds' rows until there are `until` events."""
    first, span = round(start.timestamp() * 1_000_000), DAYS * 86_400 * 1_000_000
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        top = db.execute("SELECT max(seq) FROM events").fetchone()[0]
        for copy in range(1, -(-until // SEEDS)):
            shift = copy * span // 977 + copy * 7_919_000
            values = {
                "copy": copy,
                "top": top,
                "by": copy * top,
                "shift": shift,
                "first": first,
                "span": span,
            }
            db.execute("BEGIN")
            for table, (counter, changed) in COPIED.items():
                names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                shifted = ":first + (created_at - :first + :shift) % :span"
                picked = [
                    f"{counter} + :by" if name == counter else changed.get(name, name).format(shifted=shifted)
                    for name in names
                ]
                db.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(picked)} FROM {table} "
                    f"WHERE {counter} <= :top",
                    values,
                )
            db.execute("COMMIT")
        db.execute("ANALYZE")


def add_up(store: Store, *, now: datetime) -> None:
    with store.read() as c:
        project = projects.get(c, "default").id
    hours = [now - timedelta(hours=hour) for hour in range(DAYS * 24 + 2)]
    store.write(lambda c: rollups.mark(c, project, hours, now=now))
    while rollups.refresh(store, now=now + timedelta(hours=1), budget_s=10.0):
        continue


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="an empty folder")
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    arguments.data.mkdir(parents=True, exist_ok=True)
    path, now, began = arguments.data / "steelyard.sqlite", datetime.now(UTC), time.monotonic()
    with closing(open_store(f"sqlite:///{path}")) as store:
        plant(store, now=now)
    print(f"seeded in {time.monotonic() - began:.0f} s")
    multiply(path, until=arguments.events, start=now - timedelta(days=DAYS))
    print(f"copied in {time.monotonic() - began:.0f} s")
    with closing(open_store(f"sqlite:///{path}")) as store:
        add_up(store, now=now)
    print(f"summed in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
