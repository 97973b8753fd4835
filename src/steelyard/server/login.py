"""The way in for browsers: a link that works once becomes a session, until its end or a log out."""

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from steelyard.access.gate import SESSION_COOKIE, SESSION_LIFE
from steelyard.access.services import services
from steelyard.access.viewer import require_form
from steelyard.dashboard import login_page

from .envelope import LOGIN_PATH

router = APIRouter(include_in_schema=False)
_TOKEN_CHARS = 200


@router.get(LOGIN_PATH)
async def log_in(request: Request) -> Response:
    token = request.query_params.get("token", "").strip()[:_TOKEN_CHARS]
    if not token:
        return login_page()
    secret = await run_in_threadpool(services(request).gate.log_in, token)
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(SESSION_LIFE.total_seconds()),
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/logout", dependencies=[Depends(require_form)])
async def log_out(request: Request) -> Response:
    await run_in_threadpool(services(request).gate.log_out, request.cookies[SESSION_COOKIE])
    response = RedirectResponse(LOGIN_PATH, status_code=303)
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="strict")
    return response
