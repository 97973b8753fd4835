"""The labelled rows of `shared/data`: three shapes, with the group that must not be split between folds."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

CC_BY_SA = ("hotpotqa_dev500", "hotpotqa_train100", "xquad_en", "xquad_es")
MULTI_HOP = ("hotpotqa_dev500", "hotpotqa_train100", "musique_train100")


@dataclass(frozen=True)
class Row:
    """`data` is the row as written, `dataset` the file's stem, `part` the set inside it, `group` what stays
    in one fold; `variant` is empty for a row as labelled, else how it was made from the row `origin`."""

    dataset: str
    part: str
    group: str
    data: dict[str, Any]
    variant: str = ""
    origin: int = -1


def read(folder: Path, kind: str) -> list[Row]:
    """All rows of `folder/kind/*.jsonl` (`retrieval`, `answers`, `groundedness`), files in name order."""
    rows = []
    for path in sorted((folder / kind).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").strip().split("\n"):
            data = json.loads(line)
            meta = data["metadata"]
            rows.append(
                Row(
                    dataset=path.stem,
                    part=str(meta.get("part") or meta.get("dataset") or path.stem),
                    group=_group(path.stem, data),
                    data=data,
                )
            )
    return rows


def folds(groups: list[str], *, k: int = 5, seed: int = 0) -> np.ndarray:
    """The fold 0..k-1 of each row; rows of one group share it."""
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {name: int(order[i] % k) for i, name in enumerate(names)}
    return np.asarray([fold[group] for group in groups])


def golds(data: dict[str, Any]) -> tuple[str, ...]:
    """The expected answers of an answers row: as written, and its parts where the set splits them with
    "/"."""
    written = data["expected_output"]
    if data["metadata"].get("golds") != 'split with "/"':
        return (written,)
    return tuple(dict.fromkeys([written, *(part.strip() for part in written.split("/") if part.strip())]))


def _group(dataset: str, data: dict[str, Any]) -> str:
    meta = data["metadata"]
    if dataset.startswith("xquad"):
        return f"xquad {meta['qid']}"
    if "source" in data:
        return f"{data['source'][:300]}"
    return " ".join(str(data.get("task") or data.get("input")).casefold().split())
