"""The way in for browsers: a link that works once becomes a session, until its end or a log out."""

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from steelyard.access.gate import SESSION_COOKIE, SESSION_LIFE
from steelyard.access.services import services
from steelyard.access.viewer import require_form

router = APIRouter(include_in_schema=False)
_FORM = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Log in · Steelyard</title><link rel="stylesheet" href="/static/steelyard.css"></head>
<body><main class="message"><h1>Log in</h1>
<p>Open the link that <code>steelyard serve</code> printed, or paste its token here.
The link works once; a restart of the server prints a new one.</p>
<form action="/login" method="get"><p><label for="token">Token</label>
<input id="token" name="token" required autocomplete="off" spellcheck="false">
<button>Log in</button></p></form></main></body></html>
"""
_TOKEN_CHARS = 200


@router.get("/login")
async def log_in(request: Request) -> Response:
    token = request.query_params.get("token", "").strip()[:_TOKEN_CHARS]
    if not token:
        return HTMLResponse(_FORM)
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
    response = RedirectResponse("/login", status_code=303)
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="strict")
    return response
