"""A random sample by forms alone: drawn on the accuracy page, labelled event by event, then the numbers."""

import html
import re

import pytest

from steelyard.access.gate import PROJECT_COOKIE
from steelyard.retrieval.sample import ENOUGH

from .conftest import Site

EVENTS = 40


@pytest.fixture(scope="module")
def project(site: Site) -> str:
    """A project with unlabelled events, so that everything starts from the empty accuracy page."""
    name = "to be sampled"
    site.project(
        name,
        [
            {
                "event_id": f"s{n}",
                "task": f"How long do refunds take in case {n}?",
                "context": [
                    {"id": "faq-7", "text": f"Refunds take 14 days in case {n}."},
                    {"id": "faq-8", "text": "We sell bananas."},
                ],
            }
            for n in range(EVENTS)
        ],
    )
    return name


def field(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found is not None, name
    return html.unescape(found[1])


def test_from_no_label_to_corrected_numbers_by_forms_alone(site: Site, project: str) -> None:
    with site.http() as http:
        http.cookies.set(PROJECT_COOKIE, project)
        page = http.get("/accuracy").text
        assert "Label a random sample" in page
        form = {name: field(page, name) for name in ("csrf_token", "start", "end", "size")}
        assert form["size"] == "50"
        answer = http.post("/samples/draw", data=form | {"size": "25"})
        assert answer.status_code == 303, answer.text
        for number in range(25):
            assert answer.headers["location"].startswith("/event?id=s")
            page = http.get(answer.headers["location"]).text
            assert f"25 events drawn at random {number} are labelled" in page
            gold = ["faq-7"] if number % 4 else ["faq-7", "faq-8"]
            sent = {name: field(page, name) for name in ("csrf_token", "event_id", "sample")}
            answer = http.post("/event/label", data=sent | {"gold": gold})
            assert answer.status_code == 303, answer.text
            basis = http.get("/accuracy.json").json()["corrected"]["basis"]
            assert basis == ("drawn" if number + 1 >= ENOUGH else "same_filters")
        assert answer.headers["location"] == "/accuracy#h-corrected"
        page = http.get("/accuracy").text
        assert "25 labelled events drawn at random" in page
        assert "Withheld" not in page
        twin = http.get("/accuracy.json").json()
        assert (twin["corrected"]["basis"], twin["corrected"]["unlabelled"]) == ("drawn", EVENTS - 25)
        assert twin["corrections"][1]["corrected"]["n"] == 25
        assert twin["sampling"]["samples"][0]["labelled"] == 25


def test_no_sample_without_the_forms_token(site: Site, project: str) -> None:
    with site.http() as http:
        http.cookies.set(PROJECT_COOKIE, project)
        answer = http.post("/samples/draw", data={"size": "5"})
    assert answer.status_code == 403


def test_labels_may_be_declared_a_sample(site: Site) -> None:
    with site.http() as http:
        assert http.get("/accuracy.json?labelled_are_sample=maybe").status_code == 422
        twin = http.get("/accuracy.json?labelled_are_sample=true").json()
        assert twin["corrected"]["basis"] == "declared"
        assert "You vouch that" in http.get("/accuracy?labelled_are_sample=true").text
