"""Secrets that are shown once and kept only as digests: API keys, session cookies, login tokens.

Each carries 256 random bits, so one round of SHA-256 is enough: there is nothing to guess from a dictionary.
"""

import hashlib
import re
import secrets

KEY_PREFIX = "sy_"
_SHOWN = len(KEY_PREFIX) + 6
_KEY = re.compile(r"sy_[A-Za-z0-9_-]{43}")


def new_key() -> str:
    """A new API key, `sy_` and 43 characters."""
    return KEY_PREFIX + new_token()


def new_token() -> str:
    """256 random bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is kept of a secret: its SHA-256 in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def shown(key: str) -> str:
    """The part of a key that lists may show."""
    return key[:_SHOWN] + "…"


def looks_like_key(text: str) -> bool:
    return _KEY.fullmatch(text) is not None
