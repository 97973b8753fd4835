"""A stored event as one line of an export: to log or replay again, or as a row of numbers."""

from typing import Any

from steelyard.schemas.numbers import Value
from steelyard.schemas.query import EventRow, StoredEvaluation, StoredEvent


def event_line(stored: StoredEvent) -> dict[str, Any]:
    """The event as it can be sent again, under its current label; fields at their default are left out."""
    line = stored.event.model_dump(mode="json", exclude_none=True)
    if not line["metadata"]:
        del line["metadata"]
    if not line["is_final_context"]:
        del line["is_final_context"]
    for passage in line["context"]:
        if not passage["metadata"]:
            del passage["metadata"]
    line.pop("ground_truth", None)
    if stored.label is not None:
        label = {"gold_doc_ids": stored.label.gold_doc_ids, "answer": stored.label.answer}
        given = {name: value for name, value in label.items() if value is not None}
        if given:
            line["ground_truth"] = given
    return line


def event_row(stored: StoredEvent) -> dict[str, Any]:
    """The columns of `EventRow`, from the event's current evaluation."""
    event = stored.event
    current = next((held for held in stored.evaluations if held.current), None)
    row: dict[str, Any] = {
        "event_id": event.event_id,
        "task": event.task,
        "status": str(stored.status),
        "reason": stored.reason,
        "passages": len(event.context),
        "trace_id": event.trace_id,
        "created_at": event.created_at.isoformat(),
        "labelled": stored.gold is not None,
    }
    for key in ("env", "dataset", "feature_flag"):
        row[key] = event.metadata.get(key)
    if stored.ground_truth is not None:
        truth = stored.ground_truth
        row |= {"gt_recall": _of(truth.recall), "gt_precision": _of(truth.precision), "gt_f1": _of(truth.f1)}
    if current is not None:
        row |= _evaluated(current)
    row["flagged"] = row.get("recall") is not None and row["recall"] < 1
    return {name: row.get(name) for name in EventRow.model_fields}


def _evaluated(current: StoredEvaluation) -> dict[str, Any]:
    evaluation, accuracy = current.evaluation, current.evaluator
    row: dict[str, Any] = {
        "judge_id": evaluation.judge_id,
        "estimated": evaluation.estimated,
        "latency_s": evaluation.usage.latency_s,
    }
    if evaluation.label_free is not None:
        numbers = evaluation.label_free
        row |= {"recall": _of(numbers.recall), "precision": _of(numbers.precision)}
        row |= {"f1": _of(numbers.f1), "ndcg": _of(numbers.ndcg)}
    if accuracy is not None:
        row |= {
            "evaluator_precision": _of(accuracy.precision),
            "evaluator_recall": _of(accuracy.recall),
            "evaluator_f1": _of(accuracy.f1),
            "exact_match": _of(accuracy.exact_match),
        }
    return row


def _of(value: Value) -> float | None:
    return value.value
