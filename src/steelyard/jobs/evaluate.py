"""One batch from claim to verdict: lease, judge outside any transaction, finish with the lease as fence."""

import logging
import os
import socket
import threading
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from steelyard.config import Settings
from steelyard.errors import SteelyardError, StoreUnavailable
from steelyard.judges.protocol import Judge
from steelyard.retrieval.evaluation import evaluate
from steelyard.schemas.query import ClaimedEvent, Finished
from steelyard.store import Store, leases

from .holding import Holding
from .judging import JudgeSource
from .requirements import ask

log = logging.getLogger(__name__)

_LONGEST_PAUSE_S = 60.0


class Evaluator:
    """Evaluates batches for this process, from any number of threads.

    An event is judged by the judge that is current when it is claimed. What somebody else took over meanwhile
    (our lease ran out while this process was frozen) `leases.finish` refuses, and it is dropped.
    """

    def __init__(self, store: Store, source: JudgeSource, settings: Settings) -> None:
        self._store = store
        self._source = source
        self._settings = settings
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}:"
        self._stopping = threading.Event()

    def evaluate_any(self) -> int:
        """Evaluates up to `batch_size` waiting events, oldest first; returns how many were claimed."""
        with self._store.read() as connection:
            if not leases.waiting(connection, limit=1):
                return 0
        return self._batch(None, None)

    def evaluate(self, project_id: str, event_ids: Sequence[str]) -> int:
        """Evaluates those of the named events that still wait; returns how many were claimed."""
        return self._batch(project_id, event_ids)

    def recover(self) -> int:
        """Puts events whose lease ran out back in the queue; returns how many.

        Those whose attempts are used up become errors.
        """
        most = self._settings.max_attempts
        return self._store.write(lambda connection: leases.sweep(connection, max_attempts=most))

    def take_over(self) -> int:
        """Gives back every lease there is, for a process that knows itself to be alone; returns how many."""
        return self._store.write(lambda connection: leases.release_owner(connection, owner_prefix=""))

    def idle(self) -> bool:
        """Whether nothing is queued or being evaluated, in any project."""
        with self._store.read() as connection:
            queue = leases.queue(connection)
        return queue.queued == 0 and queue.evaluating == 0

    def stop(self) -> None:
        """Claims nothing more; batches in hand go on to their end."""
        self._stopping.set()

    def release(self) -> None:
        """Gives back what this process still holds: its unfinished batches are evaluated by somebody else."""
        owner = self._owner
        try:
            self._store.write(lambda connection: leases.release_owner(connection, owner_prefix=owner))
        except StoreUnavailable as problem:
            log.warning("leases were not given back and run out by themselves: %s", problem)

    def _batch(self, project_id: str | None, event_ids: Sequence[str] | None) -> int:
        if self._stopping.is_set():
            return 0
        judge = self._source.current()
        settings = self._settings
        claims = self._store.write(
            lambda connection: leases.claim(
                connection,
                owner=f"{self._owner}{threading.get_ident()}",
                lease_s=settings.lease_s,
                limit=settings.batch_size,
                project_id=project_id,
                event_ids=event_ids,
                max_attempts=settings.max_attempts,
            )
        )
        if claims:
            with Holding(self._store, claims, lease_s=settings.lease_s) as holding:
                self._judge(claims, judge, holding)
        return len(claims)

    def _judge(self, claims: Sequence[ClaimedEvent], judge: Judge, holding: Holding) -> None:
        """Judges and finishes; when that fails for several events, one by one: a bad one fails alone."""
        try:
            finished = self._verdicts(claims, judge)
        except StoreUnavailable:
            raise
        except Exception as problem:
            if len(claims) > 1:
                for claim in claims:
                    self._judge([claim], judge, holding)
            else:
                self._failed(claims[0], problem, holding)
            return
        kept = self._store.write(lambda connection: leases.finish(connection, finished, now=_now()))
        if not all(kept):
            log.info("%d of %d results came too late and were dropped", kept.count(False), len(kept))

    def _verdicts(self, claims: Sequence[ClaimedEvent], judge: Judge) -> list[Finished]:
        finished = []
        for project_id in dict.fromkeys(claim.project_id for claim in claims):
            mine = [claim for claim in claims if claim.project_id == project_id]
            events = [claim.event for claim in mine]
            asked = ask(self._store, project_id, events, judge, now=_now())
            evaluations = evaluate(events, judge, asked.requirements, now=_now(), usage=asked.usage)
            pairs = zip(mine, evaluations, strict=True)
            finished += [Finished(claim=claim, evaluation=evaluation) for claim, evaluation in pairs]
        return finished

    def _failed(self, claim: ClaimedEvent, problem: Exception, holding: Holding) -> None:
        """The last attempt ends in an error; before that the lease runs out, later with every attempt."""
        name, attempts = claim.event.event_id, claim.attempts
        log.warning("evaluating %s failed (attempt %d)", name, attempts, exc_info=problem)
        if attempts >= self._settings.max_attempts:
            reason = f"evaluation failed {attempts} times, at last with {_told(problem)}"
            self._store.write(lambda connection: leases.fail(connection, claim, reason=reason, now=_now()))
        else:
            longest = min(self._settings.lease_s, _LONGEST_PAUSE_S)
            holding.let_go(claim, after_s=min(0.25 * 2**attempts, longest))


def _now() -> datetime:
    return datetime.now(UTC)


def _told(problem: Exception) -> str:
    """What a page may say of an exception: our own errors in their words, others by their kind alone."""
    return str(problem) if isinstance(problem, SteelyardError) else type(problem).__name__
