"""How long a page waits for its numbers, beside SciPy's clustered BCa bootstrap of one of the means.

    python -m benchmarks.summaries --output benchmarks/results/summaries.json

`events` is the whole summary (every mean with its interval, coverage, correction) of 5,000 events of 900
tasks; `rollups` the same from 32,000 stored rows of sums; the baseline one interval of one mean by
`scipy.stats.bootstrap` over the tasks.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from benchmarks.machine import describe
from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import NAMES
from steelyard.retrieval.summary import summarise, summarise_groups
from steelyard.retrieval.sums import group_sums
from steelyard.retrieval.tasks import task_key

EVENTS, TASKS, ROWS = 5_000, 900, 32_000


def traffic() -> tuple[Columns, "np.ndarray[Any, np.dtype[np.int64]]"]:
    draw = np.random.default_rng(20261130)
    numbers = draw.beta(4, 1, (EVENTS, len(NAMES)))
    numbers[:, NAMES.index("requirements") :] = draw.integers(
        1, 5, (EVENTS, len(NAMES) - NAMES.index("requirements"))
    )
    places = draw.integers(0, TASKS, EVENTS)
    keys = [task_key(str(place)) for place in places]
    return Columns.of(numbers, status=["evaluated"] * EVENTS, task_keys=keys), places


def median_s(act: Callable[[], Any], *, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--output", type=Path)
    chosen = options.parse_args()
    events, places = traffic()
    values = np.random.default_rng(1).beta(4, 1, EVENTS)
    sums = np.bincount(places, weights=values, minlength=TASKS)
    counts = np.bincount(places, minlength=TASKS)
    rows = np.tile(events.by_group().values, (ROWS // 64, 1))
    groups = np.tile(np.arange(64), ROWS // 64)

    def scipy_interval() -> object:
        ratio = lambda s, c, axis=-1: s.sum(axis=axis) / c.sum(axis=axis)  # noqa: E731
        return bootstrap((sums, counts), ratio, paired=True, n_resamples=1_000, rng=1, vectorized=True)

    whole = median_s(lambda: summarise(events, judge_id="j", withheld=None), rounds=chosen.rounds)
    rollups = median_s(lambda: summarise_groups(group_sums(rows, groups), judge_id="j"), rounds=chosen.rounds)
    one = median_s(scipy_interval, rounds=chosen.rounds)
    result = {
        "command": "python -m benchmarks.summaries --output benchmarks/results/summaries.json",
        "machine": describe(),
        "events": {"n": EVENTS, "tasks": TASKS, "ms": round(whole * 1e3, 1)},
        "rollups": {"rows": ROWS, "ms": round(rollups * 1e3, 1)},
        "baseline": {
            "what": "scipy.stats.bootstrap, BCa, one mean, 1,000 resamples",
            "ms": round(one * 1e3, 1),
        },
        "summary_over_one_scipy_interval": round(whole / one, 2),
    }
    text = json.dumps(result, indent=2)
    print(text)
    if chosen.output:
        chosen.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
