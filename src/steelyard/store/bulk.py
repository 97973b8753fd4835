"""Many rows in one go, past SQLAlchemy's per-row work: for the hot path only, with values already in the
database's own terms (integers for moments and project ids, JSON as text)."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from sqlalchemy import Connection, Table

_ROWS = 500
"""In one statement of PostgreSQL, which takes 65,535 parameters."""


def insert_rows(
    c: Connection,
    table: Table,
    names: tuple[str, ...],
    rows: Sequence[tuple[object, ...]],
    *,
    new_only: bool = False,
) -> int:
    """Inserts rows of the named columns; returns how many. `new_only`: rows whose key is there already are
    skipped."""
    if c.dialect.name == "sqlite":
        return c.exec_driver_sql(_sqlite(table, names, new_only), list(rows)).rowcount if rows else 0
    inserted = 0
    for start in range(0, len(rows), _ROWS):
        used, part = _without_nulls(names, rows[start : start + _ROWS])
        flat = tuple(chain.from_iterable(part))
        inserted += c.exec_driver_sql(_postgresql(table, used, len(part), new_only), flat).rowcount
    return inserted


def _without_nulls(
    names: tuple[str, ...], rows: Sequence[tuple[object, ...]]
) -> tuple[tuple[str, ...], Sequence[tuple[object, ...]]]:
    """Without the columns that are NULL in every row: each parameter costs, and many columns are rarely
    used."""
    kept = [
        place for place, column in enumerate(zip(*rows, strict=True)) if any(v is not None for v in column)
    ]
    if len(kept) == len(names):
        return names, rows
    pick = itemgetter(*kept) if len(kept) > 1 else lambda row: (row[kept[0]],)
    return tuple(names[place] for place in kept), [pick(row) for row in rows]


@lru_cache(maxsize=64)
def _sqlite(table: Table, names: tuple[str, ...], new_only: bool) -> str:
    return _statement(table, names, f"({', '.join('?' * len(names))})", new_only)


@lru_cache(maxsize=4096)
def _postgresql(table: Table, names: tuple[str, ...], rows: int, new_only: bool) -> str:
    one = f"({', '.join(['%s'] * len(names))})"
    return _statement(table, names, ", ".join([one] * rows), new_only)


def _statement(table: Table, names: tuple[str, ...], values: str, new_only: bool) -> str:
    end = " ON CONFLICT DO NOTHING" if new_only else ""
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES {values}{end}"  # noqa: S608 - our own names
