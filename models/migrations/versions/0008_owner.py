"""What the business tells its assistant, and how its settings were before."""

import sqlalchemy as sa
from alembic import op

import models

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TEXTS = {"assistant_greeting": 300, "assistant_tone": 500}
LISTS = ("assistant_never_say", "faq")


def upgrade() -> None:
    for name, length in TEXTS.items():
        op.add_column("tenant", sa.Column(name, sa.String(length=length), nullable=False, server_default=""))
    for name in LISTS:
        op.add_column("tenant", sa.Column(name, sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "business_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(length=10), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("made_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_business_version_tenant", "business_version", ["tenant_id", "id"])


def downgrade() -> None:
    op.drop_table("business_version")
    for name in (*LISTS, *TEXTS):
        op.drop_column("tenant", name)
