"""What a database driver's errors mean, said so that an operator can act; passwords never get into a
message."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from steelyard.errors import StoreUnavailable

_ADVICE = {
    "disk is full": "Make room on the disk that holds it; nothing that was acknowledged is lost.",
    "no space left": "Make room on the disk that holds it; nothing that was acknowledged is lost.",
    "readonly database": "Make the file and its folder writable for this user.",
    "unable to open database file": "Check that its folder exists and is writable for this user.",
    "database is locked": "Another program holds a lock on the file; end it, or wait.",
    "not a database": "The file is not a SQLite database; name another one, or move it away.",
    "disk image is malformed": "The file is damaged; restore a backup.",
    "disk i/o error": "Look at the disk, and at the system's log.",
    "password authentication failed": "Check user and password in the database URL.",
    "connection refused": "Check that PostgreSQL runs and that host and port in the database URL are right.",
    "does not exist": "Create it, or name another one in the database URL.",
    "could not translate host name": "Check the host in the database URL.",
    "failed to resolve host": "Check the host in the database URL.",
    "too many clients": "Raise max_connections in PostgreSQL, or start fewer workers.",
}


@contextmanager
def explained(url: URL) -> Iterator[None]:
    """Turns errors that say the database cannot be used into `StoreUnavailable`; mistakes of ours pass as
    they are."""
    try:
        yield
    except DBAPIError as problem:
        if isinstance(problem, OperationalError | InterfaceError) or problem.connection_invalidated:
            raise unavailable(url, problem) from problem
        raise
    except PoolTimeout as problem:
        raise StoreUnavailable(
            f"all connections to the database {url.render_as_string()} are in use",
            hint="Try again in a moment.",
        ) from problem


def unavailable(url: URL, problem: BaseException) -> StoreUnavailable:
    """`problem` as an error with advice, its text on one line and without the URL's password."""
    detail = str(getattr(problem, "orig", None) or problem)
    if url.password:
        detail = detail.replace(str(url.password), "***")
    detail = " ".join(detail.split())
    hint = next((advice for sign, advice in _ADVICE.items() if sign in detail.lower()), None)
    return StoreUnavailable(f"the database {url.render_as_string()} cannot be used: {detail}", hint=hint)


def breaks_transaction(problem: BaseException) -> bool:
    """Whether SQLite may have undone the whole transaction, not just the statement that failed."""
    return isinstance(problem, OperationalError)
