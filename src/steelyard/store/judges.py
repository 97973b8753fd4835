"""Judge identities, and what each did in a project."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from steelyard.errors import NotFound
from steelyard.schemas.judging import JudgeIdentity
from steelyard.schemas.query import JudgeRow

from .tables import evaluations, judges
from .upsert import insert


def register(c: Connection, identity: JudgeIdentity, *, now: datetime) -> None:
    """Stores the identity when it is new."""
    if c.execute(select(judges.c.judge_id).where(judges.c.judge_id == identity.id)).first() is None:
        new = insert(c, judges).values(
            judge_id=identity.id, identity=identity.model_dump_json(), created_at=now
        )
        c.execute(new.on_conflict_do_nothing())


def get(c: Connection, judge_id: str) -> JudgeIdentity:
    """Raises `NotFound`."""
    found = c.execute(select(judges.c.identity).where(judges.c.judge_id == judge_id)).scalar()
    if found is None:
        raise NotFound(f"no judge {judge_id!r} ever judged here")
    return JudgeIdentity.model_validate_json(found)


def used(c: Connection, project_id: str) -> tuple[JudgeRow, ...]:
    """The judges with evaluations in the project, latest used first."""
    e = evaluations.c
    totals = (
        select(
            e.judge_id,
            func.min(e.evaluated_at).label("first"),
            func.max(e.evaluated_at).label("last"),
            func.count().label("n"),
            func.count(e.unscored).label("unscored"),
            func.sum(e.calls).label("calls"),
            func.sum(e.cached_calls).label("cached_calls"),
            func.sum(e.cost_usd).label("cost_usd"),
            func.avg(e.latency_s).label("latency_s"),
        )
        .where(e.project_id == project_id)
        .group_by(e.judge_id)
        .subquery()
    )
    numbers = select(totals, judges.c.identity).join(judges, judges.c.judge_id == totals.c.judge_id)
    rows = sorted(c.execute(numbers), key=lambda row: row.last, reverse=True)
    return tuple(
        JudgeRow(
            identity=JudgeIdentity.model_validate_json(row.identity),
            judge_id=row.judge_id,
            first_used_at=row.first,
            last_used_at=row.last,
            evaluations=row.n,
            unscored=row.unscored,
            calls=int(row.calls),
            cached_calls=int(row.cached_calls),
            cost_usd=row.cost_usd,
            latency_s_mean=row.latency_s,
        )
        for row in rows
    )


def recent(c: Connection, project_id: str, identity: JudgeIdentity, *, latest: int = 2_000) -> JudgeRow:
    """What a judge did in its `latest` evaluations: the numbers of `used`, without reading every evaluation
    there is. `first_used_at` is of all. Raises `NotFound` when it evaluated nothing here."""
    e = evaluations.c
    mine = (e.project_id == project_id, e.judge_id == identity.id)
    some = (
        select(e.evaluated_at, e.unscored, e.calls, e.cached_calls, e.cost_usd, e.latency_s)
        .where(*mine)
        .order_by(e.evaluated_at.desc())
        .limit(latest)
        .subquery()
        .c
    )
    row = c.execute(
        select(
            func.count().label("n"),
            func.count(some.unscored).label("unscored"),
            func.coalesce(func.sum(some.calls), 0).label("calls"),
            func.coalesce(func.sum(some.cached_calls), 0).label("cached_calls"),
            func.sum(some.cost_usd).label("cost_usd"),
            func.avg(some.latency_s).label("latency_s"),
            func.max(some.evaluated_at).label("last"),
        )
    ).one()
    if not row.n:
        raise NotFound(f"the judge {identity.id!r} has evaluated nothing here", field="judge_id")
    return JudgeRow(
        identity=identity,
        judge_id=identity.id,
        first_used_at=c.execute(select(func.min(e.evaluated_at)).where(*mine)).scalar_one(),
        last_used_at=row.last,
        evaluations=row.n,
        unscored=row.unscored,
        calls=int(row.calls),
        cached_calls=int(row.cached_calls),
        cost_usd=row.cost_usd,
        latency_s_mean=row.latency_s,
    )


def identities(c: Connection, project_id: str) -> tuple[JudgeIdentity, ...]:
    """The identities of the judges with evaluations in the project, latest used first: one look into an index
    for each judge there is, however many evaluations."""
    e = evaluations.c
    last = (
        select(func.max(e.evaluated_at))
        .where(e.project_id == project_id, e.judge_id == judges.c.judge_id)
        .scalar_subquery()
    )
    rows = c.execute(select(judges.c.identity, last.label("last"))).all()
    mine = sorted((row for row in rows if row.last is not None), key=lambda row: row.last, reverse=True)
    return tuple(JudgeIdentity.model_validate_json(row.identity) for row in mine)


def latest(c: Connection, project_id: str) -> str | None:
    """The id of the judge of the latest evaluation in the project: the one pages show unless told
    otherwise."""
    mine = select(evaluations.c.judge_id).where(evaluations.c.project_id == project_id)
    found: str | None = c.execute(mine.order_by(evaluations.c.evaluated_at.desc()).limit(1)).scalar()
    return found
