"""What every page is made from: who asks, of which store, about what and when; and how a page gets its two
paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from steelyard.access.gate import remember_project
from steelyard.access.services import Services, services
from steelyard.access.viewer import Viewer, require, require_session
from steelyard.errors import InvalidInput, NotFound
from steelyard.schemas.base import Record
from steelyard.schemas.query import EventFilter
from steelyard.store import events, judges

from . import render
from .models import Choice, Empty, JudgeName
from .view import View, read_view


@dataclass(frozen=True)
class Asked:
    """One request for a page. `params` are the URL's, `origin` is this server's address."""

    viewer: Viewer
    services: Services
    now: datetime
    params: Mapping[str, str]
    search: str
    origin: str

    @property
    def project(self) -> str:
        return self.viewer.project_id

    def view(self) -> View:
        return read_view(self.params, now=self.now)


def asked(request: Request, viewer: Viewer) -> Asked:
    """Raises `InvalidInput` for a NUL in the query: no stored text that is looked for has one."""
    for name, value in request.query_params.multi_items():
        if "\0" in value:
            raise InvalidInput(f"{name} holds NUL (U+0000)", field=name)
    return Asked(
        viewer=viewer,
        services=services(request),
        now=datetime.now(UTC),
        params=dict(request.query_params),
        search=request.url.query,
        origin=f"{request.url.scheme}://{request.url.netloc}",
    )


def _by_session(request: Request, viewer: Annotated[Viewer, Depends(require_session)]) -> Asked:
    return asked(request, viewer)


def _by_session_or_key(request: Request, viewer: Annotated[Viewer, Depends(require("read"))]) -> Asked:
    return asked(request, viewer)


_MONTH, _TICK = timedelta(days=30), timedelta(seconds=1)
FIRST_EVENT = """curl {origin}/v1/log -H 'Authorization: Bearer sy_YOUR_KEY' \\
  -H 'Content-Type: application/json' -d '{{"task": "How long do refunds take?",
  "context": [{{"id": "faq-7", "text": "Refunds take 14 days."}}],
  "ground_truth": {{"gold_doc_ids": ["faq-7"]}}}}'"""
Build = Callable[[Connection, Asked], Record]


def both(router: APIRouter, path: str, *, template: str, title: str) -> Callable[[Build], Build]:
    """Registers one builder as the page at `path` and as its JSON twin at `path.json`, for read keys too."""

    def register(build: Build) -> Build:
        def page_html(ask: Annotated[Asked, Depends(_by_session)]) -> Response:
            with ask.services.store.read() as connection:
                page = build(connection, ask)
            chrome = render.Chrome.of(ask.viewer, path=path, search=ask.search)
            response = render.html(template, page, chrome=chrome, title=title)
            if "project" in ask.params:
                # The page's links and forms do not repeat it.
                secure = ask.origin.startswith("https:")
                remember_project(response, ask.viewer.project_name, secure=secure)
            return response

        def page_json(ask: Annotated[Asked, Depends(_by_session_or_key)]) -> Response:
            with ask.services.store.read() as connection:
                return render.json(build(connection, ask))

        router.add_api_route(path, page_html, methods=["GET"], include_in_schema=False)
        router.add_api_route(f"{path}.json", page_json, methods=["GET"], include_in_schema=False)
        return build

    return register


def event_filter(view: View) -> EventFilter:
    return EventFilter(env=view.env, start=view.start, end=view.end)


def chosen_judge(
    c: Connection, project_id: str, wanted: str | None
) -> tuple[JudgeName | None, tuple[Choice, ...]]:
    """The judge a page is about (the wanted one, else the latest used) and all there are to choose from.

    Raises `NotFound` for a judge that did nothing in this project.
    """
    known = judges.identities(c, project_id)
    if not known:
        if wanted:
            raise NotFound(f"judge {wanted!r} has evaluated nothing here", field="judge")
        return None, ()
    found = next((one for one in known if one.id == wanted), None) if wanted else known[0]
    if found is None:
        raise NotFound(
            f"judge {wanted!r} has evaluated nothing here",
            field="judge",
            hint=f"Known are: {', '.join(one.id for one in known)}.",
        )
    return (
        JudgeName(id=found.id, name=found.name, kind=found.kind, model=found.model),
        tuple(Choice(value=one.id, name=one.id, chosen=one is found) for one in known),
    )


def environments(c: Connection, project_id: str, view: View) -> tuple[Choice, ...]:
    """The environments there are, the chosen one always among them."""
    names = list(events.environments(c, project_id))
    if view.env and view.env not in names:
        names.append(view.env)
    return tuple(Choice(value=name, name=name, chosen=name == view.env) for name in names)


def nothing_here(c: Connection, ask: Asked, view: View, path: str) -> Empty:
    """The empty state of a range: no event at all, or none in this range and where the newest is."""
    newest = events.page(c, ask.project, EventFilter(), limit=1).items
    if not newest:
        return Empty(
            title="No events yet",
            advice="Log one retrieval, or replay a file of them. Paste this to begin:",
            paste=FIRST_EVENT.format(origin=ask.origin),
            link="/settings",
            link_name="Make a key",
        )
    last = newest[0].created_at
    around = View(range="30d", start=last, end=last, judge=view.judge)
    return Empty(
        title="No events in this range",
        advice="There are events at other times or in other environments. See the days up to the newest:",
        link=path
        + around.query(
            range="custom", **{"from": (last - _MONTH).isoformat(), "to": (last + _TICK).isoformat()}
        ),
        link_name="Show the last 30 days with events",
    )
