"""The three groups of metrics of one event: label-free, against gold, and the evaluator against gold."""

from collections.abc import Iterable, Sequence

from steelyard.schemas.event import Event
from steelyard.schemas.numbers import Value
from steelyard.schemas.result import EvaluatorMetrics, GroundTruthMetrics, LabelFree

from .documents import Documents
from .measures import DEFAULT, Measure
from .measures.ndcg import NDCG

_NO_CONTEXT = "the context is empty"
_NO_ORDER = "no passage carries a rank or a score"
_NO_GOLD = "no document is relevant"


def label_free(
    documents: Documents,
    *,
    requirements: int,
    supported: int,
    cited: Iterable[int],
    subquery_recall: Value | None = None,
) -> LabelFree:
    """Recall = supported / requirements; precision = cited documents / documents; F1; nDCG with cited
    documents as relevant. `cited` are 0-based positions, `supported` at most `requirements`."""
    found = documents.at(cited)
    recall = (
        Value.of(supported / requirements)
        if requirements
        else Value.undefined("the task has no requirements")
    )
    precision = Value.of(len(found) / len(documents)) if len(documents) else Value.undefined(_NO_CONTEXT)
    if not documents.has_order:
        ndcg = Value.undefined(_NO_ORDER if len(documents) else _NO_CONTEXT)
    else:
        ndcg = _value(NDCG().of(documents.hits(found), gold=len(found)), "nothing is cited")
    return LabelFree(
        recall=recall,
        precision=precision,
        f1=harmonic_mean(precision, recall),
        ndcg=ndcg,
        subquery_recall=subquery_recall,
    )


def ground_truth(
    documents: Documents, gold: Iterable[str], *, measures: Sequence[Measure] = DEFAULT
) -> GroundTruthMetrics:
    """How good the retrieval is: G gold documents, C documents in the context. An empty context has a defined
    order: it ranks nothing."""
    wanted = frozenset(gold)
    found = documents.gold(wanted)
    recall = Value.of(len(found) / len(wanted)) if wanted else Value.undefined(_NO_GOLD)
    precision = Value.of(len(found) / len(documents)) if len(documents) else Value.undefined(_NO_CONTEXT)
    if documents.has_order or not len(documents):
        hits = documents.hits(found)
        ir = {str(measure): _value(measure.of(hits, gold=len(wanted)), _NO_GOLD) for measure in measures}
    else:
        ir = {str(measure): Value.undefined(_NO_ORDER) for measure in measures}
    return GroundTruthMetrics(recall=recall, precision=precision, f1=harmonic_mean(precision, recall), ir=ir)


def evaluator(documents: Documents, gold: Iterable[str], *, cited: Iterable[int]) -> EvaluatorMetrics:
    """How accurate the judge is: X cited documents against gold. The headline exact match is X = G∩C, the
    strict one X = G."""
    wanted = frozenset(gold)
    there, found = documents.gold(wanted), documents.at(cited)
    right = len(found & there)
    precision = Value.of(right / len(found)) if found else Value.undefined("nothing is cited")
    recall = Value.of(right / len(there)) if there else Value.undefined("no gold document is in the context")
    return EvaluatorMetrics(
        precision=precision,
        recall=recall,
        f1=harmonic_mean(precision, recall),
        exact_match=Value.of(float(found == there)),
        exact_match_strict=Value.of(float(found == wanted)),
    )


def gold_of(event: Event) -> tuple[str, ...] | None:
    """The event's own gold ids without duplicates, None when it is unlabelled for retrieval."""
    labels = event.ground_truth
    if labels is None or labels.gold_doc_ids is None:
        return None
    return tuple(dict.fromkeys(labels.gold_doc_ids))


def harmonic_mean(first: Value, second: Value) -> Value:
    """0 when both are 0, or when one is undefined and the other 0; undefined otherwise when either is."""
    a, b = first.value, second.value
    if a is not None and b is not None:
        return Value.of(2 * a * b / (a + b) if a + b else 0.0)
    if a == 0 or b == 0:
        return Value.of(0.0)
    return Value.undefined("; ".join(dict.fromkeys(part.reason for part in (first, second) if part.reason)))


def _value(number: float | None, reason: str) -> Value:
    return Value.undefined(reason) if number is None else Value.of(number)
