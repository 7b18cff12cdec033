"""Rows that tests of the models need: a business, its staff, and what a customer writes to it."""

from datetime import datetime, timedelta

from models import message
from models.db import Database
from models.message import Incoming, Received
from models.staff import Staff
from models.tenant import Tenant

CUSTOMER = "whatsapp:+5531998966398"
DEBOUNCE = timedelta(seconds=1.5)


def add_tenant(db: Database, now: datetime, number: int = 1) -> int:
    """The id of a business; each number is another one."""
    tenant = Tenant(
        slug=f"loja-{number}",
        name=f"Loja {number}",
        whatsapp=f"+55113000{number:04}",
        timezone="America/Sao_Paulo",
        created_at=now,
    )
    with db.writing() as session:
        session.add(tenant)
    assert tenant.id is not None
    return tenant.id


def add_staff(db: Database, now: datetime, tenant_id: int, name: str = "Bia") -> int:
    email = f"{name.lower()}@{tenant_id}.example.com"
    staff = Staff(tenant_id=tenant_id, email=email, name=name, password_hash="x", created_at=now)
    with db.writing() as session:
        session.add(staff)
    assert staff.id is not None
    return staff.id


def says(
    db: Database,
    now: datetime,
    tenant_id: int,
    sid: str,
    text: str = "oi",
    *,
    addresses: tuple[str, ...] = (CUSTOMER,),
    kind: str = "text",
    wants_answer: bool = True,
) -> Received:
    """A customer writes."""
    incoming = Incoming(
        tenant_id=tenant_id,
        addresses=addresses,
        provider_sid=sid,
        text=text,
        kind=kind,
        profile_name="Ana",
        wants_answer=wants_answer,
    )
    return message.receive(db, incoming, now, DEBOUNCE)
