"""What `client.log` costs its caller, in the background, while the server takes the events.

    python -m benchmarks.client_log [--events 20000] [--output benchmarks/results/client_log.json]

Events of eight passages, about 5 KB. The caller logs at a steady rate, as an application does: every call is
timed on its own, the sending thread competing for the interpreter. The server is a process of its own.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.ingest import event
from benchmarks.machine import describe
from benchmarks.serving import serve
from steelyard import Client

PAUSE_S = 0.001
BOUND_US = 50.0


def measure(url: str, key: str, *, events: int) -> dict[str, Any]:
    """Microseconds a call, over all calls."""
    made = [event(str(number), number, labelled=False) for number in range(200)]
    taken: list[float] = []
    cpu: list[float] = []
    with Client(key, url) as client:
        client.log("warm up", ["a passage"])
        client.flush(30)
        for number in range(events):
            fields: Any = made[number % len(made)]
            spent, start = time.thread_time_ns(), time.perf_counter_ns()
            client.log(
                fields["task"],
                fields["context"],
                metadata=fields["metadata"],
                trace_id=f"{number:032x}",
            )
            taken.append((time.perf_counter_ns() - start) / 1_000)
            cpu.append((time.thread_time_ns() - spent) / 1_000)
            time.sleep(PAUSE_S)
        if not client.flush(60):
            raise RuntimeError(f"not everything was sent: {client.stats}")
        stats = client.stats
    centiles = statistics.quantiles(taken, n=100)
    return {
        "events": events,
        "accepted": stats.accepted,
        "dropped": stats.dropped,
        "median_us": round(statistics.median(taken), 1),
        "median_cpu_us": round(statistics.median(cpu), 1),
        "p95_us": round(centiles[94], 1),
        "p99_us": round(centiles[98], 1),
        "bound_median_us": BOUND_US,
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), port=18_322, worker=False) as served,
    ):
        key = served.headers["authorization"].removeprefix("Bearer ")
        found = {"machine": describe(), **measure(served.url, key, events=given.events)}
    text = json.dumps(found, indent=2)
    print(text)
    if given.output is not None:
        given.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
