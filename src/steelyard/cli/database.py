"""`steelyard db`."""

from contextlib import closing

from . import exits
from .flags import StoreFlags


def upgrade(*, settings: StoreFlags | None = None) -> int:
    """Brings the database's schema up to date; safe to run again. `serve` does so by itself."""
    from steelyard.config import Settings
    from steelyard.store import open_store

    from . import console

    loaded = Settings.load(**(settings or StoreFlags()).given())
    with closing(open_store(loaded.url)) as store:
        if store.dialect == "postgresql":
            from steelyard.jobs import queue_schema
            from steelyard.jobs.postgres import conninfo

            queue_schema.install(conninfo(loaded.url))
        console.say(f"{store.url} is up to date")
    return exits.DONE
