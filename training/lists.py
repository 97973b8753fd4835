"""Heads for how many passages of a list are relevant, the decisions they lead to, and data sets left out
whole."""

import numpy as np

from rows import CC_BY_SA
from steelyard.judges.embedded import counting, tasks
from steelyard.judges.embedded.citing import best_set
from support import Stages, predict, sigmoid
from trees import Model, boosted, curve

FAMILIES = {
    "hotpotqa_dev500": "hotpotqa",
    "hotpotqa_train100": "hotpotqa",
    "xquad_en": "xquad",
    "xquad_es": "xquad",
}
"""Sets of one origin are left out together."""


class Lists:
    """One row an event, made from both stages' out-of-fold margins."""

    def __init__(self, stages: Stages, first: np.ndarray, second: np.ndarray) -> None:
        self.stages, self.fold = stages, stages.fold
        self.second = second
        self.rows = list_rows(stages, stages.calibrated(first), stages.calibrated(second), second)
        self.counts = np.asarray([int(event.labels.sum()) for event in stages.events])
        names = np.asarray([event.row.dataset for event in stages.events])
        made = np.where(stages.real, 1.0, 0.5)
        self.weights = made * np.asarray([(300 / (names == name).sum()) ** 0.5 for name in names])
        self.margins = np.zeros((counting.MOST, len(self.counts)))

    def fit(self, i: int, inside: np.ndarray) -> list[Model]:
        return fit_counts(self.rows[inside], self.counts[inside] > i, self.weights[inside])

    def crossed(self) -> np.ndarray:
        """Out-of-fold, calibrated P(≥ 1), P(≥ 2), … of each event: (events, MOST)."""
        out = np.zeros((len(self.counts), counting.MOST))
        for i in range(counting.MOST):
            for k in sorted(set(self.fold.tolist())):
                here = self.fold == k
                self.margins[i, here] = predict(self.fit(i, ~here), self.rows[here])
            for k in sorted(set(self.fold.tolist())):
                here = self.fold == k
                x, y = curve(self.margins[i, ~here], self.counts[~here] > i, self.weights[~here])
                out[here, i] = np.interp(self.margins[i, here], x, y)
        return out

    def decisions(self, probability: np.ndarray, at_least: np.ndarray) -> list[np.ndarray]:
        return decide(self.stages, probability, self.second, at_least)


def fit_counts(rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> list[Model]:
    return [
        boosted(rounds=80, leaves=6, seed=seed).fit(rows, labels.astype(float), sample_weight=weights)
        for seed in (0, 1)
    ]


def list_rows(stages: Stages, first: np.ndarray, second: np.ndarray, margin: np.ndarray) -> np.ndarray:
    rows = []
    for i, event in enumerate(stages.events):
        here = slice(stages.starts[i], stages.starts[i + 1])
        task = tasks.features(event.row.data["task"])
        rows.append(counting.features(first[here], second[here], margin[here], event.features, task))
    return np.stack(rows)


def decide(
    stages: Stages, probability: np.ndarray, margin: np.ndarray, at_least: np.ndarray
) -> list[np.ndarray]:
    """Which passages of each event are cited."""
    out = []
    for i in range(len(stages.events)):
        here = slice(stages.starts[i], stages.starts[i + 1])
        cited = np.zeros(stages.sizes[i], dtype=bool)
        m = best_set(probability[here], counting.distribution(at_least[i], int(stages.sizes[i])))
        cited[np.argsort(-margin[here], kind="stable")[:m]] = True
        out.append(cited)
    return out


def left_out(stages: Stages) -> dict[str, dict[int, tuple[np.ndarray, np.ndarray]]]:
    """For each family of sets, its events judged by a judge that saw none of it: {family: {event:
    (probability, cited)}}; `cc_by_sa` leaves all CC BY-SA sets out together."""
    names = np.asarray([event.row.dataset for event in stages.events])
    families = np.asarray([FAMILIES.get(name, name) for name in names])
    wanted = {family: families == family for family in sorted(set(families.tolist()))}
    wanted["cc_by_sa"] = np.isin(names, CC_BY_SA)
    return {family: _away(stages, out) for family, out in wanted.items()}


def _away(stages: Stages, out: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """As the shipped judge is made, from the events not `out`; in halves and with one seed, for time."""
    inside, owner, half = ~out, stages.owner, stages.fold % 2
    first, second = np.zeros(len(stages.rows)), np.zeros(len(stages.rows))
    for k in (0, 1):
        here = ((half == k) & inside)[owner]
        first[here] = predict(stages.one(inside & (half != k), seeds=(0,)), stages.rows[here])
    first[out[owner]] = predict(stages.one(inside, seeds=(0,)), stages.rows[out[owner]])
    belief = sigmoid(first)
    for k in (0, 1):
        mask = (half == k) & inside
        models = stages.two(belief, inside & (half != k), seeds=(0,))
        second[mask[owner]] = predict(models, stages.two_rows(belief, mask))
    second[out[owner]] = predict(stages.two(belief, inside, seeds=(0,)), stages.two_rows(belief, out))
    seen = inside[owner]
    p1 = np.interp(first, *curve(first[seen], stages.labels[seen]))
    p2 = np.interp(second, *curve(second[seen], stages.labels[seen]))
    rows = list_rows(stages, p1, p2, second)
    counts = np.asarray([int(event.labels.sum()) for event in stages.events])
    weights = np.where(stages.real, 1.0, 0.5)
    at_least = np.zeros((len(counts), counting.MOST))
    for i in range(counting.MOST):
        margin = predict(fit_counts(rows[inside], counts[inside] > i, weights[inside]), rows)
        at_least[:, i] = sigmoid(margin)
    cited = decide(stages, p2, second, at_least)
    return {int(i): (p2[stages.starts[i] : stages.starts[i + 1]], cited[i]) for i in np.flatnonzero(out)}
