"""Every page under one router, with the files they need and the way in at `/`."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from steelyard.errors import NotFound

from . import accuracy, disagreements, event, events, judges, overview, sampling, settings
from .render import ASSETS, MEDIA

router = APIRouter(include_in_schema=False)
for noun in (overview, events, event, accuracy, disagreements, sampling, judges, settings):
    router.include_router(noun.router)


@router.get("/")
def front() -> Response:
    return RedirectResponse("/overview", status_code=303)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """The files of the pages; they are asked for by digest, so a browser may keep them for good."""
    body = ASSETS.get(name)
    if body is None:
        raise NotFound(f"there is no file {name[:80]!r}")
    return Response(
        body,
        media_type=MEDIA[name.rsplit(".", 1)[-1]],
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )
