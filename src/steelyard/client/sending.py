"""One batch, one request, and what came of it."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from steelyard import __version__
from steelyard.errors import SteelyardError

from .connection import Connection
from .notices import Rejection
from .payload import Outgoing
from .responses import error_of, retry_after, retryable, unreachable

_WORTH_PACKING = 1_024
BATCH_PATH = "/v1/events"
SINGLE_PATH = "/v1/log"


def headers_of(connection: Connection) -> dict[str, str]:
    return {
        "authorization": f"Bearer {connection.api_key}",
        "user-agent": f"steelyard-python/{__version__}",
        "content-type": "application/json",
    }


def open_http(connection: Connection, *, timeout: float) -> httpx2.Client:
    """A client for the server; proxies from the environment are for other machines than this one."""
    return httpx2.Client(
        base_url=connection.base_url,
        headers=headers_of(connection),
        timeout=timeout,
        trust_env=not connection.loopback,
    )


@dataclass(frozen=True)
class Settled:
    """The server has answered for every event."""

    accepted: int = 0
    duplicates: int = 0
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True)
class Later:
    """Nobody took them: ask again, after `asked` seconds when the server said so."""

    asked: float | None
    error: SteelyardError


@dataclass(frozen=True)
class Refused:
    """The request as a whole was refused; `split` when one bad event may be to blame."""

    error: SteelyardError
    split: bool


def body_of(batch: Sequence[Outgoing]) -> bytes:
    return b'{"events":[' + b",".join(item.body for item in batch) + b"]}"


def request_of(batch: Sequence[Outgoing]) -> dict[str, Any]:
    """The content and headers of a batch request, packed when that pays."""
    body = body_of(batch)
    if len(body) < _WORTH_PACKING:
        return {"content": body}
    return {"content": gzip.compress(body, compresslevel=1, mtime=0), "headers": {"content-encoding": "gzip"}}


def rejection_of(event_id: str | None, error: dict[str, Any] | None) -> Rejection:
    told = error or {}
    return Rejection(
        event_id=event_id,
        code=str(told.get("code", "rejected")),
        message=str(told.get("message", "the server gave no reason")),
        field=told.get("field"),
        hint=told.get("hint"),
    )


def settled(receipts: Sequence[dict[str, Any]]) -> Settled:
    """Counts and rejections from the receipts of a batch answer."""
    outcomes = [receipt["outcome"] for receipt in receipts]
    rejections = [
        rejection_of(receipt.get("event_id"), receipt.get("error"))
        for receipt in receipts
        if receipt["outcome"] == "rejected"
    ]
    return Settled(outcomes.count("accepted"), outcomes.count("duplicate"), tuple(rejections))


def send(http: httpx2.Client, batch: Sequence[Outgoing]) -> Settled | Later | Refused:
    """POSTs a batch once; raises nothing that the network or the server can cause."""
    try:
        response = http.post(BATCH_PATH, **request_of(batch))
    except httpx2.HTTPError as problem:
        return Later(None, unreachable(str(http.base_url), problem))
    if response.is_success:
        try:
            return settled(response.json()["receipts"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return Refused(error_of(response), split=False)
    error = error_of(response)
    if retryable(response):
        return Later(retry_after(response), error)
    return Refused(error, split=response.status_code in (400, 413, 422) and len(batch) > 1)
