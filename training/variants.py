"""Lists as a failing retriever returns them, made from labelled ones: golds dropped, short lists, foreign
passages.

Labelled lists nearly always hold a gold passage; judges trained on them alone cite something in every list.
"""

from dataclasses import replace

import numpy as np

from rows import Row

RECALL_SETS = ("hotpotqa_dev500", "hotpotqa_train100", "musique_train100", "mtrag_un", "selqa")
"""Here every row gets a variant with each gold dropped by the toss of a coin: recall can be measured on
them."""
ELSEWHERE, SHORT, FOREIGN = 0.2, 0.15, 0.06
"""The shares of rows that get each other variant."""


def with_variants(rows: list[Row], *, seed: int = 0) -> list[Row]:
    """The rows, then their variants, which share the group and say in `origin` whose they are."""
    rng, made = np.random.default_rng(seed), []
    for i, row in enumerate(rows):
        gold = set(map(str, row.data["ground_truth"]["gold_doc_ids"]))
        context = row.data["context"]
        here = [item for item in context if str(item["id"]) in gold]
        toss, short, foreign = rng.random(), rng.random() < SHORT, rng.random() < FOREIGN
        drop = {str(item["id"]) for item in here if rng.random() < 0.5}
        if row.dataset not in RECALL_SETS:
            drop = gold if toss < ELSEWHERE else set()
        kept = [item for item in context if str(item["id"]) not in drop]
        if len(kept) < len(context) and kept:
            made.append(_changed(row, i, "dropped", kept))
        if short and len(context) > 2:
            size = int(rng.integers(1, min(6, len(context))))
            places = sorted(rng.permutation(len(context))[:size].tolist())
            made.append(_changed(row, i, "short", [context[place] for place in places]))
        if foreign:
            other = rows[int(rng.integers(len(rows)))]
            if other.dataset != row.dataset:
                strangers = [{**item, "id": f"foreign {item['id']}"} for item in other.data["context"]]
                made.append(_changed(row, i, "foreign", strangers))
    return [*(replace(row, origin=i) for i, row in enumerate(rows)), *made]


def _changed(row: Row, origin: int, variant: str, context: list[dict[str, str]]) -> Row:
    return replace(row, data={**row.data, "context": context}, variant=variant, origin=origin)
