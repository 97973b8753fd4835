"""What JSON Schema cannot say: cursors are given out, start is before end, 7.0 is no integer, metadata holds
no NUL at any depth."""

from typing import Any

import schemathesis


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    case.query.pop("cursor", None)
    if "start" in case.query:
        case.query.pop("end", None)
        case.query.pop("range", None)
    case.body = without_nul(whole(case.body))
    if isinstance(case.body, dict) and case.body.get("start") is not None:
        case.body.pop("end", None)


def whole(value: Any) -> Any:
    """Integral floats become integers, as every JSON writer but Python's has them."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return value


def without_nul(value: Any, *, inside: bool = False) -> Any:
    """Metadata without NUL, in keys and texts, wherever it stands."""
    if isinstance(value, str) and inside:
        return value.replace("\0", " ")
    if isinstance(value, list):
        return [without_nul(item, inside=inside) for item in value]
    if isinstance(value, dict):
        return {
            (name.replace("\0", " ") if inside else name): without_nul(
                item, inside=inside or name == "metadata"
            )
            for name, item in value.items()
        }
    return value
