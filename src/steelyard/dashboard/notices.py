"""Pages without a session: the way in, and what went wrong."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from steelyard.schemas.event import ErrorBody

from .render import Chrome, html


def login_page() -> HTMLResponse:
    """Where a browser without a session lands."""
    return html("login.html", None, chrome=Chrome(), title="Log in")


def error_page(error: ErrorBody, *, status: int) -> HTMLResponse:
    """What went wrong, where and how to mend it; everything in it is escaped."""
    return html("error.html", error, chrome=Chrome(), title=error.code.replace("_", " "), status=status)
