"""The difference between a business file and the database, told in the file's own notation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from models.business_file.shape import BusinessFile, Offer, Window, Worker
from models.business_file.state import Pairs, Person, State, closed_of
from models.business_file.words import away_text, closed_text, hours_text, price_text
from models.catalog import Professional, Service
from models.tenant import Tenant

Shown = dict[str, str]


class Kind(StrEnum):
    """What happens to a row. Services and professionals are never deleted, closures are."""

    ADDED = "added"
    CHANGED = "changed"
    REACTIVATED = "reactivated"
    DEACTIVATED = "deactivated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class FieldChange:
    """`old` is empty for a row that is added."""

    field: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """One row. `noun` is "business", "service", "professional" or "closure"."""

    kind: Kind
    noun: str
    name: str
    fields: tuple[FieldChange, ...] = ()


def compare(state: State, pairs: Pairs, file: BusinessFile) -> list[Change]:
    """One change a row, unchanged ones too; rows that are out of use and stay so are left out."""
    names = _service_names(pairs)
    return [
        _change("business", file.settings.slug, _of_tenant(state.tenant), _of_file(file)),
        *(_of_service(row, offer) for row, offer in pairs.services.wanted),
        *_out_of_use("service", pairs.services.gone),
        *(_of_professional(person, worker, names) for person, worker in pairs.people.wanted),
        *_out_of_use("professional", [person.row for person in pairs.people.gone]),
        *_of_closures(state, file),
    ]


def _change(noun: str, name: str, old: Shown | None, new: Shown, *, active: bool = True) -> Change:
    if old is None:
        return Change(Kind.ADDED, noun, name, _differences({}, new))
    fields = _differences(old, new)
    if not active:
        return Change(Kind.REACTIVATED, noun, name, fields)
    return Change(Kind.CHANGED if fields else Kind.UNCHANGED, noun, name, fields)


def _out_of_use(noun: str, rows: Sequence[Service | Professional]) -> list[Change]:
    return [Change(Kind.DEACTIVATED, noun, row.name) for row in rows if row.active]


def _differences(old: Shown, new: Shown) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(field, old.get(field, ""), value)
        for field, value in new.items()
        if value != old.get(field, "")
    )


def columns_of(file: BusinessFile) -> dict[str, Any]:
    """The columns of `Tenant` that the file decides."""
    parts = (file.settings, file.rules, file.templates, file.waits, file.retention)
    return {name: value for part in parts for name, value in asdict(part).items()}


def _of_file(file: BusinessFile) -> Shown:
    return {column: _shown(value) for column, value in columns_of(file).items()}


def _of_tenant(tenant: Tenant | None) -> Shown | None:
    return (
        None if tenant is None else {column: _shown(value) for column, value in tenant.model_dump().items()}
    )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        windows = [Window(int(day), *span) for day, spans in value.items() for span in spans]
        return hours_text(tuple(sorted(windows)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else str(value)


def _service_names(pairs: Pairs) -> dict[int | None, str]:
    """The names by id as they will be: a respelled service is no change of those who offer it."""
    wanted = {row.id: offer.name for row, offer in pairs.services.wanted if row is not None}
    return wanted | {row.id: row.name for row in pairs.services.gone}


def _of_service(row: Service | None, offer: Offer) -> Change:
    if row is None:
        return _change("service", offer.name, None, _service(offer))
    return _change("service", offer.name, _service(row), _service(offer), active=row.active)


def _service(service: Service | Offer) -> Shown:
    return {
        "name": service.name,
        "duration_minutes": str(service.duration_minutes),
        "buffer_minutes": str(service.buffer_minutes),
        "price": price_text(service.price_cents),
        "on_holidays": _shown(service.on_holidays),
    }


def _of_professional(person: Person | None, worker: Worker, names: dict[int | None, str]) -> Change:
    new = _professional(worker)
    if person is None:
        return _change("professional", worker.name, None, new)
    services = tuple(names[service_id] for service_id in person.service_ids)
    old = _professional(Worker(person.row.name, services, person.hours, person.time_off))
    return _change("professional", worker.name, old, new, active=person.row.active)


def _professional(worker: Worker) -> Shown:
    return {
        "name": worker.name,
        "services": ", ".join(sorted(worker.services)),
        "hours": hours_text(worker.hours),
        "time_off": "; ".join(away_text(away) for away in worker.time_off),
    }


def _of_closures(state: State, file: BusinessFile) -> list[Change]:
    have = {closed_of(row) for row in state.closures}
    kept = [Kind.UNCHANGED if closed in have else Kind.ADDED for closed in file.closures]
    changes = [
        Change(kind, "closure", closed_text(closed)) for kind, closed in zip(kept, file.closures, strict=True)
    ]
    gone = sorted(have - set(file.closures))
    return changes + [Change(Kind.REMOVED, "closure", closed_text(closed)) for closed in gone]
