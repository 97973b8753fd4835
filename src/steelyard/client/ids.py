"""Event ids: UUIDv7 (RFC 9562, 5.7), made where the event is logged, so that sending twice is not logging
twice."""

import os
import time

_VARIANT = "89ab"


def new_event_id() -> str:
    """A fresh UUIDv7 as lower-case text: milliseconds first, then 74 random bits from the operating
    system."""
    clock = f"{time.time_ns() // 1_000_000:012x}"
    random = os.urandom(10).hex()
    variant = _VARIANT[int(random[3], 16) & 3]
    return f"{clock[:8]}-{clock[8:]}-7{random[:3]}-{variant}{random[4:7]}-{random[7:19]}"
