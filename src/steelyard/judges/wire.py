"""The HTTP underneath the remote judges: bounded replies, one shape for what comes back, no retries.

Whatever goes wrong is told without the request, its headers or the server's own words: those may carry a key.
"""

import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import httpx2

from steelyard.errors import ConfigurationError

MAX_REPLY_BYTES = 4 * 2**20
CONNECT_S = 10.0


@dataclass(frozen=True)
class Reply:
    """What a server answered, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    text: str = field(repr=False)

    @property
    def is_html(self) -> bool:
        return "html" in self.headers.get("content-type", "").lower() or self.text.lstrip()[:1] == "<"


class Dropped(Exception):
    """No answer: `what` says why in words of ours. `again` is whether asking once more makes sense."""

    def __init__(self, what: str, *, again: bool = True) -> None:
        super().__init__(what)
        self.what = what
        self.again = again


class OverLimit(httpx2.TransportError):
    """A reply that is larger, slower or stranger than we read."""


class BoundedStream(httpx2.SyncByteStream):
    """Passes a body on until it is longer than `most` bytes or later than `deadline` (monotonic seconds)."""

    def __init__(self, stream: httpx2.SyncByteStream, *, most: int, deadline: float) -> None:
        self._stream, self._most, self._deadline = stream, most, deadline

    def __iter__(self) -> Iterator[bytes]:
        seen = 0
        for chunk in self._stream:
            seen += len(chunk)
            if seen > self._most:
                raise OverLimit(f"the reply is longer than {self._most} bytes")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the reply takes too long")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def open_client(
    base_url: str, *, timeout_s: float, concurrency: int, most: int = MAX_REPLY_BYTES
) -> httpx2.Client:
    """A client for one provider: replies bounded in size and in time as a whole (a slow trickle included),
    without redirects, which would carry the key elsewhere. Proxies of the environment are honoured, but not
    on the way to this machine itself."""

    def start(request: httpx2.Request) -> None:
        request.extensions["deadline"] = time.monotonic() + timeout_s

    def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise OverLimit("the reply is compressed though an uncompressed one was asked for")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        deadline = response.request.extensions["deadline"]
        response.stream = BoundedStream(response.stream, most=most, deadline=deadline)

    here = is_loopback(base_url)
    return httpx2.Client(
        timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S)),
        limits=httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        follow_redirects=False,
        trust_env=not here,
        # Reading the authorities takes 30 ms and 3 MB; on the way to this machine by http no TLS is spoken.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if here and base_url.startswith("http:") else True,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [start], "response": [bound]},
    )


def is_loopback(base_url: str) -> bool:
    host = httpx2.URL(base_url).host
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def checked_url(base_url: str) -> str:
    """`base_url` without a trailing slash; raises `ConfigurationError` for what is no plain http(s) address.

    Credentials in the address are refused: an address is shown in errors and kept in the ledger.
    """
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError(
            "the address of the judge's server is not an http(s) URL",
            field="base_url",
            hint="It looks like http://127.0.0.1:11434/v1.",
        )
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError(
            "the address of the judge's server carries a user name, a query or a fragment",
            field="base_url",
            hint="Give the key as api_key instead.",
        )
    return base_url.rstrip("/")


def dropped(error: BaseException) -> Dropped:
    """The plain words for a failed exchange, looking through what a library wrapped around it."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OverLimit):
            return Dropped(str(seen), again=False)
        if isinstance(seen, httpx2.TimeoutException):
            return Dropped("the server did not answer in time")
        if isinstance(seen, httpx2.ConnectError):
            return Dropped("no connection to the server")
        seen = seen.__cause__ or seen.__context__
    return Dropped("the connection broke before the answer was complete")
