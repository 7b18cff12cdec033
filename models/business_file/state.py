"""What the database has of one business, and which of its rows the file speaks of."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlmodel import Session, SQLModel, col, select

from models.business_file.document import BusinessFileErrors, Code, Problem
from models.business_file.shape import Away, BusinessFile, Closed, Hours, Offer, Window, Worker
from models.business_file.values import fold
from models.business_file.versions import Ids
from models.catalog import Closure, Professional, ProfessionalService, Service, TimeOff, WorkingWindow
from models.tenant import Tenant

M = TypeVar("M", bound=SQLModel)
R = TypeVar("R")
W = TypeVar("W", Offer, Worker)


def window_of(row: WorkingWindow) -> Window:
    return Window(row.weekday, row.start_minute, row.end_minute)


def away_of(row: TimeOff) -> Away:
    return Away(row.first_date, row.last_date, row.start_minute, row.end_minute, row.reason)


def closed_of(row: Closure) -> Closed:
    return Closed(row.date, row.start_minute, row.end_minute, row.reason)


@dataclass(frozen=True)
class Person:
    """A professional with the rows that hang on it."""

    row: Professional
    links: list[ProfessionalService]
    windows: list[WorkingWindow]
    absences: list[TimeOff]

    @property
    def id(self) -> int:
        assert self.row.id is not None
        return self.row.id

    @property
    def service_ids(self) -> frozenset[int]:
        return frozenset(link.service_id for link in self.links)

    @property
    def hours(self) -> Hours:
        return tuple(sorted(window_of(row) for row in self.windows))

    @property
    def time_off(self) -> tuple[Away, ...]:
        return tuple(sorted(away_of(row) for row in self.absences))


@dataclass(frozen=True)
class State:
    """The rows of one business, but for what staff have blocked in the agenda; all empty where it is new."""

    tenant: Tenant | None
    services: list[Service]
    people: list[Person]
    closures: list[Closure]


def lock(session: Session, slug: str) -> None:
    """Keep other imports and bookings of this business away until the transaction ends.

    The rows are those that a booking bumps first, in the same order. Key-share is left to others: rows that
    merely point at the business may come in meanwhile. SQLite has one writer anyway and ignores this.
    """
    session.exec(select(Tenant.id).where(Tenant.slug == slug).with_for_update(key_share=True)).all()
    professionals = (
        select(Professional.id)
        .where(col(Professional.tenant_id).in_(select(Tenant.id).where(Tenant.slug == slug)))
        .order_by(col(Professional.id))
    )
    session.exec(professionals.with_for_update(key_share=True, of=Professional)).all()


def load(session: Session, slug: str) -> State:
    tenant = session.exec(select(Tenant).where(Tenant.slug == slug)).one_or_none()
    if tenant is None:
        return State(None, [], [], [])
    assert tenant.id is not None
    return State(
        tenant=tenant,
        services=_rows(session, Service, tenant.id),
        people=_people(session, tenant.id),
        closures=[row for row in _rows(session, Closure, tenant.id) if row.staff_id is None],
    )


def _rows(session: Session, model: type[M], tenant_id: int) -> list[M]:
    """All rows of a tenant in the order of their primary key."""
    columns = model.__table__.c  # type: ignore[attr-defined]  # every table model has one
    order = model.__table__.primary_key.columns  # type: ignore[attr-defined]  # as above
    return list(session.exec(select(model).where(columns.tenant_id == tenant_id).order_by(*order)))


def _people(session: Session, tenant_id: int) -> list[Person]:
    links = _rows(session, ProfessionalService, tenant_id)
    windows = _rows(session, WorkingWindow, tenant_id)
    absences = [row for row in _rows(session, TimeOff, tenant_id) if row.staff_id is None]
    return [
        Person(
            row=row,
            links=[link for link in links if link.professional_id == row.id],
            windows=[window for window in windows if window.professional_id == row.id],
            absences=[absence for absence in absences if absence.professional_id == row.id],
        )
        for row in _rows(session, Professional, tenant_id)
    ]


@dataclass(frozen=True)
class Pairing(Generic[R, W]):
    """Each item of the file with its row (None: to be added), and the rows that the file does not name."""

    wanted: list[tuple[R | None, W]]
    gone: list[R]


@dataclass(frozen=True)
class Pairs:
    services: Pairing[Service, Offer]
    people: Pairing[Person, Worker]


def pair(state: State, file: BusinessFile, ids: Ids | None = None) -> Pairs:
    """Names mean the rows of `ids`, else those of that name. Raises BusinessFileErrors."""
    ids = ids or Ids()
    return Pairs(
        services=_pair(state.services, lambda row: row, file.services, ids.services),
        people=_pair(state.people, lambda person: person.row, file.professionals, ids.professionals),
    )


def _pair(
    rows: Sequence[R],
    row_of: Callable[[R], Service | Professional],
    wanted: Sequence[W],
    ids: Mapping[str, int],
) -> Pairing[R, W]:
    """A name that was only respelled (case, accents) still means the same row."""
    by_id = {row_of(row).id: row for row in rows}
    by_name = {fold(row_of(row).name): row_of(row).id for row in rows}
    named = {ids.get(fold(item.name)) for item in wanted}
    pairs: list[tuple[R | None, W]] = []
    for item in wanted:
        key = ids.get(fold(item.name))
        # A row that another name means now is not found by the name that it still has.
        same_name = by_name.get(fold(item.name))
        key = key if key in by_id else same_name if same_name not in named else None
        pairs.append((by_id.pop(key, None), item))
    gone = list(by_id.values())
    _check_names({fold(row_of(row).name) for row in gone}, wanted)
    return Pairing(pairs, gone)


def _check_names(gone: Collection[str], wanted: Sequence[W]) -> None:
    """Rows out of use keep their names, and a business has each name once."""
    for item in wanted:
        if fold(item.name) in gone:
            sentence = f'the name "{item.name}" belongs to a row that would be out of use'
            raise BusinessFileErrors([Problem(1, sentence, Code.NAME_TAKEN)])
