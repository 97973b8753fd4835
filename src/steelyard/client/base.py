"""What `Client` and `AsyncClient` share: settings, composing an event, and the queue in the background."""

import weakref
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from steelyard.errors import ConfigurationError, SteelyardError

from .buffer import Batching
from .connection import connect
from .notices import Notices, OnRejected, Rejection, Stats
from .outbox import Outbox
from .payload import Context, Outgoing, compose
from .spans import span_reader


class BaseClient:
    """`api_key` and `base_url` default to `STEELYARD_API_KEY` and `STEELYARD_URL`, then to a server on this
    machine.

    Args:
        background: log from a thread of its own; False sends each event at once and returns its id.
        max_queue_size: events kept while the server does not take them; more are dropped and counted, but an
            event with `ground_truth` first waits up to `block_timeout` seconds for room.
        flush_interval: seconds an event waits for others to share a request with.
        timeout: seconds for connecting to the server and for each wait on its answer.
        truncate: cut texts and lists to the server's default limits instead of having them rejected.
        on_rejected: called with a `Rejection` for each event that was refused, in the sending thread.

    Raises:
        ConfigurationError: no key, or an address that is none.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        background: bool = True,
        max_queue_size: int = 10_000,
        flush_interval: float = 0.5,
        timeout: float = 5.0,
        block_timeout: float = 30.0,
        truncate: bool = False,
        on_rejected: OnRejected | None = None,
    ) -> None:
        for name, value in (("max_queue_size", max_queue_size), ("timeout", timeout)):
            if value <= 0:
                raise ConfigurationError(f"{value!r} is not above 0", field=name)
        for name, value in (("flush_interval", flush_interval), ("block_timeout", block_timeout)):
            if value < 0:
                raise ConfigurationError(f"{value!r} is below 0", field=name)
        self._connection = connect(api_key, base_url)
        self._timeout = timeout
        self._truncate = truncate
        self._notices = Notices(on_rejected)
        self._active_span = span_reader()
        self._outbox: Outbox | None = None
        if background:
            self._outbox = Outbox(
                self._connection,
                self._notices,
                capacity=max_queue_size,
                batching=Batching(seconds=flush_interval),
                timeout=timeout,
                block_timeout=block_timeout,
            )
            weakref.finalize(self, self._outbox.retire).atexit = False

    @property
    def base_url(self) -> str:
        return self._connection.base_url

    @property
    def timeout(self) -> float:
        return self._timeout

    @property
    def stats(self) -> Stats:
        """Counts of what became of the events logged so far."""
        return self._notices.stats

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r})"

    def _compose(self, task: str, context: Context, fields: Mapping[str, Any]) -> Outgoing:
        return compose(task, context, fields, truncate=self._truncate, active_span=self._active_span)

    def _composed(self, task: str, context: Context, fields: Mapping[str, Any]) -> Outgoing | None:
        """The event, or None when it cannot be sent, which is noted: nothing here may reach the caller."""
        given = fields.get("event_id")
        try:
            return compose(task, context, fields, truncate=self._truncate, active_span=self._active_span)
        except SteelyardError as problem:
            rejection = Rejection(given, problem.code, problem.message, problem.field, problem.hint)
        except Exception as problem:
            rejection = Rejection(given, "invalid", f"{type(problem).__name__}: {problem}")
        self._notices.count(logged=1)
        self._notices.rejected(rejection)
        return None


GroundTruth = Mapping[str, Any]
Metadata = Mapping[str, Any]
Moment = datetime | str
