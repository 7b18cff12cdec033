"""Customers as staff find them, add them and reach them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from sqlalchemy import Select, insert, or_, select, union
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from models import customer
from models.appointment import Appointment, AppointmentStatus
from models.conversation import Conversation, window_open
from models.customer import FORGOTTEN, Customer, CustomerAddress, match_key
from models.db import table
from models.errors import NotFound
from models.folding import composed, folded, name_columns

MOST_FOUND = 20
LEAST_DIGITS = 4
WHOLE = 8  # digits: so many are a number, whatever stands beside them

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
    """Up to 20 customers (id, name, an address or "") whose name or number holds `words`, by name."""
    if not folded(words):
        return []
    columns = (_CUSTOMER.c.id, _CUSTOMER.c.name, _CUSTOMER.c.folded_name)
    rows = session.execute(
        select(*columns).where(_CUSTOMER.c.tenant_id == tenant_id, columns[0].in_(found(tenant_id, words)))
    )
    first = sorted((row.folded_name, row.id, row.name) for row in rows)[:MOST_FOUND]
    known = _addresses(session, tenant_id, [key for _, key, _ in first])
    return [(key, name, _telling(known.get(key, []))) for _, key, name in first]


def found(tenant_id: int, words: str) -> Select[tuple[int]]:
    """The ids of a business's customers as people write them: each word in the name, whatever its accents; or
    the number, with or without country, area, ninth digit and signs.
    """
    ours = select(_CUSTOMER.c.id).where(_CUSTOMER.c.tenant_id == tenant_id)
    name = _CUSTOMER.c.folded_name
    named = ours.where(*(name.contains(word, autoescape=True) for word in folded(words).split()))
    forms = number_forms(words)
    if not forms:
        return named
    written = product(forms, (_ADDRESS.c.address, _ADDRESS.c.match_key))
    called = (
        select(_ADDRESS.c.customer_id)
        .where(_ADDRESS.c.tenant_id == tenant_id, ~_ADDRESS.c.address.startswith(FORGOTTEN))
        .where(or_(*(column.contains(form) for form, column in written)))
    )
    either = union(named, called).subquery()
    return select(either.c[0])


def number_forms(words: str) -> list[str]:
    """The digits to look for in an address, where `words` may be a phone or a piece of one.

    With the ninth digit put in, since every address has a form with it.
    """
    digits = "".join(sign for sign in unicodedata.normalize("NFKC", words) if sign in "0123456789")
    if len(digits) < LEAST_DIGITS or (len(digits) < WHOLE and any(sign.isalpha() for sign in words)):
        return []
    bare = digits.lstrip("0") or digits  # 0 or 00 is dialled, and no part of a number
    forms = [digits, bare, bare[-11:]]
    for form in (bare, bare.removeprefix("55")):
        if len(form) == 10 and form[2] in "6789":
            forms.append(f"{form[:2]}9{form[2:]}")
    return list(dict.fromkeys(forms))


def _telling(known: Sequence[str]) -> str:
    """The newest address that is a number, by which people tell two of one name apart; else the newest."""
    return next((address for address in known if address.startswith("whatsapp:+")), *known[:1] or [""])


def _addresses(session: Session, tenant_id: int, customer_ids: Sequence[int]) -> dict[int, list[str]]:
    """Of each customer the addresses, the newest first."""
    found: dict[int, list[str]] = {}
    for key, address in session.execute(
        select(_ADDRESS.c.customer_id, _ADDRESS.c.address)
        .where(_ADDRESS.c.tenant_id == tenant_id, ~_ADDRESS.c.address.startswith(FORGOTTEN))
        .where(_ADDRESS.c.customer_id.in_(customer_ids))
        .order_by(_ADDRESS.c.id.desc())
    ):
        found.setdefault(key, []).append(address)
    return found


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
        .where(_CUSTOMER.c.name == composed(name), _ADDRESS.c.id.is_(None))
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
    person = Customer(tenant_id=tenant_id, **name_columns(name), created_at=now)
    session.add(person)
    session.flush()
    assert person.id is not None
    return person.id
