"""What posted forms do: a change and its line in the audit log, then on to a page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from steelyard.access.acting import Act, change
from steelyard.access.services import Services
from steelyard.access.viewer import Viewer

T = TypeVar("T")


def act(
    app: Services,
    viewer: Viewer,
    work: Callable[[Connection, datetime], T],
    *,
    action: str,
    subject: str | Callable[[T], str],
    detail: Callable[[T], dict[str, Any]],
) -> T:
    """Runs `work` and notes who did it; `detail` holds no secrets and no texts of users."""

    def said(made: T) -> Act:
        return Act(action, subject if isinstance(subject, str) else subject(made), detail(made))

    return change(app, viewer, work, act=said)


def see_other(address: str) -> Response:
    """To a page of this server, by GET."""
    return RedirectResponse(address, status_code=303)
