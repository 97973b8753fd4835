"""What a figure was measured on."""

import os
import platform
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path


def describe() -> dict[str, object]:
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
    }


def cpu() -> str:
    """The processor's name as Linux tells it, else what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )
