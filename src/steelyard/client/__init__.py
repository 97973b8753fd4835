"""The SDK: logs retrievals without getting in their way, and reads back what was found. Needs httpx2 and
pydantic."""

from .asynchronous import AsyncClient
from .notices import Rejection, Stats
from .synchronous import Client
from .tracing import trace

__all__ = ["AsyncClient", "Client", "Rejection", "Stats", "trace"]
