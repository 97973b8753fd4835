"""What waits to be evaluated in the project."""

from fastapi import APIRouter

from steelyard.schemas.query import Queue
from steelyard.store import leases

from .parts import App, Reader

router = APIRouter(tags=["events"])


@router.get("/v1/queue", summary="See what waits")
def get_queue(viewer: Reader, app: App) -> Queue:
    """How many events of the project wait or are being evaluated, and since when."""
    with app.store.read() as c:
        return leases.queue(c, project_id=viewer.project_id)
