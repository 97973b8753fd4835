"""The checks of single fields: type, length, range and characters, each with its message and place."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from steelyard.errors import InvalidInput
from steelyard.schemas.event import Limits

_SURROGATE = re.compile("[\ud800-\udfff]")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_HEX = re.compile(r"[0-9A-Fa-f]+", re.ASCII)
_INTEGER_BITS = 63
_YEARS = range(1900, 3000)
_NAMES = {
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_Json = dict[str, Any]


def wrong_type(value: object, where: str, wanted: str) -> InvalidInput:
    got = "null" if value is None else _NAMES.get(type(value), type(value).__name__)
    return InvalidInput(f"expected {wanted}, got {got}", field=where or "/")


def known_fields(value: object, known: frozenset[str], where: str, *, kind: str = "an object") -> _Json:
    """The object, when it has no field but the known ones."""
    if not isinstance(value, dict):
        raise wrong_type(value, where, kind)
    if not value.keys() <= known:
        name = next(name for name in value if name not in known)
        raise InvalidInput(
            f"{_shown(name)} is not a field here",
            field=f"{where}/{_escaped(name)}",
            hint=f"Known are {', '.join(sorted(known))}; put anything else into metadata.",
        )
    return value


def text(
    value: object, where: str, *, most: int, least: int = 0, nul: bool = False, hint: str | None = None
) -> str:
    """Text of `least` to `most` characters (code points) that UTF-8 can hold; NUL only where `nul` allows
    it."""
    if not isinstance(value, str):
        raise wrong_type(value, where, "text")
    if len(value) > most:
        raise InvalidInput(
            f"the text has {len(value)} characters, over the limit of {most}", field=where, hint=hint
        )
    if len(value) < least:
        raise InvalidInput("the text is empty", field=where)
    _characters(value, where, nul=nul)
    return value


def _characters(value: str, where: str, *, nul: bool) -> None:
    if value.isascii():
        if not nul and "\0" in value:
            raise _nul(value, where)
        return
    lone = _SURROGATE.search(value)
    if lone is not None:
        raise InvalidInput(
            f"the text holds a lone surrogate (U+{ord(lone[0]):04X}) at character {lone.start()}",
            field=where,
            hint="Encode the text as UTF-8, with pairs for characters beyond U+FFFF.",
        )
    if not nul and "\0" in value:
        raise _nul(value, where)


def _nul(value: str, where: str) -> InvalidInput:
    return InvalidInput(
        f"the text holds NUL (U+0000) at character {value.index(chr(0))}",
        field=where,
        hint="NUL is accepted inside passage texts and answers only.",
    )


def document_id(value: object, where: str, limits: Limits) -> str:
    """A document's id; an integer becomes text."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = _decimal(value, where)
    if not isinstance(value, str):
        raise wrong_type(value, where, "an id (text or an integer)")
    return text(value, where, most=limits.document_id_chars, least=1)


def _decimal(value: int, where: str) -> str:
    if value.bit_length() > _INTEGER_BITS + 1:
        raise InvalidInput("the integer is beyond 64 bits", field=where, hint="Send a long id as text.")
    return str(value)


def number(value: object, where: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, where, "a number")
    try:
        finite = float(value)
    except OverflowError:
        finite = math.inf
    if not math.isfinite(finite):
        shown = str(value) if isinstance(value, float) else "beyond a double's range"
        raise InvalidInput(
            f"the number is not finite ({shown})", field=where, hint="Leave it out when unknown."
        )
    return finite


def count(value: object, where: str) -> int:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(value, where, "a whole number")
    if not 1 <= value < 2**_INTEGER_BITS:
        shown = str(value) if value.bit_length() <= _INTEGER_BITS else "beyond 64 bits"
        raise InvalidInput(
            f"the rank is {shown}", field=where, hint="Ranks are whole numbers from 1, the top."
        )
    return value


def boolean(value: object, where: str) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        raise wrong_type(value, where, "a boolean")
    return value


def hex_digits(value: object, where: str, *, digits: int) -> str | None:
    """Exactly `digits` hexadecimal digits, in lower case."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong_type(value, where, f"{digits} hexadecimal digits")
    if len(value) != digits or not _HEX.fullmatch(value):
        raise InvalidInput(
            f"{where[1:]} is not {digits} hexadecimal digits",
            field=where,
            hint="Send the id as OpenTelemetry writes it, without dashes.",
        )
    return value.lower()


def timestamp(value: object, where: str) -> datetime:
    """An RFC 3339 time with its offset (or an aware `datetime`), in UTC and in the years 1900 to 2999: times
    nearer the ends of the calendar leave no room for the spans that are reckoned from them."""
    if isinstance(value, datetime):
        parsed = value if value.tzinfo is not None else None
    elif isinstance(value, str):
        parsed = _from_text(value)
    else:
        raise wrong_type(value, where, "a time in RFC 3339")
    try:
        found = None if parsed is None else parsed.astimezone(UTC)
    except OverflowError:
        found = None
    if found is not None:
        if found.year in _YEARS:
            return found
        raise InvalidInput(
            f"the time is in the year {found.year}", field=where, hint="Years 1900 to 2999 are accepted."
        )
    raise InvalidInput(
        f"{_shown(value)} is not a time in RFC 3339 with an offset",
        field=where,
        hint="As 2026-11-30T23:59:59.5Z.",
    )


def _from_text(value: str) -> datetime | None:
    if not _RFC_3339.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value.upper().replace(" ", "T"))
    except ValueError:
        return None


def metadata(value: object, where: str, limits: Limits) -> Mapping[str, Any]:
    """A JSON object whose compact UTF-8 form is within the limit, with nothing in it that JSON cannot
    hold."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_type(value, where, "an object")
    _walk(value, where, left=limits.depth - where.count("/"))
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limits.metadata_bytes:
        raise InvalidInput(
            f"the metadata takes {size} bytes as JSON, over the limit of {limits.metadata_bytes}", field=where
        )
    return value


def _walk(value: object, where: str, *, left: int) -> None:
    if isinstance(value, str):
        _characters(value, where, nul=False)
    elif isinstance(value, dict | list | tuple):
        if left <= 0:
            raise InvalidInput(
                "the value is nested too deeply", field=where, hint="Flatten it, or send it as text."
            )
        if isinstance(value, dict):
            for name, inner in value.items():
                if not isinstance(name, str):
                    raise wrong_type(name, where, "text as every key")
                _characters(name, where, nul=False)
                _walk(inner, f"{where}/{_escaped(name)}", left=left - 1)
        else:
            for index, inner in enumerate(value):
                _walk(inner, f"{where}/{index}", left=left - 1)
    elif value is not None and not isinstance(value, bool):
        if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
            raise InvalidInput("the integer is beyond 64 bits", field=where, hint="Send it as text.")
        if not isinstance(value, int):
            number(value, where)


def _escaped(name: object) -> str:
    """A reference token of a JSON Pointer (RFC 6901), safe to print."""
    token = str(name).replace("~", "~0").replace("/", "~1")
    return token.encode("utf-8", "backslashreplace").decode()


def _shown(value: object) -> str:
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
