"""The difference between a business file and the database, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from models.business_file.shape import BusinessFile, Offer, Worker, hours_of
from models.business_file.state import Pairs, Person, State, closed_of
from models.business_file.values import fold
from models.business_file.words import closed_text
from models.catalog import Professional, Service
from models.tenant import Tenant

Value = object  # of a column, lists as tuples; hours as sorted windows, prices in cents
Values = dict[str, Value]
Touch = tuple[str, str, str]
_ABSENT: tuple[Value, ...] = (None, "", ())


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
    """`old` is None for a row that is added."""

    field: str
    old: Value
    new: Value


@dataclass(frozen=True)
class Change:
    """One row. `noun` is "business", "service", "professional" or "closure"."""

    kind: Kind
    noun: str
    name: str
    fields: tuple[FieldChange, ...] = ()

    @property
    def touches(self) -> frozenset[Touch]:
        """(noun, name, field) of all that it changes; a field of "" is the row itself."""
        fields = [part.field for part in self.fields] if self.kind == Kind.CHANGED else [""]
        return frozenset((self.noun, fold(self.name), field) for field in fields)


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


def _change(noun: str, name: str, old: Values | None, new: Values, *, active: bool = True) -> Change:
    if old is None:
        return Change(Kind.ADDED, noun, name, _differences({}, new))
    fields = _differences(old, new)
    if not active:
        return Change(Kind.REACTIVATED, noun, name, fields)
    return Change(Kind.CHANGED if fields else Kind.UNCHANGED, noun, name, fields)


def _out_of_use(noun: str, rows: Sequence[Service | Professional]) -> list[Change]:
    return [Change(Kind.DEACTIVATED, noun, row.name) for row in rows if row.active]


def _differences(old: Values, new: Values) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(field, old.get(field), value)
        for field, value in new.items()
        if value != old.get(field) and not (value in _ABSENT and old.get(field) in _ABSENT)
    )


def columns_of(file: BusinessFile) -> dict[str, Any]:
    """The columns of `Tenant` that the file decides."""
    parts = (
        file.settings,
        file.rules,
        file.templates,
        file.waits,
        file.retention,
        file.own_model,
        file.usage_limits,
        file.assistant,
    )
    return {name: value for part in parts for name, value in asdict(part).items()}


def _of_file(file: BusinessFile) -> Values:
    return _plain(columns_of(file))


def _of_tenant(tenant: Tenant | None) -> Values | None:
    return None if tenant is None else _plain(tenant.model_dump())


def _plain(columns: Mapping[str, Any]) -> Values:
    return {column: _value(column, value) for column, value in columns.items()}


def _value(column: str, value: Any) -> Value:
    if column == "handoff_hours":
        return hours_of(value)
    if column == "faq":
        return tuple((each["question"], each["answer"]) for each in value)
    return tuple(value) if isinstance(value, list) else value


def _service_names(pairs: Pairs) -> dict[int | None, str]:
    """The names by id as they will be: a respelled service is no change of those who offer it."""
    wanted = {row.id: offer.name for row, offer in pairs.services.wanted if row is not None}
    return wanted | {row.id: row.name for row in pairs.services.gone}


def _of_service(row: Service | None, offer: Offer) -> Change:
    if row is None:
        return _change("service", offer.name, None, _service(offer))
    return _change("service", offer.name, _service(row), _service(offer), active=row.active)


def _service(service: Service | Offer) -> Values:
    return {
        "name": service.name,
        "duration_minutes": service.duration_minutes,
        "buffer_minutes": service.buffer_minutes,
        "price": service.price_cents,
        "on_holidays": service.on_holidays,
    }


def _of_professional(person: Person | None, worker: Worker, names: dict[int | None, str]) -> Change:
    new = _professional(worker)
    if person is None:
        return _change("professional", worker.name, None, new)
    services = tuple(names[service_id] for service_id in person.service_ids)
    old = _professional(Worker(person.row.name, services, person.hours, person.time_off))
    return _change("professional", worker.name, old, new, active=person.row.active)


def _professional(worker: Worker) -> Values:
    return {
        "name": worker.name,
        "services": tuple(sorted(worker.services)),
        "hours": worker.hours,
        "time_off": worker.time_off,
    }


def _of_closures(state: State, file: BusinessFile) -> list[Change]:
    have = {closed_of(row) for row in state.closures}
    kept = [Kind.UNCHANGED if closed in have else Kind.ADDED for closed in file.closures]
    changes = [
        Change(kind, "closure", closed_text(closed)) for kind, closed in zip(kept, file.closures, strict=True)
    ]
    gone = sorted(have - set(file.closures))
    return changes + [Change(Kind.REMOVED, "closure", closed_text(closed)) for closed in gone]
