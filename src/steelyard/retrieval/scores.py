"""All numbers of one event, flat and in a fixed order: what a store keeps in columns and aggregates are made
of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.schemas.event import Event
from steelyard.schemas.numbers import Value
from steelyard.schemas.result import Evaluation, EvaluatorMetrics, GroundTruthMetrics
from steelyard.schemas.verdict import Outcome

from .documents import Documents
from .measures import DEFAULT
from .metrics import evaluator, ground_truth

LABEL_FREE = ("recall", "precision", "f1", "ndcg", "subquery_recall")
GROUND_TRUTH = ("gt_recall", "gt_precision", "gt_f1")
IR = tuple(str(measure) for measure in DEFAULT)
_MEASURES = tuple(zip(IR, DEFAULT, strict=True))
EVALUATOR = (
    "evaluator_precision",
    "evaluator_recall",
    "evaluator_f1",
    "exact_match",
    "exact_match_strict",
)
METRICS = (*LABEL_FREE, *GROUND_TRUTH, *IR, *EVALUATOR)
COUNTS = ("requirements", "supported", "documents", "cited", "gold", "gold_in_context", "cited_gold")
"""`documents` of every event; `requirements`, `supported`, `cited` of scored ones; `gold`, `gold_in_context`
of labelled ones; `cited_gold` of those that are both."""

NAMES = (*METRICS, *COUNTS)
AGAINST_GOLD = frozenset((*GROUND_TRUTH, *IR, *EVALUATOR, "gold", "gold_in_context", "cited_gold"))
"""Those that unlabelled events lack."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """An event's metrics against its gold, and `row`: one number for each of `NAMES`, None where
    undefined."""

    ground_truth: GroundTruthMetrics | None
    evaluator: EvaluatorMetrics | None
    row: tuple[float | None, ...]

    def get(self, name: str) -> float | None:
        return self.row[NAMES.index(name)]


def score(event: Event, *, gold: Iterable[str] | None, evaluation: Evaluation | None = None) -> Scores:
    """The numbers of an event with the gold ids now in force (None: unlabelled) and the evaluation that
    counts."""
    documents = Documents.of(event)
    numbers: dict[str, float | None] = {"documents": len(documents)}
    wanted = None if gold is None else frozenset(gold)
    against_gold = judged = None
    if evaluation is not None and evaluation.label_free is not None:
        cited = [verdict.position for verdict in evaluation.passages if verdict.cited]
        for name in LABEL_FREE:
            numbers[name] = _number(getattr(evaluation.label_free, name))
        numbers["requirements"] = len(evaluation.requirements)
        numbers["supported"] = sum(met.verdict.outcome is Outcome.PASS for met in evaluation.requirements)
        numbers["cited"] = len(documents.at(cited))
        if wanted is not None:
            judged = evaluator(documents, wanted, cited=cited)
            for name in EVALUATOR:
                numbers[name] = _number(getattr(judged, name.removeprefix("evaluator_")))
            numbers["cited_gold"] = len(documents.at(cited) & documents.gold(wanted))
    if wanted is not None:
        against_gold = ground_truth(documents, wanted)
        for name in GROUND_TRUTH:
            numbers[name] = _number(getattr(against_gold, name.removeprefix("gt_")))
        numbers |= {name: value.value for name, value in against_gold.ir.items()}
        numbers["gold"], numbers["gold_in_context"] = len(wanted), len(documents.gold(wanted))
    return Scores(ground_truth=against_gold, evaluator=judged, row=tuple(numbers.get(name) for name in NAMES))


def gold_row(event: Event, *, gold: Sequence[str]) -> tuple[float | None, ...]:
    """`score(event, gold=gold).row`, without the reasons of what is undefined: for when events come in."""
    documents = Documents.of(event)
    wanted = frozenset(gold)
    found = documents.gold(wanted)
    n, right = len(documents), len(found)
    recall = right / len(wanted) if wanted else None
    precision = right / n if n else None
    numbers: dict[str, float | None] = {"documents": n, "gold": len(wanted), "gold_in_context": right}
    numbers["gt_recall"], numbers["gt_precision"] = recall, precision
    if recall is not None and precision is not None:
        numbers["gt_f1"] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    elif recall == 0 or precision == 0:
        numbers["gt_f1"] = 0.0
    if documents.has_order or not n:
        hits = documents.hits(found)
        numbers |= {name: measure.of(hits, gold=len(wanted)) for name, measure in _MEASURES}
    return tuple(map(numbers.get, NAMES))


def flagged(scores: Scores) -> bool:
    """Whether the event deserves a look: its label-free recall is below 1."""
    recall = scores.get("recall")
    return recall is not None and recall < 1


def _number(value: Value | None) -> float | None:
    return None if value is None else value.value
