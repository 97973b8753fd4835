"""What a replay will send: every row checked before anything is stored, with ids that a second replay makes
again."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from steelyard.errors import InvalidInput
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Event, Limits

from .formats import Source
from .rows import BadRow, Row


@dataclass(frozen=True)
class Plan:
    """A checked source. `n` rows are good; `mark` is the value of `metadata.replay` that finds them again."""

    source: Source
    dataset: str | None
    limits: Limits
    n: int
    labelled: int
    bad: tuple[BadRow, ...]

    @property
    def mark(self) -> str:
        return _mark(self.source, self.dataset)

    def prepared(self) -> Iterator[tuple[Row, dict[str, Any]]]:
        """The good rows with what a replay adds: id, dataset, mark, and a sample rate of 1."""
        bad = {row.line for row in self.bad}
        for row in self.source.rows():
            if isinstance(row, Row) and row.line not in bad:
                yield row, prepare(row, source=self.source, dataset=self.dataset)

    def events(self, *, now: datetime) -> Iterator[tuple[Row, Event]]:
        """The same, validated; `now` is when those without a time happened."""
        for row, data in self.prepared():
            yield row, parse_event(data, limits=self.limits, now=now, new_id=_never)


def check(source: Source, *, dataset: str | None, limits: Limits, now: datetime) -> Plan:
    """Reads and validates every row; what is wrong is in the plan's `bad`, in the order of the file."""
    good = labelled = 0
    bad: list[BadRow] = []
    given: dict[str, bytes] = {}
    for row in source.rows():
        if isinstance(row, BadRow):
            bad.append(row)
            continue
        data = prepare(row, source=source, dataset=dataset)
        try:
            event = parse_event(data, limits=limits, now=now, new_id=_never)
            if "event_id" in row.event:
                _once(given, data)
        except InvalidInput as problem:
            bad.append(BadRow(row.file, row.line, problem.message, row.field(problem.field), problem.hint))
            continue
        good += 1
        truth = event.ground_truth
        labelled += truth is not None and truth.gold_doc_ids is not None
    return Plan(source, dataset, limits, good, labelled, tuple(bad))


def prepare(row: Row, *, source: Source, dataset: str | None) -> dict[str, Any]:
    """A row's event as a replay sends it. The id is made of the file's content, the line and the dataset,
    unless the row has one; without a `dataset` the row's own stands, else the source's name."""
    event = dict(row.event)
    mark = _mark(source, dataset)
    if event.get("event_id") is None:
        event["event_id"] = f"replay-{hashlib.sha256(f'{mark}:{row.line}'.encode()).hexdigest()[:32]}"
    metadata = event.get("metadata")
    if metadata is None or isinstance(metadata, Mapping):
        kept = dict(metadata or {})
        name = dataset if dataset is not None else kept.get("dataset", source.name)
        event["metadata"] = {**kept, "dataset": name, "replay": mark}
    if source.format in ("events", "ragas"):
        event["sample_rate"] = 1.0
    return event


def _mark(source: Source, dataset: str | None) -> str:
    return hashlib.sha256(f"{source.digest}:{dataset or ''}".encode()).hexdigest()[:16]


def _once(given: dict[str, bytes], data: Mapping[str, Any]) -> None:
    body = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).digest()
    if given.setdefault(data["event_id"], body) != body:
        raise InvalidInput(
            f"the event id {data['event_id'][:60]!r} stands on an earlier line with other content",
            field="/event_id",
        )


def _never() -> str:
    raise AssertionError("every replayed event has an id")
