"""What posted forms do: a change and its line in the audit log in one transaction, then on to a page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from steelyard.access.services import Services
from steelyard.access.viewer import Viewer
from steelyard.store import audit

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
    now = datetime.now(UTC)

    def audited(c: Connection) -> T:
        made = work(c, now)
        named = subject if isinstance(subject, str) else subject(made)
        audit.add(
            c,
            viewer.project_id,
            actor=viewer.actor,
            action=action,
            subject=named,
            detail=detail(made),
            now=now,
        )
        return made

    return app.store.write(audited)


def see_other(address: str) -> Response:
    """To a page of this server, by GET."""
    return RedirectResponse(address, status_code=303)
