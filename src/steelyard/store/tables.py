"""The tables. An event's row is narrow and changes; its body is written once beside it; everything hangs
on `seq`."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Sequence,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from .columns import BigInt, Moment, PlainText, ProjectId

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

event_seq = Sequence("event_seq", metadata=metadata)


def _project() -> Column[str]:
    return Column("project_id", ProjectId, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False)


def _event() -> Column[int]:
    return Column("event_seq", BigInt, ForeignKey("events.seq", ondelete="CASCADE"), nullable=False)


projects = Table(
    "projects",
    metadata,
    Column("id", ProjectId, primary_key=True, autoincrement=True),
    Column("name", PlainText, nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(36), primary_key=True),
    _project(),
    Column("name", PlainText, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("last_used_at", Moment),
    Column("revoked_at", Moment),
    Index(None, "project_id", "created_at"),
)

logins = Table(
    "logins",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("used_at", Moment),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("csrf", PlainText, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("seq", BigInt, primary_key=True, autoincrement=False),
    _project(),
    Column("event_id", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("task_key", String(32), nullable=False),
    Column("subquery_key", String(32)),
    Column("passages", SmallInteger, nullable=False),
    Column("env", Text),
    Column("dataset", Text),
    Column("feature_flag", Text),
    Column("user_key", Text),
    Column("trace_id", Text),
    Column("created_at", Moment, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", PlainText),
    # The lease: `deadline` is also the time before which a queued event waits; `lease_us` is the length it
    # was given, so that a deadline further away than that betrays a clock that was set back.
    Column("owner", Text),
    Column("lease", String(36)),
    Column("deadline", BigInt),
    Column("lease_us", BigInt),
    Column("attempts", SmallInteger, nullable=False),
    Column("label_version", Integer, nullable=False),
    Column("labelled", Boolean, nullable=False),
    Column("flagged", Boolean, nullable=False),
    Column("judge_id", Text),
    # JSON arrays over `retrieval.scores.NAMES`; this one without any evaluation, None when unlabelled.
    Column("scores", Text),
    UniqueConstraint("project_id", "event_id"),
    Index(None, "project_id", "created_at", "seq"),
    Index(None, "project_id", "task_key"),
)

_SETS = {
    "env": "env IS NOT NULL",
    "dataset": "dataset IS NOT NULL",
    "feature_flag": "feature_flag IS NOT NULL",
}
for _name, _where in _SETS.items():
    Index(
        f"ix_events_{_name}",
        events.c.project_id,
        events.c[_name],
        events.c.created_at,
        events.c.seq,
        sqlite_where=text(_where),
        postgresql_where=text(_where),
    )
_PARTIAL = {
    "subquery_key": (("project_id", "subquery_key"), "subquery_key IS NOT NULL"),
    "trace_id": (("project_id", "trace_id"), "trace_id IS NOT NULL"),
    "user_key": (("project_id", "user_key"), "user_key IS NOT NULL"),
    "failed": (
        ("project_id", "status", "created_at", "seq"),
        "status IN ('unscored', 'error', 'cancelled')",
    ),
    "not_sampled": (("project_id", "created_at", "seq"), "status = 'not_sampled'"),
    "waiting": (("created_at", "seq"), "status IN ('queued', 'evaluating')"),
    "waiting_here": (("project_id", "created_at", "seq"), "status IN ('queued', 'evaluating')"),
}
for _name, (_columns, _where) in _PARTIAL.items():
    Index(
        f"ix_events_{_name}",
        *(events.c[_column] for _column in _columns),
        sqlite_where=text(_where),
        postgresql_where=text(_where),
    )
for _name in ("labelled", "flagged"):
    # Each database uses a partial index only for a condition written exactly so.
    Index(
        f"ix_events_{_name}",
        events.c.project_id,
        events.c.created_at,
        events.c.seq,
        sqlite_where=text(f"{_name} = 1"),
        postgresql_where=text(_name),
    )

event_bodies = Table(
    "event_bodies",
    metadata,
    Column(
        "seq", BigInt, ForeignKey("events.seq", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("metadata", Text),
    Column("body", Text, nullable=False),
)

labels = Table(
    "labels",
    metadata,
    _event(),
    Column("version", Integer, nullable=False),
    Column("gold", Text),
    Column("answer", Text),
    Column("origin", String(8), nullable=False),
    Column("author", PlainText),
    Column("reason", PlainText),
    Column("created_at", Moment, nullable=False),
    PrimaryKeyConstraint("event_seq", "version"),
)

judges = Table(
    "judges",
    metadata,
    Column("judge_id", Text, primary_key=True),
    Column("identity", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
)

evaluations = Table(
    "evaluations",
    metadata,
    _event(),
    Column("judge_id", Text, ForeignKey("judges.judge_id"), nullable=False),
    Column("requirements_version", Integer, nullable=False),
    Column("project_id", ProjectId, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("evaluated_at", Moment, nullable=False),
    Column("unscored", String(24)),
    Column("estimated", Boolean, nullable=False),
    Column("scores", Text, nullable=False),
    Column("latency_s", Float, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("cached_calls", Integer, nullable=False),
    Column("cost_usd", Float),
    Column("evaluator", Text),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("event_seq", "judge_id", "requirements_version"),
    # All that is told of a judge, so that totals over millions of evaluations are read from the index alone.
    Index(
        "ix_evaluations_totals",
        "project_id",
        "judge_id",
        "evaluated_at",
        "unscored",
        "calls",
        "cached_calls",
        "cost_usd",
        "latency_s",
    ),
    Index(None, "project_id", "evaluated_at", "judge_id"),
)

comparisons = Table(
    "comparisons",
    metadata,
    _event(),
    Column("judge_id", Text, nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("project_id", ProjectId, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("passage_id", Text),
    Column("cited", Boolean, nullable=False),
    Column("gold", Boolean, nullable=False),
    Column("reviewed", Boolean, nullable=False),
    PrimaryKeyConstraint("event_seq", "judge_id", "position"),
    Index("ix_comparisons_queue", "project_id", "judge_id", "created_at", "event_seq", "position"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", String(36), primary_key=True),
    _event(),
    Column("project_id", ProjectId, nullable=False),
    Column("judge_id", Text, nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("decision", String(16), nullable=False),
    Column("reason", PlainText),
    Column("reviewer", PlainText),
    Column("created_at", Moment, nullable=False),
    Column("superseded", Boolean, nullable=False),
    Index(None, "event_seq", "judge_id", "position"),
    Index(None, "project_id", "judge_id", "id"),
)

samples = Table(
    "samples",
    metadata,
    Column("id", String(36), primary_key=True),
    _project(),
    Column("filter", Text, nullable=False),
    Column("seed", BigInt, nullable=False),
    Column("population", BigInt, nullable=False),
    Column("size", Integer, nullable=False),
    Column("author", PlainText, nullable=False),
    Column("drawn_at", Moment, nullable=False),
    Index(None, "project_id", "id"),
)

sample_events = Table(
    "sample_events",
    metadata,
    Column("sample_id", String(36), ForeignKey("samples.id", ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    _event(),
    PrimaryKeyConstraint("sample_id", "place"),
    Index(None, "event_seq"),
)

requirement_lists = Table(
    "requirement_lists",
    metadata,
    _project(),
    Column("task_key", String(32), nullable=False),
    Column("judge_id", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("requirements", Text, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Column("origin", String(8), nullable=False),
    Column("author", PlainText),
    Column("created_at", Moment, nullable=False),
    PrimaryKeyConstraint("project_id", "task_key", "judge_id", "version"),
)

judge_calls = Table(
    "judge_calls",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("reply", Text),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("cost_usd", Float),
    Column("latency_s", Float, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index(None, "created_at"),
)

spending = Table(
    "spending",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("calls", BigInt, nullable=False),
    Column("cost_usd", Float, nullable=False),
)

buckets = Table(
    "buckets",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("requests", Float, nullable=False),
    Column("tokens", Float, nullable=False),
    Column("refilled_us", BigInt, nullable=False),
)

dirty_hours = Table(
    "dirty_hours",
    metadata,
    Column("id", BigInt, primary_key=True, autoincrement=True),
    _project(),
    Column("hour", BigInt, nullable=False),
    Column("marked_at", Moment, nullable=False),
    Index(None, "project_id", "hour"),
)

rollups = Table(
    "rollups",
    metadata,
    _project(),
    Column("level", String(4), nullable=False),
    Column("start", BigInt, nullable=False),
    Column("dimension", String(16), nullable=False),
    Column("value", Text, nullable=False),
    Column("judge_id", Text, nullable=False),
    Column("events", BigInt, nullable=False),
    Column("layout", SmallInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    Column("latencies", LargeBinary, nullable=False),
    Column("computed_at", Moment, nullable=False),
    PrimaryKeyConstraint("project_id", "level", "dimension", "start", "value", "judge_id"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", String(36), primary_key=True),
    _project(),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", PlainText, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Index(None, "project_id", "id"),
)
