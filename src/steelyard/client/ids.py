"""Event ids: UUIDv7 (RFC 9562, 5.7), made where the event is logged, so that sending twice is not logging
twice."""

import os
import time

_VERSION = 0x7 << 76
_VARIANT = 0x2 << 62
_RANDOM = ((1 << 80) - 1) & ~(0xF << 76) & ~(0x3 << 62)


def new_event_id() -> str:
    """A fresh UUIDv7 as lower-case text: milliseconds first, then 74 random bits from the operating
    system."""
    random = int.from_bytes(os.urandom(10), "big") & _RANDOM
    text = f"{(time.time_ns() // 1_000_000) << 80 | _VERSION | _VARIANT | random:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
