"""What a running app holds, set once by the app factory and reached from any request."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from steelyard.config import Settings
from steelyard.jobs.engine import Engine
from steelyard.store import Store

from .gate import Gate


@dataclass(frozen=True)
class Services:
    """One app's store, job engine, settings and gate. `demo`: a loopback server that accepts the demo key."""

    settings: Settings
    store: Store
    engine: Engine
    gate: Gate
    demo: bool = False


def services(connection: HTTPConnection) -> Services:
    """The services of the app that handles this request; also a FastAPI dependency."""
    held: Services = connection.app.state.services
    return held
