"""Every error that Steelyard raises on purpose, as one tree.

SteelyardError                what went wrong, where, and how to mend it
├── InvalidInput              a value that cannot be accepted (HTTP 422)
│   └── Malformed             bytes that are not what they claim to be (HTTP 400)
├── TooLarge                  a body, file or list over a limit (HTTP 413)
├── UnsupportedMedia          a content type or encoding nobody reads here (HTTP 415)
├── Unauthorized              no key, or one that does not count (HTTP 401)
├── Forbidden                 a key without the scope (HTTP 403)
├── NotFound                  nothing under that name (HTTP 404)
├── Conflict                  it is there already, or busy (HTTP 409)
├── RateLimited               too much at once; `retry_after` says when (HTTP 429)
├── StoreUnavailable          the database does not answer (HTTP 503)
├── StoreLocked               another server holds this SQLite file
├── ConfigurationError        a setting that cannot work
├── JudgeError                a judge that cannot be opened or asked
└── ClientError               the SDK was told no by the server
"""

from __future__ import annotations

from typing import ClassVar


class SteelyardError(Exception):
    """The base of all: a message for people, the field it is about and a hint how to mend it.

    `code` is a stable word for programs, `status` the HTTP status the API answers with. `field` is a JSON
    Pointer (`/context/3/text`) or the name of a setting.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, *, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.hint = hint

    def __str__(self) -> str:
        where = f" (at {self.field})" if self.field else ""
        how = f" {self.hint}" if self.hint else ""
        return f"{self.message}{where}.{how}" if how else f"{self.message}{where}"


class InvalidInput(SteelyardError):
    code = "invalid"
    status = 422


class Malformed(InvalidInput):
    code = "malformed"
    status = 400


class TooLarge(SteelyardError):
    code = "too_large"
    status = 413


class UnsupportedMedia(SteelyardError):
    code = "unsupported_media_type"
    status = 415


class Unauthorized(SteelyardError):
    code = "unauthorized"
    status = 401


class Forbidden(SteelyardError):
    code = "forbidden"
    status = 403


class NotFound(SteelyardError):
    code = "not_found"
    status = 404


class Conflict(SteelyardError):
    code = "conflict"
    status = 409


class RateLimited(SteelyardError):
    code = "rate_limited"
    status = 429

    def __init__(
        self, message: str, *, retry_after: float, field: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, field=field, hint=hint)
        self.retry_after = retry_after


class StoreUnavailable(SteelyardError):
    code = "store_unavailable"
    status = 503


class StoreLocked(SteelyardError):
    code = "store_locked"


class ConfigurationError(SteelyardError):
    code = "configuration"


class JudgeError(SteelyardError):
    code = "judge"


class ClientError(SteelyardError):
    code = "client"
