"""Text files line by line, and JSON out of a line, with the number of whatever is wrong."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from steelyard.errors import ConfigurationError, InvalidInput

_BOM = b"\xef\xbb\xbf"


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1, line ends and a byte order mark removed.
    `.gz` files are unpacked. Raises `ConfigurationError` when the file cannot be read."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                bare = (line.removeprefix(_BOM) if number == 1 else line).strip()
                if bare:
                    yield number, bare
    except (OSError, EOFError) as problem:
        raise unreadable(path, problem) from None


def unreadable(path: Path, problem: Exception) -> ConfigurationError:
    said = getattr(problem, "strerror", None) or str(problem)
    return ConfigurationError(f"{path} cannot be read: {said}", field="file")


def text_of(line: bytes) -> str:
    """Raises `InvalidInput` for what is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            f"byte {line[problem.start]:#04x} at offset {problem.start} is not UTF-8",
            hint="Save the file as UTF-8.",
        ) from None


def json_of(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; raises `InvalidInput`."""
    try:
        value = json.loads(text_of(line), parse_constant=_refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as problem:
        raise InvalidInput(f"this is not JSON: {problem.msg} at column {problem.colno}") from None
    except RecursionError:
        raise InvalidInput("the JSON nests too deeply") from None
    except InvalidInput:
        raise
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise InvalidInput("the JSON holds a number of too many digits") from None
    if not isinstance(value, dict):
        hint = "One object a line is read, not an array." if isinstance(value, list) else None
        raise InvalidInput("this is not a JSON object", hint=hint)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"the key {twice[:80]!r} stands twice in one object", hint="Give each key once.")
    return found


def _refuse(constant: str) -> NoReturn:
    raise InvalidInput(f"{constant} is not a number in JSON")


def digest_of(paths: list[Path]) -> str:
    """SHA-256 hex over the contents of the files, in this order."""
    sha = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as problem:
            raise unreadable(path, problem) from None
    return sha.hexdigest()
