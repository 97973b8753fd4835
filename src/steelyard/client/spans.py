"""The active OpenTelemetry span, when that package is installed; this one never installs or configures it."""

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]


def _nothing() -> Fields:
    return {}


def span_reader() -> Callable[[], Fields]:
    """A function that gives `trace_id`, `span_id`, `parent_span_id` and `span_name` of the span active at
    its call, `{}` when there is none."""
    try:
        from opentelemetry.trace import get_current_span
    except ImportError:
        return _nothing

    def read() -> Fields:
        span = get_current_span()
        context = span.get_span_context()
        if not context.is_valid:
            return {}
        parent = getattr(span, "parent", None)
        return {
            "trace_id": f"{context.trace_id:032x}",
            "span_id": f"{context.span_id:016x}",
            "parent_span_id": f"{parent.span_id:016x}" if parent is not None else None,
            "span_name": getattr(span, "name", None),
        }

    return read
