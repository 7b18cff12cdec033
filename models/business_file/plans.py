"""What an import would do: the changes, and whom they would strand."""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlmodel import Session, select

from models import retention
from models.business_file import state as database
from models.business_file import stranded, versions
from models.business_file.compare import Change, Kind, Touch, compare
from models.business_file.document import BusinessFileErrors, Code, Problem
from models.business_file.edit import FROM_FILE, Edit
from models.business_file.export import of_document
from models.business_file.shape import BusinessFile
from models.business_file.state import Pairs, State
from models.business_file.stranded import Stranded
from models.business_file.versions import Source
from models.tenant import Tenant


@dataclass(frozen=True)
class Plan:
    """The difference of a file to the database, and whether it was `applied`.

    `unchanged` counts the rows of each noun that stay as they are; `forgotten` the customers who are not kept
    any longer once the file is applied. `overwrites` are those of the changes that take back what was changed
    on the pages since the last file.
    """

    slug: str
    changes: tuple[Change, ...]
    unchanged: dict[str, int]
    stranded: tuple[Stranded, ...]
    warnings: tuple[Problem, ...]
    forgotten: int = 0
    overwrites: tuple[Change, ...] = ()
    applied: bool = False

    @property
    def is_blocked(self) -> bool:
        """It would strand appointments, forget customers or overwrite a page's change, unless accepted."""
        return bool(self.stranded or self.forgotten or self.overwrites) and not self.applied

    def is_accepted(self, edit: Edit) -> bool:
        """Whether all that it would do to others was seen before."""
        stranded = {each.appointment_id for each in self.stranded}
        seen = stranded <= edit.keeps and self.forgotten <= edit.forgets and not self.overwrites
        return edit.force or seen


def plan(session: Session, file: BusinessFile, now: dt.datetime, edit: Edit = FROM_FILE) -> Plan:
    """What `apply` would do. Raises BusinessFileErrors where another business has the number."""
    state = database.load(session, file.settings.slug)
    return plan_from(session, state, database.pair(state, file, edit.ids), file, now, edit)


def plan_from(
    session: Session, state: State, pairs: Pairs, file: BusinessFile, now: dt.datetime, edit: Edit
) -> Plan:
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
        overwrites=_overwrites(session, state, changes) if edit.source == Source.FILE else (),
    )


def _overwrites(session: Session, state: State, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Of the changes those of what a page has changed since the last file."""
    if state.tenant is None or state.tenant.id is None:
        return ()
    newest = versions.latest(session, state.tenant.id)
    if newest is None or newest.source == Source.FILE:
        return ()
    last = versions.latest(session, state.tenant.id, Source.FILE)
    if last is None:
        return tuple(changes)
    base = of_document(last.document)
    back = compare(state, database.pair(state, base, last.names), base)
    touched = {each for change in back if change.kind != Kind.UNCHANGED for each in change.touches}
    return tuple(change for change in changes if _meets(change.touches, touched))


def _meets(ours: Collection[Touch], theirs: Collection[Touch]) -> bool:
    rows = {(noun, name) for noun, name, field in theirs if not field}
    return any(
        touch in theirs or touch[:2] in rows or (not touch[2] and any(t[:2] == touch[:2] for t in theirs))
        for touch in ours
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
        raise BusinessFileErrors([Problem(file.whatsapp_line, sentence, Code.NUMBER_TAKEN)])
