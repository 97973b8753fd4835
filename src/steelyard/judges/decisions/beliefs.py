"""What a decision model answered to one question: a probability that can be one, or why there is none.
Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SUM_TOLERANCE = 0.02

REFUSED = "the model refused the question"
MISSING = "the reply has no answer to the question"
WRONG_TYPE = "the reply answers another type of question"
NO_PROBABILITY = "what the reply gives is no probability between 0 and 1"
NO_DISTRIBUTION = "the probabilities in the reply do not sum to one"


@dataclass(frozen=True)
class Belief:
    """`probability` of yes in 0..1, or None with the reason in `problem`."""

    probability: float | None
    problem: str = ""

    @property
    def refused(self) -> bool:
        return self.problem == REFUSED

    def reason(self) -> str:
        """The distribution, for people."""
        if self.probability is None:
            return f"No decision: {self.problem}."
        return f"Probability of yes {self.probability:.2f}, of no {1 - self.probability:.2f}."

    def decision(self, *, abstain_below: float) -> bool | None:
        """Yes or no at one half; None when there is no probability or the confidence max(p, 1 - p) is too
        low."""
        if self.probability is None or max(self.probability, 1 - self.probability) < abstain_below:
            return None
        return self.probability >= 0.5


def read_systemone(answers: Mapping[str, Any], ids: Sequence[str]) -> list[Belief]:
    """One belief an id, from `{id: {type: "noul", noul: p}}`; other ids and fields are ignored."""
    return [_belief(answers.get(name), type="noul", field="noul") for name in ids]


def read_decisions(answers: Sequence[Any], ids: Sequence[str]) -> list[Belief]:
    """One belief an id, from answers in question order. When all carry names these decide; when some are
    missing and names do not say which, none is believed."""
    names = [answer.get("name") if isinstance(answer, dict) else None for answer in answers]
    if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
        by_name = dict(zip(names, answers, strict=True))
        return [_belief(by_name.get(name), type="predicate", field="probability") for name in ids]
    if len(answers) != len(ids):
        return [Belief(None, MISSING) for _ in ids]
    return [_belief(answer, type="predicate", field="probability") for answer in answers]


def dump(beliefs: Sequence[Belief]) -> str:
    return json.dumps([[belief.probability, belief.problem] for belief in beliefs])


def load(reply: str) -> list[Belief]:
    return [Belief(probability, problem) for probability, problem in json.loads(reply)]


def _belief(answer: object, *, type: str, field: str) -> Belief:
    if answer is None:
        return Belief(None, MISSING)
    if not isinstance(answer, dict):
        return Belief(None, WRONG_TYPE)
    if answer.get("type") == "refusal":
        return Belief(None, REFUSED)
    if answer.get("type", type) != type:
        return Belief(None, WRONG_TYPE)
    probability = _probability(answer.get(field))
    if probability is None:
        return Belief(None, NO_PROBABILITY)
    spread = answer.get("probabilities")
    if isinstance(spread, dict) and spread:
        values = [_probability(value) for value in spread.values()]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or abs(sum(known) - 1) > SUM_TOLERANCE:
            return Belief(None, NO_DISTRIBUTION)
    return Belief(probability)


def _probability(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None  # false for NaN too
