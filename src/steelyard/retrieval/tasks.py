"""When two tasks are the same task: the normal form and the key under which requirements are kept."""

import hashlib
import unicodedata

_KEY_DIGITS = 32


def normalise(task: str) -> str:
    """The task in NFC, white space folded to single spaces and trimmed, case folded.

    Case folding can undo composition, so NFC is taken last as well: `normalise` of its own result changes
    nothing.
    """
    folded = " ".join(unicodedata.normalize("NFC", task).casefold().split())
    return " ".join(unicodedata.normalize("NFC", folded).split())


def task_key(task: str) -> str:
    """The first 32 hex digits of SHA-256 over the UTF-8 text of the normalised task."""
    return hashlib.sha256(normalise(task).encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]
