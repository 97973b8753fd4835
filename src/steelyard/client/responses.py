"""What the server's answers mean: the error of an answer, and whether asking again may help."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from steelyard import errors

_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 30.0
_LONGEST_OBEYED = 300.0
_BY_STATUS: dict[int, type[errors.SteelyardError]] = {
    kind.status: kind
    for kind in (
        errors.InvalidInput,
        errors.Malformed,
        errors.TooLarge,
        errors.UnsupportedMedia,
        errors.Unauthorized,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.StoreUnavailable,
    )
}


def retryable(response: httpx2.Response) -> bool:
    return response.status_code in _RETRYABLE


def retry_after(response: httpx2.Response) -> float | None:
    """Seconds from `Retry-After`, given as seconds or as a date; None when there is none that can be read."""
    given = response.headers.get("retry-after", "").strip()
    if given.isdecimal():
        return min(float(given), _LONGEST_OBEYED)
    try:
        moment = parsedate_to_datetime(given)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max((moment - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST_OBEYED)


def pause(attempt: int, *, asked: float | None) -> float:
    """Seconds to wait before attempt `attempt` + 1 (from 1): what the server asked for, else exponential
    with full jitter between half and all of 0.2 · 2^attempt, at most 30."""
    if asked is not None:
        return asked
    return min(0.2 * 2.0 ** min(attempt, 10), _LONGEST_PAUSE) * (0.5 + random.random() / 2)


def error_of(response: httpx2.Response) -> errors.SteelyardError:
    """The error that an answer of 3xx or more stands for, with the server's own words where it gave any."""
    code = response.status_code
    try:
        body = response.json()["error"]
        message, field, hint = str(body["message"]), body.get("field"), body.get("hint")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, field = (
            f"{response.request.method} {response.request.url} was answered with HTTP {code}",
            None,
        )
        hint = (
            "Is this the address of a Steelyard server?" if code in (301, 302, 307, 308, 404, 405) else None
        )
    if code == errors.RateLimited.status:
        return errors.RateLimited(message, retry_after=retry_after(response) or 1.0, field=field, hint=hint)
    return _BY_STATUS.get(code, errors.ClientError)(message, field=field, hint=hint)


class Attempts:
    """The patience of one foreground request: four attempts, no pause longer than its timeout."""

    def __init__(self, timeout: float) -> None:
        self._made, self._timeout = 0, timeout

    def pause_after(
        self, outcome: "httpx2.Response | errors.SteelyardError", *, asked: float | None = None
    ) -> float:
        """Seconds to wait before asking again; raises the error when that would not help or was tried
        enough."""
        self._made += 1
        if isinstance(outcome, httpx2.Response):
            error = error_of(outcome)
            if not retryable(outcome):
                raise error
            asked = retry_after(outcome)
        else:
            error = outcome
        wait = pause(self._made, asked=asked)
        if self._made == 4 or wait > self._timeout:
            raise error
        return wait


def unreachable(base_url: str, problem: Exception) -> errors.ClientError:
    what = str(problem) or type(problem).__name__
    return errors.ClientError(
        f"no answer from {base_url}: {what}",
        field="base_url",
        hint="Is the server running (`steelyard serve`)?",
    )
