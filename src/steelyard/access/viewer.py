"""Who is asking: the `Viewer` of a request, and the dependencies that demand one.

API routes use `Depends(require("read"))`, pages `Depends(require_session)`, posted forms
`Depends(require_form)`.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from steelyard.errors import Forbidden
from steelyard.schemas.query import Scope

SCOPES: tuple[Scope, ...] = ("write", "read", "admin")
CSRF_FIELD = "csrf_token"
CSRF_HEADER = "x-csrf-token"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Viewer:
    """One project seen by one key or one browser session.

    `session_id` and `csrf_token` are None for a key. `actor` is what the audit log says: `key:…` or
    `session:…`.
    """

    project_id: str
    project_name: str
    scopes: frozenset[Scope]
    session_id: str | None
    csrf_token: str | None
    actor: str

    def may(self, scope: Scope) -> bool:
        """Whether the scope is held; `admin` includes the other two."""
        return scope in self.scopes or "admin" in self.scopes


class Authenticator(Protocol):
    """Turns a request's credentials into a viewer; raises `Unauthorized`."""

    async def viewer(self, request: Request) -> Viewer: ...

    async def session_viewer(self, request: Request) -> Viewer: ...


def require(scope: Scope) -> Callable[[Request], Awaitable[Viewer]]:
    """A dependency that demands a key (`Authorization: Bearer`) or a session with the scope.

    A session that changes something must send its CSRF token in `X-CSRF-Token`. Raises `Unauthorized`,
    `Forbidden`.
    """

    async def viewer_with_scope(request: Request) -> Viewer:
        viewer = await _gate(request).viewer(request)
        if viewer.session_id is not None and request.method not in _SAFE_METHODS:
            _check_csrf(viewer, request.headers.get(CSRF_HEADER))
        return _with_scope(viewer, scope)

    return viewer_with_scope


async def require_session(request: Request) -> Viewer:
    """A dependency for pages: demands a session cookie. Raises `Unauthorized`, answered by the way in."""
    return _with_scope(await _gate(request).session_viewer(request), "read")


async def require_form(request: Request) -> Viewer:
    """A dependency for posted forms: a session, and its CSRF token in the field `csrf_token` or the header
    `X-CSRF-Token`."""
    viewer = await _gate(request).session_viewer(request)
    token = request.headers.get(CSRF_HEADER)
    if token is None:
        field = (await request.form()).get(CSRF_FIELD)
        token = field if isinstance(field, str) else None
    _check_csrf(viewer, token)
    return _with_scope(viewer, "write")


def _with_scope(viewer: Viewer, scope: Scope) -> Viewer:
    if not viewer.may(scope):
        raise Forbidden(
            f"this key may not {scope}: its scopes are {', '.join(sorted(viewer.scopes)) or 'none'}",
            hint=f"Use a key with the scope {scope!r}.",
        )
    return viewer


def _check_csrf(viewer: Viewer, token: str | None) -> None:
    if not (token and viewer.csrf_token and hmac.compare_digest(token.encode(), viewer.csrf_token.encode())):
        raise Forbidden(
            "the form's token is missing or stale", field=CSRF_FIELD, hint="Reload the page and try again."
        )


def _gate(request: Request) -> Authenticator:
    gate: Authenticator = request.app.state.services.gate
    return gate
