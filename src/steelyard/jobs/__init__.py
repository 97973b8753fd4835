"""The work behind the API: queued events are claimed, judged and finished, on SQLite and on PostgreSQL alike.

The truth is the status of an event's own row; an engine only decides who looks at which row when.
"""

from .engine import Engine, open_engine

__all__ = ["Engine", "open_engine"]
