"""Records as CSV and JSONL lines. CSV cells cannot become formulas; JSONL is lossless."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

T = TypeVar("T")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_LINES = 200
_BOM = b"\xef\xbb\xbf"


def cell(value: object) -> object:
    """One CSV cell: None is empty, objects are JSON, text that a spreadsheet would run gets a `'`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def csv_lines(rows: Iterable[Mapping[str, Any]], *, columns: tuple[str, ...]) -> Iterator[bytes]:
    """The header, then a line a row, as RFC 4180 has it, in UTF-8 with the mark that spreadsheets need."""
    line = io.StringIO()
    writer = csv.writer(line)
    writer.writerow(columns)
    yield _BOM + line.getvalue().encode()
    for row in rows:
        line.seek(0)
        line.truncate()
        writer.writerow([cell(row.get(name)) for name in columns])
        yield line.getvalue().encode("utf-8", "backslashreplace")


def jsonl_lines(rows: Iterable[BaseModel | Mapping[str, Any]]) -> Iterator[bytes]:
    """One JSON object a line."""
    for row in rows:
        yield (row.model_dump_json().encode() if isinstance(row, BaseModel) else orjson.dumps(row)) + b"\n"


async def streamed(open_lines: Callable[[], Iterator[bytes]]) -> AsyncIterator[bytes]:
    """The lines of a blocking iterator, read in chunks off the event loop; closed when the reader leaves."""
    lines = open_lines()
    try:
        while chunk := await run_in_threadpool(_chunk, lines):
            yield chunk
    finally:
        close = getattr(lines, "close", None)
        if close is not None:
            await run_in_threadpool(close)


def _chunk(lines: Iterator[bytes]) -> bytes:
    pieces: list[bytes] = []
    for piece in lines:
        pieces.append(piece)
        if len(pieces) >= _LINES:
            break
    return b"".join(pieces)
