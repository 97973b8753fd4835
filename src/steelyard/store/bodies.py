"""An event as text and back: its metadata and its body apart, id and time in columns of their own."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from steelyard.schemas.event import Event

_APART = {"event_id", "created_at", "metadata"}
PROMOTED_CHARS = 256
"""Longer values are not promoted to an indexed column; they are still found as metadata."""


def dump(event: Event) -> tuple[str | None, str]:
    """(metadata, body) as JSON, metadata None when there is none. NUL is written as an escape."""
    metadata = to_json(event.metadata).decode() if event.metadata else None
    return metadata, event.model_dump_json(exclude=_APART, exclude_defaults=True)


def load(*, event_id: str, created_at: datetime, metadata: str | None, body: str) -> Event:
    """The event that was dumped."""
    fields = json.loads(body)
    fields["context"] = tuple(fields["context"])
    gold = (fields.get("ground_truth") or {}).get("gold_doc_ids")
    if gold is not None:
        fields["ground_truth"]["gold_doc_ids"] = tuple(gold)
    fields["metadata"] = json.loads(metadata) if metadata else {}
    return Event.model_validate({"event_id": event_id, "created_at": created_at, **fields})


def same(first: tuple[str | None, str], second: tuple[str | None, str]) -> bool:
    """Whether two dumped events say the same, whatever the order of keys in their objects."""
    return first == second or _canonical(first) == _canonical(second)


def promoted(metadata: Mapping[str, Any], *names: str) -> str | None:
    """The first of the named values as text for an indexed column; None for absent, long and nested ones."""
    for name in names:
        value = metadata.get(name)
        if value is None or isinstance(value, list | dict):
            continue
        text = (value if isinstance(value, str) else json.dumps(value)).replace("\0", "\ufffd")
        if len(text) <= PROMOTED_CHARS:
            return text
    return None


def _canonical(dumped: tuple[str | None, str]) -> tuple[str, ...]:
    return tuple(json.dumps(json.loads(part or "{}"), sort_keys=True) for part in dumped)
