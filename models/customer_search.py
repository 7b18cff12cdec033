"""Customers as staff find them, add them and reach them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from models import customer
from models.appointment import Appointment, AppointmentStatus
from models.conversation import Conversation, window_open
from models.customer import FORGOTTEN, Customer, CustomerAddress, match_key
from models.db import table
from models.errors import NotFound

MOST_FOUND = 20
LEAST_DIGITS = 4

_CUSTOMER, _ADDRESS = table(Customer), table(CustomerAddress)
_APPOINTMENT, _CONVERSATION = table(Appointment), table(Conversation)


@dataclass(frozen=True)
class Client:
    """One customer. `address` is where they wrote from last, or the one that is known; empty without any.

    `reachable`: WhatsApp takes a text to them now. `opted_out`: they want no messages by themselves.
    `forgotten`: their data were erased, nobody is there any more.
    """

    id: int
    name: str
    address: str
    conversation_id: int | None
    reachable: bool
    opted_out: bool
    forgotten: bool


def client(session: Session, now: datetime, tenant_id: int, customer_id: int) -> Client:
    """One customer of this tenant. Raises NotFound("customer")."""
    row = session.execute(
        select(Customer, Conversation)
        .outerjoin(Conversation, _CONVERSATION.c.customer_id == _CUSTOMER.c.id)
        .where(_CUSTOMER.c.tenant_id == tenant_id, _CUSTOMER.c.id == customer_id)
    ).first()
    if row is None:
        raise NotFound("customer")
    person, talk = row
    known = customer.address_of(session, tenant_id, customer_id) if talk is None else talk.address
    return Client(
        id=customer_id,
        name=person.name,
        address=known or "",
        conversation_id=talk.id if talk is not None else None,
        reachable=talk is not None and window_open(talk, now),
        opted_out=person.opted_out_at is not None,
        forgotten=(known or "").startswith(FORGOTTEN),
    )


def search(session: Session, tenant_id: int, words: str) -> list[tuple[int, str, str]]:
    """Up to 20 customers (id, name, an address or "") whose name or number holds `words`, by name.

    Case and accents do not matter ("joao" finds "João"); a number is looked for from four digits on, with
    and without the ninth.
    """
    wanted = folded(words)
    if not wanted:
        return []
    addresses = _addresses(session, tenant_id)
    digits = "".join(character for character in words if character.isdigit())
    by_number = _with_number(addresses, digits) if len(digits) >= LEAST_DIGITS else set()
    rows = session.execute(select(_CUSTOMER.c.id, _CUSTOMER.c.name).where(_CUSTOMER.c.tenant_id == tenant_id))
    found = [(folded(name), key, name) for key, name in rows if key in by_number or wanted in folded(name)]
    return [(key, name, _telling(addresses.get(key, []))) for _, key, name in sorted(found)[:MOST_FOUND]]


def _telling(known: Sequence[str]) -> str:
    """The newest address that is a number, by which people tell two of one name apart; else the newest."""
    return next((address for address in known if address.startswith("whatsapp:+")), *known[:1] or [""])


def _addresses(session: Session, tenant_id: int) -> dict[int, list[str]]:
    """Of each customer the addresses, the newest first."""
    found: dict[int, list[str]] = {}
    for key, address in session.execute(
        select(_ADDRESS.c.customer_id, _ADDRESS.c.address)
        .where(_ADDRESS.c.tenant_id == tenant_id, ~_ADDRESS.c.address.startswith(FORGOTTEN))
        .order_by(_ADDRESS.c.id.desc())
    ):
        found.setdefault(key, []).append(address)
    return found


def _with_number(addresses: dict[int, list[str]], digits: str) -> set[int]:
    return {
        key
        for key, known in addresses.items()
        if any(digits in written for address in known for written in (address, match_key(address)))
    }


def folded(text: str) -> str:
    """For matching: no accents, case or invisible characters, single spaces."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf", "Cc"))
    return " ".join(kept.split())


def register(session: Session, now: datetime, tenant_id: int, name: str, address: str = "") -> int:
    """The id of a new customer. Raises `Known` where somebody has this address already."""
    if not address:
        return _added(session, now, tenant_id, name)
    known = _owner(session, tenant_id, address)
    if known is not None:
        raise Known(known)
    try:
        with session.begin_nested():
            # Not found or created: a twin that has just committed must not pass for ours.
            customer_id = _added(session, now, tenant_id, name)
            row = {"tenant_id": tenant_id, "customer_id": customer_id, "address": address}
            session.execute(insert(_ADDRESS).values(row | {"match_key": match_key(address)}))
            return customer_id
    except IntegrityError:
        # Somebody wrote from it for the first time at this very moment.
        known = _owner(session, tenant_id, address)
        if known is None:
            raise
        raise Known(known) from None


def standing(
    session: Session, tenant_id: int, name: str, professional_id: int, starts_at: datetime
) -> int | None:
    """The booked visit there of somebody of this name without a number: the same walk-in, sent twice."""
    row: int | None = session.scalar(
        select(_APPOINTMENT.c.id)
        .join(_CUSTOMER, _CUSTOMER.c.id == _APPOINTMENT.c.customer_id)
        .outerjoin(_ADDRESS, _ADDRESS.c.customer_id == _CUSTOMER.c.id)
        .where(_APPOINTMENT.c.tenant_id == tenant_id, _APPOINTMENT.c.professional_id == professional_id)
        .where(_APPOINTMENT.c.starts_at == starts_at, _APPOINTMENT.c.status == AppointmentStatus.BOOKED)
        .where(_CUSTOMER.c.name == name, _ADDRESS.c.id.is_(None))
        .limit(1)
    )
    return row


class Known(Exception):
    """This address belongs to a customer already."""

    def __init__(self, customer_id: int) -> None:
        super().__init__("known")
        self.customer_id = customer_id


def _owner(session: Session, tenant_id: int, address: str) -> int | None:
    key: int | None = session.scalar(
        select(_ADDRESS.c.customer_id)
        .where(_ADDRESS.c.tenant_id == tenant_id, _ADDRESS.c.match_key == match_key(address))
        .order_by(_ADDRESS.c.id)
        .limit(1)
    )
    return key


def _added(session: Session, now: datetime, tenant_id: int, name: str) -> int:
    person = Customer(tenant_id=tenant_id, name=name, created_at=now)
    session.add(person)
    session.flush()
    assert person.id is not None
    return person.id
