"""Changes by people: each with its line in the audit log, both in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection

from steelyard.store import audit

from .services import Services
from .viewer import Viewer

T = TypeVar("T")


@dataclass(frozen=True)
class Act:
    """What the audit log says of a change; `detail` holds no secrets and no texts of users."""

    action: str
    subject: str
    detail: dict[str, Any]


def change(
    app: Services, viewer: Viewer, work: Callable[[Connection, datetime], T], *, act: Callable[[T], Act]
) -> T:
    """Runs `work` at the present time and notes who did it."""
    now = datetime.now(UTC)

    def audited(c: Connection) -> T:
        made = work(c, now)
        said = act(made)
        audit.add(
            c,
            viewer.project_id,
            actor=viewer.actor,
            action=said.action,
            subject=said.subject,
            detail=said.detail,
            now=now,
        )
        return made

    return app.store.write(audited)
