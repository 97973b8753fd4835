"""Turns a page object into HTML or JSON. The only place that knows Jinja and static files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from steelyard.access.viewer import Viewer
from steelyard.schemas.base import Record

from . import charts, figures
from .view import query
from .wording import DECISION_WORDS, KIND_WORDS, STATUS_WORDS

NAV = (
    ("Overview", "/overview"),
    ("Events", "/events"),
    ("Accuracy", "/accuracy"),
    ("Disagreements", "/disagreements"),
    ("Judges", "/judges"),
    ("Settings", "/settings"),
)
MEDIA = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


def _load_assets() -> Mapping[str, bytes]:
    folder = files("steelyard.dashboard") / "static"
    return {
        item.name: item.read_bytes() for item in folder.iterdir() if item.name.rsplit(".", 1)[-1] in MEDIA
    }


ASSETS = _load_assets()
DIGESTS = {name: hashlib.sha256(body).hexdigest()[:12] for name, body in ASSETS.items()}


@dataclass(frozen=True)
class NavItem:
    name: str
    href: str
    here: bool


@dataclass(frozen=True)
class Chrome:
    """What surrounds a page and is no part of it: project, navigation, the form token, the twin's address."""

    project: str | None = None
    csrf_token: str | None = None
    nav: tuple[NavItem, ...] = ()
    twin: str | None = None
    admin: bool = False
    write: bool = False

    @staticmethod
    def asset(name: str) -> str:
        return f"/static/{name}?v={DIGESTS[name]}"

    @classmethod
    def of(cls, viewer: Viewer, *, path: str, search: str = "") -> Chrome:
        """The frame of the page at `path`; its twin is the same path + `.json` with the same query."""
        return cls(
            project=viewer.project_name,
            csrf_token=viewer.csrf_token,
            nav=tuple(NavItem(name, href, here=path.startswith(href.rstrip("s"))) for name, href in NAV),
            twin=f"{path}.json" + (f"?{search}" if search else ""),
            admin=viewer.may("admin"),
            write=viewer.may("write"),
        )


def event_link(event_id: str) -> str:
    """An event's page. Ids may hold slashes and dots, so they go in the query."""
    return "/event" + query({"id": event_id})


def _pretty(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _local(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _signed_seconds(value: float) -> Markup:
    sign = figures.MINUS if value < 0 else "+"
    return figures.datum(value, sign + figures.seconds(abs(value)))


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("steelyard.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    written: dict[str, Any] = {name: getattr(figures, name) for name in WRITERS}
    drawn: dict[str, Any] = {name: getattr(charts, name) for name in ("trend", "spark", "strip", "stack")}
    made.globals |= written | drawn
    made.globals |= {
        "event_link": event_link,
        "local": _local,
        "signed_seconds": _signed_seconds,
        "query": query,
    }
    made.globals |= {"status_words": STATUS_WORDS, "kind_words": KIND_WORDS, "decision_words": DECISION_WORDS}
    made.filters["pretty"] = _pretty
    return made


WRITERS = (
    "age", "clock", "count", "datum", "defined", "dollars", "figure", "interval", "moment", "number",
    "percent", "seconds", "share", "signed", "why_no_interval",
)  # fmt: skip
_ENVIRONMENT = _environment()


def html(
    name: str, page: Record | None, *, chrome: Chrome, title: str, status: int = 200, **extra: Any
) -> HTMLResponse:
    """The page as HTML, never cached: it holds a form token."""
    text = _ENVIRONMENT.get_template(name).render(page=page, chrome=chrome, title=title, **extra)
    return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})


def json(page: Record) -> Response:
    """The same page object as JSON."""
    return Response(
        page.model_dump_json(), media_type="application/json", headers={"Cache-Control": "no-store"}
    )
