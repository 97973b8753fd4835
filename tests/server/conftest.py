"""A real server on loopback for each database, shared by the tests; every test has a project of its own."""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import make_url

from .live import Api, Live, api_of, settings_in, start


@pytest.fixture(scope="session")
def session_postgres(postgres_server: str) -> str:
    name = "steelyard_test_server"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server that leaves judging to the tests."""
    folder = tmp_path_factory.mktemp(f"server-{request.param}")
    given = request.getfixturevalue("session_postgres") if request.param == "postgresql" else None
    yield from start(settings_in(folder, given), work=False)


@pytest.fixture(scope="session")
def sqlite_live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server for what has nothing to do with the database."""
    yield from start(settings_in(tmp_path_factory.mktemp("server"), None), work=False)


@pytest.fixture
def api(live: Live) -> Iterator[Api]:
    """A project of its own on each database."""
    yield from api_of(live)


@pytest.fixture
def sqlite_api(sqlite_live: Live) -> Iterator[Api]:
    yield from api_of(sqlite_live)
