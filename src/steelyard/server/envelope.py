"""The one error envelope `{"error": {code, message, field?, hint?}}`, made of every error of every route.

Pages get the same error as a small page, and a browser without a session is shown the way in.
"""

import logging
import math
from collections.abc import Mapping

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match

from steelyard.dashboard import error_page
from steelyard.errors import (
    InvalidInput,
    Malformed,
    RateLimited,
    SteelyardError,
    Unauthorized,
)
from steelyard.schemas.event import ErrorBody, ErrorEnvelope

log = logging.getLogger("steelyard.server")

_CODES = {
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
}
LOGIN_PATH = "/login"
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_API_PATHS = ("/v1", "/healthz", "/readyz", "/metrics")


def install(app: FastAPI) -> None:
    """Registers the handlers of every kind of error."""
    app.add_exception_handler(SteelyardError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)


def answer(
    request: Request, error: SteelyardError, *, status: int | None = None, code: str | None = None
) -> Response:
    """The answer to a request that failed with `error`, as JSON for programs and as a page for browsers."""
    body = error_body(error, code=code)
    headers = _headers(error)
    if _wants_page(request):
        if isinstance(error, Unauthorized) and request.url.path != LOGIN_PATH:
            return RedirectResponse(LOGIN_PATH, status_code=303)
        page = error_page(body, status=status or error.status)
        page.headers.update(headers)
        return page
    return envelope(body, status=status or error.status, headers=headers)


def error_body(error: SteelyardError, *, code: str | None = None) -> ErrorBody:
    """What is told of an error; its message is written for whoever asked."""
    said = {"code": code or error.code, "message": error.message, "field": error.field, "hint": error.hint}
    return ErrorBody(**{name: value for name, value in said.items() if value is not None})


def envelope(body: ErrorBody, *, status: int, headers: Mapping[str, str] | None = None) -> Response:
    content = ErrorEnvelope(error=body).model_dump_json(exclude_none=True)
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def unhandled(request: Request, problem: BaseException) -> Response:
    """The answer to a fault of our own: logged in full, told without any of it."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=problem)
    error = SteelyardError(
        "the server failed to answer; its log says why", hint="Try again, or look at the log."
    )
    return answer(request, error, status=500, code="internal")


def invalid(problem: ValidationError | RequestValidationError) -> InvalidInput:
    """The first thing wrong in a validated value, as one of our errors with the place it stands at."""
    first = problem.errors()[0]
    place = [str(part) for part in first["loc"]]
    parameter = place[0] if place and place[0] in ("query", "path", "header", "cookie") else None
    if parameter is not None:
        field = ".".join(place[1:]) or parameter
    else:
        field = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in place)
    message = first["msg"].removeprefix("Value error, ")
    return InvalidInput(message[:1].lower() + message[1:], field=field or None)


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SteelyardError)
    if error.status >= 500 and error.status != 503:
        return unhandled(request, error)
    return answer(request, error)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return answer(request, invalid(error))


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    message, hint = str(error.detail), None
    if status == 404:
        message, hint = (
            f"there is nothing at {request.url.path[:200]}",
            "GET /v1/openapi.json lists what there is.",
        )
    elif status == 405:
        message = f"{request.url.path[:200]} does not take {request.method[:20]}"
    kind = Malformed if status == 400 else SteelyardError
    response = answer(request, kind(message, hint=hint), status=status, code=_CODES.get(status, "http_error"))
    response.headers.update(error.headers or {})
    if status == 405:
        response.headers["allow"] = ", ".join(_methods(request))
    return response


def _methods(request: Request) -> list[str]:
    """The methods that the path takes, over all of its routes."""

    def taken(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)

    return [method for method in _METHODS if taken(method)]


def _headers(error: SteelyardError) -> dict[str, str]:
    if isinstance(error, RateLimited):
        return {"retry-after": str(max(1, math.ceil(error.retry_after)))}
    if error.status == 503:
        return {"retry-after": "5"}
    if isinstance(error, Unauthorized):
        return {"www-authenticate": 'Bearer realm="steelyard"'}
    return {}


def _wants_page(request: Request) -> bool:
    path = request.url.path
    if path.endswith(".json") or any(path == start or path.startswith(f"{start}/") for start in _API_PATHS):
        return False
    return "text/html" in request.headers.get("accept", "")
