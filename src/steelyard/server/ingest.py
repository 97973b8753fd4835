"""Storing events: each of a batch is validated on its own, all are committed together, then acknowledged.

No thread is taken for it: validation runs on the event loop, the store's future is awaited.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import uuid_utils
from sqlalchemy import Connection
from starlette.requests import Request

from steelyard.access.services import Services
from steelyard.errors import InvalidInput
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import ErrorBody, Event, Limits, Receipt
from steelyard.schemas.sampling import sampled
from steelyard.store import events

from .body import read_json
from .envelope import error_body
from .measures import Measures
from .pressure import Pressure

_ESCAPED_CHARACTER = 6  # bytes of \uXXXX
_ID_SHOWN = 128


def new_id() -> str:
    """A UUIDv7."""
    return str(uuid_utils.uuid7())


def single_bytes(limits: Limits) -> int:
    """The most bytes that one event within its limits can take."""
    texts = limits.task_chars * 2 + limits.passages * limits.passage_chars + limits.answer_chars
    ids = (limits.gold_ids + 2 * limits.passages) * limits.document_id_chars
    metadata = limits.metadata_bytes * (limits.passages + 1)
    return min(limits.body_bytes, (texts + ids + metadata) * _ESCAPED_CHARACTER + 65_536)


class Ingest:
    """One app's way in for events."""

    def __init__(self, services: Services, pressure: Pressure, measures: Measures) -> None:
        self._services = services
        self._limits = services.settings.limits
        self._pressure = pressure
        self._measures = measures

    async def one(self, request: Request, project_id: str) -> Receipt:
        """Stores the event of a body. Raises `InvalidInput`, also for an id taken by another body."""
        size = single_bytes(self._limits)
        with self._pressure.holding(_declared(request)):
            value = await read_json(request, max_bytes=size, depth=self._limits.depth)
            now = datetime.now(UTC)
            event = parse_event(value, limits=self._limits, now=now, new_id=new_id)
            (receipt,) = await self._store(project_id, (event,), now=now)
        self._measures.received((receipt.outcome,))
        return receipt

    async def batch(self, request: Request, project_id: str) -> tuple[Receipt, ...]:
        """Stores the events of a body `{"events": [...]}`; one receipt each. Raises `InvalidInput`
        for the batch as a whole."""
        with self._pressure.holding(_declared(request)):
            value = await read_json(request, max_bytes=self._limits.body_bytes, depth=self._limits.depth)
            items = _events_of(value, limits=self._limits)
            now = datetime.now(UTC)
            receipts: list[Receipt] = []
            good: list[Event] = []
            places: list[int] = []
            for index, item in enumerate(items):
                try:
                    good.append(parse_event(item, limits=self._limits, now=now, new_id=new_id))
                    places.append(index)
                except InvalidInput as problem:
                    receipts.append(_rejected(index, item, error_body(problem)))
            stored = await self._store(project_id, good, now=now) if good else ()
        receipts += [
            receipt.model_copy(update={"index": index}) for index, receipt in zip(places, stored, strict=True)
        ]
        self._measures.received(receipt.outcome for receipt in receipts)
        return tuple(sorted(receipts, key=lambda receipt: receipt.index))

    async def _store(self, project_id: str, batch: Sequence[Event], *, now: datetime) -> tuple[Receipt, ...]:
        enqueue = self._services.engine.enqueue

        def insert(c: Connection) -> tuple[Receipt, ...]:
            receipts = events.insert(c, project_id, batch, now=now)
            queued = _queued(batch, receipts)
            if queued:
                enqueue(c, project_id, queued)
            return receipts

        receipts = await asyncio.wrap_future(self._services.store.submit(insert))
        queued = _queued(batch, receipts)
        if queued:
            self._pressure.accepted(len(queued))
            self._services.engine.wake()
        return receipts


def _queued(batch: Sequence[Event], receipts: Sequence[Receipt]) -> list[str]:
    return [
        event.event_id
        for event, receipt in zip(batch, receipts, strict=True)
        if receipt.outcome == "accepted"
        and sampled(event.sample_rate, trace_id=event.trace_id, event_id=event.event_id)
    ]


def _events_of(value: object, *, limits: Limits) -> list[object]:
    if not isinstance(value, dict):
        raise InvalidInput("expected an object with events", hint='Send {"events": [...]}.')
    for name in value:
        if name != "events":
            raise InvalidInput(
                f"{name[:80]!r} is not a field here", field=f"/{name[:80]}", hint="Known is events."
            )
    items = value.get("events")
    if not isinstance(items, list):
        raise InvalidInput("events is not a list", field="/events", hint='Send {"events": [...]}.')
    if not items:
        raise InvalidInput("events is empty", field="/events")
    if len(items) > limits.batch_events:
        raise InvalidInput(
            f"the batch has {len(items)} events, over the limit of {limits.batch_events}",
            field="/events",
            hint="Send several batches.",
        )
    return items


def _rejected(index: int, item: object, error: ErrorBody) -> Receipt:
    given = item.get("event_id") if isinstance(item, dict) else None
    known = given[:_ID_SHOWN] if isinstance(given, str) else None
    return Receipt(index=index, event_id=known, outcome="rejected", error=error)


def _declared(request: Request) -> int:
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 16 else 0


def ingest(request: Request) -> Ingest:
    """The way in of the app that handles this request; also a FastAPI dependency."""
    held: Ingest = request.app.state.ingest
    return held
