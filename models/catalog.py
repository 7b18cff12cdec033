"""What a business offers: services, professionals, their hours, time off and closures.

Rows are deactivated, never deleted: past appointments keep pointing at them.
"""

import datetime as dt

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

MINUTES_OF_DAY = 24 * 60


class Service(SQLModel, table=True):
    """Something to book. `buffer_minutes` is kept free after it; `price_cents` None means "on request"."""

    __table_args__ = (UniqueConstraint("tenant_id", "name"), UniqueConstraint("tenant_id", "id"))

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    name: str = Field(max_length=120)
    duration_minutes: int
    buffer_minutes: int = 0
    price_cents: int | None = None
    active: bool = True


class Professional(SQLModel, table=True):
    """Somebody who can be booked. `agenda_version` is the row lock that every booking bumps first."""

    __table_args__ = (UniqueConstraint("tenant_id", "name"), UniqueConstraint("tenant_id", "id"))

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    name: str = Field(max_length=120)
    active: bool = True
    agenda_version: int = 0


class ProfessionalService(SQLModel, table=True):
    """This professional offers this service, both of one tenant."""

    __tablename__ = "professional_service"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(["tenant_id", "service_id"], ["service.tenant_id", "service.id"]),
    )

    tenant_id: int
    professional_id: int = Field(primary_key=True)
    service_id: int = Field(primary_key=True)


class WorkingWindow(SQLModel, table=True):
    """Half-open window of local minutes on a weekday (0 = Monday); 1440 is midnight at the day's end."""

    __tablename__ = "working_window"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        CheckConstraint("0 <= start_minute and start_minute < end_minute and end_minute <= 1440"),
        CheckConstraint("weekday between 0 and 6"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    professional_id: int = Field(index=True)
    weekday: int
    start_minute: int
    end_minute: int


class TimeOff(SQLModel, table=True):
    """A professional is away from `first_date` through `last_date`, the last day included.

    With minutes given, only in that half-open part of each day.
    """

    __tablename__ = "time_off"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        CheckConstraint("first_date <= last_date"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    professional_id: int = Field(index=True)
    first_date: dt.date
    last_date: dt.date
    start_minute: int = 0
    end_minute: int = MINUTES_OF_DAY
    reason: str = Field(default="", max_length=200)


class Closure(SQLModel, table=True):
    """The whole business is closed on `date`, or in a half-open part of it."""

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    date: dt.date
    start_minute: int = 0
    end_minute: int = MINUTES_OF_DAY
    reason: str = Field(default="", max_length=200)
