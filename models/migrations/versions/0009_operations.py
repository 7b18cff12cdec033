"""What an operator decides of a business: its own model, limits, a budget, and whether it is served at all."""

import sqlalchemy as sa
from alembic import op

import models

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TEXTS = {"model_provider": 20, "model_name": 120, "model_key_env": 120, "model_fallback": 20}
NUMBERS = (
    "limit_customer_runs_per_day",
    "limit_customer_input_tokens_per_day",
    "limit_runs_per_day",
    "limit_input_tokens_per_day",
    "limit_monthly_budget_cents",
)


def upgrade() -> None:
    op.add_column("tenant", sa.Column("disabled_at", models.db.UtcDateTime(), nullable=True))
    op.add_column(
        "tenant", sa.Column("disabled_silently", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    for name, length in TEXTS.items():
        op.add_column("tenant", sa.Column(name, sa.String(length=length), nullable=True))
    for name in NUMBERS:
        op.add_column("tenant", sa.Column(name, sa.Integer(), nullable=True))


def downgrade() -> None:
    for name in (*NUMBERS, *TEXTS, "disabled_silently", "disabled_at"):
        op.drop_column("tenant", name)
