"""A replay against a running server: the same rows over the same API as every client's."""

import json
import time
from collections.abc import Iterator
from typing import Any

from steelyard.client.payload import Outgoing
from steelyard.client.responses import Attempts
from steelyard.client.sending import Later, Refused, Settled, send
from steelyard.client.synchronous import Client
from steelyard.schemas.summary import Summary

from .plan import Plan
from .progress import Outcome, Progress, silent
from .rows import BadRow, Row

_BATCH = 100
_BATCH_BYTES = 8_000_000
_LOOK_EVERY_S = 0.5


def run_remote(plan: Plan, client: Client, *, progress: Progress = silent) -> Outcome:
    """Sends the plan's events, waits until they are evaluated, and asks for the summary.

    Raises the server's refusals and `ClientError` when it stops answering; a second replay goes on where the
    first one stopped, for the ids are the same.
    """
    stored = known = 0
    rejected: list[BadRow] = []
    for batch in _batches(plan.prepared()):
        answer = _sent(client, [item for _, item in batch])
        stored += answer.accepted
        known += answer.duplicates
        lines = {item.event_id: row for row, item in batch}
        for rejection in answer.rejections:
            row = lines.get(rejection.event_id or "", batch[0][0])
            rejected.append(BadRow(row.file, row.line, rejection.message, row.field(rejection.field)))
        progress("store", stored + known + len(rejected), plan.n)
    total = plan.n - len(rejected)
    mark = {"replay": plan.mark}
    while _waits(client, mark):
        queue = client.get("/v1/queue")
        progress("evaluate", max(total - queue["queued"] - queue["evaluating"], 0), total)
        time.sleep(_LOOK_EVERY_S)
    progress("evaluate", total, total)
    summary = Summary.model_validate(client.get("/v1/metrics", metadata=mark))
    return Outcome(summary, stored, known, tuple(rejected))


def _waits(client: Client, mark: dict[str, str]) -> bool:
    page = client.get("/v1/events", metadata=mark, status=["queued", "evaluating"], limit=1)
    return bool(page["items"])


def _sent(client: Client, batch: list[Outgoing]) -> Settled:
    attempts = Attempts(client.timeout)
    while True:
        answer = send(client.http, batch)
        if isinstance(answer, Settled):
            return answer
        if isinstance(answer, Refused):
            if not answer.split:
                raise answer.error
            half = len(batch) // 2
            return _both(_sent(client, batch[:half]), _sent(client, batch[half:]))
        assert isinstance(answer, Later)
        time.sleep(attempts.pause_after(answer.error, asked=answer.asked))


def _both(one: Settled, other: Settled) -> Settled:
    return Settled(
        one.accepted + other.accepted,
        one.duplicates + other.duplicates,
        one.rejections + other.rejections,
    )


def _batches(rows: Iterator[tuple[Row, dict[str, Any]]]) -> Iterator[list[tuple[Row, Outgoing]]]:
    batch: list[tuple[Row, Outgoing]] = []
    size = 0
    for row, data in rows:
        item = Outgoing(data["event_id"], json.dumps(data, ensure_ascii=False).encode(), True)
        if batch and (len(batch) == _BATCH or size + len(item.body) > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((row, item))
        size += len(item.body)
    if batch:
        yield batch
