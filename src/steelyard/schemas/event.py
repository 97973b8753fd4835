"""The event of a logged retrieval, as it is sent and as it is kept, and the limits it is held to."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import Input, Record


class Status(StrEnum):
    """Where an item stands: one enum everywhere."""

    QUEUED = "queued"
    EVALUATING = "evaluating"
    EVALUATED = "evaluated"
    NOT_SAMPLED = "not_sampled"
    UNSCORED = "unscored"
    ERROR = "error"
    CANCELLED = "cancelled"


class Limits(Record):
    """What one event and one request may hold. Settings, with these defaults."""

    id_chars: int = 128
    document_id_chars: int = 1_024
    name_chars: int = 256
    task_chars: int = 8_000
    passages: int = 50
    passage_chars: int = 20_000
    gold_ids: int = 1_000
    answer_chars: int = 20_000
    metadata_bytes: int = 16_384
    batch_events: int = 500
    body_bytes: int = 64 * 1024 * 1024
    depth: int = 64


def _integer_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


DocumentId = Annotated[
    str, BeforeValidator(_integer_as_text, json_schema_input_type=str | int), Field(min_length=1)
]
"""A document's id: text, or an integer that is turned into text."""


class Passage(Input):
    """One retrieved passage. `rank` 1 is the top; a higher `score` is nearer the top."""

    text: str
    id: DocumentId | None = None
    source: str | None = None
    score: float | None = None
    rank: int | None = Field(default=None, ge=1)
    metadata: Mapping[str, Any] = Field(default_factory=dict)


class GroundTruth(Input):
    """Labels. `gold_doc_ids` None: unlabelled for retrieval; empty: nothing is relevant."""

    gold_doc_ids: tuple[DocumentId, ...] | None = None
    answer: str | None = None


class Event(Record):
    """An event as it is kept: validated, ids as text, passages as objects, every default filled in."""

    event_id: str
    task: str
    context: tuple[Passage, ...]
    ground_truth: GroundTruth | None = None
    metadata: Mapping[str, Any] = Field(default_factory=dict)
    sample_rate: float = 1.0
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    span_name: str | None = None
    subquery: str | None = None
    is_final_context: bool = False
    created_at: datetime


class Receipt(Record):
    """What became of one event of a batch. `index` is its place in the batch; a rejected one has an
    `error`."""

    index: int
    event_id: str | None
    outcome: Literal["accepted", "duplicate", "rejected"]
    error: "ErrorBody | None" = None


class ErrorBody(Record):
    """The inside of the one error envelope `{"error": ...}`."""

    code: str
    message: str
    field: str | None = None
    hint: str | None = None


class ErrorEnvelope(Record):
    error: ErrorBody


Receipt.model_rebuild()
