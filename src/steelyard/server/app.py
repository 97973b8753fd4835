"""The app factory: one FastAPI app from settings, with its store, engine and gate opened in its lifespan."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware

from steelyard import __version__
from steelyard.access.gate import Gate
from steelyard.access.headers import SecurityHeaders
from steelyard.access.hosts import HostCheck
from steelyard.access.services import Services
from steelyard.config import Settings
from steelyard.dashboard import router as dashboard_router
from steelyard.jobs.engine import open_engine
from steelyard.judges.protocol import Judge
from steelyard.store import Store, leases, open_store, projects

from . import envelope, health, login, openapi
from .boundary import Boundary
from .ingest import Ingest
from .inputs import BODIES
from .measures import MeasuredRequests, Measures
from .pressure import Pressure
from .routes import ROUTERS

log = logging.getLogger("steelyard.server")

_OBSERVE_S = 2.0
_DESCRIPTION = "Evaluates retrieval, and evaluates the evaluator. Times are RFC 3339 in UTC, ids are text."


def create_app(
    settings: Settings,
    *,
    store: Store | None = None,
    judge: Callable[[], Judge] | None = None,
    work: bool | None = None,
    demo_key: str | None = None,
    on_ready: Callable[[Services], None] | None = None,
) -> FastAPI:
    """The app. A `store` handed in stays open, else one is opened by `settings` and closed at the end.

    `judge` opens the judge (default: the one of `settings`), `work` False leaves judging to other processes,
    `demo_key` is accepted beside the keys of the store, `on_ready` is called once everything is open.
    """
    app = FastAPI(
        title="Steelyard",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan(settings, store, judge=judge, work=work, demo_key=demo_key, on_ready=on_ready),
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(MeasuredRequests),
            Middleware(Boundary),
            Middleware(HostCheck, allowed=(*settings.allowed_hosts, settings.host)),
        ],
    )
    envelope.install(app)
    for router in (*ROUTERS, health.router, login.router, dashboard_router):
        app.include_router(router)
    document: list[dict[str, Any]] = []

    @app.get("/v1/openapi.json", include_in_schema=False)
    async def get_document() -> dict[str, Any]:
        if not document:
            document.append(openapi.document(app, limits=settings.limits, bodies=BODIES))
        return document[0]

    return app


def _lifespan(
    settings: Settings,
    given: Store | None,
    *,
    judge: Callable[[], Judge] | None,
    work: bool | None,
    demo_key: str | None,
    on_ready: Callable[[Services], None] | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = given if given is not None else await run_in_threadpool(open_store, settings.url)
        now = datetime.now(UTC)
        await run_in_threadpool(store.write, lambda c: projects.ensure(c, settings.project, now=now))
        engine = open_engine(store, settings, judge, work=work)
        gate = Gate(store, project=settings.project, demo_key=demo_key)
        services = Services(settings, store, engine, gate, demo=demo_key is not None)
        pressure, measures = Pressure(max_queued=settings.max_queued), Measures(store)
        app.state.services = services
        app.state.measures = measures
        app.state.ingest = Ingest(services, pressure, measures)
        await run_in_threadpool(engine.start)
        observer = asyncio.create_task(_observe(store, pressure))
        if on_ready is not None:
            await run_in_threadpool(on_ready, services)
        try:
            yield
        finally:
            observer.cancel()
            with suppress(asyncio.CancelledError):
                await observer
            await run_in_threadpool(gate.flush)
            await run_in_threadpool(engine.stop)
            if given is None:
                await run_in_threadpool(store.close)

    return lifespan


async def _observe(store: Store, pressure: Pressure) -> None:
    def queued() -> int:
        with store.read() as c:
            return leases.queue(c).queued

    while True:
        try:
            pressure.observe(await run_in_threadpool(queued))
        except Exception as problem:
            log.warning("the queue could not be counted: %s", problem)
        await asyncio.sleep(_OBSERVE_S)
