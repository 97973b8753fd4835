"""How long the pages take over many events: time to the first byte, over HTTP on loopback, as a browser asks.

    python -m benchmarks.overview --data FOLDER [--output benchmarks/results/overview.json]

FOLDER holds a database of many events. Target: Overview under 300 ms at 1,000,000 events on SQLite.
"""

import argparse
import json
import statistics
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from benchmarks.machine import describe
from benchmarks.serving import serve
from steelyard.access.gate import SESSION_COOKIE
from steelyard.access.tokens import digest, new_token
from steelyard.store import events, open_store, projects, sessions

PAGES = (
    "/overview",
    "/overview?range=30d",
    "/overview?range=24h",
    "/events?range=30d",
    "/accuracy?range=30d",
    "/disagreements?range=30d",
    "/judges?range=30d",
)
ROUNDS = 7
TARGET_MS = 300.0


def session(url: str) -> tuple[str, int]:
    """The secret of a new browser session, and how many events the database holds."""
    secret, now = new_token(), datetime.now(UTC)
    with closing(open_store(url)) as store:
        store.write(
            lambda c: sessions.add(
                c, digest=digest(secret), csrf=new_token(), now=now, expires_at=now + timedelta(hours=1)
            )
        )
        with store.read() as c:
            held = sum(events.status_counts(c, projects.get(c, "default").id).values())
    return secret, held


def first_byte_ms(client: httpx2.Client, path: str) -> float:
    started = time.perf_counter()
    with client.stream("GET", path) as answer:
        next(answer.iter_raw(1))
        took = (time.perf_counter() - started) * 1000
        answer.raise_for_status()
    return took


def measure(folder: Path, *, port: int) -> dict[str, object]:
    url = f"sqlite:///{folder / 'steelyard.sqlite'}"
    secret, held = session(url)
    pages = {}
    with (
        serve(folder, port=port, judge="lexical") as served,
        httpx2.Client(
            base_url=served.url, cookies={SESSION_COOKIE: secret}, timeout=120, trust_env=False
        ) as client,
    ):
        for path in PAGES:
            cold, *warm = (first_byte_ms(client, path) for _ in range(ROUNDS))
            pages[path] = {
                "first_ms": round(cold, 1),
                "median_ms": round(statistics.median(warm), 1),
                "worst_ms": round(max(warm), 1),
            }
    return {"events": held, "rounds": ROUNDS, "target_ms": TARGET_MS, "pages": pages}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder with steelyard.sqlite")
    parser.add_argument("--port", type=int, default=18_322)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    result = {"machine": describe(), **measure(arguments.data, port=arguments.port)}
    text = json.dumps(result, indent=2) + "\n"
    print(text, end="")
    if arguments.output is not None:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
