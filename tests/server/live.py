"""A running server as tests see it: its address, what it holds, and projects with keys."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from pydantic import SecretStr

from steelyard.access.services import Services
from steelyard.access.tokens import digest, new_key, shown
from steelyard.config import Settings
from steelyard.jobs.evaluate import Evaluator
from steelyard.jobs.judging import JudgeSource
from steelyard.judges.lexical import LexicalJudge
from steelyard.schemas.query import Project, Scope
from steelyard.server.app import create_app
from steelyard.server.serving import serving
from steelyard.store import keys, projects

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Live:
    """A running server: its address and what it holds."""

    url: str
    services: Services

    def key(self, project: Project, *scopes: Scope) -> str:
        """A new key of the project."""
        secret, now = new_key(), datetime.now(UTC)
        self.services.store.write(
            lambda c: keys.add(
                c,
                project.id,
                name="test",
                prefix=shown(secret),
                digest=digest(secret),
                scopes=scopes or ("admin",),
                now=now,
            )
        )
        return secret

    def client(self, key: str | None = None, **headers: str) -> httpx2.Client:
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)


@dataclass(frozen=True)
class Api:
    """A project of one test, and a client that holds its admin key."""

    live: Live
    project: Project
    http: httpx2.Client
    key: str = field(repr=False)

    def log(self, **event: Any) -> httpx2.Response:
        return self.http.post("/v1/log", json=event)


def start(settings: Settings, **options: Any) -> Iterator[Live]:
    held: list[Services] = []
    app = create_app(settings, on_ready=held.append, **options)
    with serving(app) as url:
        yield Live(url, held[0])


def settings_in(folder: Path, url: str | None) -> Settings:
    return Settings(data=folder, database_url=SecretStr(url) if url else None, judge="lexical")


def new_project(live: Live) -> Project:
    name, now = f"test-{next(_numbers)}", datetime.now(UTC)
    return live.services.store.write(lambda c: projects.create(c, name, now=now))


def api_of(live: Live) -> Iterator[Api]:
    project = new_project(live)
    key = live.key(project)
    with live.client(key) as http:
        yield Api(live, project, http, key)


def eventually(condition: Callable[[], bool], *, within_s: float = 20.0) -> None:
    """Asks until the condition holds."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


def evaluate_all(api: Api) -> str:
    """Judges every waiting event of the project by word overlap; returns the judge's id."""
    services = api.live.services
    judge = LexicalJudge()
    source = JudgeSource(services.store, services.settings, lambda: judge)
    evaluator = Evaluator(services.store, source, services.settings)
    waiting = [
        item["event_id"] for item in api.http.get("/v1/events?status=queued&limit=500").json()["items"]
    ]
    while evaluator.evaluate(api.project.id, waiting):
        pass
    return judge.identity.id
