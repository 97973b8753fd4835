"""Makes text under judgement inert in a prompt: no control token survives, and no fence can be forged. Pure.

Every replacement is one code point for one, so offsets into the inert text are offsets into the text itself.
"""

import hashlib
import re
from collections.abc import Iterable

# What chat templates and tokenizers take for control: <|im_start|>, </s>, <start_of_turn>, <think>, <<SYS>>,
# [INST] and the like, also with full-width bars. A server that renders a template makes tokens of such text
# wherever it stands.
_ANGLE = re.compile(
    r"<(?=[|｜])|<(?=<?/?(?:s|sys|bos|eos|pad|unk|mask|cls|sep|think|thinking|thought|tool|reserved\w*|\w+_\w+)>)",
    re.IGNORECASE,
)
_SQUARE = re.compile(
    r"\[(?=/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|THINK|IMG|TOOL|[A-Z]+_[A-Z_]+)\])", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def inert(text: str) -> str:
    """`text` with the opening character of control tokens replaced by a look-alike, and with control
    characters and lone surrogates as U+FFFD. As long as `text`, code point by code point."""
    return _SQUARE.sub("［", _ANGLE.sub("‹", _CONTROL.sub("\ufffd", text)))


def mark_for(texts: Iterable[str]) -> str:
    """16 hex digits that occur in none of `texts`: a fence that content cannot contain, the same for equal
    texts."""
    joined = "\x1f".join(texts)
    lower = joined.lower()
    mark = _digits(joined)
    while mark in lower:
        mark = _digits(mark)
    return mark


def fenced(name: str, text: str, *, mark: str) -> str:
    """One block of data under `name`."""
    return f"[begin {name} {mark}]\n{text}\n[end {name} {mark}]"


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
