"""Random samples of events, drawn so that their labels speak for all traffic."""

from datetime import datetime

from .base import Record
from .query import EventFilter


class Sample(Record):
    """`size` of the `population` evaluated events that matched `filter` at `drawn_at`, drawn uniformly and
    without replacement by `seed`. `events` are left of them, `labelled` of these carry gold ids now."""

    id: str
    filter: EventFilter
    seed: int
    population: int
    size: int
    author: str
    drawn_at: datetime
    events: int
    labelled: int


class Drawn(Record):
    """One event of a sample, at 0-based `place` in the order drawn, which is the order to label in."""

    place: int
    event_id: str
    task: str
    labelled: bool


class SampleQueue(Record):
    """A sample and its next events to label."""

    sample: Sample
    next: tuple[Drawn, ...]
