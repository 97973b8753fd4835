"""The queue of documents on which judge and label disagree, with some agreements drawn at random among
them."""

from collections.abc import Iterator

from sqlalchemy import Connection

from steelyard.schemas.query import Disagreement, DisagreementKind, EventFilter, Page


def page(
    c: Connection,
    project_id: str,
    filter: EventFilter,
    *,
    judge_id: str,
    kind: DisagreementKind | None = None,
    reviewed: bool | None = False,
    agreements: bool = True,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Disagreement]:
    """Newest event first, documents by position. `reviewed` False: the open ones, None: all. Reviewed
    disagreements stay in the queue's history after the label was amended."""
    raise NotImplementedError


def export(c: Connection, project_id: str, filter: EventFilter, *, judge_id: str) -> Iterator[Disagreement]:
    """Every disagreement, reviewed or not, without drawn agreements; oldest event first."""
    raise NotImplementedError
