"""The one verdict of all areas: pass, fail or unscored, with its evidence."""

from enum import StrEnum

from pydantic import Field

from .base import Record


class Outcome(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNSCORED = "unscored"


class UnscoredReason(StrEnum):
    """Why there is no verdict. Never a zero, never a dropped row."""

    JUDGE_UNAVAILABLE = "judge_unavailable"
    UNREADABLE_REPLY = "unreadable_reply"
    REFUSED = "refused"
    LIMIT_REACHED = "limit_reached"
    ABSTAINED = "abstained"
    MISSING_DATA = "missing_data"
    NOT_SUPPORTED = "not_supported"


class Unscored(Record):
    """An answer that a judge did not give. `detail` is one sentence for people, without secrets."""

    reason: UnscoredReason
    detail: str


class Evidence(Record):
    """A stretch of a text: `pointer` is a JSON Pointer into the item judged (`/context/3/text`), `start` and
    `end`
    are code point offsets in it (end exclusive), or both None for the text as a whole."""

    pointer: str
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)


class Verdict(Record):
    """One decision. `probability` is the judge's calibrated probability of `pass` in 0..1, None when it
    gives none;
    `unscored` says why when the outcome is unscored."""

    outcome: Outcome
    explanation: str
    probability: float | None = Field(default=None, ge=0, le=1)
    evidence: tuple[Evidence, ...] = ()
    unscored: UnscoredReason | None = None
