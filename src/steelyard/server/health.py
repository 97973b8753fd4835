"""Health for machines: alive, ready, measures for Prometheus. No key is needed, no project is told of."""

from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from steelyard.access.services import services
from steelyard.schemas.base import Record
from steelyard.store import projects

from .measures import CONTENT_TYPE, Measures

router = APIRouter(tags=["health"])


class Health(Record):
    status: Literal["ok"] = "ok"


@router.get("/healthz", summary="Is the process alive?")
async def alive() -> Health:
    """Answers as long as the process does."""
    return Health()


@router.get("/readyz", responses={503: {}}, summary="Can it serve?")
def ready(request: Request) -> Health:
    """Answers 503 while the database does not answer."""
    with services(request).store.read() as c:
        projects.all_projects(c)
    return Health()


@router.get("/metrics", response_class=Response, include_in_schema=False)
def metrics(request: Request) -> Response:
    measures: Measures = request.app.state.measures
    return Response(measures.text(), media_type=CONTENT_TYPE)
