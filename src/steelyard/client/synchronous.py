"""The client of ordinary programs."""

import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import httpx2

from steelyard.errors import SteelyardError

from .base import BaseClient, GroundTruth, Metadata, Moment
from .outbox import EXIT_SECONDS
from .payload import Context
from .reading import EVENTS_PATH, page_of, parameters
from .responses import Attempts, unreachable
from .sending import SINGLE_PATH, open_http


class Client(BaseClient):
    __doc__ = BaseClient.__doc__

    _http: httpx2.Client | None = None
    _opening = threading.Lock()

    def log(
        self,
        task: str,
        context: Context,
        *,
        ground_truth: GroundTruth | None = None,
        metadata: Metadata | None = None,
        sample_rate: float | None = None,
        event_id: str | None = None,
        trace_id: str | None = None,
        span_id: str | None = None,
        parent_span_id: str | None = None,
        span_name: str | None = None,
        subquery: str | None = None,
        is_final_context: bool | None = None,
        created_at: Moment | None = None,
    ) -> str | None:
        """Logs one retrieval: the user's query and the passages that were found for it.

        In the background (the default) it returns None at once and never raises; with `background=False` it
        returns the event's id once the server has stored it.

        Args:
            task: the user's original query, 1 to 8,000 characters; on later hops too.
            context: up to 50 passages, texts or `{text, id?, source?, score?, rank?, metadata?}`.
            ground_truth: `{"gold_doc_ids": [...], "answer": ...}`, ids as in the passages' `id`.
            metadata: free form, up to 16 KiB; `env`, `feature_flag` and `dataset` are used by the pages.
            sample_rate: share of such events to evaluate, 0 to 1 (default 1).
            event_id: made here when not given; the same id is never stored twice.
            trace_id, span_id, parent_span_id, span_name: 32 and 16 hex digits; from the active OpenTelemetry
                span when there is one.
            subquery: what this hop searched for; `is_final_context`: whether this hop's passages were the
                answer's.
            created_at: when it happened, now by default.

        Raises:
            SteelyardError: only with `background=False`: the event was refused or the server cannot be
                reached.
        """
        fields = {
            "ground_truth": ground_truth,
            "metadata": metadata,
            "sample_rate": sample_rate,
            "event_id": event_id,
            "trace_id": trace_id,
            "span_id": span_id,
            "parent_span_id": parent_span_id,
            "span_name": span_name,
            "subquery": subquery,
            "is_final_context": is_final_context,
            "created_at": created_at,
        }
        if self._outbox is None:
            item = self._compose(task, context, fields)
            self._request("POST", SINGLE_PATH, content=item.body)
            self._notices.count(logged=1, accepted=1)
            return item.event_id
        queued = self._composed(task, context, fields)
        if queued is not None:
            self._outbox.put(queued)
        return None

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all that was logged is settled; False when `timeout` seconds were not enough."""
        return self._outbox is None or self._outbox.flush(timeout)

    def close(self, timeout: float = EXIT_SECONDS) -> None:
        """Sends what is left for up to `timeout` seconds and ends. Later events are dropped."""
        if self._outbox is not None:
            self._outbox.close(timeout)
        if self._http is not None:
            self._http.close()
            self._http = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def events(self, *, limit: int | None = None, **filters: Any) -> Iterator[dict[str, Any]]:
        """Stored events with their evaluations, as dicts, newest first, page by page; at most `limit`.

        Filters are those of `GET /v1/events`. `pandas.DataFrame(client.events(...))` makes a frame, as does
        `polars.DataFrame(list(client.events(...)))`.

        Raises:
            SteelyardError: the server refused a filter or cannot be reached.
        """
        cursor: str | None = None
        given = 0
        while limit is None or given < limit:
            page, cursor = page_of(self.get(EVENTS_PATH, **filters, cursor=cursor))
            for event in page:
                if limit is not None and given >= limit:
                    return
                given += 1
                yield event
            if cursor is None:
                return

    def get(self, path: str, /, **query: Any) -> dict[str, Any]:
        """The JSON answer of any read of the API, such as `client.get("/v1/metrics", dataset="faq")`.

        Raises:
            SteelyardError: what the server answered instead.
        """
        answer: dict[str, Any] = self._request("GET", path, params=parameters(query)).json()
        return answer

    @property
    def http(self) -> httpx2.Client:
        """The connection of foreground requests, opened at first use."""
        with self._opening:
            if self._http is None:
                self._http = open_http(self._connection, timeout=self._timeout)
            return self._http

    def _request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        http = self.http
        attempts = Attempts(self._timeout)
        while True:
            outcome: httpx2.Response | SteelyardError
            try:
                outcome = http.request(method, path, **options)
            except httpx2.HTTPError as trouble:
                outcome = unreachable(self.base_url, trouble)
            else:
                if outcome.is_success:
                    return outcome
            time.sleep(attempts.pause_after(outcome))
