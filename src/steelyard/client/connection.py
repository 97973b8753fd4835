"""Where the server is and with which key: arguments, then the environment, then the demo on this machine."""

import ipaddress
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from steelyard.errors import ConfigurationError

DEFAULT_URL = "http://127.0.0.1:8321"
DEMO_KEY_FILE = "demo-key.json"


@dataclass(frozen=True)
class Connection:
    """`base_url` without a trailing slash; `loopback` when it cannot leave this machine."""

    base_url: str
    api_key: str = field(repr=False)
    loopback: bool


def data_folder() -> Path:
    """Where a server on this machine keeps its data unless told otherwise."""
    given = os.environ.get("STEELYARD_DATA")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "steelyard"


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _demo_key(base_url: str) -> str | None:
    """The key that a demo serving at `base_url` left in the data folder for clients on this machine."""
    try:
        left = json.loads((data_folder() / DEMO_KEY_FILE).read_text("utf-8"))
        port = urlsplit(base_url).port or 80
        return str(left["api_key"]) if left["port"] == port else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def connect(api_key: str | None, base_url: str | None) -> Connection:
    """Settles address and key.

    Raises:
        ConfigurationError: the URL is none, or there is no key and no demo on this machine either.
    """
    url = (base_url or os.environ.get("STEELYARD_URL") or DEFAULT_URL).rstrip("/")
    try:
        parts = urlsplit(url)
        good = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        good = False
    if not good:
        raise ConfigurationError(
            f"{url!r} is not the address of a server", field="base_url", hint=f"Give one like {DEFAULT_URL}."
        )
    loopback = is_loopback(parts.hostname or "")
    key = api_key or os.environ.get("STEELYARD_API_KEY") or (_demo_key(url) if loopback else None)
    if not key:
        raise ConfigurationError(
            f"there is no API key for {url}",
            field="api_key",
            hint="Set STEELYARD_API_KEY, or make one with `steelyard keys create`."
            + (" A running `steelyard demo` needs none." if loopback else ""),
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError("the API key holds characters no key has", field="api_key")
    return Connection(base_url=url, api_key=key, loopback=loopback)
