"""The demo's key: a file in the data folder that only its owner can read, good while the demo serves.

It is never in the store, so a server that is not a demo does not know it.
"""

import json
import os
from pathlib import Path

from steelyard.errors import ConfigurationError

from .hosts import is_loopback
from .tokens import new_key

DEMO_KEY_FILE = "demo-key.json"


def leave_demo_key(data: Path, *, host: str, port: int) -> str:
    """A new key, left for clients on this machine. Raises `ConfigurationError` off loopback."""
    if not is_loopback(host):
        raise ConfigurationError(
            f"the demo serves this machine only, not {host}", field="host", hint="Leave --host out."
        )
    key = new_key()
    path = data / DEMO_KEY_FILE
    fresh = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"api_key": key, "port": port}, file)
    fresh.replace(path)
    return key


def remove_demo_key(data: Path) -> None:
    """Takes the key away again, when the demo ends."""
    (data / DEMO_KEY_FILE).unlink(missing_ok=True)
