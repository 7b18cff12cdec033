"""What a business offers: services, professionals, their hours, time off and closures.

Rows are deactivated, never deleted: past appointments keep pointing at them.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    UniqueConstraint,
    bindparam,
    func,
    select,
)
from sqlmodel import Field, Session, SQLModel

from models.availability import MINUTES_OF_DAY as MINUTES_OF_DAY
from models.availability import Agenda, Block, Code, Rules, Window
from models.db import table
from models.tenant import Tenant


class Service(SQLModel, table=True):
    """Something to book. `buffer_minutes` is kept free after it; `price_cents` None means "on request".

    `on_holidays`: it is done on a holiday as on any day; closures and time off hold for it too.
    """

    __table_args__ = (UniqueConstraint("tenant_id", "name"), UniqueConstraint("tenant_id", "id"))

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    name: str = Field(max_length=120)
    duration_minutes: int
    buffer_minutes: int = 0
    price_cents: int | None = None
    on_holidays: bool = False
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

    With minutes given, only in that half-open part of each day. `staff_id` is who blocked it in the agenda;
    without, it stands in the business file.
    """

    __tablename__ = "time_off"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
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
    staff_id: int | None = None


class Closure(SQLModel, table=True):
    """The whole business is closed on `date`, or in a half-open part of it. `staff_id` as in TimeOff."""

    __table_args__ = (ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    date: dt.date
    start_minute: int = 0
    end_minute: int = MINUTES_OF_DAY
    reason: str = Field(default="", max_length=200)
    staff_id: int | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """An active service, and the active professionals (id, name) who offer it, by id."""

    id: int
    name: str
    duration_minutes: int
    buffer_minutes: int
    price_cents: int | None
    on_holidays: bool = False
    professionals: tuple[tuple[int, str], ...] = ()


_SERVICE = table(Service)
_PROFESSIONAL = table(Professional)
_OFFERED = table(ProfessionalService)
_WINDOW = table(WorkingWindow)
_TIME_OFF = table(TimeOff)
_CLOSURE = table(Closure)
_OFFER = (
    _SERVICE.c.id,
    _SERVICE.c.name,
    _SERVICE.c.duration_minutes,
    _SERVICE.c.buffer_minutes,
    _SERVICE.c.price_cents,
    _SERVICE.c.on_holidays,
)


def rules(tenant: Tenant) -> Rules:
    """The tenant's rules as availability wants them."""
    return Rules(tenant.zone, tenant.slot_step_minutes, tenant.min_notice_minutes, tenant.horizon_days)


def offers(session: Session, tenant_id: int) -> list[Offer]:
    """What can be booked, by id; a service that nobody offers now has no professionals."""
    services = session.execute(_SERVICES, {"tenant": tenant_id}).all()
    pairs = session.execute(_PAIRS, {"tenant": tenant_id}).all()
    who: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for service_id, professional_id, name in pairs:
        who[service_id].append((professional_id, name))
    return [replace(Offer(*row), professionals=tuple(who[row[0]])) for row in services]


_SERVICES = (
    select(*_OFFER)
    .where(_SERVICE.c.tenant_id == bindparam("tenant"), _SERVICE.c.active)
    .order_by(_SERVICE.c.id)
)
_PAIRS = (
    select(_OFFERED.c.service_id, _PROFESSIONAL.c.id, _PROFESSIONAL.c.name)
    .join(_PROFESSIONAL, _PROFESSIONAL.c.id == _OFFERED.c.professional_id)
    .where(_OFFERED.c.tenant_id == bindparam("tenant"), _PROFESSIONAL.c.active)
    .order_by(_PROFESSIONAL.c.id)
)


def chosen(session: Session, tenant_id: int, service_ids: Sequence[int]) -> list[Offer] | None:
    """The active services in the order asked for, one of them perhaps twice; None if any is missing.

    Their `professionals` are left empty.
    """
    rows = session.execute(_CHOSEN, {"tenant": tenant_id, "services": list(service_ids)})
    found = {row[0]: Offer(*row) for row in rows}
    return [found[key] for key in service_ids] if found.keys() >= set(service_ids) else None


_CHOSEN = (
    select(*_OFFER)
    .where(_SERVICE.c.tenant_id == bindparam("tenant"), _SERVICE.c.active)
    .where(_SERVICE.c.id.in_(bindparam("services", expanding=True)))
)


def offered_by(session: Session, tenant_id: int, professional_id: int) -> list[Offer]:
    """The active services of one professional, by id; their `professionals` are left empty."""
    rows = session.execute(
        select(*_OFFER)
        .join(_OFFERED, _OFFERED.c.service_id == _SERVICE.c.id)
        .where(
            _OFFERED.c.tenant_id == tenant_id,
            _OFFERED.c.professional_id == professional_id,
            _SERVICE.c.active,
        )
        .order_by(_SERVICE.c.id)
    )
    return [Offer(*row) for row in rows]


def offering(session: Session, tenant_id: int, service_ids: Collection[int]) -> dict[int, str]:
    """The active professionals who offer all these services: id → name, by id."""
    wanted = set(service_ids)
    given = {"tenant": tenant_id, "services": list(wanted), "wanted": len(wanted)}
    return {row[0]: row[1] for row in session.execute(_OFFERING, given)}


_OFFERING = (
    select(_PROFESSIONAL.c.id, _PROFESSIONAL.c.name)
    .join(_OFFERED, _OFFERED.c.professional_id == _PROFESSIONAL.c.id)
    .where(_OFFERED.c.tenant_id == bindparam("tenant"), _PROFESSIONAL.c.active)
    .where(_OFFERED.c.service_id.in_(bindparam("services", expanding=True)))
    .group_by(_PROFESSIONAL.c.id, _PROFESSIONAL.c.name)
    .having(func.count() == bindparam("wanted"))
    .order_by(_PROFESSIONAL.c.id)
)


def professional_name(session: Session, tenant_id: int, professional_id: int) -> str | None:
    """The name of an active professional; None if there is none with this id."""
    given = {"tenant": tenant_id, "professional": professional_id}
    name: str | None = session.execute(_NAME, given).scalar()
    return name


_NAME = select(_PROFESSIONAL.c.name).where(
    _PROFESSIONAL.c.tenant_id == bindparam("tenant"),
    _PROFESSIONAL.c.id == bindparam("professional"),
    _PROFESSIONAL.c.active,
)


def opens_on(session: Session, tenant_id: int, weekday: int) -> bool:
    """True if any active professional works on that weekday (0 = Monday)."""
    return bool(
        session.execute(
            select(_WINDOW.c.id)
            .join(_PROFESSIONAL, _PROFESSIONAL.c.id == _WINDOW.c.professional_id)
            .where(_WINDOW.c.tenant_id == tenant_id, _WINDOW.c.weekday == weekday, _PROFESSIONAL.c.active)
            .limit(1)
        ).first()
    )


def hours(
    session: Session, tenant: Tenant, professional_ids: Collection[int], first: dt.date, last: dt.date
) -> dict[int, Agenda]:
    """Hours, holidays, closures and time off of these professionals from `first` through `last`.

    Three statements, whatever the number of professionals and days; `busy` is left empty.
    """
    assert tenant.id is not None
    named = holidays(tenant, first, last).items()
    shared = [Block(Code.FERIADO, day, day, reason=name) for day, name in named]
    shared += _closures(session, tenant.id, first, last)
    windows = _windows(session, tenant.id, professional_ids, first, last)
    away = _time_off(session, tenant.id, professional_ids, first, last)
    return {key: Agenda(tuple(windows[key]), (*shared, *away[key])) for key in professional_ids}


def holidays(tenant: Tenant, first: dt.date, last: dt.date) -> dict[dt.date, str]:
    """The holidays on which the business closes, with their names, from `first` through `last`."""
    calendar = tenant.holidays
    if calendar is None:
        return {}
    days = [first + dt.timedelta(days=n) for n in range((last - first).days + 1)]
    return {day: name for day in days if (name := calendar.name_of(day))}


def _closures(session: Session, tenant_id: int, first: dt.date, last: dt.date) -> list[Block]:
    rows = session.execute(_CLOSED, {"tenant": tenant_id, "first": first, "last": last})
    return [Block(Code.FECHADO, day, day, start, end, reason) for day, start, end, reason in rows]


_CLOSED = (
    select(_CLOSURE.c.date, _CLOSURE.c.start_minute, _CLOSURE.c.end_minute, _CLOSURE.c.reason)
    .where(_CLOSURE.c.tenant_id == bindparam("tenant"))
    .where(_CLOSURE.c.date.between(bindparam("first"), bindparam("last")))
)


def _windows(
    session: Session, tenant_id: int, professional_ids: Collection[int], first: dt.date, last: dt.date
) -> dict[int, list[Window]]:
    weekdays = {(first + dt.timedelta(days=n)).weekday() for n in range(min(7, (last - first).days + 1))}
    given = {"tenant": tenant_id, "professionals": list(professional_ids), "weekdays": list(weekdays)}
    found: dict[int, list[Window]] = defaultdict(list)
    for key, *window in session.execute(_WORKING, given):
        found[key].append(Window(*window))
    return found


_WORKING = (
    select(_WINDOW.c.professional_id, _WINDOW.c.weekday, _WINDOW.c.start_minute, _WINDOW.c.end_minute)
    .where(_WINDOW.c.tenant_id == bindparam("tenant"))
    .where(_WINDOW.c.professional_id.in_(bindparam("professionals", expanding=True)))
    .where(_WINDOW.c.weekday.in_(bindparam("weekdays", expanding=True)))
)


def _time_off(
    session: Session, tenant_id: int, professional_ids: Collection[int], first: dt.date, last: dt.date
) -> dict[int, list[Block]]:
    given = {"tenant": tenant_id, "professionals": list(professional_ids), "first": first, "last": last}
    found: dict[int, list[Block]] = defaultdict(list)
    for key, *block in session.execute(_AWAY, given):
        found[key].append(Block(Code.FOLGA, *block))
    return found


_AWAY = (
    select(
        _TIME_OFF.c.professional_id,
        _TIME_OFF.c.first_date,
        _TIME_OFF.c.last_date,
        _TIME_OFF.c.start_minute,
        _TIME_OFF.c.end_minute,
    )
    .where(_TIME_OFF.c.tenant_id == bindparam("tenant"))
    .where(_TIME_OFF.c.professional_id.in_(bindparam("professionals", expanding=True)))
    .where(_TIME_OFF.c.first_date <= bindparam("last"), _TIME_OFF.c.last_date >= bindparam("first"))
)
