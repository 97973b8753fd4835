"""Prometheus measures of the whole server: nothing in them tells projects, tasks or keys apart."""

import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.errors import SteelyardError
from steelyard.schemas.event import Status
from steelyard.store import Store, events, judges, leases, projects

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_KEPT_S = 5.0


class Measures:
    """The measures of one app."""

    def __init__(self, store: Store) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "steelyard_http_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "steelyard_http_request_seconds",
            "Time to answer.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._received = Counter(
            "steelyard_events_received", "Events received, by outcome.", ("outcome",), registry=self._registry
        )
        self._registry.register(_StoreMeasures(store))

    def answered(self, *, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def received(self, outcomes: Iterable[str]) -> None:
        for outcome in outcomes:
            self._received.labels(outcome).inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)


class _StoreMeasures(Collector):
    """Gauges read from the store when asked for, at most every few seconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: tuple[Metric, ...] = ()
        self._until = 0.0

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        if time.monotonic() >= self._until:
            self._kept = tuple(self._read())
            self._until = time.monotonic() + _KEPT_S
        return self._kept

    def _read(self) -> Iterable[Metric]:
        try:
            with self._store.read() as c:
                queue = leases.queue(c)
                counts = dict.fromkeys(Status, 0)
                judged, seconds = 0, 0.0
                for project in projects.all_projects(c):
                    for status, n in events.status_counts(c, project.id).items():
                        counts[status] += n
                    for row in judges.used(c, project.id):
                        if row.latency_s_mean is not None:
                            judged += row.evaluations
                            seconds += row.evaluations * row.latency_s_mean
        except SteelyardError:
            yield _gauge("steelyard_store_up", "Whether the database answers.", 0)
            return
        yield _gauge("steelyard_store_up", "Whether the database answers.", 1)
        yield _gauge("steelyard_queue_events", "Events that wait to be evaluated.", queue.queued)
        yield _gauge("steelyard_queue_evaluating", "Events being evaluated.", queue.evaluating)
        yield _gauge("steelyard_queue_oldest_seconds", "Age of the oldest one.", queue.oldest_age_s or 0)
        by_status = GaugeMetricFamily("steelyard_events", "Events kept, by status.", labels=("status",))
        for status, n in counts.items():
            by_status.add_metric((str(status),), n)
        yield by_status
        scored, unscored = counts[Status.EVALUATED], counts[Status.UNSCORED]
        if scored + unscored:
            share = unscored / (scored + unscored)
            yield _gauge("steelyard_unscored_share", "Unscored among judged events.", share)
        if judged:
            yield _gauge("steelyard_evaluation_seconds_mean", "Mean time of an evaluation.", seconds / judged)


def _gauge(name: str, said: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, said, value=value)


class MeasuredRequests:
    """ASGI middleware that times every request under its route's template, never under its path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            measures: Measures | None = getattr(scope["app"].state, "measures", None)
            if measures is not None:
                route = getattr(scope.get("route"), "path", None) or "none"
                seconds = time.perf_counter() - started
                measures.answered(method=_method(scope), route=route, status=status, seconds=seconds)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS") else "other"
