"""Steelyard evaluates retrieval, answers and LLM functions, and evaluates the evaluator.

    from steelyard import Client

    client = Client()
    client.log(task="What is the capital of France?", context=["Paris is the capital of France."])

Everything public is here; it is imported when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import AsyncClient, Client, Rejection, Stats, trace
    from .errors import SteelyardError

__version__ = "0.1.0"

__all__ = ["AsyncClient", "Client", "Rejection", "Stats", "SteelyardError", "__version__", "trace"]

_HOMES = dict.fromkeys(("AsyncClient", "Client", "Rejection", "Stats", "trace"), "client") | {
    "SteelyardError": "errors"
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
