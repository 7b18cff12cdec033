"""Bring the database to what a business file says."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel

from models import appointment, audit, reminder, stranded, stranded_recheck
from models.business_file import state as database
from models.business_file import versions
from models.business_file.compare import columns_of
from models.business_file.edit import FROM_FILE, Edit
from models.business_file.export import document, of_state
from models.business_file.plans import Plan, plan_from
from models.business_file.shape import Away, BusinessFile, Closed, Window
from models.business_file.state import Pairs, Person, State, away_of, closed_of, window_of
from models.business_file.versions import Source
from models.catalog import Closure, Professional, ProfessionalService, Service, TimeOff, WorkingWindow
from models.tenant import Tenant

M = TypeVar("M", bound=SQLModel)
K = TypeVar("K")


def apply(
    session: Session, file: BusinessFile, now: dt.datetime, force: bool = False, edit: Edit = FROM_FILE
) -> Plan:
    """Write the file's business, in the caller's writing transaction; says what changed.

    Nothing is written where appointments would be stranded, customers forgotten or a page's change be
    overwritten, unless that is accepted: the appointments then keep their time, service and professional, and
    are on the list of what staff have to see to. Each change leaves a version, so that it can be undone.
    Raises BusinessFileErrors where another business has the number, or a row out of use has a name.
    """
    edit = replace(edit, force=force or edit.force)
    database.lock(session, file.settings.slug)
    state = database.load(session, file.settings.slug)
    pairs = database.pair(state, file, edit.ids)
    plan = plan_from(session, state, pairs, file, now, edit)
    if not plan.changes or not plan.is_accepted(edit):
        return plan
    _keep_first_version(session, now, state)
    before = state.tenant and _reminding(state.tenant)
    tenant_id = _write_tenant(session, state.tenant, file, now)
    _free_names(session, pairs)
    service_ids = _write_services(session, tenant_id, pairs)
    people_ids = _write_people(session, tenant_id, pairs, service_ids)
    _write_closures(session, tenant_id, state, file)
    session.flush()
    ids = versions.ids_of(file, service_ids, people_ids)
    versions.keep(session, now, tenant_id, document(file), ids, source=edit.source, staff_id=edit.staff_id)
    tenant = session.get_one(Tenant, tenant_id)
    stranded_recheck.settle_fitting(session, now, tenant)
    if before is not None and before != _reminding(tenant):
        reminder.plan_anew(session, now, tenant, appointment.ahead(session, tenant_id, now))
    stranded.strand(session, now, tenant_id, {each.appointment_id: each.why for each in plan.stranded})
    counts = Counter(str(change.kind) for change in plan.changes)
    audit.record(
        session,
        now,
        tenant_id,
        "business.import" if edit.source == Source.FILE else "business.change",
        staff_id=edit.staff_id,
        detail={**counts, "stranded": len(plan.stranded)},
    )
    return replace(plan, applied=True)


def _keep_first_version(session: Session, now: dt.datetime, state: State) -> None:
    """Of a business that has none: how it stands before the first change that is kept."""
    if state.tenant is None or versions.latest(session, _id(state.tenant)) is not None:
        return
    file = of_state(state)
    services = {row.name: _id(row) for row in state.services}
    people = {person.row.name: person.id for person in state.people}
    versions.keep(
        session,
        now,
        _id(state.tenant),
        document(file),
        versions.ids_of(file, services, people),
        source=Source.FILE,
        staff_id=None,
    )


def _free_names(session: Session, pairs: Pairs) -> None:
    """Rows that change their name let go of the old one first: two of them may exchange theirs."""
    changed: list[tuple[Service | Professional, str]] = [
        *((row, offer.name) for row, offer in pairs.services.wanted if row is not None),
        *((found.row, worker.name) for found, worker in pairs.people.wanted if found is not None),
    ]
    for row, name in changed:
        if row.name != name:
            row.name = f"\x7f{row.id}"
    session.flush()


def _reminding(tenant: Tenant) -> tuple[object, ...]:
    """What decides when reminders are due: the hours, and the zone that the nights are of."""
    return tuple(tenant.reminders_hours), tenant.timezone


def _write_tenant(session: Session, tenant: Tenant | None, file: BusinessFile, now: dt.datetime) -> int:
    columns = columns_of(file)
    tenant = tenant or Tenant(created_at=now, **columns)
    _save(session, tenant, columns)
    return _id(tenant)


def _save(session: Session, row: SQLModel, columns: dict[str, Any]) -> None:
    """Set the columns and flush at once, so that new rows are numbered in the order of the file."""
    for column, value in columns.items():
        setattr(row, column, value)
    session.add(row)
    session.flush()


def _write_services(session: Session, tenant_id: int, pairs: Pairs) -> dict[str, int]:
    """The ids of the file's services by name."""
    for row in pairs.services.gone:
        row.active = False
    ids = {}
    for found, offer in pairs.services.wanted:
        service = found or Service(tenant_id=tenant_id, **asdict(offer))
        _save(session, service, asdict(offer) | {"active": True})
        ids[offer.name] = _id(service)
    return ids


def _write_people(
    session: Session, tenant_id: int, pairs: Pairs, service_ids: dict[str, int]
) -> dict[str, int]:
    """The ids of the file's professionals by name."""
    ids = {}
    for person in pairs.people.gone:
        person.row.active = False
    for found, worker in pairs.people.wanted:
        person = found or Person(Professional(tenant_id=tenant_id, name=worker.name), [], [], [])
        _save(session, person.row, {"name": worker.name, "active": True})
        offered = [service_ids[name] for name in worker.services]
        _replace(session, person.links, lambda row: row.service_id, offered, partial(_link, person.row))
        _replace(session, person.windows, window_of, worker.hours, partial(_window, person.row))
        _replace(session, person.absences, away_of, worker.time_off, partial(_absence, person.row))
        ids[worker.name] = _id(person.row)
    return ids


def _link(professional: Professional, service_id: int) -> ProfessionalService:
    return ProfessionalService(
        tenant_id=professional.tenant_id, professional_id=_id(professional), service_id=service_id
    )


def _window(professional: Professional, window: Window) -> WorkingWindow:
    return WorkingWindow(
        tenant_id=professional.tenant_id,
        professional_id=_id(professional),
        weekday=window.weekday,
        start_minute=window.start,
        end_minute=window.end,
    )


def _absence(professional: Professional, away: Away) -> TimeOff:
    return TimeOff(
        tenant_id=professional.tenant_id,
        professional_id=_id(professional),
        first_date=away.first,
        last_date=away.last,
        start_minute=away.start,
        end_minute=away.end,
        reason=away.reason,
    )


def _id(row: Tenant | Service | Professional) -> int:
    assert row.id is not None
    return row.id


def _write_closures(session: Session, tenant_id: int, state: State, file: BusinessFile) -> None:
    def closure(closed: Closed) -> Closure:
        return Closure(
            tenant_id=tenant_id,
            date=closed.date,
            start_minute=closed.start,
            end_minute=closed.end,
            reason=closed.reason,
        )

    _replace(session, state.closures, closed_of, file.closures, closure)


def _replace(
    session: Session, rows: Sequence[M], key: Callable[[M], K], wanted: Iterable[K], make: Callable[[K], M]
) -> None:
    """Delete the rows that are not wanted, add what is missing, leave the rest alone."""
    missing = dict.fromkeys(wanted)
    for row in rows:
        if key(row) in missing:
            del missing[key(row)]
        else:
            session.delete(row)
    for value in missing:
        session.add(make(value))
