"""The same bench on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from steelyard.config import Settings
from steelyard.store import open_store, projects

from .bench import NOW, Bench, GatedJudge


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path, database_url=SecretStr(database_url), judge="lexical", lease_s=1.5, max_attempts=3
    )


@pytest.fixture
def bench(settings: Settings) -> Iterator[Bench]:
    store = open_store(settings.url)
    project = store.write(lambda connection: projects.ensure(connection, "default", now=NOW))
    yield Bench(store, settings, project.id)
    store.close()


@pytest.fixture
def gated() -> Iterator[GatedJudge]:
    judge = GatedJudge()
    yield judge
    judge.gate.set()
