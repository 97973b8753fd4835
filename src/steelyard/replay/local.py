"""A replay in this process: the same store, jobs and metrics as a server's, without one."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

from sqlalchemy import Connection

from steelyard.config import Settings
from steelyard.jobs.engine import Engine, open_engine
from steelyard.jobs.judging import JudgeSource
from steelyard.jobs.waiting import wait_until
from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import score
from steelyard.retrieval.summary import summarise
from steelyard.retrieval.tasks import task_key
from steelyard.schemas.event import Event, Receipt
from steelyard.schemas.query import EventFilter, StoredEvent
from steelyard.schemas.summary import Summary
from steelyard.store import Store, events, leases, projects

from .plan import Plan
from .progress import Outcome, Progress, silent
from .rows import BadRow, Row

_BATCH = 200


def run_local(plan: Plan, store: Store, settings: Settings, *, progress: Progress = silent) -> Outcome:
    """Stores the plan's events in `store`, evaluates them with the judge of `settings`, and sums up.

    Raises `ConfigurationError` or `JudgeError` when the judge cannot be opened; nothing is stored then.
    """
    judge = JudgeSource(store, settings).current()
    now = datetime.now(UTC)
    project = store.write(lambda c: projects.ensure(c, settings.project, now=now))
    engine = open_engine(store, settings, lambda: judge, work=True)
    engine.start()
    try:
        stored = known = 0
        rejected: list[BadRow] = []
        for batch in _batches(plan.events(now=now)):
            receipts = _store(store, engine, project.id, [event for _, event in batch], now)
            for receipt, (row, _) in zip(receipts, batch, strict=True):
                stored += receipt.outcome == "accepted"
                known += receipt.outcome == "duplicate"
                if receipt.error is not None:
                    rejected.append(BadRow(row.file, row.line, receipt.error.message, receipt.error.field))
            progress("store", stored + known + len(rejected), plan.n)
        total = plan.n - len(rejected)

        def waiting() -> int:
            with store.read() as c:
                queue = leases.queue(c, project_id=project.id)
            return queue.queued + queue.evaluating

        def settled() -> bool:
            left = waiting()
            progress("evaluate", max(total - left, 0), total)
            return left == 0

        while not wait_until(settled, timeout=3600.0):
            continue
    finally:
        engine.stop()
    wanted = EventFilter(metadata={"replay": plan.mark})
    with store.read() as c:
        summary = summarise_stored(events.export(c, project.id, wanted), judge_id=judge.identity.id)
    return Outcome(summary, stored, known, tuple(rejected))


def _store(
    store: Store, engine: Engine, project_id: str, batch: Sequence[Event], now: datetime
) -> tuple[Receipt, ...]:
    def insert(c: Connection) -> tuple[Receipt, ...]:
        receipts = events.insert(c, project_id, batch, now=now)
        fresh = [
            event.event_id
            for event, receipt in zip(batch, receipts, strict=True)
            if receipt.outcome == "accepted" and event.sample_rate > 0
        ]
        if fresh:
            engine.enqueue(c, project_id, fresh)
        return receipts

    receipts = store.write(insert)
    engine.wake()
    return receipts


def summarise_stored(stored: Iterator[StoredEvent], *, judge_id: str) -> Summary:
    """The summary of all these events, exact however many they are. An event that this judge has not
    evaluated counts with its status."""
    rows, status, keys, estimated = [], [], [], []
    for item in stored:
        evaluation = next(
            (
                one.evaluation
                for one in item.evaluations
                if one.current and one.evaluation.judge_id == judge_id
            ),
            None,
        )
        rows.append(score(item.event, gold=item.gold, evaluation=evaluation).row)
        status.append(item.status)
        keys.append(task_key(item.event.task))
        estimated.append(evaluation is not None and evaluation.estimated)
    columns = Columns.of(rows, status=status, task_keys=keys, estimated=estimated)
    return summarise(columns, judge_id=judge_id)


def _batches(items: Iterator[tuple[Row, Event]]) -> Iterator[list[tuple[Row, Event]]]:
    while batch := list(islice(items, _BATCH)):
        yield batch
