"""The store in PostgreSQL: a pool of connections, many writers at once, conflicts tried again."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal, TypeVar

from psycopg.errors import DeadlockDetected, SerializationFailure
from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import DBAPIError

from steelyard.errors import StoreUnavailable

from . import faults

T = TypeVar("T")

_TRIES = 5
_CONNECT_S = 10
_POOL = 10
_SUBMITTERS = 4


class PostgresStore:
    """See `Store`."""

    dialect: Literal["postgresql"] = "postgresql"

    def __init__(self, url: URL, *, read_only: bool = False) -> None:
        self._url = url
        self._read_only = read_only
        self._engine = create_engine(
            url,
            pool_size=_POOL,
            max_overflow=_POOL,
            pool_timeout=30,
            pool_pre_ping=True,
            connect_args={"connect_timeout": _CONNECT_S, "application_name": "steelyard"},
        )
        self._readers = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._submitters = ThreadPoolExecutor(_SUBMITTERS, thread_name_prefix="steelyard-writer")
        self._closed = False

    @property
    def url(self) -> str:
        return self._url.render_as_string()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with faults.explained(self._url), self._readers.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], /) -> T:
        if self._read_only:
            raise StoreUnavailable("this store was opened for reading only")
        if self._closed:
            raise StoreUnavailable("the store is closed")
        with faults.explained(self._url):
            for tries_left in reversed(range(_TRIES)):
                try:
                    with self._engine.begin() as connection:
                        return work(connection)
                except DBAPIError as problem:
                    if not tries_left or not isinstance(
                        problem.orig, DeadlockDetected | SerializationFailure
                    ):
                        raise
            raise AssertionError("unreachable")

    def submit(self, work: Callable[[Connection], T], /) -> "Future[T]":
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return self._submitters.submit(self.write, work)

    def close(self) -> None:
        if self._closed:
            return
        self._submitters.shutdown(wait=True)
        self._closed = True
        self._engine.dispose()
