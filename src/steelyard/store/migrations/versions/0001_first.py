"""The first schema: projects, keys, events and their evaluations, labels and reviews, calls, sums, audit."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.schema.CreateSequence(sa.Sequence("event_seq")))
    op.create_table(
        "buckets",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("requests", sa.Float(), nullable=False),
        sa.Column("tokens", sa.Float(), nullable=False),
        sa.Column("refilled_us", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("provider", name="pk_buckets"),
    )
    op.create_table(
        "judge_calls",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("latency_s", sa.Float(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_judge_calls"),
    )
    op.create_index("ix_judge_calls_created_at", "judge_calls", ["created_at"], unique=False)
    op.create_table(
        "judges",
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("judge_id", name="pk_judges"),
    )
    op.create_table(
        "logins",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("used_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("digest", name="pk_logins"),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("digest", name="uq_sessions_digest"),
    )
    op.create_table(
        "spending",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("calls", _BIG, nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("provider", name="pk_spending"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("last_used_at", _BIG, nullable=True),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_api_keys_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("digest", name="uq_api_keys_digest"),
    )
    op.create_index(
        "ix_api_keys_project_id_created_at", "api_keys", ["project_id", "created_at"], unique=False
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_audit_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_project_id_id", "audit", ["project_id", "id"], unique=False)
    op.create_table(
        "dirty_hours",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("hour", _BIG, nullable=False),
        sa.Column("marked_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_dirty_hours_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_dirty_hours"),
    )
    op.create_index("ix_dirty_hours_project_id_hour", "dirty_hours", ["project_id", "hour"], unique=False)
    op.create_table(
        "events",
        sa.Column("seq", _BIG, autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("task_key", sa.String(length=32), nullable=False),
        sa.Column("subquery_key", sa.String(length=32), nullable=True),
        sa.Column("passages", sa.SmallInteger(), nullable=False),
        sa.Column("env", sa.Text(), nullable=True),
        sa.Column("dataset", sa.Text(), nullable=True),
        sa.Column("feature_flag", sa.Text(), nullable=True),
        sa.Column("user_key", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("received_at", _BIG, nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease", sa.String(length=36), nullable=True),
        sa.Column("deadline", _BIG, nullable=True),
        sa.Column("lease_us", _BIG, nullable=True),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("label_version", sa.Integer(), nullable=False),
        sa.Column("labelled", sa.Boolean(), nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=True),
        sa.Column("scores", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_events_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
        sa.UniqueConstraint("project_id", "event_id", name="uq_events_project_id_event_id"),
    )
    op.create_index(
        "ix_events_dataset",
        "events",
        ["project_id", "dataset", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("dataset IS NOT NULL"),
        postgresql_where=sa.text("dataset IS NOT NULL"),
    )
    op.create_index(
        "ix_events_env",
        "events",
        ["project_id", "env", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("env IS NOT NULL"),
        postgresql_where=sa.text("env IS NOT NULL"),
    )
    op.create_index(
        "ix_events_failed",
        "events",
        ["project_id", "status", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("status IN ('unscored', 'error', 'cancelled')"),
        postgresql_where=sa.text("status IN ('unscored', 'error', 'cancelled')"),
    )
    op.create_index(
        "ix_events_not_sampled",
        "events",
        ["project_id", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("status = 'not_sampled'"),
        postgresql_where=sa.text("status = 'not_sampled'"),
    )
    op.create_index(
        "ix_events_feature_flag",
        "events",
        ["project_id", "feature_flag", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("feature_flag IS NOT NULL"),
        postgresql_where=sa.text("feature_flag IS NOT NULL"),
    )
    op.create_index(
        "ix_events_flagged",
        "events",
        ["project_id", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("flagged = 1"),
        postgresql_where=sa.text("flagged"),
    )
    op.create_index(
        "ix_events_labelled",
        "events",
        ["project_id", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("labelled = 1"),
        postgresql_where=sa.text("labelled"),
    )
    op.create_index(
        "ix_events_project_id_created_at_seq", "events", ["project_id", "created_at", "seq"], unique=False
    )
    op.create_index("ix_events_project_id_task_key", "events", ["project_id", "task_key"], unique=False)
    op.create_index(
        "ix_events_subquery_key",
        "events",
        ["project_id", "subquery_key"],
        unique=False,
        sqlite_where=sa.text("subquery_key IS NOT NULL"),
        postgresql_where=sa.text("subquery_key IS NOT NULL"),
    )
    op.create_index(
        "ix_events_trace_id",
        "events",
        ["project_id", "trace_id"],
        unique=False,
        sqlite_where=sa.text("trace_id IS NOT NULL"),
        postgresql_where=sa.text("trace_id IS NOT NULL"),
    )
    op.create_index(
        "ix_events_user_key",
        "events",
        ["project_id", "user_key"],
        unique=False,
        sqlite_where=sa.text("user_key IS NOT NULL"),
        postgresql_where=sa.text("user_key IS NOT NULL"),
    )
    op.create_index(
        "ix_events_waiting",
        "events",
        ["created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("status IN ('queued', 'evaluating')"),
        postgresql_where=sa.text("status IN ('queued', 'evaluating')"),
    )
    op.create_index(
        "ix_events_waiting_here",
        "events",
        ["project_id", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("status IN ('queued', 'evaluating')"),
        postgresql_where=sa.text("status IN ('queued', 'evaluating')"),
    )
    op.create_table(
        "requirement_lists",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("task_key", sa.String(length=32), nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("requirements", sa.Text(), nullable=False),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_requirement_lists_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "task_key", "judge_id", "version", name="pk_requirement_lists"),
    )
    op.create_table(
        "rollups",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("level", sa.String(length=4), nullable=False),
        sa.Column("start", _BIG, nullable=False),
        sa.Column("dimension", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("events", _BIG, nullable=False),
        sa.Column("layout", sa.SmallInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
        sa.Column("latencies", sa.LargeBinary(), nullable=False),
        sa.Column("computed_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_rollups_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "project_id", "level", "dimension", "start", "value", "judge_id", name="pk_rollups"
        ),
    )
    op.create_table(
        "comparisons",
        sa.Column("event_seq", _BIG, nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=True),
        sa.Column("cited", sa.Boolean(), nullable=False),
        sa.Column("gold", sa.Boolean(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_seq"], ["events.seq"], name="fk_comparisons_event_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_seq", "judge_id", "position", name="pk_comparisons"),
    )
    op.create_index(
        "ix_comparisons_queue",
        "comparisons",
        ["project_id", "judge_id", "created_at", "event_seq", "position"],
        unique=False,
    )
    op.create_table(
        "evaluations",
        sa.Column("event_seq", _BIG, nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("requirements_version", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("evaluated_at", _BIG, nullable=False),
        sa.Column("unscored", sa.String(length=24), nullable=True),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.Column("scores", sa.Text(), nullable=False),
        sa.Column("latency_s", sa.Float(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("cached_calls", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("evaluator", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_seq"], ["events.seq"], name="fk_evaluations_event_seq", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["judge_id"], ["judges.judge_id"], name="fk_evaluations_judge_id"),
        sa.PrimaryKeyConstraint("event_seq", "judge_id", "requirements_version", name="pk_evaluations"),
    )
    op.create_index(
        "ix_evaluations_project_id_evaluated_at_judge_id",
        "evaluations",
        ["project_id", "evaluated_at", "judge_id"],
        unique=False,
    )
    op.create_index(
        "ix_evaluations_totals",
        "evaluations",
        [
            "project_id",
            "judge_id",
            "evaluated_at",
            "unscored",
            "calls",
            "cached_calls",
            "cost_usd",
            "latency_s",
        ],
        unique=False,
    )
    op.create_table(
        "event_bodies",
        sa.Column("seq", _BIG, autoincrement=False, nullable=False),
        sa.Column("metadata", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["events.seq"], name="fk_event_bodies_seq", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("seq", name="pk_event_bodies"),
    )
    op.create_table(
        "labels",
        sa.Column("event_seq", _BIG, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("gold", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["event_seq"], ["events.seq"], name="fk_labels_event_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_seq", "version", name="pk_labels"),
    )
    op.create_table(
        "reviews",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("event_seq", _BIG, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Text(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("reviewer", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("superseded", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_seq"], ["events.seq"], name="fk_reviews_event_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
    )
    op.create_index(
        "ix_reviews_event_seq_judge_id_position",
        "reviews",
        ["event_seq", "judge_id", "position"],
        unique=False,
    )
    op.create_index(
        "ix_reviews_project_id_judge_id_id", "reviews", ["project_id", "judge_id", "id"], unique=False
    )
    op.create_table(
        "samples",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("filter", sa.Text(), nullable=False),
        sa.Column("seed", _BIG, nullable=False),
        sa.Column("population", _BIG, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("drawn_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_samples_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_samples"),
    )
    op.create_index("ix_samples_project_id_id", "samples", ["project_id", "id"], unique=False)
    op.create_table(
        "sample_events",
        sa.Column("sample_id", sa.String(length=36), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("event_seq", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name="fk_sample_events_sample_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["event_seq"], ["events.seq"], name="fk_sample_events_event_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sample_id", "place", name="pk_sample_events"),
    )
    op.create_index("ix_sample_events_event_seq", "sample_events", ["event_seq"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        _compress_quickly()


def _compress_quickly() -> None:
    """The default compression of long texts costs more time than everything else; not every build has lz4."""
    known = sa.text("SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")
    if op.get_bind().scalar(known):
        for table in ("event_bodies", "evaluations"):
            op.execute(f"ALTER TABLE {table} ALTER COLUMN body SET COMPRESSION lz4")
