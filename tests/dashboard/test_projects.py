"""A browser looks at one project at a time: by URL, by the form of the settings, and its forms follow."""

import re

import pytest

from .conftest import Site

OTHER = "the other one"


@pytest.fixture(scope="module", autouse=True)
def other(site: Site) -> None:
    event = {"event_id": "only here", "task": "What is here?", "context": [{"id": "a", "text": "This."}]}
    site.project(OTHER, [event])


def shown(text: str) -> str:
    found = re.search(r'<p class="who">project <a [^>]*><strong>([^<]*)</strong>', text)
    assert found is not None
    return found[1]


def token(text: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]*)"', text)
    assert found is not None
    return found[1]


def test_a_project_in_the_url_stays_chosen_for_links_and_forms(site: Site) -> None:
    with site.http() as http:
        assert shown(http.get("/overview").text) == "default"
        assert shown(http.get("/overview", params={"project": OTHER}).text) == OTHER
        page = http.get("/event", params={"id": "only here"})
        assert (page.status_code, shown(page.text)) == (200, OTHER)
        form = {"csrf_token": token(page.text), "event_id": "only here", "gold": "a"}
        assert http.post("/event/label", data=form).status_code == 303
        assert "Gold: " in http.get("/event", params={"id": "only here"}).text


def test_the_settings_switch(site: Site) -> None:
    with site.http() as http:
        page = http.get("/settings").text
        assert f"<option>{OTHER}</option>" in page
        answer = http.post("/settings/project", data={"csrf_token": token(page), "name": OTHER})
        assert answer.headers["location"] == "/overview"
        assert shown(http.get("/overview").text) == OTHER
        missing = http.post("/settings/project", data={"csrf_token": token(page), "name": "nowhere"})
        assert missing.status_code == 404


def test_a_project_that_is_not_there(site: Site) -> None:
    with site.http() as http:
        assert http.get("/overview", params={"project": "nowhere"}).status_code == 404
        http.cookies.set("steelyard_project", "removed since")
        assert shown(http.get("/overview").text) == "default"
