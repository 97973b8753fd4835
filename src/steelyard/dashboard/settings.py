"""The settings page: API keys, who did what, the limits in force. Never a secret, but a new key once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from steelyard import __version__
from steelyard.access.gate import remember_project
from steelyard.access.services import Services, services
from steelyard.access.tokens import digest, new_key, shown
from steelyard.access.viewer import SCOPES, Viewer, require_form
from steelyard.errors import Forbidden, InvalidInput
from steelyard.schemas.base import Record
from steelyard.schemas.event import Limits
from steelyard.schemas.query import AuditEntry, Key, Scope
from steelyard.store import audit, keys, projects

from . import render
from .asking import Asked, asked, both
from .forms import act, see_other

router = APIRouter()
AUDIT_SHOWN = 20
SNIPPET = """from steelyard import Client
client = Client(api_key="{key}", base_url="{origin}")"""


class Running(Record):
    """How this server runs. `database` has its password masked."""

    version: str
    database: str
    judge: str
    judge_model: str | None
    lease_s: float
    max_attempts: int
    max_queued: int
    retention_days: float | None
    retention_events: int | None


class SettingsPage(Record):
    """`keys` and `audit` are for administrators, empty for others. `secret` is set once, on the answer to
    the form that made a key."""

    project: str
    projects: tuple[str, ...]
    admin: bool
    keys: tuple[Key, ...]
    audit: tuple[AuditEntry, ...]
    limits: Limits
    running: Running
    secret: str | None = None
    snippet: str


@both(router, "/settings", template="settings.html", title="Settings")
def settings_page(c: Connection, ask: Asked) -> SettingsPage:
    return _page(c, ask)


def _page(c: Connection, ask: Asked, *, secret: str | None = None) -> SettingsPage:
    admin, ours = ask.viewer.may("admin"), ask.services.settings
    return SettingsPage(
        project=ask.viewer.project_name,
        projects=tuple(p.name for p in projects.all_projects(c)) if ask.viewer.session_id else (),
        admin=admin,
        keys=keys.all_keys(c, ask.project) if admin else (),
        audit=audit.page(c, ask.project, limit=AUDIT_SHOWN).items if admin else (),
        limits=ours.limits,
        running=Running(
            version=__version__,
            database=ask.services.store.url,
            judge=ours.judge,
            judge_model={"llm": ours.llm_model}.get(ours.judge, ours.decision_model),
            lease_s=ours.lease_s,
            max_attempts=ours.max_attempts,
            max_queued=ours.max_queued,
            retention_days=ours.retention_days,
            retention_events=ours.retention_events,
        ),
        secret=secret,
        snippet=SNIPPET.format(key=secret or "sy_…", origin=ask.origin),
    )


Admin = Annotated[Viewer, Depends(require_form)]
App = Annotated[Services, Depends(services)]


def _demand_admin(viewer: Viewer) -> None:
    if not viewer.may("admin"):
        raise Forbidden("only an administrator may change keys", hint="Log in with an administrator's link.")


@router.post("/settings/keys", include_in_schema=False)
def add_key(
    request: Request,
    viewer: Admin,
    app: App,
    name: Annotated[str, Form(max_length=128)] = "",
    scopes: Annotated[tuple[Scope, ...], Form()] = (),
) -> Response:
    """Makes a key and shows its secret on the answer: it is kept nowhere, so this page alone has it."""
    _demand_admin(viewer)
    if not name.strip():
        raise InvalidInput("a key needs a name", field="name", hint="Say what will use it.")
    if not scopes:
        raise InvalidInput("a key needs a scope", field="scopes", hint=f"Tick one of {', '.join(SCOPES)}.")
    secret = new_key()
    act(
        app,
        viewer,
        lambda c, now: keys.add(
            c,
            viewer.project_id,
            name=name.strip(),
            prefix=shown(secret),
            digest=digest(secret),
            scopes=tuple(dict.fromkeys(scopes)),
            now=now,
        ),
        action="key.create",
        subject=lambda made: made.id,
        detail=lambda made: {"prefix": made.prefix, "scopes": list(made.scopes)},
    )
    with app.store.read() as c:
        page = _page(c, asked(request, viewer), secret=secret)
    chrome = render.Chrome.of(viewer, path="/settings")
    return render.html("settings.html", page, chrome=chrome, title="Settings")


@router.post("/settings/keys/revoke", include_in_schema=False)
def revoke_key(viewer: Admin, app: App, key_id: Annotated[str, Form(max_length=256)]) -> Response:
    """From now on the key is answered 401."""
    _demand_admin(viewer)
    revoked = act(
        app,
        viewer,
        lambda c, now: keys.revoke(c, viewer.project_id, key_id, now=now),
        action="key.revoke",
        subject=key_id,
        detail=lambda key: {"prefix": key.prefix},
    )
    app.gate.forget(revoked.id)
    return see_other("/settings#keys")


@router.post("/settings/project", include_in_schema=False)
def choose_project(
    request: Request, viewer: Admin, app: App, name: Annotated[str, Form(max_length=128)]
) -> Response:
    """Shows another project in this browser from now on. Raises `NotFound`."""
    del viewer  # asked for its form token only
    with app.store.read() as c:
        chosen = projects.get(c, name)
    response = see_other("/overview")
    remember_project(response, chosen.name, secure=request.url.scheme == "https")
    return response
