"""JSON Schema of what is sent as an event, stating the rules that `retrieval.validation` checks."""

from typing import Any

from steelyard.schemas.event import Limits

from .filters import NO_NUL, TIME_PATTERN

Schema = dict[str, Any]
SOME_TEXT = r"^[^\x00]*[^\x00\s][^\x00]*$"


def event_schemas(limits: Limits) -> dict[str, Schema]:
    """The components `EventInput`, `PassageInput`, `GroundTruthInput`, `BatchInput`, with these limits."""
    return {
        "EventInput": _event(limits),
        "PassageInput": _passage(limits),
        "GroundTruthInput": _ground_truth(limits),
        "BatchInput": _object(
            {
                "events": {
                    "type": "array",
                    "items": _ref("EventInput"),
                    "minItems": 1,
                    "maxItems": limits.batch_events,
                }
            },
            required=["events"],
        ),
    }


def _event(limits: Limits) -> Schema:
    properties: dict[str, Schema] = {
        "event_id": _optional(_text(limits.id_chars), "The idempotency key; made by the server when absent."),
        "task": _text(limits.task_chars, pattern=SOME_TEXT) | {"description": "The user's original query."},
        "context": {
            "type": "array",
            "maxItems": limits.passages,
            "items": {"anyOf": [_body(limits.passage_chars), _ref("PassageInput")]},
            "description": "The passages retrieved, texts and objects mixed as you like.",
        },
        "ground_truth": {"anyOf": [_ref("GroundTruthInput"), {"type": "null"}]},
        "metadata": _metadata(limits),
        "sample_rate": _optional(
            {"type": "number", "minimum": 0, "maximum": 1},
            "The share evaluated, by hash of the trace or event id.",
        ),
        "trace_id": _optional(_hex(32), "32 hexadecimal digits."),
        "span_id": _optional(_hex(16), "16 hexadecimal digits."),
        "parent_span_id": _optional(_hex(16), "16 hexadecimal digits."),
        "span_name": _optional(_text(limits.name_chars), "What the hop is called."),
        "subquery": _optional(_text(limits.task_chars, pattern=SOME_TEXT), "What this hop asked for."),
        "is_final_context": _optional({"type": "boolean"}, "Whether the answer was made from this context."),
        "created_at": _optional(
            {"type": "string", "format": "date-time", "pattern": TIME_PATTERN}, "RFC 3339; now when absent."
        ),
    }
    return _object(properties, required=["task", "context"])


def _passage(limits: Limits) -> Schema:
    return _object(
        {
            "text": _body(limits.passage_chars),
            "id": _optional(_document_id(limits), "Matched exactly against gold ids."),
            "source": _optional(_text(limits.document_id_chars, least=0), "Where the passage comes from."),
            "score": _optional({"type": "number"}, "Higher is nearer the top."),
            "rank": _optional({"type": "integer", "minimum": 1, "maximum": 2**63 - 1}, "1 is the top."),
            "metadata": _metadata(limits),
        },
        required=["text"],
    )


def _ground_truth(limits: Limits) -> Schema:
    gold = {"type": "array", "items": _document_id(limits), "maxItems": limits.gold_ids}
    return _object(
        {
            "gold_doc_ids": _optional(gold, "Empty: nothing is relevant. Absent: unlabelled."),
            "answer": _optional(_body(limits.answer_chars), "The expected answer."),
        },
        required=[],
    )


def _document_id(limits: Limits) -> Schema:
    whole = {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1}
    return {"anyOf": [_text(limits.document_id_chars), whole]}


def _metadata(limits: Limits) -> Schema:
    said = f"Free form, at most {limits.metadata_bytes:,} bytes as JSON."
    return _optional({"type": "object", "additionalProperties": True}, said)


def _text(most: int, *, least: int = 1, pattern: str = NO_NUL) -> Schema:
    return {"type": "string", "minLength": least, "maxLength": most, "pattern": pattern}


def _body(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _hex(digits: int) -> Schema:
    return {"type": "string", "pattern": f"^[0-9a-fA-F]{{{digits}}}$"}


def _optional(schema: Schema, description: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": description}


def _object(properties: dict[str, Schema], *, required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
