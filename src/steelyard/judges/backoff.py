"""How long to wait before asking a server again: its own word first, else jittered exponential backoff.
Pure."""

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

RETRYABLE = frozenset({408, 409, 425, 429})
NOT_RETRYABLE = frozenset({501, 505})
FIRST_S = 0.5
LONGEST_S = 60.0


def is_retryable(status: int) -> bool:
    """Whether the same request may succeed later: 408, 409, 425, 429, and 5xx but for "not implemented"."""
    return status in RETRYABLE or (status >= 500 and status not in NOT_RETRYABLE)


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds the server asks for, bounded to 0..60; None when it does not say or what it says cannot be
    read.

    Reads `Retry-After-Ms`, and `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3). A date is
    compared with the server's own `Date` where it sends one, so that a wrong clock here does no harm.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(lower.get(name, ""))
        if seconds is not None:
            return _bounded(seconds / unit)
    then = _date(lower.get("retry-after", ""))
    if then is None:
        return None
    sent = _date(lower.get("date", ""))
    return _bounded(then - (now if sent is None else sent))


def delay(attempt: int, *, jitter: float) -> float:
    """Seconds before retry number `attempt` (from 0): 0.5 · 2^attempt, at most 60, times 0.5 to 1 by `jitter`
    in 0..1."""
    return float(min(FIRST_S * 2 ** min(attempt, 20), LONGEST_S) * (0.5 + 0.5 * jitter))


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_S)


def _number(text: str) -> float | None:
    plain = text.removeprefix("-").replace(".", "", 1)
    return float(text) if plain.isascii() and plain.isdigit() else None


def _date(text: str) -> float | None:
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
