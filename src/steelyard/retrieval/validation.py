"""An event as it was sent, checked against every rule of the wire and filled in. Raises `InvalidInput` with
the JSON Pointer of the first thing wrong."""

from collections.abc import Callable, Mapping
from datetime import datetime
from math import isfinite
from typing import Any

from steelyard.errors import InvalidInput
from steelyard.schemas.base import trusted
from steelyard.schemas.event import Event, GroundTruth, Limits, Passage

from .fields import (
    boolean,
    count,
    document_id,
    hex_digits,
    known_fields,
    metadata,
    number,
    text,
    timestamp,
    wrong_type,
)

_EVENT = frozenset(Event.model_fields)
_PASSAGE = frozenset(Passage.model_fields)
_PLAIN = frozenset({"text", "id", "score"})
_GROUND_TRUTH = frozenset(GroundTruth.model_fields)
_TRACE_DIGITS, _SPAN_DIGITS = 32, 16


def parse_event(data: object, *, limits: Limits, now: datetime, new_id: Callable[[], str]) -> Event:
    """The event in `data` (decoded JSON). An absent `created_at` becomes `now`, an absent `event_id`
    `new_id()`; null stands for absent in every optional field.

    Raises `InvalidInput` with `field` as JSON Pointer (`/context/3/text`).
    """
    given = known_fields(data, _EVENT, "")
    for name in ("task", "context"):
        if given.get(name) is None:
            raise InvalidInput(
                f"{name} is missing", field=f"/{name}", hint="An event needs task and context."
            )
    created_at = given.get("created_at")
    return trusted(
        Event,
        event_id=_optional_text(given, "event_id", limits.id_chars) or new_id(),
        task=_task(given["task"], "/task", limits),
        context=_context(given["context"], limits),
        ground_truth=_ground_truth(given.get("ground_truth"), limits),
        metadata=metadata(given.get("metadata"), "/metadata", limits),
        sample_rate=_sample_rate(given.get("sample_rate")),
        trace_id=hex_digits(given.get("trace_id"), "/trace_id", digits=_TRACE_DIGITS),
        span_id=hex_digits(given.get("span_id"), "/span_id", digits=_SPAN_DIGITS),
        parent_span_id=hex_digits(given.get("parent_span_id"), "/parent_span_id", digits=_SPAN_DIGITS),
        span_name=_optional_text(given, "span_name", limits.name_chars),
        subquery=None if given.get("subquery") is None else _task(given["subquery"], "/subquery", limits),
        is_final_context=boolean(given.get("is_final_context"), "/is_final_context"),
        created_at=now if created_at is None else timestamp(created_at, "/created_at"),
    )


def _optional_text(given: Mapping[str, Any], name: str, most: int) -> str | None:
    value = given.get(name)
    return None if value is None else text(value, f"/{name}", most=most, least=1)


def _task(value: object, where: str, limits: Limits) -> str:
    task = text(value, where, most=limits.task_chars, least=1)
    if not task.strip():
        raise InvalidInput(
            f"{where[1:]} is blank", field=where, hint="Send the user's query as it was asked."
        )
    return task


def _sample_rate(value: object) -> float:
    if value is None:
        return 1.0
    rate = number(value, "/sample_rate")
    if not 0 <= rate <= 1:
        raise InvalidInput(
            f"sample_rate is {rate:g}, outside 0..1",
            field="/sample_rate",
            hint="0.1 evaluates one event in ten.",
        )
    return rate


def _context(value: object, limits: Limits) -> tuple[Passage, ...]:
    if not isinstance(value, list | tuple):
        raise wrong_type(value, "/context", "a list of passages")
    if len(value) > limits.passages:
        raise InvalidInput(
            f"the context has {len(value)} passages, over the limit of {limits.passages}",
            field=f"/context/{limits.passages}",
            hint="Send the first ones only; the SDKs do so with truncate=True.",
        )
    return tuple(
        _plain_passage(item, limits) or _passage(item, f"/context/{index}", limits)
        for index, item in enumerate(value)
    )


def _plain_passage(item: object, limits: Limits) -> Passage | None:
    """The passage, when it is of the plainest kind, seen to be right at a glance: ASCII text with at most an
    id and a score. Half of a batch's validation is passages, and most are like that. None: look carefully."""
    if type(item) is not dict or not item.keys() <= _PLAIN:
        return None
    text, name, score = item.get("text"), item.get("id"), item.get("score")
    right = (
        type(text) is str
        and text.isascii()
        and len(text) <= limits.passage_chars
        and (
            name is None
            or (
                type(name) is str
                and name.isascii()
                and 0 < len(name) <= limits.document_id_chars
                and "\0" not in name
            )
        )
        and (score is None or (type(score) is float and isfinite(score)))
    )
    if not right:
        return None
    return trusted(Passage, text=text, id=name, source=None, score=score, rank=None, metadata={})


def _passage(item: object, where: str, limits: Limits) -> Passage:
    if isinstance(item, str):
        return Passage(text=_body(item, where, limits))
    given = known_fields(item, _PASSAGE, where, kind="a passage (text, or an object with text)")
    if given.get("text") is None:
        raise InvalidInput(
            "text is missing", field=f"{where}/text", hint="A passage is text or an object with text."
        )
    source, score, rank = given.get("source"), given.get("score"), given.get("rank")
    return trusted(
        Passage,
        text=_body(given["text"], f"{where}/text", limits),
        id=None if given.get("id") is None else document_id(given["id"], f"{where}/id", limits),
        source=None if source is None else text(source, f"{where}/source", most=limits.document_id_chars),
        score=None if score is None else number(score, f"{where}/score"),
        rank=None if rank is None else count(rank, f"{where}/rank"),
        metadata=metadata(given.get("metadata"), f"{where}/metadata", limits),
    )


def _body(value: object, where: str, limits: Limits) -> str:
    return text(
        value,
        where,
        most=limits.passage_chars,
        nul=True,
        hint="Cut the passage; the SDKs do so with truncate=True.",
    )


def _ground_truth(value: object, limits: Limits) -> GroundTruth | None:
    if value is None:
        return None
    where = "/ground_truth"
    given = known_fields(value, _GROUND_TRUTH, where)
    answer, ids = given.get("answer"), given.get("gold_doc_ids")
    if answer is not None:
        answer = text(answer, f"{where}/answer", most=limits.answer_chars, nul=True)
    if ids is None:
        return GroundTruth(answer=answer)
    where = f"{where}/gold_doc_ids"
    if not isinstance(ids, list | tuple):
        raise wrong_type(ids, where, "a list of document ids")
    if len(ids) > limits.gold_ids:
        raise InvalidInput(
            f"there are {len(ids)} gold ids, over the limit of {limits.gold_ids}",
            field=f"{where}/{limits.gold_ids}",
        )
    gold = (document_id(item, f"{where}/{index}", limits) for index, item in enumerate(ids))
    return GroundTruth(gold_doc_ids=tuple(dict.fromkeys(gold)), answer=answer)
