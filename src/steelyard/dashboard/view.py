"""The state of a page as its URL tells it: time range, environment, judge. Pure; the time is handed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, cast
from urllib.parse import urlencode

from steelyard.errors import InvalidInput
from steelyard.retrieval.fields import timestamp
from steelyard.schemas.base import Record

Range = Literal["1h", "6h", "12h", "24h", "7d", "30d", "custom"]
SPANS: Mapping[str, timedelta] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "12h": timedelta(hours=12),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
WORDS: Mapping[str, str] = {
    "1h": "Last hour",
    "6h": "Last 6 hours",
    "12h": "Last 12 hours",
    "24h": "Last 24 hours",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    "custom": "Custom range",
}
DEFAULT: Range = "7d"


class View(Record):
    """What a page is about: events created in `start`..`end` (exclusive), in one environment, by one judge.

    `judge` None: the page chooses the judge with the newest evaluation.
    """

    range: Range
    start: datetime
    end: datetime
    env: str | None = None
    judge: str | None = None

    @property
    def words(self) -> str:
        return WORDS[self.range]

    @property
    def before(self) -> tuple[datetime, datetime]:
        """The period of the same length just before this one."""
        return self.start - (self.end - self.start), self.start

    def query(self, **changes: str | None) -> str:
        """`?range=24h&env=prod`: this state with changes, defaults left out; '' when nothing is left."""
        state: dict[str, str | None] = {"range": None if self.range == DEFAULT else self.range}
        if self.range == "custom":
            state |= {"from": self.start.isoformat(), "to": self.end.isoformat()}
        state |= {"env": self.env, "judge": self.judge}
        if "range" in changes and changes["range"] != "custom":
            state |= {"from": None, "to": None}
        return query(state | changes)


def query(state: Mapping[str, str | None] | Iterable[tuple[str, str | None]]) -> str:
    """A query string of what has a value, `?` included; '' when nothing has."""
    pairs = state.items() if isinstance(state, Mapping) else state
    kept = [(name, value) for name, value in pairs if value]
    return "?" + urlencode(kept) if kept else ""


def read_view(params: Mapping[str, str], *, now: datetime) -> View:
    """The view in a page's query; raises `InvalidInput` naming the parameter that makes no sense."""
    chosen = params.get("range") or ("custom" if params.get("from") or params.get("to") else DEFAULT)
    env, judge = params.get("env") or None, params.get("judge") or None
    if chosen != "custom":
        if chosen not in SPANS:
            raise InvalidInput(
                f"range {chosen!r} is not known",
                field="range",
                hint=f"Use one of {', '.join(SPANS)}, custom.",
            )
        return View(range=cast(Range, chosen), start=now - SPANS[chosen], end=now, env=env, judge=judge)
    end = _instant(params, "to") or now
    start = _instant(params, "from") or end - SPANS[DEFAULT]
    if start >= end:
        raise InvalidInput(f"from {start.isoformat()} is not before to {end.isoformat()}", field="from")
    return View(range="custom", start=start, end=end, env=env, judge=judge)


def _instant(params: Mapping[str, str], name: str) -> datetime | None:
    text = params.get(name)
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        raise InvalidInput(
            f"{name} {text!r} is not a time", field=name, hint="Write it as 2026-11-30T09:00 (UTC)."
        ) from None
    return timestamp(found if found.tzinfo else found.replace(tzinfo=UTC), name)
