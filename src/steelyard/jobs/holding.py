"""Keeps leases alive while a slow judge works, so that only the leases of the dead and the frozen run out."""

import logging
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from steelyard.errors import SteelyardError
from steelyard.schemas.query import ClaimedEvent
from steelyard.store import Store, leases

log = logging.getLogger(__name__)


class Holding:
    """A context in which the leases of `claims` are prolonged every third of `lease_s`."""

    def __init__(self, store: Store, claims: Sequence[ClaimedEvent], *, lease_s: float) -> None:
        self._store = store
        self._lease_s = lease_s
        self._held = {claim.lease: claim for claim in claims}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._prolong, name="steelyard-lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()

    def let_go(self, claim: ClaimedEvent, *, after_s: float) -> bool:
        """Lets a lease run out in `after_s` seconds: the event is claimed again then, one attempt poorer.

        False when the lease was lost already.
        """
        self._held.pop(claim.lease, None)
        return self._store.write(lambda connection: leases.extend(connection, [claim], lease_s=after_s))[0]

    def _extend(self, claims: Sequence[ClaimedEvent]) -> None:
        self._store.write(lambda connection: leases.extend(connection, claims, lease_s=self._lease_s))

    def _prolong(self) -> None:
        while not self._done.wait(self._lease_s / 3):
            held = tuple(self._held.copy().values())
            try:
                self._extend(held)
            except SteelyardError as problem:
                log.warning("leases were not prolonged: %s", problem)
