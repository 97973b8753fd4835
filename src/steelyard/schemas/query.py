"""What is asked of the store and what it answers: filters, cursors, pages and the rows of every noun."""

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from steelyard.errors import InvalidInput

from .base import Record
from .event import Event, Status
from .judging import JudgeIdentity
from .numbers import Estimate
from .result import Evaluation, EvaluatorMetrics, GroundTruthMetrics
from .summary import Summary

Item = TypeVar("Item")

Scope = Literal["write", "read", "admin"]


class EventFilter(Record):
    """Which events. All given conditions hold together; `start` is inclusive, `end` exclusive, both on
    `created_at`.

    `metadata` compares top-level metadata values as text, exactly; `text` is looked for in the task,
    ignoring case.
    """

    env: str | None = None
    dataset: str | None = None
    feature_flag: str | None = None
    status: tuple[Status, ...] = ()
    labelled: bool | None = None
    flagged: bool | None = None
    trace_id: str | None = None
    task_key: str | None = None
    user: str | None = None
    judge_id: str | None = None
    text: str | None = None
    metadata: Mapping[str, str] = Field(default_factory=dict)
    start: datetime | None = None
    end: datetime | None = None


class Page(Record, Generic[Item]):
    """Some items in a stable order; `next_cursor` None says that they were the last."""

    items: tuple[Item, ...]
    next_cursor: str | None = None


class Count(Record):
    """How many; `exact` False: at least that many, counting stopped at a cap."""

    value: int
    exact: bool = True


def encode_cursor(*key: int | str) -> str:
    """The place after an item, as URL-safe text that callers hand back unread."""
    return base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """The key of a cursor, checked against `kinds`; raises `InvalidInput` for anything this program never
    made."""
    try:
        key = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        key = None
    if not isinstance(key, list) or [type(part) for part in key] != list(kinds):
        raise InvalidInput(
            "this cursor is not one that was given out", field="/cursor", hint="Start without one."
        )
    if any(isinstance(part, int) and not -(2**63) <= part < 2**63 for part in key):
        raise InvalidInput(
            "this cursor is not one that was given out", field="/cursor", hint="Start without one."
        )
    return tuple(key)


class Project(Record):
    """`id` is the store's own, handed to every function; people see `name`."""

    id: str
    name: str
    created_at: datetime


class Key(Record):
    """An API key, without its secret. `prefix` are the first characters, to tell keys apart."""

    id: str
    project_id: str
    name: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


class Session(Record):
    """A browser's login. `csrf` is the secret that its forms carry."""

    id: str
    csrf: str
    created_at: datetime
    expires_at: datetime


class EventRow(Record):
    """An event in a list: promoted fields and the numbers of its latest evaluation, None where undefined."""

    event_id: str
    task: str
    status: Status
    reason: str | None = None
    passages: int
    env: str | None = None
    dataset: str | None = None
    feature_flag: str | None = None
    trace_id: str | None = None
    created_at: datetime
    labelled: bool
    flagged: bool
    judge_id: str | None = None
    estimated: bool = False
    recall: float | None = None
    precision: float | None = None
    f1: float | None = None
    ndcg: float | None = None
    gt_recall: float | None = None
    gt_precision: float | None = None
    gt_f1: float | None = None
    evaluator_precision: float | None = None
    evaluator_recall: float | None = None
    evaluator_f1: float | None = None
    exact_match: float | None = None
    latency_s: float | None = None


class Label(Record):
    """Gold labels of an event. Labels are amended by a new `version` (from 1), never overwritten.

    `origin`: `logged` with the event, `added` later, or the outcome of a `review`. `gold_doc_ids` None:
    unlabelled.
    """

    event_id: str
    version: int
    gold_doc_ids: tuple[str, ...] | None
    answer: str | None = None
    origin: Literal["logged", "added", "review"]
    author: str | None = None
    reason: str | None = None
    created_at: datetime


class StoredEvaluation(Record):
    """An evaluation with its accuracy against the event's current label. `current`: the one that lists and
    means use."""

    evaluation: Evaluation
    evaluator: EvaluatorMetrics | None = None
    current: bool = True


class StoredEvent(Record):
    """All that is known of an event: as sent, where it stands, its current label and its evaluations,
    newest first."""

    event: Event
    status: Status
    reason: str | None = None
    received_at: datetime
    attempts: int = 0
    label: Label | None = None
    ground_truth: GroundTruthMetrics | None = None
    evaluations: tuple[StoredEvaluation, ...] = ()

    @property
    def gold(self) -> tuple[str, ...] | None:
        """The current gold ids; None when unlabelled."""
        return self.label.gold_doc_ids if self.label else None


class ClaimedEvent(Record):
    """An event leased for evaluation. `lease` fences: it changes with every claim, so a late writer is
    told no."""

    project_id: str
    event: Event
    gold: tuple[str, ...] | None
    lease: str
    attempts: int


class Queue(Record):
    """What waits: `queued` and `evaluating` events, and the age in seconds of the oldest one waiting."""

    queued: int
    evaluating: int
    oldest_age_s: float | None


class Facet(Record):
    value: str
    n: int


class Facets(Record):
    """The values that filters can take, most frequent first, counted over the range; `exact` False: from
    rollups or over a capped number of events."""

    env: tuple[Facet, ...]
    dataset: tuple[Facet, ...]
    feature_flag: tuple[Facet, ...]
    status: tuple[Facet, ...]
    exact: bool = True


class DisagreementKind(StrEnum):
    """`agreement`: drawn at random beside the disagreements, for reviewing only those flatters the judge."""

    FALSE_CITATION = "false_citation"
    MISSED_GOLD = "missed_gold"
    AGREEMENT = "agreement"


class Decision(StrEnum):
    JUDGE_RIGHT = "judge_right"
    LABEL_RIGHT = "label_right"
    UNCLEAR = "unclear"


class Review(Record):
    """What a reviewer decided of one document of an event, whose first passage is at `position`."""

    id: str
    event_id: str
    judge_id: str
    position: int
    kind: DisagreementKind
    decision: Decision
    reason: str | None = None
    reviewer: str | None = None
    created_at: datetime


class Disagreement(Record):
    """One document on which judge and label disagree (or a drawn agreement): `text` of its first passage, at
    0-based `position`, the judge's decision and reason, and the label's."""

    event_id: str
    position: int
    passage_id: str | None
    kind: DisagreementKind
    judge_id: str
    task: str
    text: str
    cited: bool
    gold: bool
    probability: float | None = None
    reason: str = ""
    created_at: datetime
    review: Review | None = None


class ReviewProgress(Record):
    """How far the queue is: agreements drawn count in `agreements_*` only. `judge_right`, `label_right`
    and `unclear` count decisions."""

    disagreements: int
    reviewed: int
    judge_right: int
    label_right: int
    unclear: int
    agreements: int
    agreements_reviewed: int


class ReviewedAccuracy(Record):
    """Evaluator metrics over labelled events before reviews (the labels as first given) and with amended
    labels."""

    original: Summary
    amended: Summary
    progress: ReviewProgress


class JudgeRow(Record):
    """A judge identity that was used in a project, and how much it did there."""

    identity: JudgeIdentity
    judge_id: str
    first_used_at: datetime
    last_used_at: datetime
    evaluations: int
    unscored: int
    calls: int
    cached_calls: int
    cost_usd: float | None
    latency_s_mean: float | None


class Change(Record):
    """A metric against the previous period: `delta` = now − before, with its 95% interval when both have
    one."""

    now: Estimate
    before: Estimate
    delta: float | None
    low: float | None
    high: float | None
    reason: str | None = None


class Overview(Record):
    """The Overview's numbers. `changes` and the summary share metric names: recall, precision, f1, ndcg,
    evaluator_f1. `latency_p95_s` is of evaluation, None without any."""

    summary: Summary
    changes: dict[str, Change]
    latency_p95_s: float | None
    latency_p95_before_s: float | None
    start: datetime | None
    end: datetime


class TrendPoint(Record):
    """One bucket of a trend, `end` exclusive."""

    start: datetime
    end: datetime
    n: int
    recall: Estimate
    precision: Estimate
    f1: Estimate
    ndcg: Estimate
    evaluator_f1: Estimate
    unscored: int


class Trend(Record):
    points: tuple[TrendPoint, ...]
    bucket_s: int
    computed_from: Literal["events", "rollups"]
    age_s: float | None = None


class Release(Record):
    """A value of `metadata.release` and when it was first seen."""

    name: str
    at: datetime


class Slice(Record):
    """The events of one value of a metadata key; `value` None: those without the key."""

    value: str | None
    summary: Summary


class Slices(Record):
    """Slices of one key, most events first. `considered` events were looked at; `exact` False: the latest
    ones only."""

    key: str
    slices: tuple[Slice, ...]
    considered: int
    exact: bool
    computed_from: Literal["events", "rollups"] = "events"


class Source(Record):
    """A passage source: `passages` retrieved from it in `events`; `precision` is the share cited, `recall`
    the share of the events' cited documents that came from it, `gold_recall` the share of gold, None
    without labels."""

    source: str
    events: int
    passages: int
    cited: int
    precision: float | None
    recall: float | None
    gold_recall: float | None = None


class RequirementTask(Record):
    """A task with its current requirement list, in the list of requirement lists."""

    task: str
    task_key: str
    judge_id: str
    version: int
    k: int
    estimated: bool
    origin: str
    events: int


class AuditEntry(Record):
    id: str
    actor: str
    action: str
    subject: str
    detail: dict[str, Any] = Field(default_factory=dict)
    at: datetime


class Deleted(Record):
    """What a deletion removed."""

    events: int
    evaluations: int
    labels: int


class Finished(Record):
    """The outcome of a claimed event, to be written by `leases.finish`."""

    claim: ClaimedEvent
    evaluation: Evaluation
