"""What an import would do: the changes, and whom they would strand."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass

from sqlmodel import Session, select

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

    `unchanged` counts the rows of each noun that stay as they are.
    """

    slug: str
    changes: tuple[Change, ...]
    unchanged: dict[str, int]
    stranded: tuple[Stranded, ...]
    warnings: tuple[Problem, ...]
    applied: bool = False

    @property
    def is_blocked(self) -> bool:
        """The import would strand appointments and was not forced."""
        return bool(self.stranded) and not self.applied


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
    )


def _check_number(session: Session, file: BusinessFile) -> None:
    number = file.settings.whatsapp
    other = session.exec(
        select(Tenant.slug).where(Tenant.whatsapp == number, Tenant.slug != file.settings.slug)
    ).first()
    if other is not None:
        sentence = f'the number {number} already belongs to the business "{other}"'
        raise BusinessFileErrors([Problem(file.whatsapp_line, sentence)])
