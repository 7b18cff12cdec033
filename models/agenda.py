"""The agenda as staff read it: the visits that begin within a stretch of time."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlmodel import Session

from models.appointment import Appointment, AppointmentService
from models.catalog import Professional
from models.conversation import Conversation
from models.customer import Customer
from models.db import table

MOST = 2000  # services of one day


@dataclass(frozen=True)
class Visit:
    """One appointment, whatever its status, with the names of the day it was booked."""

    id: int
    professional: str
    customer: str
    address: str  # empty where the customer has never written
    starts_at: datetime
    ends_at: datetime
    status: str
    services: tuple[str, ...]


def visits(session: Session, tenant_id: int, begins: datetime, ends: datetime) -> list[Visit]:
    """The tenant's visits that start in [begins, ends), by professional and time, in one statement."""
    appointments, parts = table(Appointment), table(AppointmentService)
    professionals, customers, conversations = table(Professional), table(Customer), table(Conversation)
    query = (
        select(
            appointments.c.id,
            appointments.c.starts_at,
            appointments.c.ends_at,
            appointments.c.status,
            professionals.c.name.label("professional"),
            customers.c.name.label("customer"),
            conversations.c.address,
            parts.c.name.label("service"),
        )
        .join(professionals, professionals.c.id == appointments.c.professional_id)
        .join(customers, customers.c.id == appointments.c.customer_id)
        .outerjoin(conversations, conversations.c.customer_id == appointments.c.customer_id)
        .outerjoin(parts, parts.c.appointment_id == appointments.c.id)
        .where(
            appointments.c.tenant_id == tenant_id,
            appointments.c.starts_at >= begins,
            appointments.c.starts_at < ends,
        )
        .order_by(professionals.c.name, appointments.c.starts_at, appointments.c.id, parts.c.position)
        .limit(MOST)
    )
    found: dict[int, Visit] = {}
    for row in session.execute(query):
        before = found[row.id].services if row.id in found else ()
        services = (*before, row.service) if row.service else before
        found[row.id] = Visit(
            id=row.id,
            professional=row.professional,
            customer=row.customer,
            address=row.address or "",
            starts_at=row.starts_at,
            ends_at=row.ends_at,
            status=row.status,
            services=services,
        )
    return list(found.values())
