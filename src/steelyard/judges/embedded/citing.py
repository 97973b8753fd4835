"""From probabilities to the cited set: the one with the highest expected F1, none included."""

import numpy as np

from .encoder import Floats

LEAST = 1e-4
"""Probabilities are kept this far from 0 and 1, so that no count is impossible."""


def best_set(probabilities: Floats, counts: Floats | None = None) -> int:
    """How many of the most probable passages to cite, 0..n.

    Relevance is independent given the probabilities, except that the number of relevant passages has the
    distribution `counts` (P(0), …, P(k − 1), P(≥ k)) when given. The expected F1 of the m most probable is
    exact, by the distributions of hits among them and of misses beyond (Ye, Chai, Lee and Chieu 2012); citing
    none is worth the probability that nothing is relevant. Of equal values the smallest set wins.
    """
    ordered = np.sort(np.clip(np.asarray(probabilities, dtype=np.float64), LEAST, 1 - LEAST))[::-1]
    n = len(ordered)
    tails = [np.ones(1)]
    for p in ordered[::-1]:
        tails.append(_with(tails[-1], float(p)))
    tails.reverse()
    lift = _lift(tails[0], counts)
    best, most = 0, float(tails[0][0] * lift[0])
    heads = np.ones(1)
    for m in range(1, n + 1):
        heads = _with(heads, float(ordered[m - 1]))
        hits, misses = np.arange(m + 1)[:, None], np.arange(n - m + 1)[None, :]
        chance = heads[:, None] * tails[m][None, :] * lift[hits + misses]
        value = float((chance * (2.0 * hits / (m + hits + misses))).sum())
        if value > most + 1e-12:
            best, most = m, value
    return best


def _lift(independent: Floats, counts: Floats | None) -> Floats:
    """By how much each number 0..n of relevant passages is likelier than under independence."""
    if counts is None:
        return np.ones(len(independent))
    k = len(counts) - 1
    have = np.concatenate([independent[:k], [independent[k:].sum()]])
    ratio = counts / np.maximum(have, 1e-12)
    return np.concatenate([ratio[:k], np.full(len(independent) - k, ratio[k])])


def _with(counts: Floats, p: float) -> Floats:
    """The distribution of a sum of independent yes/no draws, one more draw of probability `p` included."""
    out = np.zeros(len(counts) + 1)
    out[:-1] += counts * (1.0 - p)
    out[1:] += counts * p
    return out
