"""A live server with seeded projects and a real Chromium, both shared by the whole session."""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from steelyard.access.gate import PROJECT_COOKIE, SESSION_COOKIE
from steelyard.access.services import Services
from steelyard.access.tokens import digest, new_key, shown
from steelyard.config import Settings
from steelyard.server.app import create_app
from steelyard.server.serving import serving
from steelyard.store import keys, projects

from . import seeding

QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SEEDED = 60


@dataclass(frozen=True)
class Site:
    """The running server: its address, what it holds, and a session's secret."""

    url: str
    services: Services
    session: str

    def http(self) -> httpx2.Client:
        """A client with the browser's session, in the default project."""
        return httpx2.Client(
            base_url=self.url, cookies={SESSION_COOKIE: self.session}, timeout=30, trust_env=False
        )

    def project(self, name: str, events: Iterable[dict[str, Any]]) -> str:
        """A project with these events, every one evaluated; returns an admin key of it."""
        now, secret, store = datetime.now(UTC), new_key(), self.services.store
        made = store.write(lambda c: projects.ensure(c, name, now=now))
        store.write(
            lambda c: keys.add(
                c,
                made.id,
                name="seeding",
                prefix=shown(secret),
                digest=digest(secret),
                scopes=("admin",),
                now=now,
            )
        )
        batch = list(events)
        if not batch:
            return secret
        headers = {"authorization": f"Bearer {secret}"}
        with httpx2.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False) as http:
            answer = http.post("/v1/events", json={"events": batch})
            assert answer.status_code == 200, answer.text
            assert "rejected" not in answer.text
            deadline = time.monotonic() + 30
            while any(http.get("/v1/queue").json()[state] for state in ("queued", "evaluating")):
                assert time.monotonic() < deadline, "the events were not evaluated in time"
                time.sleep(0.05)
        return secret


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = Settings(data=tmp_path_factory.mktemp("dashboard"), judge="lexical")
    held: list[Services] = []
    with serving(create_app(settings, on_ready=held.append)) as url:
        gate = held[0].gate
        found = Site(url, held[0], gate.log_in(gate.login_token()))
        found.project("default", [*seeding.events(SEEDED), seeding.planted()])
        found.project("nothing", [])
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = os.environ.get("STEELYARD_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium here (install the package chromium, or set STEELYARD_CHROMIUM)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


Open = Callable[..., Page]


@pytest.fixture
def visit(site: Site, chromium: Browser) -> Iterator[Open]:
    """Opens a page in a new context, logged in; everything the console complains of fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(path: str, *, project: str | None = None, width: int = 1280, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        named = {SESSION_COOKIE: site.session} | ({PROJECT_COOKIE: project} if project else {})
        context.add_cookies([{"name": n, "value": v, "url": site.url} for n, v in named.items()])
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        page.goto(site.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
