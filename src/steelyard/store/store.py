"""What a store does, whatever database is behind it: read, write, submit, close."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class Store(Protocol):
    """Reads see committed state only. A write is a function of one connection: it may run more than once
    before it is committed, so it does nothing but database work. Raises `StoreUnavailable` when the
    database does not answer."""

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]: ...

    @property
    def url(self) -> str:
        """The database URL, its password masked."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading, in one consistent snapshot; from any thread."""
        ...

    def write(self, work: Callable[[Connection], T], /) -> T:
        """Runs `work` in a transaction and returns its result after the commit; its exception undoes it
        alone."""
        ...

    def submit(self, work: Callable[[Connection], T], /) -> Future[T]:
        """As `write`, without waiting: the future resolves after the commit."""
        ...

    def close(self) -> None:
        """Finishes submitted writes and lets the database go. Safe to call twice."""
        ...
