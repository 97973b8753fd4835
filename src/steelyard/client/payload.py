"""An event as it travels: composed and serialised in the caller, so that later changes to its parts change
nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from steelyard.errors import InvalidInput
from steelyard.schemas.event import Limits, Passage

from .ids import new_event_id

Context = Sequence[str | Mapping[str, Any] | Passage]
"""Passages: texts, or objects with `text` and optional `id`, `source`, `score`, `rank`, `metadata`."""

_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One serialised event. `labelled` ones wait for room where others are dropped."""

    event_id: str
    body: bytes
    labelled: bool


def _plain(value: Any) -> Any:
    """What `to_json` does not know: NumPy numbers and arrays have a plain form, all else is refused."""
    for method in ("item" if getattr(value, "ndim", None) == 0 else "tolist", "model_dump"):
        convert = getattr(value, method, None)
        if callable(convert):
            return convert()
    raise InvalidInput(
        f"a {type(value).__module__}.{type(value).__qualname__} cannot be logged",
        hint="Give passages as text or {text, id, ...} and metadata as plain values.",
    )


def _shortened(item: Any) -> Any:
    if isinstance(item, str):
        return item[: _LIMITS.passage_chars]
    if isinstance(item, Passage):
        item = item.model_dump(exclude_defaults=True)
    if isinstance(item, Mapping) and isinstance(item.get("text"), str):
        return {**item, "text": item["text"][: _LIMITS.passage_chars]}
    return item


def compose(
    task: str,
    context: Context,
    fields: Mapping[str, Any] | None = None,
    *,
    truncate: bool = False,
    active_span: Callable[[], dict[str, Any]] | None = None,
) -> Outgoing:
    """The event of one `log` call; `fields` are its other arguments by name. Those that are None are left
    out; an active span fills the trace fields unless a `trace_id` or `span_id` was given. Numbers that are
    not finite travel as the texts "NaN" and "Infinity", so that the server refuses that event by name and
    not the batch.

    Raises:
        InvalidInput: something in it has no JSON form.
    """
    if truncate:
        task = task[: _LIMITS.task_chars]
        context = [_shortened(item) for item in context[: _LIMITS.passages]]
    event: dict[str, Any] = {"event_id": None, "task": task, "context": context}
    if fields is not None:
        for name, value in fields.items():
            if value is not None:
                event[name] = value
    if event["event_id"] is None:
        event["event_id"] = new_event_id()
    if active_span is not None and "trace_id" not in event and "span_id" not in event:
        event.update(active_span())
    moment = event.get("created_at")
    if moment is None:
        event["created_at"] = datetime.now(UTC)
    elif isinstance(moment, datetime) and moment.tzinfo is None:
        event["created_at"] = moment.astimezone(UTC)
    try:
        body = to_json(event, inf_nan_mode="strings", fallback=_plain)
    except InvalidInput:
        raise
    except Exception as problem:
        raise InvalidInput(f"the event has no JSON form: {problem}") from None
    return Outgoing(event["event_id"], body, "ground_truth" in event)
