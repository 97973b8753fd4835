"""Backpressure: how much may be in hand and in the queue before new events are told to come again later."""

from collections.abc import Iterator
from contextlib import contextmanager

from steelyard.errors import RateLimited

_BYTES_IN_HAND = 256 * 1024 * 1024
_SHORT_S = 1.0
_LONG_S = 10.0


class Pressure:
    """Counts on the event loop's thread alone. `queued` is counted up by accepted events and set right by
    `observe`, which the app calls every second or so with the store's own count."""

    def __init__(self, *, max_queued: int, max_bytes: int = _BYTES_IN_HAND) -> None:
        self.max_queued = max_queued
        self.max_bytes = max_bytes
        self.queued = 0
        self.bytes_in_hand = 0

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Admits a body of `size` bytes for as long as it is in hand. Raises `RateLimited`."""
        if self.queued >= self.max_queued:
            raise RateLimited(
                f"{self.queued:,} events wait to be evaluated, the limit is {self.max_queued:,}",
                retry_after=_LONG_S,
                hint="Send again later, start more workers, or lower sample_rate.",
            )
        if self.bytes_in_hand and self.bytes_in_hand + size > self.max_bytes:
            raise RateLimited("too many events are being stored at once", retry_after=_SHORT_S)
        self.bytes_in_hand += size
        try:
            yield
        finally:
            self.bytes_in_hand -= size

    def accepted(self, queued: int) -> None:
        self.queued += queued

    def observe(self, queued: int) -> None:
        self.queued = queued
