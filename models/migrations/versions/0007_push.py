"""Browsers of staff that are told with no page open."""

import sqlalchemy as sa
from alembic import op

import models

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "push_subscription",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("endpoint", sa.String(length=1000), nullable=False),
        sa.Column("p256dh", sa.String(length=100), nullable=False),
        sa.Column("auth", sa.String(length=40), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["staff_session.id"], ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("endpoint"),
    )
    for column in ("tenant_id", "staff_id", "session_id"):
        op.create_index(f"ix_push_subscription_{column}", "push_subscription", [column])
    op.add_column("alert", sa.Column("channel", sa.String(length=10), nullable=False, server_default="mail"))


def downgrade() -> None:
    # What was for browsers alone would be told by mail a second time.
    op.execute("delete from alert where channel = 'push'")
    op.drop_column("alert", "channel")
    op.drop_table("push_subscription")
