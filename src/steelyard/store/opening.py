"""Opens a store by its database URL: the right engine, the lock, and the schema brought up to date."""

from .store import Store


def open_store(url: str, *, upgrade: bool = True, read_only: bool = False) -> Store:
    """The store at `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/DATABASE`.

    `upgrade` brings the schema up to date under a lock; without it an old schema is refused. `read_only`
    takes no lock on a SQLite file, so that it can be read beside a running server, and refuses every
    write. Raises `ConfigurationError` (a URL or folder that cannot work, a schema newer than this
    program), `StoreLocked` (another process holds this SQLite file) and `StoreUnavailable` (the database
    does not answer).
    """
    raise NotImplementedError
