"""Appointments: book, move, cancel."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class AppointmentStatus(StrEnum):
    """`booked` and `done` occupy their time; `cancelled` and `no_show` do not."""

    BOOKED = "booked"
    CANCELLED = "cancelled"
    DONE = "done"
    NO_SHOW = "no_show"


class Appointment(SQLModel, table=True):
    """One visit. `busy_from`/`busy_until` are the stored interval with buffers that may not overlap.

    The database refuses overlaps of one professional by itself (see the first migration), except where
    `squeeze_in` is set, which only staff can do. Price, duration and buffers are snapshots of the day it
    was booked.
    """

    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(["tenant_id", "customer_id"], ["customer.tenant_id", "customer.id"]),
        CheckConstraint("busy_from <= starts_at and starts_at < ends_at and ends_at <= busy_until"),
        CheckConstraint("status in ('booked', 'cancelled', 'done', 'no_show')"),
        Index("ix_appointment_agenda", "professional_id", "busy_from"),
        Index("ix_appointment_customer", "customer_id", "starts_at"),
        Index("ix_appointment_day", "tenant_id", "starts_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    professional_id: int
    customer_id: int
    starts_at: datetime = Field(sa_type=UtcDateTime)
    ends_at: datetime = Field(sa_type=UtcDateTime)
    busy_from: datetime = Field(sa_type=UtcDateTime)
    busy_until: datetime = Field(sa_type=UtcDateTime)
    status: str = Field(default=AppointmentStatus.BOOKED, max_length=10)
    squeeze_in: bool = False
    created_by: str = Field(default="bot", max_length=10)  # "bot" or "staff"
    created_at: datetime = Field(sa_type=UtcDateTime)
    cancelled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    cancel_reason: str = Field(default="", max_length=300)


class AppointmentService(SQLModel, table=True):
    """One service of a visit, in its order, with the name, minutes and price of the day it was booked."""

    __tablename__ = "appointment_service"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "appointment_id"], ["appointment.tenant_id", "appointment.id"]),
        ForeignKeyConstraint(["tenant_id", "service_id"], ["service.tenant_id", "service.id"]),
    )

    tenant_id: int
    appointment_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    service_id: int
    name: str = Field(max_length=120)
    duration_minutes: int
    buffer_minutes: int = 0
    price_cents: int | None = None
