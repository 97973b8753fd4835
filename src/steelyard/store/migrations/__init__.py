"""The steps from one schema to the next, run by Alembic inside a transaction that somebody else began."""

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from steelyard.store.schema import VERSION_TABLE
from steelyard.store.tables import metadata


def scripts() -> ScriptDirectory:
    """Alembic's view of this folder."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def known() -> frozenset[str]:
    """Every revision that this program has heard of."""
    return frozenset(script.revision for script in scripts().walk_revisions())


def run(c: Connection) -> None:
    """Upgrades to the newest revision; the caller's transaction holds all of it."""
    directory = scripts()
    context = EnvironmentContext(
        Config(), directory, fn=lambda revision, _: directory._upgrade_revs("heads", revision)
    )
    with context:
        context.configure(
            connection=c, target_metadata=metadata, version_table=VERSION_TABLE, transactional_ddl=True
        )
        context.run_migrations()
