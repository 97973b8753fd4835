"""Finished judge calls, kept by request digest for all workers: never paid twice."""

from datetime import UTC, datetime

from sqlalchemy import Connection, select, update

from steelyard.judges.calls import Call, Spent

from .store import Store
from .tables import judge_calls, spending
from .upsert import insert


class StoreLedger:
    """`judges.calls.Ledger` in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, digest: str, /) -> Call | None:
        with self._store.read() as c:
            row = c.execute(select(judge_calls).where(judge_calls.c.digest == digest)).one_or_none()
        if row is None or row.reply is None:
            return None
        return Call(**{name: getattr(row, name) for name in Call.model_fields})

    def record(self, call: Call, /) -> None:
        """The first record of a digest stays."""
        self._store.write(lambda c: _record(c, call))

    def spent(self, provider: str, /) -> Spent:
        with self._store.read() as c:
            row = c.execute(select(spending).where(spending.c.provider == provider)).one_or_none()
        return Spent(calls=row.calls, cost_usd=row.cost_usd) if row else Spent(calls=0, cost_usd=0.0)

    def forget(self, *, before: datetime) -> int:
        """Blanks the replies of calls recorded before; what they cost stays counted. Returns how many."""
        old = (judge_calls.c.created_at < before, judge_calls.c.reply.is_not(None))
        return self._store.write(
            lambda c: c.execute(update(judge_calls).where(*old).values(reply=None)).rowcount
        )


def _record(c: Connection, call: Call) -> None:
    """The call, and what its provider has cost so far, in one transaction. A forgotten call that was made
    again is paid again."""
    new = insert(c, judge_calls).values(**call.model_dump(), created_at=datetime.now(UTC))
    again = new.on_conflict_do_update(
        index_elements=[judge_calls.c.digest],
        set_={"reply": new.excluded.reply, "created_at": new.excluded.created_at},
        where=judge_calls.c.reply.is_(None),
    )
    if c.execute(again.returning(judge_calls.c.digest)).first() is None:
        return
    more = insert(c, spending).values(provider=call.provider, calls=1, cost_usd=call.cost_usd or 0.0)
    c.execute(
        more.on_conflict_do_update(
            index_elements=[spending.c.provider],
            set_={
                "calls": spending.c.calls + 1,
                "cost_usd": spending.c.cost_usd + more.excluded.cost_usd,
            },
        )
    )
