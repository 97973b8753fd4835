"""The audit log: administrative actions and label changes."""

from typing import Annotated

from fastapi import APIRouter, Query

from steelyard.schemas.query import AuditEntry, Page
from steelyard.store import audit

from ..filters import PageQuery
from .parts import Admin, App

router = APIRouter(tags=["audit"])


@router.get("/v1/audit", summary="Read the audit log")
def list_audit(viewer: Admin, app: App, query: Annotated[PageQuery, Query()]) -> Page[AuditEntry]:
    """Newest first."""
    with app.store.read() as c:
        return audit.page(c, viewer.project_id, cursor=query.cursor, limit=query.limit)
