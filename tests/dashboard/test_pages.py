"""Pages over HTTP: the twin holds the numbers of the HTML, nothing planted acts, forms demand their token."""

import json
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from .conftest import Site
from .seeding import SCRIPT, planted

PAGES = (
    "/overview",
    "/overview?range=30d&slice=env",
    "/overview?env=staging&sources=1",
    "/events",
    "/events?flagged=1&labelled=1",
    "/event?id=event-7",
    "/accuracy?range=30d",
    "/accuracy?slice=release",
    "/disagreements",
    "/disagreements?show=all&kind=missed_gold",
    "/judges",
    "/settings",
)


class Numbers(HTMLParser):
    """The exact numbers that a page shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[float] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "data":
            self.found.append(float(dict(attrs)["value"] or "nan"))


def numbers_in(value: Any) -> set[float]:
    if isinstance(value, bool):
        return set()
    if isinstance(value, int | float):
        return {float(value)}
    if isinstance(value, dict):
        return set().union(*map(numbers_in, value.values()), set())
    if isinstance(value, list):
        return set().union(*map(numbers_in, value), set())
    return set()


def twin(path: str) -> str:
    return re.sub(r"^(/\w+)", r"\1.json", path)


@pytest.mark.parametrize("path", PAGES)
def test_every_number_of_a_page_is_in_its_twin(site: Site, path: str) -> None:
    with site.http() as http:
        page, data = http.get(path), http.get(twin(path))
    assert page.status_code == 200, page.text
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert data.status_code == 200, data.text
    assert f'href="{twin(path).replace("&", "&amp;")}"' in page.text
    shown = Numbers(page.text).found
    assert set(shown) <= numbers_in(data.json())


def test_the_overview_has_numbers(site: Site) -> None:
    with site.http() as http:
        data = http.get("/overview.json").json()
        page = http.get("/overview")
    recall = data["label_free"][0]["estimate"]
    assert recall["value"] is not None
    assert repr(recall["value"]) in page.text
    assert data["evaluator"]["f1"]["n"] > 20
    assert data["events"] == 61
    assert len(Numbers(page.text).found) > 40


@pytest.mark.parametrize(
    "path", ["/overview", "/events", "/accuracy", "/disagreements", "/judges", "/settings"]
)
def test_planted_strings_are_inert(site: Site, path: str) -> None:
    with site.http() as http:
        page = http.get(path).text
    assert SCRIPT not in page
    assert "<img src=x" not in page
    assert "49" not in re.findall(r"onerror[^<]*?(49)", page)


def test_the_planted_event_is_shown_escaped(site: Site) -> None:
    with site.http() as http:
        page = http.get("/event?" + urlencode({"id": planted()["event_id"]}))
    assert page.status_code == 200
    assert SCRIPT not in page.text
    assert "&lt;script&gt;window.planted = 1&lt;/script&gt;" in page.text
    assert "{{7*7}}" in page.text


def test_no_page_has_inline_script_or_style(site: Site) -> None:
    with site.http() as http:
        for path in (*PAGES, "/login"):
            page = http.get(path).text
            assert not re.search(r"<style|\sstyle=|<script>|\son\w+=|javascript:", without_values(page)), path


def without_values(page: str) -> str:
    """The page without attribute values and text: markup alone."""
    return re.sub(r'"[^"]*"|>[^<]*<', lambda m: '""' if m[0][0] == '"' else "><", page)


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/event?id=nobody", 404, "nobody"),
        ("/event", 404, "no event is named"),
        ("/overview?range=8d", 422, "range"),
        ("/overview?judge=nobody:1", 404, "nobody:1"),
        ("/events?status=lost", 422, "lost"),
        ("/events?meta=novalue", 422, "novalue"),
        ("/events?cursor=!", 422, "cursor"),
        ("/events?flagged=yes", 422, "flagged"),
        ("/disagreements?show=none", 422, "show"),
        ("/disagreements?kind=none", 422, "kind"),
        ("/overview?from=2026-13-01", 422, "2026-13-01"),
        ("/overview?from=0001-01-01&to=9999-12-31", 422, "in the year 9999"),
        ("/events?env=%00", 422, "env"),
        ("/disagreements?cursor=%00", 422, "cursor"),
        ("/static/none.css", 404, "none.css"),
    ],
)
def test_errors_say_what(site: Site, path: str, status: int, says: str) -> None:
    with site.http() as http:
        page = http.get(path, headers={"accept": "text/html"})
    assert page.status_code == status
    assert says in page.text
    assert "<html" in page.text


def test_without_a_session_pages_lead_to_the_login(site: Site) -> None:
    with httpx2.Client(base_url=site.url, trust_env=False) as http:
        page = http.get("/overview", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/login")
        assert http.get("/overview.json").status_code == 401
        assert "Open the link" in http.get("/login").text


def test_a_key_reads_a_twin_but_no_page(site: Site) -> None:
    key = site.project("keyed", [])
    headers = {"authorization": f"Bearer {key}", "accept": "application/json"}
    with httpx2.Client(base_url=site.url, headers=headers, trust_env=False) as http:
        assert http.get("/overview.json").json()["empty"]["title"] == "No events yet"
        assert http.get("/overview").status_code == 401


@pytest.mark.parametrize("path", ["/overview", "/events", "/accuracy", "/disagreements", "/judges"])
def test_empty_states_say_what_to_paste(site: Site, path: str) -> None:
    with site.http() as http:
        http.cookies.set("steelyard_project", "nothing")
        page = http.get(path)
    assert page.status_code == 200
    assert 'class="empty"' in page.text
    assert "<pre" in page.text


def test_an_empty_range_leads_to_events(site: Site) -> None:
    with site.http() as http:
        there = http.get("/overview.json?from=2001-01-01&to=2001-01-02").json()["empty"]["link"]
        assert http.get(there.replace("/overview", "/overview.json")).json()["events"] > 0


FORMS = {
    "/event/label": {"event_id": "event-1", "gold": "refund"},
    "/event/requirements": {"event_id": "event-1", "judge_id": "x", "lines": "a"},
    "/disagreements/decide": {"event_id": "event-1", "position": "0", "judge_id": "x", "decision": "unclear"},
    "/settings/keys": {"name": "x", "scopes": "read"},
    "/settings/keys/revoke": {"key_id": "x"},
    "/settings/project": {"name": "nothing"},
}


@pytest.mark.parametrize(("path", "fields"), FORMS.items())
@pytest.mark.parametrize("token", [None, "", "0" * 43])
def test_forms_without_their_token_change_nothing(
    site: Site, path: str, fields: dict[str, str], token: str | None
) -> None:
    sent = fields if token is None else fields | {"csrf_token": token}
    with site.http() as http:
        answer = http.post(path, data=sent)
    assert answer.status_code == 403
    assert "location" not in answer.headers


def test_pages_are_never_cached_and_files_are(site: Site) -> None:
    with site.http() as http:
        page = http.get("/settings")
        assert page.headers["cache-control"] == "no-store"
        file = re.search(r'href="(/static/steelyard\.css\?v=[^"]+)"', page.text)
        assert file is not None
        assert "immutable" in http.get(file[1]).headers["cache-control"]


def test_twins_hold_no_form_token(site: Site) -> None:
    with site.http() as http:
        token = re.search(r'name="csrf_token" value="([^"]+)"', http.get("/settings").text)
        assert token is not None
        for path in PAGES:
            assert token[1] not in json.dumps(http.get(twin(path)).json())
