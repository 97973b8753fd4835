"""Insertion that minds what is there already: the same words for both databases."""

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert(c: Connection, table: Table) -> "postgresql.Insert | sqlite.Insert":
    """An `INSERT` with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return postgresql.insert(table) if c.dialect.name == "postgresql" else sqlite.insert(table)
