"""Column types that mean the same on both databases: moments, project ids, big integers and people's text."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Integer, Text
from sqlalchemy.types import TypeDecorator

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

BigInt = BigInteger().with_variant(Integer, "sqlite")
"""64 bits on both; as a primary key of SQLite it is the rowid itself."""


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 in UTC, exactly. A moment without a zone is a mistake and raises
    `ValueError`."""
    if moment.tzinfo is None:
        raise ValueError(f"the time {moment} has no zone")
    return (moment - EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    """The moment, in UTC, that `microseconds` made a number of."""
    return EPOCH + microseconds * _MICROSECOND


class Moment(TypeDecorator[datetime]):
    """A time in UTC with microseconds, kept as a 64-bit integer: exact, small, ordered and alike on both
    databases."""

    impl = BigInt
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:  # noqa: ARG002
        return None if value is None else microseconds(value)

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        return None if value is None else moment(value)


class ProjectId(TypeDecorator[str]):
    """A project's id: text outside, a small integer in every index."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> int | None:  # noqa: ARG002
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Any) -> str | None:  # noqa: ARG002
        return None if value is None else str(value)


class PlainText(TypeDecorator[str]):
    """Text that people wrote. NUL, which PostgreSQL cannot keep, becomes the replacement character."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        return None if value is None else value.replace("\0", "\ufffd")
