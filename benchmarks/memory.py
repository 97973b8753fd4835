"""What an idle server holds and burns: resident memory without and with the judge's model, and idle CPU.

    python -m benchmarks.memory [--output benchmarks/results/memory.json]

Linux only (reads /proc). Targets: 200 MB before the first event was judged, 450 MB after; idle CPU under 1%.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import httpx2

from benchmarks.ingest import event
from benchmarks.machine import describe
from benchmarks.serving import Served, serve

IDLE_S = 10.0


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle_share(pid: int, seconds: float) -> float:
    before = cpu_seconds(pid)
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / seconds


def judge_some(served: Served, events: int = 64) -> None:
    """Has events judged, so that the model is loaded and warm."""
    with httpx2.Client(base_url=served.url, headers=served.headers, timeout=60.0) as client:
        batch = [event(f"memory-{number}", number, labelled=True) for number in range(events)]
        client.post("/v1/events", json={"events": batch}).raise_for_status()
        deadline = time.monotonic() + 120
        while True:
            status = client.get(f"/v1/events/memory-{events - 1}").raise_for_status().json()["status"]
            if status == "evaluated":
                return
            if time.monotonic() > deadline:
                raise SystemExit(f"the events were not judged: {status}")
            time.sleep(0.1)


def measure(judge: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), judge=judge) as served:
        time.sleep(1.0)
        without = resident_mb(served.pid)
        idle = idle_share(served.pid, IDLE_S)
        judge_some(served)
        time.sleep(1.0)
        return {
            "judge": judge,
            "idle_mb": round(without, 1),
            "with_model_mb": round(resident_mb(served.pid), 1),
            "idle_cpu_share": round(idle, 4),
            "idle_cpu_share_with_model": round(idle_share(served.pid, IDLE_S), 4),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judge", default="embedded")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    report = {"benchmark": "memory", "machine": describe(), "results": measure(arguments.judge)}
    text = json.dumps(report, indent=2) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
