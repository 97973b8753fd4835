"""What one event's row says under one judge: its numbers, and where it stands."""

from typing import Any

import orjson

from steelyard.retrieval.scores import NAMES
from steelyard.schemas.event import Status

_DOCUMENTS = NAMES.index("documents")
_JUDGED = (Status.EVALUATED, Status.UNSCORED)


def numbers_of(row: Any, judged: Any) -> list[float | None]:
    """One number for each of `NAMES`, from the judge's row of `evaluations`, if there is one, and else
    from the event's."""
    stored = judged.scores if judged is not None else row.scores
    if stored is not None:
        numbers: list[float | None] = orjson.loads(stored)
        return numbers
    bare: list[float | None] = [None] * len(NAMES)
    bare[_DOCUMENTS] = row.passages
    return bare


def standing_of(row: Any, judged: Any) -> str:
    """The event's status under the judge; empty when only others have judged it."""
    if judged is not None:
        return str(Status.EVALUATED if judged.unscored is None else Status.UNSCORED)
    return "" if row.status in _JUDGED else str(row.status)
