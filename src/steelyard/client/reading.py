"""Reading back: query parameters of `GET /v1/events` and the walk over its pages, for both clients."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

EVENTS_PATH = "/v1/events"


def parameters(filters: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """Filters as query text: None is left out, times become RFC 3339, truth values `true` and `false`, lists
    repeat the name, and a mapping (`metadata={"user": "42"}`) becomes `key:value` pairs."""
    texts: dict[str, str | list[str]] = {}
    for name, value in filters.items():
        if isinstance(value, Mapping):
            texts[name] = [f"{key}:{_text(item)}" for key, item in value.items()]
        elif isinstance(value, list | tuple | set | frozenset):
            texts[name] = [_text(item) for item in value]
        elif value is not None:
            texts[name] = _text(value)
    return texts


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return str(value)


def page_of(body: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """The events of a page and the cursor of the next, None after the last."""
    return list(body["items"]), body.get("next_cursor")
