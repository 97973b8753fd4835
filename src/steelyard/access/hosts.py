"""The Host check: a page elsewhere cannot reach this machine under a name of its own (DNS rebinding).

Answered are this machine's own names, any IP address (an address cannot be rebound), and `allowed_hosts`.
"""

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.errors import Forbidden
from steelyard.schemas.event import ErrorBody, ErrorEnvelope

_OWN_NAMES = frozenset({"localhost"})
_ANY = "*"


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in _OWN_NAMES or host.endswith(".localhost")


def host_of(header: str) -> str:
    """The host of a `Host` header, lower case, without its port or the dot of a full name."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[: name.find("]") + 1]
    return name.rpartition(":")[0].rstrip(".") if ":" in name else name.rstrip(".")


def served(host: str, *, allowed: Iterable[str]) -> bool:
    """Whether requests for this host are answered. `*.example.org` allows every name under it, `*` all."""
    if host in _OWN_NAMES or host.endswith(".localhost") or _is_address(host):
        return True
    for name in allowed:
        if (
            name == _ANY
            or host == name.lower()
            or (name.startswith("*.") and host.endswith(name[1:].lower()))
        ):
            return True
    return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


class HostCheck:
    """ASGI middleware that answers 403 to a request for a host that is not served here."""

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self.app = app
        self.allowed = tuple(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) == 1 and served(host_of(hosts[0]), allowed=self.allowed):
            await self.app(scope, receive, send)
            return
        error = Forbidden(
            f"the host {hosts[0][:100]!r} is not served here" if hosts else "the request names no host",
            hint="Set STEELYARD_ALLOWED_HOSTS to the names this server is reached by.",
        )
        body = ErrorEnvelope(error=ErrorBody(code="host_not_allowed", message=error.message, hint=error.hint))
        content = body.model_dump_json(exclude_none=True).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": error.status, "headers": headers})
        await send({"type": "http.response.body", "body": content})
