"""What must be done now and then, whoever's turn it is: rollups brought up to date, old events deleted."""

import logging
from datetime import UTC, datetime, timedelta

from steelyard.config import Settings
from steelyard.store import Store, projects, retention, rollups

log = logging.getLogger(__name__)

_DELETED_AT_ONCE = 500


class Housekeeping:
    """Run every `interval_s` seconds; several processes doing so at once do no harm."""

    interval_s = 10.0

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def run(self) -> None:
        now = datetime.now(UTC)
        rollups.refresh(self._store, now=now)
        self.retire(now=now)

    def retire(self, *, now: datetime) -> int:
        """Deletes what is older than `retention_days` or beyond `retention_events` a project, in small
        transactions; returns how many events."""
        days, keep = self._settings.retention_days, self._settings.retention_events
        if days is None and keep is None:
            return 0
        before = now - timedelta(days=days) if days is not None else None
        with self._store.read() as connection:
            every = projects.all_projects(connection)
        deleted = 0
        for project in every:
            while gone := self._retire(project.id, before=before, keep=keep, now=now):
                deleted += gone
        if deleted:
            log.info("retention deleted %d events", deleted)
        return deleted

    def _retire(self, project_id: str, *, before: datetime | None, keep: int | None, now: datetime) -> int:
        return self._store.write(
            lambda connection: retention.apply(
                connection, project_id, before=before, keep=keep, now=now, limit=_DELETED_AT_ONCE
            )
        ).events
