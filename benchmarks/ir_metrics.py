"""Queries a second of the rank measures beside pytrec_eval's, on one random run, in one process.

    python benchmarks/ir_metrics.py [--queries 20000] [--documents 100] [--json
    benchmarks/results/ir_metrics.json]

Both take the same run and gold and compute the same measures; the values are compared too.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval

from benchmarks.machine import describe
from steelyard.retrieval.measures import parse_measure
from steelyard.retrieval.runs import measure_run, ranked

TREC = {
    "nDCG@10": "ndcg_cut_10",
    "RR": "recip_rank",
    "Success@1": "success_1",
    "Success@10": "success_10",
    "AP": "map",
    "P@10": "P_10",
    "R@100": "recall_100",
}
TREC_NAMES = {"ndcg_cut.10", "recip_rank", "success.1,10", "map", "P.10", "recall.100"}
MEASURES = [parse_measure(name) for name in TREC]


def make(queries: int, documents: int) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Each query retrieves `documents` of ten times as many, with distinct scores; 1 to 10 of the ten times
    are gold."""
    draw = random.Random(20261130)
    names = [f"document-{place}" for place in range(10 * documents)]
    run, gold = {}, {}
    for query in range(queries):
        scores = draw.sample(range(10 * documents), documents)
        run[f"query-{query}"] = dict(
            zip(draw.sample(names, documents), (float(score) for score in scores), strict=True)
        )
        gold[f"query-{query}"] = draw.sample(names, draw.randint(1, 10))
    return run, gold


def best(act: Callable[[], Any], *, rounds: int) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(rounds):
        start = time.perf_counter()
        answer = act()
        times.append(time.perf_counter() - start)
    return min(times), answer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--queries", type=int, default=20_000)
    options.add_argument("--documents", type=int, default=100)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--output", type=Path)
    chosen = options.parse_args()
    run, gold = make(chosen.queries, chosen.documents)
    qrels = {query: dict.fromkeys(ids, 1) for query, ids in gold.items()}
    mine_s, mine = best(lambda: measure_run(run, gold, MEASURES), rounds=chosen.rounds)
    theirs_s, theirs = best(
        lambda: pytrec_eval.RelevanceEvaluator(qrels, TREC_NAMES).evaluate(run), rounds=chosen.rounds
    )
    relevant, counts = ranked(list(run.values()), [gold[query] for query in run])
    arrays_s, _ = best(
        lambda: [measure.batch(relevant, gold=counts) for measure in MEASURES], rounds=chosen.rounds
    )
    apart = max(
        abs(mine[name][query] - theirs[query][other]) for name, other in TREC.items() for query in run
    )
    report = {
        "command": " ".join(["python -m benchmarks.ir_metrics", *sys.argv[1:]]),
        "queries": chosen.queries,
        "documents": chosen.documents,
        "measures": list(TREC),
        "queries_per_second": round(chosen.queries / mine_s),
        "queries_per_second_from_ranked_arrays": round(chosen.queries / arrays_s),
        "pytrec_eval_queries_per_second": round(chosen.queries / theirs_s),
        "ratio_to_pytrec_eval": round(theirs_s / mine_s, 2),
        "largest_difference": apart,
        "numpy": np.__version__,
        "machine": describe(),
    }
    text = json.dumps(report, indent=2) + "\n"
    if chosen.output:
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
        chosen.output.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
