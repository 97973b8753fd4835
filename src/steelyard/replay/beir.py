"""A BEIR folder: corpus, queries and qrels, with a run beside them or ranked here by BM25."""

import math
import re
from collections import Counter, defaultdict
from pathlib import Path

from steelyard.errors import ConfigurationError

from .trec import Hit, Qrels, Retrieved, Run, Texts, read_qrels, read_run, read_texts

_K1, _B = 1.2, 0.75
_BASELINE_DEPTH = 10
_WORD = re.compile(r"\w+")


def files_of(folder: Path, *, split: str | None, run: Path | None) -> dict[str, Path]:
    """The files of the folder that a replay reads; raises `ConfigurationError` naming one that is missing."""
    found = {name: _one_of(folder, f"{name}.jsonl", f"{name}.jsonl.gz") for name in ("corpus", "queries")}
    splits = sorted((folder / "qrels").glob("*.tsv"))
    names = [path.stem for path in splits]
    wanted = split or next(
        (name for name in ("test", "dev", "train") if name in names), names[0] if names else None
    )
    if wanted not in names:
        raise ConfigurationError(
            f"{folder / 'qrels'} has no {wanted or 'any'}.tsv",
            field="split",
            hint=f"There is: {', '.join(names) or 'none'}.",
        )
    found["qrels"] = splits[names.index(wanted)]
    runs = [run] if run is not None else sorted([*folder.glob("*.run"), *folder.glob("run.t*")])
    if len(runs) > 1:
        raise ConfigurationError(
            f"{folder} holds {len(runs)} runs", field="run", hint="Name one of them with --run."
        )
    if runs:
        found["run"] = runs[0]
    return found


def read_folder(files: dict[str, Path], *, depth: int, passage_chars: int) -> Retrieved:
    """The judged queries of the split with their retrieved documents. Without a run, the 10 best by BM25."""
    corpus, texts, qrels = (
        read_texts(files["corpus"]),
        read_texts(files["queries"]),
        read_qrels(files["qrels"]),
    )
    if "run" in files:
        ranked = read_run(files["run"], depth=depth)
        run = {query: ranked.get(query, []) for query in qrels}
    else:
        run = baseline(corpus, texts, qrels, depth=min(depth, _BASELINE_DEPTH))
    where = (files.get("run") or files["queries"]).name
    return Retrieved(where, run, qrels, corpus, texts, passage_chars)


def baseline(corpus: Texts, queries: Texts, qrels: Qrels, *, depth: int) -> Run:
    """Okapi BM25 over lower-cased words (Robertson and Zaragoza 2009, eq. 3.15; k1 1.2, b 0.75), ties by
    id."""
    postings: dict[str, list[tuple[str, int]]] = defaultdict(list)
    lengths: dict[str, int] = {}
    for name, text in corpus.items():
        counts = Counter(_WORD.findall(text.casefold()))
        lengths[name] = counts.total()
        for word, count in counts.items():
            postings[word].append((name, count))
    mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
    run: Run = {}
    for query in qrels:
        scores: dict[str, float] = defaultdict(float)
        for word in set(_WORD.findall(queries.get(query, "").casefold())):
            found = postings.get(word, [])
            weight = math.log(1 + (len(corpus) - len(found) + 0.5) / (len(found) + 0.5))
            for name, count in found:
                scores[name] += (
                    weight * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[name] / mean))
                )
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:depth]
        run[query] = [Hit(name, score) for name, score in best]
    return run


def _one_of(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ConfigurationError(
        f"{folder} has no {names[0]}",
        field="file",
        hint="A BEIR folder holds corpus.jsonl, queries.jsonl and qrels/*.tsv.",
    )
