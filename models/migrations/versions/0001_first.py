"""First schema."""

import sqlalchemy as sa
from alembic import op

import models.db

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# The database itself refuses two overlapping active appointments of one professional, buffers included.
# PostgreSQL: an exclusion constraint that needs no btree_gist, since the professional's id is written as a
# range of one number, which GiST indexes by itself. SQLite: triggers; its single writer makes them atomic.
# A later batch operation on `appointment` rebuilds the table on SQLite and must create the triggers again.
EXCLUSION = """
alter table appointment add constraint no_overlap exclude using gist (
    int8range(professional_id, professional_id, '[]') with &&,
    tstzrange(busy_from, busy_until, '[)') with &&
) where (status in ('booked', 'done') and not squeeze_in)
"""
TRIGGER = """
create trigger no_overlap_{name} before {event} on appointment
when new.status in ('booked', 'done') and not new.squeeze_in
begin
    select raise(abort, 'no_overlap') where exists (
        select 1 from appointment as other
        where other.tenant_id = new.tenant_id and other.professional_id = new.professional_id
          and other.id is not new.id
          and other.status in ('booked', 'done') and not other.squeeze_in
          and other.busy_from < new.busy_until and new.busy_from < other.busy_until
    );
end
"""


def guard_overlaps() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(EXCLUSION)
        return
    op.execute(TRIGGER.format(name="insert", event="insert"))
    columns = "professional_id, busy_from, busy_until, status, squeeze_in"
    op.execute(TRIGGER.format(name="update", event=f"update of {columns}"))


def upgrade() -> None:
    op.create_table(
        "content_template",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_sid", sa.String(length=34), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("sid", sa.String(length=34), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_sid", "digest"),
    )
    op.create_table(
        "login_attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("login_attempt", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_login_attempt_subject"), ["subject"], unique=False)

    op.create_table(
        "tenant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("whatsapp", sa.String(length=140), nullable=False),
        sa.Column("timezone", sa.String(length=60), nullable=False),
        sa.Column("address", sa.String(length=500), nullable=False),
        sa.Column("about", sa.String(length=4000), nullable=False),
        sa.Column("holidays_country", sa.String(length=2), nullable=True),
        sa.Column("holidays_state", sa.String(length=40), nullable=True),
        sa.Column("holidays_city", sa.String(length=80), nullable=True),
        sa.Column("holidays_closed", sa.Boolean(), nullable=False),
        sa.Column("holidays_optional", sa.JSON(), nullable=False),
        sa.Column("holidays_open", sa.JSON(), nullable=False),
        sa.Column("twilio_account_sid", sa.String(length=34), nullable=True),
        sa.Column("twilio_auth_token_env", sa.String(length=120), nullable=True),
        sa.Column("template_reminder", sa.String(length=34), nullable=True),
        sa.Column("template_waitlist_offer", sa.String(length=34), nullable=True),
        sa.Column("template_contact", sa.String(length=34), nullable=True),
        sa.Column("buttons", sa.Boolean(), nullable=False),
        sa.Column("slot_step_minutes", sa.Integer(), nullable=False),
        sa.Column("min_notice_minutes", sa.Integer(), nullable=False),
        sa.Column("horizon_days", sa.Integer(), nullable=False),
        sa.Column("cancel_notice_minutes", sa.Integer(), nullable=False),
        sa.Column("max_open_appointments", sa.Integer(), nullable=False),
        sa.Column("reminders_hours", sa.JSON(), nullable=False),
        sa.Column("handoff_hours", sa.JSON(), nullable=False),
        sa.Column("handoff_realert_minutes", sa.Integer(), nullable=False),
        sa.Column("handoff_second_text_minutes", sa.Integer(), nullable=False),
        sa.Column("handoff_release_minutes", sa.Integer(), nullable=False),
        sa.Column("handoff_reopen_minutes", sa.Integer(), nullable=False),
        sa.Column("inbound_seen_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("slug"),
        sa.UniqueConstraint("whatsapp"),
    )
    op.create_table(
        "worker_beat",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("owner"),
    )
    op.create_table(
        "customer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("opted_out_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("bookings_version", sa.Integer(), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "id"),
    )
    with op.batch_alter_table("customer", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_customer_tenant_id"), ["tenant_id"], unique=False)

    op.create_table(
        "early_status",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("provider_sid", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("error_code", sa.Integer(), nullable=True),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("tenant_id", "provider_sid"),
    )
    op.create_table(
        "professional",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("agenda_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "id"),
        sa.UniqueConstraint("tenant_id", "name"),
    )
    op.create_table(
        "service",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("duration_minutes", sa.Integer(), nullable=False),
        sa.Column("buffer_minutes", sa.Integer(), nullable=False),
        sa.Column("price_cents", sa.Integer(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "id"),
        sa.UniqueConstraint("tenant_id", "name"),
    )
    op.create_table(
        "staff",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("shortcuts", sa.Boolean(), nullable=False),
        sa.Column("email_alerts", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
        sa.UniqueConstraint("tenant_id", "id"),
    )
    with op.batch_alter_table("staff", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_staff_tenant_id"), ["tenant_id"], unique=False)

    op.create_table(
        "write_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("result", sa.String(), nullable=False),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "key"),
    )
    op.create_table(
        "appointment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=False),
        sa.Column("customer_id", sa.Integer(), nullable=False),
        sa.Column("starts_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("ends_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("busy_from", models.db.UtcDateTime(), nullable=False),
        sa.Column("busy_until", models.db.UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("squeeze_in", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.String(length=10), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("schedule_version", sa.Integer(), nullable=False),
        sa.Column("confirmed_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("cancelled_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("cancel_reason", sa.String(length=300), nullable=False),
        sa.CheckConstraint("status in ('booked', 'cancelled', 'done', 'no_show')"),
        sa.CheckConstraint("busy_from <= starts_at and starts_at < ends_at and ends_at <= busy_until"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "customer_id"],
            ["customer.tenant_id", "customer.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "id"),
    )
    with op.batch_alter_table("appointment", schema=None) as batch_op:
        batch_op.create_index(
            "ix_appointment_agenda", ["tenant_id", "professional_id", "busy_from"], unique=False
        )
        batch_op.create_index(
            "ix_appointment_customer", ["tenant_id", "customer_id", "starts_at"], unique=False
        )
        batch_op.create_index("ix_appointment_day", ["tenant_id", "starts_at"], unique=False)

    op.create_table(
        "audit_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["staff_id"],
            ["staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("audit_event", schema=None) as batch_op:
        batch_op.create_index("ix_audit_event_subject", ["tenant_id", "subject_id", "id"], unique=False)
        batch_op.create_index("ix_audit_event_tenant", ["tenant_id", "id"], unique=False)

    op.create_table(
        "calendar_feed",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "staff_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "professional_id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_table(
        "canned_reply",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=30), nullable=False),
        sa.Column("text", sa.String(length=2000), nullable=False),
        sa.Column("changed_by", sa.Integer(), nullable=False),
        sa.Column("changed_at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "changed_by"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "name"),
    )
    op.create_table(
        "closure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("start_minute", sa.Integer(), nullable=False),
        sa.Column("end_minute", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id", "staff_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("closure", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_closure_tenant_id"), ["tenant_id"], unique=False)

    op.create_table(
        "conversation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("customer_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=160), nullable=False),
        sa.Column("holder", sa.String(length=10), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("assignee_id", sa.Integer(), nullable=True),
        sa.Column("held_since", models.db.UtcDateTime(), nullable=True),
        sa.Column("snoozed_until", models.db.UtcDateTime(), nullable=True),
        sa.Column("resolved_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("reopen_until", models.db.UtcDateTime(), nullable=True),
        sa.Column("due_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("lease_token", sa.String(length=32), nullable=True),
        sa.Column("lease_until", models.db.UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("answered_seq", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("last_inbound_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("last_message_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("waiting_since", models.db.UtcDateTime(), nullable=True),
        sa.Column("preview", sa.String(length=200), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.CheckConstraint("(holder = 'staff') = (assignee_id is not null)"),
        sa.CheckConstraint("holder in ('bot', 'queue', 'staff')"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "assignee_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "customer_id"],
            ["customer.tenant_id", "customer.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "customer_id"),
        sa.UniqueConstraint("tenant_id", "id"),
    )
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.create_index(
            "ix_conversation_assignee",
            ["tenant_id", "assignee_id"],
            unique=False,
            sqlite_where=sa.text("assignee_id is not null"),
            postgresql_where=sa.text("assignee_id is not null"),
        )
        batch_op.create_index(
            "ix_conversation_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("due_at is not null"),
            postgresql_where=sa.text("due_at is not null"),
        )
        batch_op.create_index(
            "ix_conversation_holder", ["tenant_id", "holder", "last_message_at"], unique=False
        )
        batch_op.create_index("ix_conversation_latest", ["tenant_id", "last_message_at", "id"], unique=False)
        batch_op.create_index(
            "ix_conversation_lease",
            ["lease_until"],
            unique=False,
            sqlite_where=sa.text("lease_token is not null"),
            postgresql_where=sa.text("lease_token is not null"),
        )
        batch_op.create_index(
            "ix_conversation_resolved",
            ["tenant_id", "resolved_at", "id"],
            unique=False,
            sqlite_where=sa.text("resolved_at is not null"),
            postgresql_where=sa.text("resolved_at is not null"),
        )

    op.create_table(
        "customer_address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("customer_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=160), nullable=False),
        sa.Column("match_key", sa.String(length=160), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "customer_id"],
            ["customer.tenant_id", "customer.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "address"),
    )
    with op.batch_alter_table("customer_address", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_customer_address_customer_id"), ["customer_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_customer_address_match_key"), ["match_key"], unique=False)

    op.create_table(
        "professional_service",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=False),
        sa.Column("service_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "service_id"],
            ["service.tenant_id", "service.id"],
        ),
        sa.PrimaryKeyConstraint("professional_id", "service_id"),
    )
    op.create_table(
        "staff_invite",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("expires_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("used_at", models.db.UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id", "made_by"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "staff_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    with op.batch_alter_table("staff_invite", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_staff_invite_tenant_id"), ["tenant_id"], unique=False)

    op.create_table(
        "staff_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("last_seen_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("ended_at", models.db.UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["staff_id"],
            ["staff.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    with op.batch_alter_table("staff_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_staff_session_staff_id"), ["staff_id"], unique=False)

    op.create_table(
        "time_off",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=False),
        sa.Column("first_date", sa.Date(), nullable=False),
        sa.Column("last_date", sa.Date(), nullable=False),
        sa.Column("start_minute", sa.Integer(), nullable=False),
        sa.Column("end_minute", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("first_date <= last_date"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "staff_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("time_off", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_time_off_professional_id"), ["professional_id"], unique=False)

    op.create_table(
        "working_window",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("start_minute", sa.Integer(), nullable=False),
        sa.Column("end_minute", sa.Integer(), nullable=False),
        sa.CheckConstraint("0 <= start_minute and start_minute < end_minute and end_minute <= 1440"),
        sa.CheckConstraint("weekday between 0 and 6"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("working_window", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_working_window_professional_id"), ["professional_id"], unique=False
        )

    op.create_table(
        "alert",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("due_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("settled_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.CheckConstraint("kind in ('waiting', 'still_waiting', 'window')"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "conversation_id"],
            ["conversation.tenant_id", "conversation.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.create_index("ix_alert_conversation", ["conversation_id", "id"], unique=False)
        batch_op.create_index(
            "ix_alert_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )

    op.create_table(
        "appointment_service",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("appointment_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("service_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("duration_minutes", sa.Integer(), nullable=False),
        sa.Column("buffer_minutes", sa.Integer(), nullable=False),
        sa.Column("price_cents", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id", "appointment_id"],
            ["appointment.tenant_id", "appointment.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "service_id"],
            ["service.tenant_id", "service.id"],
        ),
        sa.PrimaryKeyConstraint("appointment_id", "position"),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("from_seq", sa.Integer(), nullable=False),
        sa.Column("through_seq", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("prompt_version", sa.String(length=16), nullable=False),
        sa.Column("started_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("finished_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.Column("handoff_reason", sa.String(length=40), nullable=True),
        sa.Column("iterations", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_microdollars", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id", "conversation_id"],
            ["conversation.tenant_id", "conversation.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant_id", "id"),
    )
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.create_index("ix_run_conversation", ["conversation_id", "id"], unique=False)
        batch_op.create_index(
            "ix_run_conversation_day", ["tenant_id", "conversation_id", "started_at"], unique=False
        )
        batch_op.create_index("ix_run_tenant_day", ["tenant_id", "started_at"], unique=False)

    op.create_table(
        "stranded_appointment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("appointment_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("since", models.db.UtcDateTime(), nullable=False),
        sa.Column("settled_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("settled_by", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(length=10), nullable=True),
        sa.CheckConstraint("(settled_at is null) = (outcome is null)"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "appointment_id"],
            ["appointment.tenant_id", "appointment.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "settled_by"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("stranded_appointment", schema=None) as batch_op:
        batch_op.create_index(
            "ix_stranded_open",
            ["appointment_id"],
            unique=True,
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )
        batch_op.create_index(
            "ix_stranded_tenant",
            ["tenant_id"],
            unique=False,
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )

    op.create_table(
        "handoff",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("detail", sa.String(length=1000), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("reopened", sa.Boolean(), nullable=False),
        sa.Column("trigger_seq", sa.Integer(), nullable=False),
        sa.Column("opened_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("claimed_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("claimed_by", sa.Integer(), nullable=True),
        sa.Column("first_reply_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("acknowledged_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("realerted_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("second_text_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("window_warned_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("closed_at", models.db.UtcDateTime(), nullable=True),
        sa.Column("closed_by", sa.Integer(), nullable=True),
        sa.Column("closed_seq", sa.Integer(), nullable=True),
        sa.Column("close_reason", sa.String(length=20), nullable=True),
        sa.Column("note", sa.String(length=1000), nullable=False),
        sa.CheckConstraint(
            "reason is null or reason in ('refusal', 'tool_use_truncado', 'limite_iteracoes', 'limite_tokens', 'limite_tempo', 'resposta_truncada', 'resposta_vazia', 'stop_reason_desconhecido', 'promessa_sem_acao', 'modelo_indisponivel', 'erro_interno', 'pedido_do_cliente', 'midia_nao_suportada', 'falha_no_envio', 'limite_de_uso')",
            name="reason",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "claimed_by"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "closed_by"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "conversation_id"],
            ["conversation.tenant_id", "conversation.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("handoff", schema=None) as batch_op:
        batch_op.create_index("ix_handoff_conversation", ["conversation_id", "id"], unique=False)
        batch_op.create_index("ix_handoff_tenant", ["tenant_id", "opened_at"], unique=False)
        batch_op.create_index(
            "uq_handoff_open",
            ["conversation_id"],
            unique=True,
            sqlite_where=sa.text("closed_at is null"),
            postgresql_where=sa.text("closed_at is null"),
        )

    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("direction", sa.String(length=3), nullable=False),
        sa.Column("author", sa.String(length=10), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("media", sa.JSON(), nullable=False),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("error_code", sa.Integer(), nullable=True),
        sa.Column("provider_sid", sa.String(length=64), nullable=True),
        sa.Column("client_key", sa.String(length=64), nullable=True),
        sa.Column("staff_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.Column("content_sid", sa.String(length=34), nullable=True),
        sa.Column("content_variables", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("prefer_text", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("send_after", models.db.UtcDateTime(), nullable=True),
        sa.Column("send_before", models.db.UtcDateTime(), nullable=True),
        sa.Column("sending_since", models.db.UtcDateTime(), nullable=True),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("sent_at", models.db.UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "conversation_id"],
            ["conversation.tenant_id", "conversation.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "staff_id"],
            ["staff.tenant_id", "staff.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("conversation_id", "client_key"),
        sa.UniqueConstraint("conversation_id", "seq"),
        sa.UniqueConstraint("provider_sid"),
    )
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.create_index(
            "ix_message_outbox",
            ["send_after"],
            unique=False,
            sqlite_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
        )
        batch_op.create_index("ix_message_tenant", ["tenant_id", "id"], unique=False)
        batch_op.create_index(
            "ix_message_unsent",
            ["conversation_id", "seq"],
            unique=False,
            sqlite_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
        )

    op.create_table(
        "run_step",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.Column("stop_reason", sa.String(length=60), nullable=True),
        sa.Column("usage", sa.JSON(), nullable=True),
        sa.Column("model", sa.String(length=120), nullable=True),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("error_class", sa.String(length=40), nullable=True),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("at", models.db.UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run_id", "position"),
    )
    op.create_table(
        "reminder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("appointment_id", sa.Integer(), nullable=False),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("due_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=120), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("state in ('pending', 'sent', 'skipped', 'obsolete', 'failed')"),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["message.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "appointment_id"],
            ["appointment.tenant_id", "appointment.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("appointment_id", "hours", "version"),
        sa.UniqueConstraint("message_id"),
    )
    with op.batch_alter_table("reminder", schema=None) as batch_op:
        batch_op.create_index("ix_reminder_due", ["state", "due_at"], unique=False)
        batch_op.create_index("ix_reminder_newest", ["tenant_id", "due_at"], unique=False)

    op.create_table(
        "waitlist",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("customer_id", sa.Integer(), nullable=False),
        sa.Column("service_id", sa.Integer(), nullable=False),
        sa.Column("professional_id", sa.Integer(), nullable=True),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("period", sa.String(length=10), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=120), nullable=False),
        sa.Column("created_at", models.db.UtcDateTime(), nullable=False),
        sa.Column("offered_start", models.db.UtcDateTime(), nullable=True),
        sa.Column("offered_professional_id", sa.Integer(), nullable=True),
        sa.Column("offer_until", models.db.UtcDateTime(), nullable=True),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("state <> 'offered' or (offered_start is not null and offer_until is not null)"),
        sa.CheckConstraint("state in ('waiting', 'offered', 'booked', 'expired', 'cancelled')"),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["message.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "customer_id"],
            ["customer.tenant_id", "customer.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "offered_professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "professional_id"],
            ["professional.tenant_id", "professional.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "service_id"],
            ["service.tenant_id", "service.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"],
            ["tenant.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    with op.batch_alter_table("waitlist", schema=None) as batch_op:
        batch_op.create_index(
            "ix_waitlist_open",
            ["tenant_id", "customer_id", "service_id", "date"],
            unique=True,
            sqlite_where=sa.text("state in ('waiting', 'offered')"),
            postgresql_where=sa.text("state in ('waiting', 'offered')"),
        )
    guard_overlaps()


def downgrade() -> None:
    with op.batch_alter_table("waitlist", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_waitlist_open",
            sqlite_where=sa.text("state in ('waiting', 'offered')"),
            postgresql_where=sa.text("state in ('waiting', 'offered')"),
        )

    op.drop_table("waitlist")
    with op.batch_alter_table("reminder", schema=None) as batch_op:
        batch_op.drop_index("ix_reminder_newest")
        batch_op.drop_index("ix_reminder_due")

    op.drop_table("reminder")
    op.drop_table("run_step")
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_message_unsent",
            sqlite_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
        )
        batch_op.drop_index("ix_message_tenant")
        batch_op.drop_index(
            "ix_message_outbox",
            sqlite_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=sa.text("status in ('queued', 'sending', 'in_doubt')"),
        )

    op.drop_table("message")
    with op.batch_alter_table("handoff", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_handoff_open",
            sqlite_where=sa.text("closed_at is null"),
            postgresql_where=sa.text("closed_at is null"),
        )
        batch_op.drop_index("ix_handoff_tenant")
        batch_op.drop_index("ix_handoff_conversation")

    op.drop_table("handoff")
    with op.batch_alter_table("stranded_appointment", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_stranded_tenant",
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )
        batch_op.drop_index(
            "ix_stranded_open",
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )

    op.drop_table("stranded_appointment")
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.drop_index("ix_run_tenant_day")
        batch_op.drop_index("ix_run_conversation_day")
        batch_op.drop_index("ix_run_conversation")

    op.drop_table("run")
    op.drop_table("appointment_service")
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_alert_due",
            sqlite_where=sa.text("settled_at is null"),
            postgresql_where=sa.text("settled_at is null"),
        )
        batch_op.drop_index("ix_alert_conversation")

    op.drop_table("alert")
    with op.batch_alter_table("working_window", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_working_window_professional_id"))

    op.drop_table("working_window")
    with op.batch_alter_table("time_off", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_time_off_professional_id"))

    op.drop_table("time_off")
    with op.batch_alter_table("staff_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_staff_session_staff_id"))

    op.drop_table("staff_session")
    with op.batch_alter_table("staff_invite", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_staff_invite_tenant_id"))

    op.drop_table("staff_invite")
    op.drop_table("professional_service")
    with op.batch_alter_table("customer_address", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_customer_address_match_key"))
        batch_op.drop_index(batch_op.f("ix_customer_address_customer_id"))

    op.drop_table("customer_address")
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_conversation_resolved",
            sqlite_where=sa.text("resolved_at is not null"),
            postgresql_where=sa.text("resolved_at is not null"),
        )
        batch_op.drop_index(
            "ix_conversation_lease",
            sqlite_where=sa.text("lease_token is not null"),
            postgresql_where=sa.text("lease_token is not null"),
        )
        batch_op.drop_index("ix_conversation_latest")
        batch_op.drop_index("ix_conversation_holder")
        batch_op.drop_index(
            "ix_conversation_due",
            sqlite_where=sa.text("due_at is not null"),
            postgresql_where=sa.text("due_at is not null"),
        )
        batch_op.drop_index(
            "ix_conversation_assignee",
            sqlite_where=sa.text("assignee_id is not null"),
            postgresql_where=sa.text("assignee_id is not null"),
        )

    op.drop_table("conversation")
    with op.batch_alter_table("closure", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_closure_tenant_id"))

    op.drop_table("closure")
    op.drop_table("canned_reply")
    op.drop_table("calendar_feed")
    with op.batch_alter_table("audit_event", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_event_tenant")
        batch_op.drop_index("ix_audit_event_subject")

    op.drop_table("audit_event")
    with op.batch_alter_table("appointment", schema=None) as batch_op:
        batch_op.drop_index("ix_appointment_day")
        batch_op.drop_index("ix_appointment_customer")
        batch_op.drop_index("ix_appointment_agenda")

    op.drop_table("appointment")
    op.drop_table("write_key")
    with op.batch_alter_table("staff", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_staff_tenant_id"))

    op.drop_table("staff")
    op.drop_table("service")
    op.drop_table("professional")
    op.drop_table("early_status")
    with op.batch_alter_table("customer", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_customer_tenant_id"))

    op.drop_table("customer")
    op.drop_table("worker_beat")
    op.drop_table("tenant")
    with op.batch_alter_table("login_attempt", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_login_attempt_subject"))

    op.drop_table("login_attempt")
    op.drop_table("content_template")
