"""Everything kept: SQLite or PostgreSQL behind `open_store`, one module of functions a noun.

Functions take a connection of `store.read()` or `store.write(fn)` first and, where it matters, the
project's id second.
"""

from .opening import open_store
from .store import Store

__all__ = ["Store", "open_store"]
