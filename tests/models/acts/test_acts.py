"""Each act on the agenda, as a table: on record with who and when, and taken back where it can be."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest
from sqlmodel import Session

from models import block, calendar_feed, waitlist
from models.acts.visit_acts import Stop
from models.appointment import AppointmentStatus
from models.audit import AuditEvent
from models.block import Stretch
from models.catalog import TimeOff
from models.db import Database
from models.pages import calendar_page
from models.stranded import Why
from models.waitlist import WaitlistEntry
from tests.fakes import agenda as shop
from tests.models.acts.test_visit_acts import ANYHOW, Desk, hears, outcomes, refused, strand
from tests.tools.conftest import Model

LATER = timedelta(minutes=7)


@dataclass(frozen=True)
class Act:
    """Something that is done with a visit of today at three, or beside it; what the audit says of it."""

    do: Callable[[Desk, int], object]
    action: str
    reversible: bool = False
    by_bot: bool = False
    on_the_list: bool = False


ON_THE_LIST = 77  # no other row has this number


def _stretch(desk: Desk) -> Stretch:
    return Stretch(desk.ids.ana, date(2026, 12, 8), date(2026, 12, 8), 540, 600, "Dentista")


def _blocks(desk: Desk, _key: int) -> None:
    desk.act(lambda each: block.add(each.session, each.now, each.tenant, each.staff_id, _stretch(desk)))


def _frees(desk: Desk, key: int) -> None:
    _blocks(desk, key)
    (row,) = desk.rows(TimeOff)
    desk.act(
        lambda each: block.remove(each.session, each.now, each.tenant, each.staff_id, TimeOff, row.id or 0)
    )


def _feed(change: Callable[[Session, datetime, int, int, int], object]) -> Callable[[Desk, int], object]:
    return lambda desk, _key: desk.act(
        lambda each: change(each.session, each.now, desk.ids.tenant, desk.ids.ana, each.staff_id)
    )


def _revokes(desk: Desk, key: int) -> None:
    _feed(calendar_feed.renew)(desk, key)
    _feed(calendar_feed.revoke)(desk, key)


def _tells(desk: Desk, key: int) -> None:
    hears(desk, timedelta(minutes=1))
    desk.act(lambda each: each.tell(key, "Até já!", "key"))


def _keeps(desk: Desk, key: int) -> None:
    strand(desk, key)
    desk.act(lambda each: each.keep(key))


def _misses(desk: Desk, key: int) -> None:
    """Nobody has before it begins."""
    desk.now = desk.visit(key).starts_at
    desk.mark(key, AppointmentStatus.NO_SHOW)


def _undoes(desk: Desk, key: int) -> None:
    desk.cancel(key)
    desk.undo(key)


def _unlists(desk: Desk, _key: int) -> None:
    with desk.db.writing() as session:
        wish = WaitlistEntry(
            id=ON_THE_LIST,
            tenant_id=desk.ids.tenant,
            customer_id=desk.ids.customer,
            service_id=desk.ids.corte,
            date=date(2026, 12, 8),
            created_at=desk.now,
        )
        waitlist.join(session, wish)
    desk.act(
        lambda each: waitlist.remove(
            each.session, each.now, desk.ids.tenant, ON_THE_LIST, each.staff_id, "waiting"
        )
    )


def _tool(name: str, **arguments: object) -> Callable[[Desk, int], object]:
    """As the model does it for Maria."""

    def call(desk: Desk, key: int) -> None:
        ids = {} if name == "agendar" else {"agendamento_id": key}
        Model(shop.context(desk.db, desk.ids, desk.now)).done(name, **ids, **arguments)

    return call


MONDAY = {"data": "2026-12-07", "hora": "15:00"}
ACTS = {
    "book": Act(lambda desk, _key: desk.book("04 10:00"), "appointment.book"),
    "squeeze in": Act(lambda desk, _key: desk.book("02 15:30", leave=ANYHOW), "appointment.book"),
    "move": Act(lambda desk, key: desk.move(key, "07 15:00"), "appointment.move", reversible=True),
    "move to a colleague": Act(
        lambda desk, key: desk.move(key, "02 15:00", who=desk.ids.bia), "appointment.move", reversible=True
    ),
    "cancel": Act(lambda desk, key: desk.cancel(key), "appointment.cancel", reversible=True),
    "came": Act(
        lambda desk, key: desk.mark(key, AppointmentStatus.DONE), "appointment.mark", reversible=True
    ),
    "did not come": Act(_misses, "appointment.mark", reversible=True),
    "take back": Act(_undoes, "appointment.undo"),
    "keep": Act(_keeps, "appointment.keep"),
    "tell": Act(_tells, "appointment.tell"),
    "block": Act(_blocks, "block.add"),
    "unblock": Act(_frees, "block.remove"),
    "take off the waiting list": Act(_unlists, "waitlist.remove", on_the_list=True),
    "make an address": Act(_feed(calendar_feed.renew), "feed.renew"),
    "end an address": Act(_revokes, "feed.revoke"),
    "the bot books": Act(
        _tool("agendar", servico_id=1, profissional_id=1, **MONDAY), "appointment.book", by_bot=True
    ),
    "the bot moves": Act(_tool("remarcar", **MONDAY), "appointment.move", reversible=True, by_bot=True),
    "the bot cancels": Act(_tool("cancelar"), "appointment.cancel", reversible=True, by_bot=True),
}
ON_THE_VISIT = [name for name, act in ACTS.items() if act.action.startswith("appointment.")]


@pytest.fixture
def desk(db: Database, now: datetime) -> Desk:
    return Desk(db, now)


def acted(desk: Desk, act: Act) -> tuple[int, AuditEvent]:
    """A visit today at three; some minutes later the act. Gives the visit that it is about, and its event."""
    key = desk.book("02 15:00")
    desk.now += LATER
    act.do(desk, key)
    event = desk.rows(AuditEvent)[-1]
    return (event.subject_id or 0) if act.action == "appointment.book" else key, event


@pytest.mark.parametrize("name", ACTS)
def test_each_act_is_on_record_with_who_and_when(desk: Desk, name: str) -> None:
    act = ACTS[name]
    key, event = acted(desk, act)
    who = None if act.by_bot else desk.rita
    assert (event.action, event.staff_id, event.at, event.tenant_id) == (
        act.action,
        who,
        desk.now,
        desk.ids.tenant,
    )
    subject = ON_THE_LIST if act.on_the_list else desk.ids.ana
    assert event.subject_id == (key if name in ON_THE_VISIT else subject)
    assert "Maria" not in str(event.detail)


@pytest.mark.parametrize("name", ON_THE_VISIT)
def test_each_change_is_taken_back_or_says_that_it_cannot_be(desk: Desk, name: str) -> None:
    """After it the visit is what it was, whoever changed it; the act and its reversal both stay on record."""
    key, event = acted(desk, ACTS[name])
    if not ACTS[name].reversible:
        assert refused(lambda: desk.undo(key)) == Stop.NADA_A_DESFAZER
        return
    desk.now += LATER
    desk.undo(key)
    visit = desk.visit(key)
    assert (desk.when(key), visit.professional_id, visit.status, visit.squeeze_in, visit.cancel_reason) == (
        "02 15:00",
        desk.ids.ana,
        "booked",
        False,
        "",
    )
    (*_, undone) = desk.rows(AuditEvent)
    assert (undone.action, undone.staff_id, undone.at, undone.detail) == (
        "appointment.undo",
        desk.rita,
        desk.now,
        {"of": event.id},
    )


def _close(desk: Desk, stretch: Stretch) -> None:
    desk.act(lambda each: block.add(each.session, each.now, each.tenant, each.staff_id, stretch, anyway=True))


# A visit that has begun wants no attention any more: nobody finds another time for it.
@pytest.mark.parametrize(
    "name", [name for name, act in ACTS.items() if act.reversible and name != "did not come"]
)
@pytest.mark.parametrize("fits", [True, False])
def test_what_the_change_had_settled_is_open_again(desk: Desk, name: str, fits: bool) -> None:
    """A visit without a place that comes back to it wants attention again, unless it fits by now."""
    key = desk.book("02 15:00")
    day = date(2026, 12, 2)
    if fits:
        strand(desk, key)
    else:
        _close(desk, Stretch(desk.ids.ana, day, day, 900, 960))
    desk.now += LATER
    ACTS[name].do(desk, key)
    desk.now += LATER
    desk.undo(key)
    with desk.db.reading() as session:
        open_ones = calendar_page.attention(session, desk.ids.tenant, desk.now)
    assert [entry.why for entry in open_ones] == ([] if fits else [Why.TIME_OFF])
    assert outcomes(desk) == ([("fits", None)] if fits else [(None, None)])
