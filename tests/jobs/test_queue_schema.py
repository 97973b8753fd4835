"""procrastinate's tables are made once, brought forward from any version, and never fought over."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from steelyard.errors import StoreUnavailable
from steelyard.jobs.queue_schema import install, installed, migrations

NEWEST = migrations()[-1].name


def version(url: str) -> str | None:
    with psycopg.connect(url) as connection:
        return installed(connection)


def test_an_empty_database_gets_the_newest_schema_and_keeps_it(postgres_url: str) -> None:
    assert version(postgres_url) is None
    install(postgres_url)
    assert version(postgres_url) == NEWEST
    install(postgres_url)
    assert version(postgres_url) == NEWEST


def test_an_old_schema_is_brought_forward(postgres_url: str) -> None:
    old = [file for file in migrations() if file.name < "03.01"]
    with psycopg.connect(postgres_url) as connection:
        for file in old:
            connection.execute(file.read_text())
        connection.execute(
            f"COMMENT ON TABLE procrastinate_jobs IS 'steelyard: procrastinate schema {old[-1].name}'"
        )
    assert version(postgres_url) == old[-1].name
    install(postgres_url)
    assert version(postgres_url) == NEWEST
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT to_regclass('procrastinate_workers')").fetchone() != (None,)


def test_many_processes_may_install_at_once(postgres_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(install, [postgres_url] * 6))
    assert version(postgres_url) == NEWEST


def test_a_database_that_does_not_answer_is_named_with_a_remedy() -> None:
    with pytest.raises(StoreUnavailable, match=r"could not be set up.*steelyard db upgrade"):
        install("postgresql://nobody@127.0.0.1:1/nothing")
