"""One process writes to a SQLite file: a lock beside it, held by the system and so gone with the process."""

import fcntl
import os
from pathlib import Path

from steelyard.errors import ConfigurationError, StoreLocked


class FileLock:
    """Held from construction until `release`. Raises `StoreLocked` when another holds it."""

    def __init__(self, database: Path) -> None:
        path = database.with_name(database.name + ".lock")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise ConfigurationError(
                f"the folder {path.parent} cannot be written: {problem.strerror}",
                field="data",
                hint="Make it writable for this user, or name another one with --data.",
            ) from problem
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 32).decode("ascii", "replace").strip()
            os.close(self._file)
            raise StoreLocked(
                f"another process{f' ({holder})' if holder else ''} already serves {database}",
                hint="Stop it, name another folder with --data, or use PostgreSQL for several processes.",
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Lets go; the file stays, for removing it would let two processes hold different ones."""
        os.close(self._file)
