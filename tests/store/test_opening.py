"""Opening says clearly what is wrong, brings the schema up to date in one step, and keeps a second writer
out."""

import os
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, inspect, make_url, text

from steelyard.errors import ConfigurationError, SteelyardError, StoreLocked, StoreUnavailable
from steelyard.store import Store, open_store, projects, schema
from steelyard.store.migrations import scripts
from steelyard.store.tables import metadata

from .conftest import NOW


def run(code: str, url: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, check=False)


def test_head_is_the_newest_migration() -> None:
    assert scripts().get_current_head() == schema.HEAD


def test_migrations_make_the_tables_that_the_code_uses(store: Store) -> None:
    with store.read() as c:
        context = MigrationContext.configure(
            c, opts={"version_table": schema.VERSION_TABLE, "compare_type": store.dialect == "postgresql"}
        )
        assert compare_metadata(context, metadata) == []


def test_opening_again_keeps_what_there_is(database_url: str) -> None:
    first = open_store(database_url)
    first.write(lambda c: projects.create(c, "kept", now=NOW))
    first.close()
    first.close()
    second = open_store(database_url, upgrade=False)
    with second.read() as c:
        assert projects.get(c, "kept").name == "kept"
    second.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        second.write(lambda c: projects.create(c, "late", now=NOW))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "cannot be read"),
        ("not a url", "cannot be read"),
        ("mysql://root:hunter2@localhost/x", "no store for 'mysql'"),
        ("sqlite://", "path of a file"),
        ("sqlite:///:memory:", "path of a file"),
        ("postgresql://u:hunter2@localhost:port/x", "cannot be read"),
    ],
)
def test_a_url_that_cannot_work(url: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        open_store(url)
    assert "hunter2" not in str(caught.value)
    assert caught.value.hint is not None


def test_nobody_answers() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://me:hunter2@127.0.0.1:{taken.getsockname()[1]}/x"
        with pytest.raises(StoreUnavailable, match="refused") as caught:
            open_store(url)
    assert "hunter2" not in str(caught.value)
    assert "PostgreSQL runs" in str(caught.value)


def test_a_database_that_is_not_there(postgres_url: str) -> None:
    there = make_url(postgres_url)
    nowhere = there.set(database="nowhere").render_as_string(hide_password=False)
    with pytest.raises(StoreUnavailable, match="does not exist"):
        open_store(nowhere)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.sqlite"
    path.write_bytes(b"this is a letter, not a database" * 200)
    with pytest.raises(StoreUnavailable, match="not a database"):
        open_store(f"sqlite:///{path}")


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a folder"):
        open_store(f"sqlite:///{tmp_path}")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be made"):
        open_store(f"sqlite:///{tmp_path / 'file' / 'inside' / 'x.sqlite'}")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        # Nothing but the kernel's own folders refuses root.
        with pytest.raises(ConfigurationError, match=r"cannot be (made|written)"):
            open_store("sqlite:////proc/steelyard/x.sqlite")
        return
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ConfigurationError, match="cannot be written"):
            open_store(f"sqlite:///{tmp_path / 'x.sqlite'}")
    finally:
        tmp_path.chmod(0o700)


def test_a_second_process_on_one_file_is_refused_and_may_read(sqlite_store: Store, sqlite_url: str) -> None:
    code = "import sys; from steelyard.store import open_store; open_store(sys.argv[1])"
    done = run(code, sqlite_url)
    assert done.returncode != 0
    assert "StoreLocked" in done.stderr
    assert f"({os.getpid()}) already serves" in done.stderr
    with pytest.raises(StoreLocked):
        open_store(sqlite_url)
    sqlite_store.write(lambda c: projects.create(c, "seen", now=NOW))
    reader = open_store(sqlite_url, read_only=True)
    with reader.read() as c:
        assert projects.get(c, "seen").name == "seen"
    with pytest.raises(StoreUnavailable, match="reading only"):
        reader.write(lambda c: projects.create(c, "x", now=NOW))
    reader.close()


def test_reading_needs_a_database(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no database"):
        open_store(f"sqlite:///{tmp_path / 'x.sqlite'}", read_only=True)
    assert not list(tmp_path.iterdir())


def test_a_connection_for_reading_refuses_to_write(sqlite_store: Store) -> None:
    with pytest.raises(SteelyardError, match="readonly"), sqlite_store.read() as c:
        projects.create(c, "x", now=NOW)


def test_a_newer_schema_is_refused(database_url: str) -> None:
    opened = open_store(database_url)
    newer = text(f"UPDATE {schema.VERSION_TABLE} SET version_num = '9999'")
    opened.write(lambda c: c.execute(newer))
    opened.close()
    for upgrade in (True, False):
        with pytest.raises(ConfigurationError, match="newer than this program"):
            open_store(database_url, upgrade=upgrade)


def test_an_empty_database_is_not_filled_without_being_asked(database_url: str) -> None:
    with pytest.raises(ConfigurationError, match="db upgrade"):
        open_store(database_url, upgrade=False)


def test_somebody_elses_tables_are_left_alone(database_url: str) -> None:
    url = make_url(database_url)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url)
    with engine.begin() as c:
        c.execute(text("CREATE TABLE events (id INTEGER)"))
    with pytest.raises(ConfigurationError, match="did not make"):
        open_store(database_url)
    with engine.connect() as c:
        assert inspect(c).get_table_names() == ["events"]
    engine.dispose()


def test_an_interrupted_migration_leaves_nothing_and_is_begun_again(database_url: str) -> None:
    """A process that dies before the commit: its transaction is all there was."""
    url = make_url(database_url)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    code = (
        "import os, sys, sqlalchemy as sa\n"
        "from steelyard.store import schema\n"
        "engine = sa.create_engine(sys.argv[1])\n"
        "c = engine.connect()\n"
        "if engine.dialect.name == 'sqlite':\n"
        "    c.connection.driver_connection.isolation_level = None\n"
        "    c.exec_driver_sql('BEGIN IMMEDIATE')\n"
        "schema.upgrade(c)\n"
        "assert schema.version(c) == schema.HEAD\n"
        "os.kill(os.getpid(), 9)\n"
    )
    shown = url.render_as_string(hide_password=False)
    done = run(code, shown)
    assert done.returncode == -9, done.stderr
    opened = open_store(database_url)
    with opened.read() as c:
        assert schema.version(c) == schema.HEAD
    opened.close()


def test_many_at_once_migrate_once(postgres_url: str) -> None:
    opened: list[Store] = []
    threads = [threading.Thread(target=lambda: opened.append(open_store(postgres_url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    for one in opened:
        one.close()


def test_sqlite_is_durable(sqlite_store: Store) -> None:
    def pragmas(c: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys")
        return [c.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    assert sqlite_store.write(pragmas) == ["wal", 2, 1]
    assert sqlite3.sqlite_version_info >= (3, 37)
