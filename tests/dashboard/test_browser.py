"""Pages in a real Chromium: accessible, narrow enough, usable by keyboard and without JavaScript, inert."""

import re
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .conftest import Open, Site
from .seeding import TASKS, events, passages, planted

EVENT = "/event?" + urlencode({"id": planted()["event_id"]})
PAGES = (
    "/overview?sources=1",
    "/events",
    "/event?id=event-7",
    EVENT,
    "/accuracy",
    "/disagreements",
    "/judges",
    "/settings",
    "/login",
    "/event?id=nobody",
    "/overview?from=2001-01-01&to=2001-01-02",
)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]


@pytest.mark.parametrize(
    ("scheme", "rules"),
    [("light", {"type": "tag", "values": TAGS}), ("dark", {"type": "rule", "values": COLOURS})],
    ids=["light", "dark"],
)
def test_axe_finds_nothing(visit: Open, site: Site, scheme: str, rules: dict[str, object]) -> None:
    page, found = visit("/overview", color_scheme=scheme), []
    for path in (path for path in PAGES if "nobody" not in path):
        page.goto(site.url + path)
        for summary in page.locator("summary").all():
            summary.click()
        results = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
        for broken in results.response["violations"]:
            found += [(path, broken["id"], node["html"], node["failureSummary"]) for node in broken["nodes"]]
    assert found == []


@pytest.mark.parametrize("width", [360, 500, 820, 1920])
def test_no_page_is_wider_than_the_window(visit: Open, site: Site, width: int) -> None:
    page = visit("/overview", width=width)
    for path in (path for path in PAGES if "nobody" not in path):
        page.goto(site.url + path)
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_planted_strings_do_nothing(visit: Open, site: Site) -> None:
    page = visit("/overview")
    for path in PAGES[:8]:
        page.goto(site.url + path)
        assert page.evaluate("window.planted") is None, path
        assert page.locator("img").count() == 0, path


def decided(page: Page) -> int:
    return int(page.locator("dt:has-text('Reviewed') + dd").inner_text().split(" of ")[0])


@pytest.fixture(scope="session")
def disputed(site: Site) -> str:
    """A project whose labels are wrong here and there."""
    site.project("disputed", events(20))
    return "disputed"


def test_disagreements_by_keyboard(visit: Open, disputed: str) -> None:
    page = visit("/disagreements?kind=missed_gold", project=disputed)
    before = decided(page)
    first = page.locator(".queue-list a").first.get_attribute("href")
    page.keyboard.press("n")
    expect(page.locator(".queue-list li:nth-child(2) a")).to_have_attribute("aria-current", "true")
    page.keyboard.press("p")
    expect(page.locator(".queue-list li:nth-child(1) a")).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    page.keyboard.type("just jumped")
    expect(page.get_by_label("Why (kept with the decision)")).to_have_value("just jumped")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    expect(page.locator("dt:has-text('Label right') + dd")).to_have_text("1")
    assert decided(page) == before + 1
    assert page.locator(".queue-list a").first.get_attribute("href") != first
    page.keyboard.press("u")
    expect(page.locator("dt:has-text('Unclear') + dd")).to_have_text("1")


def test_keys_can_be_turned_off(visit: Open, disputed: str) -> None:
    page = visit("/disagreements", project=disputed)
    here = page.url
    page.get_by_role("checkbox", name=re.compile("keys")).uncheck()
    page.locator("body").press("n")
    page.reload()
    expect(page.get_by_role("checkbox", name=re.compile("keys"))).not_to_be_checked()
    page.locator("body").press("n")
    assert page.url == here


def test_disagreements_without_javascript(visit: Open, site: Site) -> None:
    site.project("plain", events(15))
    page = visit("/disagreements", project="plain", java_script_enabled=False)
    page.locator(".queue-list a").filter(has_text="gold, not cited").first.click()
    accuracy = page.get_by_role("row", name="Exact match")
    event = page.get_by_role("link", name="the whole event").get_attribute("href") or ""
    original = accuracy.locator("td").nth(0).inner_text()
    page.get_by_label("Why (kept with the decision)").fill("the passage does not say so")
    page.get_by_role("button", name="Judge").click()
    assert decided(page) == 1
    assert accuracy.locator("td").nth(0).inner_text() == original
    page.locator(".queue-list a").filter(has_text="gold, not cited").first.click()
    page.get_by_role("button", name="Label").click()
    page.get_by_role("link", name="reviewed", exact=True).click()
    listed = page.locator(".queue-list")
    for decision in ("judge right", "label right"):
        listed.get_by_role("link").filter(has_text=decision).first.click()
        expect(page.locator(".notice")).to_contain_text(decision)
    page.goto(site.url + event)
    expect(page.locator("#label")).to_contain_text("review")
    page.get_by_text("2 versions").click()
    expect(page.locator("#label")).to_contain_text("“the passage does not say so”")


def test_labels_and_requirements_are_amended_by_forms(visit: Open, site: Site) -> None:
    task, gold = TASKS[0]
    site.project(
        "forms", [{"event_id": "a/b.json", "task": task, "context": passages("refund", "sale", "gift")}]
    )
    page = visit("/event?" + urlencode({"id": "a/b.json"}), project="forms", java_script_enabled=False)
    page.get_by_text("Label this event").click()
    page.get_by_role("checkbox", name=gold[0]).check()
    page.get_by_label("Others, one id a line").fill("elsewhere")
    page.get_by_role("button", name="Save a new version").last.click()
    expect(page.locator("#label")).to_contain_text("Gold: refund, elsewhere")
    expect(page.locator("dt:has-text('GT recall') + dd")).to_have_text("0.500")
    page.get_by_text("Edit the list").click()
    page.get_by_label(re.compile("One requirement a line")).fill(
        "The days a refund takes\n\nWhen the days begin"
    )
    page.get_by_role("button", name="Save a new version").first.click()
    expect(page.get_by_label(re.compile("One requirement a line"))).to_have_value(
        "The days a refund takes\nWhen the days begin"
    )
    page.get_by_text("Amend the label").click()
    page.get_by_role("button", name="Take the label back").click()
    expect(page.locator("#label")).to_contain_text("No gold ids")


def test_keys_are_made_shown_once_and_revoked(visit: Open, site: Site) -> None:
    site.project("keys", [])
    page = visit("/settings", project="keys", java_script_enabled=False)
    page.get_by_label("Name of a new key").fill("<b>bot</b>")
    page.get_by_role("checkbox", name="read").check()
    page.get_by_role("button", name="Make a key").click()
    secret = page.locator(".secret").inner_text()
    assert re.fullmatch(r"sy_[\w-]{43}", secret)
    with site.http() as http:
        headers = {"authorization": f"Bearer {secret}"}
        assert http.get("/v1/events", headers=headers).status_code == 200
        page.goto(site.url + "/settings")
        assert secret not in page.content()
        page.get_by_role("button", name="Revoke <b>bot</b>").click()
        expect(page.get_by_role("row", name="<b>bot</b>")).to_contain_text("revoked")
        assert http.get("/v1/events", headers=headers).status_code == 401


def test_events_are_filtered_by_links_and_paged(visit: Open) -> None:
    page = visit("/events", java_script_enabled=False)
    page.get_by_role("link", name="older →").click()
    assert page.locator("tbody tr").count() == 11
    page.get_by_role("link", name="← newest").click()
    page.get_by_role("link", name="staging").click()
    expect(page.get_by_role("link", name="staging")).to_have_attribute("aria-current", "true")
    assert page.locator("tbody tr").count() == 15
    page.get_by_label("Task contains").fill("GIFT CARDS")
    page.get_by_role("button", name="Apply").click()
    assert page.locator("tbody tr").count() == 3
    with page.expect_download() as download:
        page.get_by_role("link", name="JSONL").click()
    assert len(download.value.path().read_text().splitlines()) == 3


def test_the_login_link_works_once(visit: Open, site: Site) -> None:
    token = site.services.gate.login_token()
    page = visit("/login", project=None)
    page.context.clear_cookies()
    page.goto(site.url + "/login")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(site.url + "/overview")
    page.goto(site.url + "/settings")
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(site.url + "/login")


def test_the_skip_link_is_the_first_stop(visit: Open) -> None:
    page = visit("/overview")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")


def test_pages_print(visit: Open) -> None:
    page = visit("/overview")
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
    expect(page.get_by_role("heading", name="Without labels")).to_be_visible()
    assert page.pdf().startswith(b"%PDF")
