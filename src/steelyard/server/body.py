"""Reads request bodies: type, encoding, size, depth and JSON are checked once, before any validation.

`read_json` answers plain Python values (finite numbers, valid Unicode, no duplicate keys) or raises.
"""

import asyncio
import json
import zlib
from collections.abc import Iterable
from typing import Any, Final

import orjson
from starlette.requests import ClientDisconnect, Request

from steelyard.errors import Malformed, TooLarge, UnsupportedMedia

JSON: Final = "application/json"
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_BODY_S = 60.0
_STEP = 256 * 1024


async def read_json(request: Request, *, max_bytes: int, depth: int) -> object:
    """The JSON value of the body. Raises `UnsupportedMedia`, `TooLarge` (once expanded too), `Malformed`."""
    _check_content_type(request.headers.get("content-type"))
    encoding = request.headers.get("content-encoding", "identity").strip().lower() or "identity"
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise UnsupportedMedia(
            f"the content encoding {encoding[:40]!r} is not read here",
            hint="Send gzip, or nothing compressed.",
        )
    raw = await _read(request, max_bytes=max_bytes)
    return parse(raw if encoding == "identity" else expand(raw, max_bytes=max_bytes), depth=depth)


def expand(raw: bytes, *, max_bytes: int) -> bytes:
    """The bytes of one or several gzip members. Raises `TooLarge` as soon as they pass `max_bytes`."""
    pieces: list[bytes] = []
    total = 0
    rest = raw
    try:
        while rest or not pieces:
            member = zlib.decompressobj(_GZIP_WINDOW)
            while not member.eof:
                piece = member.decompress(rest, _STEP)
                rest = member.unconsumed_tail
                total += len(piece)
                if total > max_bytes:
                    raise _too_large("expands to", limit=max_bytes)
                if not piece and not rest and not member.eof:
                    raise Malformed("the gzip body ends too early")
                pieces.append(piece)
            rest = member.unused_data
    except zlib.error:
        raise Malformed("the body is not gzip, though its content encoding says so") from None
    return b"".join(pieces)


def parse(raw: bytes, *, depth: int) -> object:
    """The JSON value of these bytes, nested no deeper than `depth`. Raises `Malformed`."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as problem:
        raise _malformed(raw, str(problem), depth=depth) from None
    keys = count_keys(value, depth=depth)
    if keys is None:
        raise _too_deep(depth)
    if keys and not _plainly_has(raw, keys):
        _KEYS.decode(raw.decode())
    return value


def count_keys(value: object, *, depth: int) -> int | None:
    """How many keys all objects have together; None when lists and objects nest deeper than `depth` levels.

    Goes level by level, without recursion.
    """
    keys = 0
    level = [value] if type(value) in (dict, list) else []
    for _ in range(depth):
        below: list[object] = []
        for node in level:
            if type(node) is dict:
                keys += len(node)
            below += [child for child in _children(node) if type(child) is dict or type(child) is list]
        if not below:
            return keys
        level = below
    return None if level else keys


def _plainly_has(raw: bytes, keys: int) -> bool:
    """True only if the text has exactly so many keys, which then are all different: a quick look that spares
    most bodies the second reading. Where no colon follows white space, the keys are the colons after a quote,
    less those inside of texts; so as many of these as keys that were read means that none got lost."""
    before = b"".join([piece[-1:] for piece in raw.split(b":")[:-1]])
    return before.count(b'"') == keys and not any(
        before.count(blank) for blank in (b" ", b"\n", b"\r", b"\t")
    )


def _children(node: Any) -> Iterable[object]:
    return node.values() if type(node) is dict else node


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> None:
    if len({key for key, _ in pairs}) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Malformed(
                    f"the key {key[:80]!r} stands twice in one object", hint="Send each key once."
                )
            seen.add(key)


_KEYS = json.JSONDecoder(object_pairs_hook=_refuse_duplicates)


async def _read(request: Request, *, max_bytes: int) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise _too_large("has", limit=max_bytes, actual=int(declared))
    pieces: list[bytes] = []
    total = 0
    try:
        async with asyncio.timeout(_BODY_S):
            async for piece in request.stream():
                total += len(piece)
                if total > max_bytes:
                    raise _too_large("has", limit=max_bytes)
                pieces.append(piece)
    except TimeoutError:
        raise Malformed(f"the body did not arrive within {_BODY_S:.0f} s") from None
    except ClientDisconnect:
        raise Malformed("the body broke off") from None
    return b"".join(pieces)


def _check_content_type(value: str | None) -> None:
    media, *parameters = (part.strip().lower() for part in (value or "").split(";"))
    if media != JSON:
        said = f"is {media[:80]!r}" if media else "is missing"
        raise UnsupportedMedia(f"the content type {said}", hint=f"Send {JSON}.")
    for parameter in parameters:
        name, _, charset = parameter.partition("=")
        if name == "charset" and charset.strip('"') not in ("utf-8", "utf8", "us-ascii"):
            raise UnsupportedMedia(f"the charset {charset[:40]!r} is not read here", hint="Send UTF-8.")


def _malformed(raw: bytes, problem: str, *, depth: int) -> Malformed:
    if not raw.strip():
        return Malformed("the body is empty", hint="Send one JSON value.")
    if "depth limit" in problem or "recursion" in problem.lower():
        return _too_deep(depth)
    try:
        raw.decode()
    except UnicodeDecodeError as wrong:
        return Malformed(f"the body is not UTF-8: byte {raw[wrong.start]:#04x} at offset {wrong.start}")
    return Malformed(f"the body is not JSON: {problem}")


def _too_deep(depth: int) -> Malformed:
    return Malformed(f"the body nests deeper than {depth} levels", hint="Flatten the metadata.")


def _too_large(what: str, *, limit: int, actual: int | None = None) -> TooLarge:
    size = f"{actual:,} bytes, more than" if actual is not None else "more than"
    return TooLarge(
        f"the body {what} {size} the limit of {limit:,} bytes", hint="Send fewer events in one body."
    )
