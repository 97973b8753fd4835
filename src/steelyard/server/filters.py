"""Query parameters: which events, which page. Unknown parameters are refused, values are read strictly."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from steelyard.errors import InvalidInput
from steelyard.retrieval.fields import timestamp
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import Status
from steelyard.schemas.query import EventFilter

Range = Literal["1h", "6h", "12h", "24h", "7d", "30d"]
_HOURS = {"1h": 1, "6h": 6, "12h": 12, "24h": 24, "7d": 24 * 7, "30d": 24 * 30}
_DIGITS = re.compile(r"[0-9]{1,6}", re.ASCII)
NO_NUL = r"^[^\x00]*$"
TIME_PATTERN = r"^(19|2\d)\d{2}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$"


def _moment(value: object) -> datetime:
    try:
        return timestamp(value, "")
    except InvalidInput as problem:
        raise ValueError(problem.message) from None


def _whole(value: object) -> object:
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise ValueError("expected a whole number in plain digits")
    return value


def _truth(value: object) -> bool:
    if value not in ("true", "false"):
        raise ValueError("expected true or false")
    return value == "true"


Line = Annotated[str, Field(min_length=1, max_length=512, pattern=NO_NUL)]
"""A short text of the query."""

Pair = Annotated[str, Field(max_length=512, pattern=r"^[^:\x00]+:[^\x00]*$")]
"""`key:value`."""

Time = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": TIME_PATTERN}),
]
Truth = Annotated[bool, BeforeValidator(_truth), WithJsonSchema({"type": "boolean"})]
Limit = Annotated[int, Field(ge=1, le=500), BeforeValidator(_whole)]


class Query(BaseModel):
    """The base of all query models."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EventQuery(Query):
    """Which events. All given conditions hold together."""

    env: Line | None = Field(None, description="`metadata.env`")
    dataset: Line | None = Field(None, description="`metadata.dataset`")
    feature_flag: Line | None = Field(None, description="`metadata.feature_flag`")
    status: list[Status] = Field(default=[], max_length=7, description="One of these; may be repeated.")
    labelled: Truth | None = Field(None, description="With gold ids, or without.")
    flagged: Truth | None = Field(None, description="Recall below 1, or not.")
    trace_id: Line | None = None
    task: Annotated[str, Field(min_length=1, max_length=8_000, pattern=NO_NUL)] | None = Field(
        None, description="The same normalised task."
    )
    user: Line | None = Field(None, description="`metadata.user` or `metadata.user_id`")
    judge_id: Line | None = Field(None, description="Numbers of this judge; lists of what it evaluated.")
    text: Line | None = Field(None, description="Looked for in the task, ignoring case.")
    metadata: list[Pair] = Field(
        default=[], max_length=8, description="`key:value`, compared as text; may be repeated."
    )
    range: Range | None = Field(None, description="The time up to `end`, or now.")
    start: Time | None = Field(None, description="`created_at` from, RFC 3339.")
    end: Time | None = Field(None, description="`created_at` before, RFC 3339.")

    def filter(self, *, now: datetime | None = None, judged: bool = False) -> EventFilter:
        """The store's filter; `judged` leaves only events that the judge asked for has evaluated.

        Raises `InvalidInput` where two parameters contradict each other.
        """
        start, end = self.start, self.end
        if self.range is not None:
            end = end or now or datetime.now(UTC)
            earliest = end - timedelta(hours=_HOURS[self.range])
            start = max(start, earliest) if start else earliest
        if start and end and start >= end:
            raise InvalidInput("start is not before end", field="start")
        return EventFilter(
            env=self.env,
            dataset=self.dataset,
            feature_flag=self.feature_flag,
            status=tuple(dict.fromkeys(self.status)),
            labelled=self.labelled,
            flagged=self.flagged,
            trace_id=self.trace_id.lower() if self.trace_id else None,
            task_key=task_key(self.task) if self.task else None,
            user=self.user,
            judge_id=self.judge_id if judged else None,
            text=self.text,
            metadata=self._metadata(),
            start=start,
            end=end,
        )

    def _metadata(self) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for item in self.metadata:
            key, _, value = item.partition(":")
            pairs[key] = value
        return pairs


class SummaryQuery(EventQuery):
    """Which events to summarise."""

    labelled_are_sample: Truth = Field(
        False,
        description="You vouch that the labelled events are a random sample of all matching ones: the "
        "corrected means are shown.",
    )


class PageQuery(Query):
    """Which page."""

    cursor: Line | None = Field(None, description="`next_cursor` of the page before.")
    limit: Limit = 50


class EventPageQuery(EventQuery, PageQuery):
    """Which page of which events."""
