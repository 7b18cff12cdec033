"""Indexes from which the figures of a period are counted without reading whole tables."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ERROR = sa.text("kind = 'result' and error_class is not null")
FAILED = sa.text("status = 'failed'")
OF_ERRORS = {"sqlite_where": ERROR, "postgresql_where": ERROR}
OF_FAILURES = {"sqlite_where": FAILED, "postgresql_where": FAILED}


def upgrade() -> None:
    op.create_index("ix_run_step_error", "run_step", ["tenant_id", "at"], **OF_ERRORS)
    op.create_index("ix_message_failed", "message", ["tenant_id", "created_at"], **OF_FAILURES)
    op.create_index("ix_appointment_made", "appointment", ["tenant_id", "created_at", "created_by"])
    op.drop_index("ix_run_tenant_day", table_name="run")
    op.create_index("ix_run_tenant_day", "run", ["tenant_id", "started_at", "conversation_id"])


def downgrade() -> None:
    op.drop_index("ix_run_tenant_day", table_name="run")
    op.create_index("ix_run_tenant_day", "run", ["tenant_id", "started_at"])
    op.drop_index("ix_appointment_made", table_name="appointment")
    op.drop_index("ix_message_failed", table_name="message")
    op.drop_index("ix_run_step_error", table_name="run_step")
