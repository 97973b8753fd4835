"""The client of programs on an event loop: the same queue and thread, awaited."""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

import httpx2

from steelyard.errors import SteelyardError

from .base import BaseClient, GroundTruth, Metadata, Moment
from .outbox import EXIT_SECONDS
from .payload import Context
from .reading import EVENTS_PATH, page_of, parameters
from .responses import Attempts, unreachable
from .sending import SINGLE_PATH, headers_of


class AsyncClient(BaseClient):
    __doc__ = BaseClient.__doc__

    _http: httpx2.AsyncClient | None = None

    async def log(
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
        """As `Client.log`. The loop is never blocked: a labelled event waits for room off the loop."""
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
            await self._request("POST", SINGLE_PATH, content=item.body)
            self._notices.count(logged=1, accepted=1)
            return item.event_id
        queued = self._composed(task, context, fields)
        if queued is not None and not self._outbox.offer(queued):
            await asyncio.to_thread(self._outbox.put, queued)
        return None

    async def flush(self, timeout: float | None = None) -> bool:
        """Waits until all that was logged is settled; False when `timeout` seconds were not enough."""
        return self._outbox is None or await asyncio.to_thread(self._outbox.flush, timeout)

    async def close(self, timeout: float = EXIT_SECONDS) -> None:
        """Sends what is left for up to `timeout` seconds and ends. Later events are dropped."""
        if self._outbox is not None:
            await asyncio.to_thread(self._outbox.close, timeout)
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    async def events(self, *, limit: int | None = None, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """As `Client.events`, asynchronously."""
        cursor: str | None = None
        given = 0
        while limit is None or given < limit:
            page, cursor = page_of(await self.get(EVENTS_PATH, **filters, cursor=cursor))
            for event in page:
                if limit is not None and given >= limit:
                    return
                given += 1
                yield event
            if cursor is None:
                return

    async def get(self, path: str, /, **query: Any) -> dict[str, Any]:
        """As `Client.get`."""
        answer: dict[str, Any] = (await self._request("GET", path, params=parameters(query))).json()
        return answer

    async def _request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        if self._http is None:
            self._http = httpx2.AsyncClient(
                base_url=self.base_url,
                headers=headers_of(self._connection),
                timeout=self._timeout,
                trust_env=not self._connection.loopback,
            )
        attempts = Attempts(self._timeout)
        while True:
            outcome: httpx2.Response | SteelyardError
            try:
                outcome = await self._http.request(method, path, **options)
            except httpx2.HTTPError as trouble:
                outcome = unreachable(self.base_url, trouble)
            else:
                if outcome.is_success:
                    return outcome
            await asyncio.sleep(attempts.pause_after(outcome))
