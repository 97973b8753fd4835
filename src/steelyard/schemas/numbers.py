"""Numbers with their reasons: a value that may be undefined, and an estimate with its interval."""

from typing import Self

from pydantic import Field, model_validator

from .base import Record


class Value(Record):
    """One event's metric: `value`, or None with the `reason` it is undefined."""

    value: float | None
    reason: str | None = None

    @model_validator(mode="after")
    def _reasoned(self) -> Self:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a value is either defined or has a reason why it is not")
        return self

    @classmethod
    def of(cls, value: float) -> "Value":
        return cls(value=value)

    @classmethod
    def undefined(cls, reason: str) -> "Value":
        return cls(value=None, reason=reason)


class Estimate(Record):
    """A mean or rate over n items with its 95% interval.

    `value` is None with a `reason` when nothing defines it. `low` and `high` are None with a `reason` when
    the
    interval cannot be had (n = 1, say). `method` names the interval's method (`bca-cluster-bootstrap`,
    `wilson`,
    `cluster-jackknife`, `ppi++`). `micro` is the pooled value beside the macro mean, where there is one.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = Field(ge=0)
    clusters: int | None = None
    micro: float | None = None
    method: str | None = None
    reason: str | None = None
