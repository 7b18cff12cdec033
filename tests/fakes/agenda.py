"""Builders of a sample business, for every test that needs one."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from models.catalog import Professional, ProfessionalService, Service, WorkingWindow
from models.conversation import Conversation
from models.customer import Customer, CustomerAddress
from models.db import Database
from models.folding import name_columns
from models.tenant import Tenant
from tools.contract import ToolContext

WEEKDAYS = range(5)


@dataclass(frozen=True)
class Ids:
    """The rows of one sample business.

    Ana offers all three services, Bia only Corte. Both work Monday to Friday 09:00-12:00 and 13:00-18:00,
    Ana also on Saturday 09:00-13:00; step 30, notice 60, horizon 60, cancelling 120 minutes before.
    """

    tenant: int
    ana: int
    bia: int
    corte: int  # Corte feminino, 60 min, R$ 120,00
    escova: int  # Escova, 45 min, price on request
    barba: int  # Barba, 30 min and 10 more to clean up, R$ 50,00
    customer: int  # Maria
    conversation: int


def studio(
    session: Session,
    now: datetime,
    *,
    slug: str = "studio-bela",
    name: str = "Studio Bela",
    whatsapp: str = "+551130001000",
    **rules: object,
) -> Ids:
    """One whole business with one customer; `rules` overrides columns of Tenant."""
    tenant = Tenant(
        **{
            "slug": slug,
            "name": name,
            "whatsapp": whatsapp,
            "timezone": "America/Sao_Paulo",
            "created_at": now,
            **rules,
        }
    )
    key = _added(session, tenant)
    ana, bia = (_added(session, Professional(tenant_id=key, name=who)) for who in ("Ana Souza", "Bia Lima"))
    corte = _added(
        session, Service(tenant_id=key, name="Corte feminino", duration_minutes=60, price_cents=12_000)
    )
    escova = _added(session, Service(tenant_id=key, name="Escova", duration_minutes=45))
    barba = _added(
        session,
        Service(tenant_id=key, name="Barba", duration_minutes=30, buffer_minutes=10, price_cents=5_000),
    )
    for who, service in ((ana, corte), (ana, escova), (ana, barba), (bia, corte)):
        session.add(ProfessionalService(tenant_id=key, professional_id=who, service_id=service))
    for who in (ana, bia):
        for weekday in WEEKDAYS:
            work(session, key, who, weekday, "09:00-12:00", "13:00-18:00")
    work(session, key, ana, 5, "09:00-13:00")
    maria = customer(session, now, key, name="Maria")
    conversation = _added(
        session,
        Conversation(
            tenant_id=key,
            customer_id=maria,
            address="whatsapp:+5511999990001",
            last_message_at=now,
            created_at=now,
        ),
    )
    return Ids(key, ana, bia, corte, escova, barba, maria, conversation)


def customer(
    session: Session, now: datetime, tenant_id: int, *, name: str = "", phone: str = "+5511999990001"
) -> int:
    """One more customer with one address."""
    key = _added(session, Customer(tenant_id=tenant_id, **name_columns(name), created_at=now))
    session.add(
        CustomerAddress(
            tenant_id=tenant_id,
            customer_id=key,
            address=f"whatsapp:{phone}",
            match_key=phone,
        )
    )
    session.flush()
    return key


def work(session: Session, tenant_id: int, professional_id: int, weekday: int, *windows: str) -> None:
    """Working windows as "09:00-12:00"."""
    for window in windows:
        start, end = (int(part[:2]) * 60 + int(part[3:]) for part in window.split("-"))
        session.add(
            WorkingWindow(
                tenant_id=tenant_id,
                professional_id=professional_id,
                weekday=weekday,
                start_minute=start,
                end_minute=end,
            )
        )
    session.flush()


def context(
    db: Database,
    ids: Ids,
    now: datetime,
    *,
    turn_key: str = "turn-1",
    customer: int | None = None,
) -> ToolContext:
    """A tool's context for the business's own customer, or another one."""
    return ToolContext(
        db=db,
        tenant_id=ids.tenant,
        customer_id=customer or ids.customer,
        conversation_id=ids.conversation,
        turn_key=turn_key,
        now=now,
    )


def _added(session: Session, row: Tenant | Professional | Service | Customer | Conversation) -> int:
    session.add(row)
    session.flush()
    assert row.id is not None
    return row.id
