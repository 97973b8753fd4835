"""The events page: filters and facets, cursor pages, exports."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from sqlalchemy import Connection

from steelyard.errors import InvalidInput
from steelyard.schemas.base import Record
from steelyard.schemas.event import Status
from steelyard.schemas.query import Count, EventFilter, EventRow, Facet
from steelyard.store import events

from .asking import Asked, both, chosen_judge, event_filter, nothing_here
from .models import Choice, Empty
from .view import View, query
from .wording import STATUS_WORDS

router = APIRouter()
PAGE = 50
FILTERS = ("status", "dataset", "feature_flag", "labelled", "flagged", "text", "trace_id", "user", "meta")


class FacetGroup(Record):
    """One filter with its values; `all_link` takes it off."""

    name: str
    title: str
    choices: tuple[FacetChoice, ...]
    all_link: str | None = None


class FacetChoice(Record):
    name: str
    link: str
    n: int | None
    chosen: bool


class EventsPage(Record):
    """`filters` are those in force besides the view's; `older` and `newest` lead to other pages."""

    view: View
    filters: dict[str, str]
    facets: tuple[FacetGroup, ...]
    facets_exact: bool
    judges: tuple[Choice, ...]
    events: tuple[EventRow, ...]
    count: Count
    older: str | None
    newest: str | None
    csv: str
    jsonl: str
    empty: Empty | None = None


@both(router, "/events", template="events.html", title="Events")
def events_page(c: Connection, ask: Asked) -> EventsPage:
    view = ask.view()
    filters = {name: ask.params[name] for name in FILTERS if ask.params.get(name)}
    chosen = filtered(view, filters)
    _, judges = chosen_judge(c, ask.project, view.judge)
    cursor = ask.params.get("cursor") or None
    found = events.page(c, ask.project, chosen, cursor=cursor, limit=PAGE)
    facets = events.facets(c, ask.project, EventFilter(start=view.start, end=view.end))
    here = "/events" + view.query(**filters)
    pinned = pin(view)
    empty = None
    if not found.items and not filters:
        empty = nothing_here(c, ask, view, "/events")
    return EventsPage(
        view=view,
        filters=filters,
        facets=(
            _group("env", "Environment", facets.env, view, filters),
            _group("dataset", "Dataset", facets.dataset, view, filters),
            _group("feature_flag", "Feature flag", facets.feature_flag, view, filters),
            _group("status", "Status", facets.status, view, filters),
            _group(
                "flagged", "Recall", (), view, filters, fixed=(("1", "under 1"), ("0", "1, or undefined"))
            ),
            _group("labelled", "Labels", (), view, filters, fixed=(("1", "labelled"), ("0", "unlabelled"))),
        ),
        facets_exact=facets.exact,
        judges=judges,
        events=found.items,
        count=events.count(c, ask.project, chosen),
        older="/events" + pinned.query(**filters, cursor=found.next_cursor) if found.next_cursor else None,
        newest=here if cursor else None,
        csv=export_link(chosen, "csv"),
        jsonl=export_link(chosen, "jsonl"),
        empty=empty,
    )


def pin(view: View) -> View:
    """The view with its times fixed, so that a later page of a relative range is about the same events."""
    return view.model_copy(update={"range": "custom"})


def filtered(view: View, filters: Mapping[str, str]) -> EventFilter:
    """The store's filter; raises `InvalidInput` naming the parameter that cannot be."""
    chosen = event_filter(view).model_dump()
    chosen["judge_id"] = view.judge
    for name in ("dataset", "feature_flag", "text", "trace_id", "user"):
        chosen[name] = filters.get(name)
    for name in ("labelled", "flagged"):
        value = filters.get(name)
        if value is not None and value not in ("0", "1"):
            raise InvalidInput(f"{name} {value!r} is neither 0 nor 1", field=name)
        chosen[name] = None if value is None else value == "1"
    if status := filters.get("status"):
        if status not in list(Status):
            raise InvalidInput(
                f"status {status!r} is not one", field="status", hint=f"Use {', '.join(Status)}."
            )
        chosen["status"] = (Status(status),)
    if meta := filters.get("meta"):
        key, found, value = meta.partition(":")
        if not (key and found):
            raise InvalidInput(f"meta {meta!r} is not key:value", field="meta", hint="As release:2026.11.")
        chosen["metadata"] = {key: value}
    return EventFilter.model_validate(chosen)


def export_link(chosen: EventFilter, form: str) -> str:
    """The API's stream of the same events."""
    pairs: list[tuple[str, str | None]] = [("metadata", f"{k}:{v}") for k, v in chosen.metadata.items()]
    pairs += [("status", status) for status in chosen.status]
    state = {
        "env": chosen.env,
        "dataset": chosen.dataset,
        "feature_flag": chosen.feature_flag,
        "labelled": _flag(chosen.labelled),
        "flagged": _flag(chosen.flagged),
        "text": chosen.text,
        "trace_id": chosen.trace_id,
        "user": chosen.user,
        "judge_id": chosen.judge_id,
        "start": chosen.start.isoformat() if chosen.start else None,
        "end": chosen.end.isoformat() if chosen.end else None,
    }
    return f"/v1/exports/events.{form}" + query([*state.items(), *pairs])


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _group(
    name: str,
    title: str,
    found: tuple[Facet, ...],
    view: View,
    filters: Mapping[str, str],
    *,
    fixed: tuple[tuple[str, str], ...] = (),
) -> FacetGroup:
    now = view.env if name == "env" else filters.get(name)
    options: list[tuple[str, str, int | None]] = [
        (f.value, STATUS_WORDS.get(f.value, f.value), f.n) for f in found
    ]
    options += [(value, word, None) for value, word in fixed]
    if now and now not in [value for value, _, _ in options]:
        options.append((now, now, 0))

    def link(value: str | None) -> str:
        return "/events" + view.query(**{**filters, name: value})

    return FacetGroup(
        name=name,
        title=title,
        choices=tuple(
            FacetChoice(name=word, link=link(value), n=n, chosen=value == now) for value, word, n in options
        ),
        all_link=link(None) if now else None,
    )


FacetGroup.model_rebuild()
