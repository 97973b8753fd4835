"""Waiting without wasting: pauses that grow, and a condition watched until a deadline."""

import time
from collections.abc import Callable


class Backoff:
    """Pauses that double from `first` to `most` seconds until `reset`."""

    def __init__(self, *, first: float, most: float) -> None:
        self._first = min(first, most)
        self._most = most
        self._pause = self._first

    def next(self) -> float:
        pause, self._pause = self._pause, min(self._pause * 2, self._most)
        return pause

    def reset(self) -> None:
        self._pause = self._first


def wait_until(
    condition: Callable[[], bool], *, timeout: float, pause: Callable[[float], object] = time.sleep
) -> bool:
    """Whether `condition` came true within `timeout` seconds; it is asked at least twice a second."""
    deadline = time.monotonic() + timeout
    backoff = Backoff(first=0.01, most=0.5)
    while not condition():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        pause(min(backoff.next(), left))
    return True
