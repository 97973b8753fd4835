"""Whole runs at once: many queries' scored documents against their gold, measured in one pass over arrays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice

import numpy as np

from steelyard.errors import InvalidInput

from .measures.measure import Counts, Hits, Measure

_QUERIES_AT_ONCE = 2_048

Run = Mapping[str, Mapping[str, float]]
"""By query, each retrieved document's score; a higher score is nearer the top, ties keep their order."""


def measure_run(
    run: Run, gold: Mapping[str, Collection[str]], measures: Sequence[Measure]
) -> dict[str, dict[str, float | None]]:
    """By measure name, each query's value in 0..1, None where undefined; a query of `run` without gold has
    none.

    A query that is in `gold` only is not in the answer: whether it counts as 0 is the caller's to say. Raises
    `InvalidInput` for a score that is NaN.
    """
    found: dict[str, dict[str, float | None]] = {str(measure): {} for measure in measures}
    for queries in _portions(run):
        wanted = [gold.get(query, ()) for query in queries]
        relevant, counts = ranked([run[query] for query in queries], wanted)
        for measure in measures:
            values = measure.batch(relevant, gold=counts).tolist()
            found[str(measure)].update(
                (query, None if value != value else value)
                for query, value in zip(queries, values, strict=True)
            )
    return found


def ranked(scored: Sequence[Mapping[str, float]], gold: Sequence[Collection[str]]) -> tuple[Hits, Counts]:
    """Relevance in rank order (queries × the longest ranking, False past the end) and the number of gold
    documents."""
    wanted = [frozenset(documents) for documents in gold]
    counts = np.array([len(documents) for documents in wanted], dtype=np.int64)
    lengths = np.array([len(documents) for documents in scored], dtype=np.int64)
    shape = (len(scored), int(lengths.max(initial=0)))
    filled = np.arange(shape[1])[None, :] < lengths[:, None]
    total = int(lengths.sum())
    scores = np.full(shape, np.inf)
    flat = np.fromiter(chain.from_iterable(documents.values() for documents in scored), np.float64, total)
    if np.isnan(flat).any():
        raise InvalidInput("a score in the run is NaN", field="score", hint="Leave out what has no score.")
    scores[filled] = -flat
    hits = np.zeros(shape, dtype=np.bool_)
    hits[filled] = np.fromiter(
        chain.from_iterable(
            map(mine.__contains__, documents) for mine, documents in zip(wanted, scored, strict=True)
        ),
        np.bool_,
        total,
    )
    # Padding sorts last: it stands behind every document, and a document at -inf comes before it by position.
    order = np.argsort(scores, axis=1, kind="stable")
    return np.take_along_axis(hits, order, axis=1), counts


def _portions(run: Run) -> Iterator[list[str]]:
    queries = iter(run)
    while portion := list(islice(queries, _QUERIES_AT_ONCE)):
        yield portion
