"""How long a business keeps what customers left, and what is to be deleted at the provider."""

import sqlalchemy as sa
from alembic import op

from models.db import UtcDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant", sa.Column("retention_customers_days", sa.Integer(), nullable=True))
    op.add_column("tenant", sa.Column("retention_media_days", sa.Integer(), nullable=True))
    op.create_table(
        "removal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("reference", sa.String(length=500), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "reference"),
    )
    op.create_index(op.f("ix_removal_due_at"), "removal", ["due_at"], unique=False)


def downgrade() -> None:
    op.drop_table("removal")
    op.drop_column("tenant", "retention_media_days")
    op.drop_column("tenant", "retention_customers_days")
