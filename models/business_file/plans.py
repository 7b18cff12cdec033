"""What an import would do: the changes, and whom they would strand."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass

from sqlmodel import Session, select

from models import retention
from models.business_file import state as database
from models.business_file import stranded
from models.business_file.compare import Change, Kind, compare
from models.business_file.document import BusinessFileErrors, Problem
from models.business_file.shape import BusinessFile
from models.business_file.state import Pairs, State
from models.business_file.stranded import Stranded
from models.tenant import Tenant


@dataclass(frozen=True)
class Plan:
    """The difference of a file to the database, and whether it was `applied`.

    `unchanged` counts the rows of each noun that stay as they are; `forgotten` the customers who are not kept
    any longer once the file is applied.
    """

    slug: str
    changes: tuple[Change, ...]
    unchanged: dict[str, int]
    stranded: tuple[Stranded, ...]
    warnings: tuple[Problem, ...]
    forgotten: int = 0
    applied: bool = False

    @property
    def is_blocked(self) -> bool:
        """The import would strand appointments, or forget customers, and was not forced."""
        return bool(self.stranded or self.forgotten) and not self.applied


def plan(session: Session, file: BusinessFile, now: dt.datetime) -> Plan:
    """What `apply` would do. Raises BusinessFileErrors where another business has the number."""
    state = database.load(session, file.settings.slug)
    return plan_from(session, state, database.pair(state, file), file, now)


def plan_from(session: Session, state: State, pairs: Pairs, file: BusinessFile, now: dt.datetime) -> Plan:
    """The plan from rows that are loaded and paired already."""
    _check_number(session, file)
    rows = compare(state, pairs, file)
    changes = tuple(row for row in rows if row.kind != Kind.UNCHANGED)
    return Plan(
        slug=file.settings.slug,
        changes=changes,
        unchanged=dict(Counter(row.noun for row in rows if row.kind == Kind.UNCHANGED)),
        stranded=tuple(stranded.find(session, state, pairs, file, now)) if changes else (),
        warnings=file.warnings,
        forgotten=_forgotten(session, state.tenant, file, now),
    )


def _forgotten(session: Session, tenant: Tenant | None, file: BusinessFile, now: dt.datetime) -> int:
    """How many customers a new, shorter time would forget: that cannot be taken back."""
    days = file.retention.retention_customers_days
    if tenant is None or tenant.id is None or days is None:
        return 0
    if tenant.retention_customers_days is not None and days >= tenant.retention_customers_days:
        return 0
    return retention.count_silent(session, tenant.id, now, days)


def _check_number(session: Session, file: BusinessFile) -> None:
    number = file.settings.whatsapp
    other = session.exec(
        select(Tenant.slug).where(Tenant.whatsapp == number, Tenant.slug != file.settings.slug)
    ).first()
    if other is not None:
        sentence = f'the number {number} already belongs to the business "{other}"'
        raise BusinessFileErrors([Problem(file.whatsapp_line, sentence)])
