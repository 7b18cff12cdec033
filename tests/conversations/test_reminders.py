"""Reminders over days of a moved clock: said once, at a good hour, by the way that WhatsApp allows."""

from datetime import UTC, datetime

import pytest
from sqlmodel import delete, update

from bot.outreach import reminders
from bot.process.worker import drain
from bot.sending import outbox
from models import appointment, customer, handoff
from models.appointment import AppointmentService
from models.conversation import Holder
from models.customer import Customer
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from models.reminder import Reminder
from models.tenant import Tenant
from tests.fakes import twilio as fakes
from tests.fakes.days import ANA, BIA, MASCULINO, RAIMUNDO, TEMPLATE, Calendar, local
from tests.fakes.talk import together
from tests.stage import BARBER, MARIA, STUDIO

TEXT = """\
Oi, Maria! Aqui é Studio Bela, passando para lembrar do seu horário:

*amanhã, sexta-feira, 04/12/2026, às 14:00*
Corte feminino com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*."""


@pytest.fixture
def days(db: Database) -> Calendar:
    return Calendar(db)


# Said once, at its time


def test_a_visit_is_reminded_of_a_day_and_two_hours_before(days: Calendar) -> None:
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 9))
    said = days.pass_by(local(5, 0))
    assert [at for at, _ in said] == [local(3, 14), local(4, 12)]
    assert said[0][1] == TEXT
    assert "hoje, sexta-feira, 04/12/2026, às 14:00" in said[1][1]
    [line] = [row for row in days.stage.messages if row.text == TEXT]
    assert (line.author, line.status, line.run_id) == (Author.SYSTEM, Status.ACCEPTED, None)


def test_a_moved_visit_is_reminded_of_at_its_new_time_alone(days: Calendar) -> None:
    """S60: nothing at the old time, one for each hour before the new one."""
    days.has_template()
    maria = days.maria()
    key = days.book(maria, local(4, 14))
    days.move(maria, key, local(7, 16))
    said = days.pass_by(local(8, 0))
    assert [at for at, _ in said] == [local(6, 16), local(7, 14)]
    assert all("segunda-feira, 07/12/2026, às 16:00" in body for _, body in said)


def test_a_cancelled_visit_is_not_reminded_of(days: Calendar) -> None:
    days.has_template()
    maria = days.maria()
    days.cancel(maria, days.book(maria, local(4, 14)))
    assert days.pass_by(local(5, 0)) == []


def test_a_visit_of_tomorrow_morning_is_reminded_of_in_the_evening(days: Calendar) -> None:
    """Two hours before nine would be seven in the morning."""
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 9))
    assert [at for at, _ in days.pass_by(local(5, 0))] == [local(3, 9), local(3, 20)]


def test_a_short_way_ahead_is_not_reminded_of(days: Calendar) -> None:
    """Booked at ten for half past eleven: both moments have passed."""
    maria = days.maria()
    days.book(maria, local(2, 11, 30), BIA)
    assert days.pass_by(local(3, 0)) == []
    assert days.states() == []


def test_sweeps_that_run_twice_say_nothing_twice(days: Calendar) -> None:
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 9))
    assert len(days.tick(local(3, 14))) == 1
    assert days.tick(local(3, 14)) == days.tick(local(3, 14, 1)) == []


# By the way that WhatsApp allows


def test_outside_the_window_an_approved_template_says_it(days: Calendar) -> None:
    days.has_template()
    maria = days.maria()
    key = days.book(maria, local(4, 14))
    [line] = days.tick(local(3, 14))
    assert line.content_sid == TEMPLATE
    assert line.variables == {
        "1": "Maria",
        "2": "amanhã, sexta-feira, 04/12/2026, às 14:00",
        "3": "Corte feminino com Ana Souza",
        "4": str(key),
    }
    assert "Body" not in days.stage.twilio.requests[-1]
    assert days.stage.messages[-1].text == TEXT  # what people and the model read of it


def test_without_a_template_nothing_is_sent_and_staff_can_see_it(days: Calendar) -> None:
    """No loop, and nobody has to take the conversation over for it."""
    maria = days.maria()
    key = days.book(maria, local(4, 14))
    assert days.tick(local(3, 14)) == days.tick(local(3, 14, 1)) == []
    [failure] = days.failed()
    assert (failure.appointment_id, failure.hours, failure.reason) == (key, 24, "sem modelo")
    note = days.stage.messages[-1]
    assert (note.status, note.author) == ("note", "system")
    assert note.text == (
        "Lembrete não enviado, sobre sexta-feira, 04/12/2026, às 14:00. Motivo: faz mais de 24 horas que a "
        "pessoa escreveu, e não há um modelo aprovado para este aviso. Se for importante, vale ligar."
    )
    assert days.stage.conversations[0].holder == Holder.BOT
    assert days.stage.handoffs == []
    days.has_template()
    assert days.tick(local(3, 15)) == []
    assert len(days.tick(local(4, 12))) == 1


@pytest.mark.parametrize(("second", "by_template"), [(1, False), (0, True)])
def test_the_window_ends_after_24_hours_to_the_second(days: Calendar, second: int, by_template: bool) -> None:
    """She wrote 23:59:59 before: text. 24:00:00 before: a template."""
    days.has_template()
    maria = days.maria(local(2, 14, 0, second))
    days.book(maria, local(4, 14))
    days.stage.clock.now = local(2, 15)
    [line] = days.tick(local(3, 14))
    assert (line.content_sid == TEMPLATE) is by_template
    assert (line.body == TEXT) is not by_template


def test_the_window_may_end_while_a_line_waits(days: Calendar) -> None:
    """Queued at 23:59:59, sent a second later: what goes out is decided then."""
    days.has_template()
    maria = days.maria(local(2, 14, 0, 1))
    days.book(maria, local(4, 14))
    days.queue_due(local(3, 14))
    days.stage.clock.now = local(3, 14, 0, 1)
    drain(days.stage.services)
    assert days.stage.twilio.sent[-1].content_sid == TEMPLATE


def test_a_window_that_whatsapp_saw_closed_is_tried_by_template_once(days: Calendar) -> None:
    """63016 comes by callback: the same line again as a template; what fails then is for staff to see."""
    days.has_template()
    maria = days.maria(local(2, 14, 0, 1))
    key = days.book(maria, local(4, 14))
    [first] = days.tick(local(3, 14))
    days.report(first, "undelivered", 63016)
    [second] = days.tick(local(3, 14))
    assert (first.content_sid, second.content_sid) == (None, TEMPLATE)
    days.report(first, "undelivered", 63016)  # old news
    assert days.failed() == []
    days.report(second, "undelivered", 63016)
    assert days.tick(local(3, 14, 1)) == []
    assert [(one.appointment_id, one.error_code) for one in days.failed()] == [(key, 63016)]
    [note] = [line.text for line in days.stage.messages if line.status == "note"]
    assert "código 63016" in note
    assert days.stage.conversations[0].holder == Holder.BOT


def test_a_template_in_doubt_is_known_again_by_its_time(days: Calendar) -> None:
    """Twilio took it and stalled: its own words of it are unlike ours, but say when."""
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.stage.twilio.script.append(fakes.ACCEPT_THEN_STALL)
    days.tick(local(3, 14))
    days.stage.clock.forward(minutes=3)
    outbox.settle(days.stage.services, days.now)
    drain(days.stage.services)
    assert len([line for line in days.stage.twilio.sent if line.content_sid]) == 1
    assert days.stage.messages[-1].status == Status.ACCEPTED


def test_who_never_wrote_is_reminded_by_template(days: Calendar) -> None:
    """Booked by telephone: there is an address, and no conversation yet."""
    days.has_template()
    with days.stage.db.writing() as session:
        joana = customer.find_or_create(
            session, days.now, days.tenant_id, ["whatsapp:+5511912345678"], "Joana"
        )
        ghost = Customer(tenant_id=days.tenant_id, name="Sem telefone", created_at=days.now)
        session.add(ghost)
        session.flush()
        assert ghost.id is not None
    days.book(joana, local(4, 14))
    days.book(ghost.id, local(4, 15, 30))
    lines = days.tick(local(3, 15, 30))
    assert [(line.to, line.variables["1"]) for line in lines] == [("whatsapp:+5511912345678", "Joana")]
    assert [failure.reason for failure in days.failed()] == ["sem WhatsApp conhecido"]


def test_who_wants_no_messages_gets_none(days: Calendar) -> None:
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 9))
    with days.stage.db.writing() as session:
        customer.opt_out(session, days.now, days.tenant_id, maria)
    assert days.tick(local(3, 14)) == []
    assert sorted(days.states()) == [(2, "pending"), (24, "skipped")]


def test_a_conversation_of_people_is_reminded_too(days: Calendar) -> None:
    """It is the business's own promise; the bot says nothing else."""
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 9))
    with days.stage.db.writing() as session:
        key = days.stage.conversations[0].id
        assert key is not None
        handoff.flag(session, days.now, days.tenant_id, key, Reason.PEDIDO_DO_CLIENTE)
    assert [line.body for line in days.tick(local(3, 14))] == [TEXT]
    assert days.stage.conversations[0].holder == Holder.QUEUE


# As it is true when it is said


def test_today_and_tomorrow_are_reckoned_when_it_is_said(days: Calendar) -> None:
    """The worker was down from before the reminder until the next morning."""
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 13))
    [line] = days.tick(local(4, 8, 30))
    assert "*hoje, sexta-feira, 04/12/2026, às 14:00*" in line.body


def test_of_two_that_were_missed_the_last_is_said(days: Calendar) -> None:
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 13))
    days.stage.clock.now = local(4, 12, 30)
    assert len(days.tick(local(4, 12, 30))) == 1
    assert sorted(days.states()) == [(2, "sent"), (24, "skipped")]


@pytest.mark.parametrize(("minute", "said"), [(44, 1), (45, 0), (59, 0)])
def test_close_to_the_start_nobody_is_reminded(days: Calendar, minute: int, said: int) -> None:
    """More than fifteen minutes ahead it still helps."""
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 14, 30))
    assert len(days.tick(local(4, 13, minute))) == said


def test_what_was_missed_is_not_said_at_night(days: Calendar) -> None:
    """The worker comes back at ten in the evening: it waits for the morning, and says "hoje" then."""
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(3, 13))
    assert days.pass_by(local(3, 13, 59)) == []
    days.stage.clock.now = local(3, 22)
    said = days.pass_by(local(4, 11))
    assert [at for at, _ in said] == [local(4, 8)]
    assert "hoje, sexta-feira" in said[0][1]


def test_a_few_minutes_after_nine_in_the_evening_are_no_night_yet(days: Calendar) -> None:
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 14))
    with days.stage.db.writing() as session:
        session.execute(update(Reminder).values(due_at=local(3, 20, 59)))
    assert len(days.tick(local(3, 21, 1))) == 1


def test_what_the_outbox_could_not_send_by_night_is_said_in_the_morning(days: Calendar) -> None:
    """Twilio cannot be reached all evening: what was queued as "amanhã" is not sent, and said anew."""
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 9))
    assert [at for at, _ in days.pass_by(local(3, 19, 59))] == [local(3, 9)]
    days.stage.twilio.by_number[MARIA] = fakes.REFUSE_CONNECTION
    assert days.tick(local(3, 20)) == []
    assert [row.status for row in days.stage.messages][-1] == Status.QUEUED
    days.stage.clock.now = local(3, 21, 30)
    drain(days.stage.services)
    assert [row.status for row in days.stage.messages][-1] == Status.DROPPED
    days.stage.twilio.by_number.clear()
    said = days.pass_by(local(4, 8, 59), minutes=30)
    assert [(at, "hoje, sexta-feira, 04/12/2026, às 09:00" in body) for at, body in said] == [
        (local(4, 8), True)
    ]


def test_a_confirmed_visit_is_not_asked_about_again(days: Calendar) -> None:
    maria = days.maria()
    key = days.book(maria, local(4, 14))
    days.maria(local(3, 13))
    with days.stage.db.writing() as session:
        appointment.confirm(session, days.now, days.tenant_id, maria, key)
    [line] = days.tick(local(3, 14))
    assert "já está confirmada" in line.body
    assert "*confirmar*" not in line.body


def test_shortly_before_it_is_said_that_changes_need_people(days: Calendar) -> None:
    """Two hours before, the bot may not cancel any more."""
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.maria(local(4, 9))
    [line] = days.tick(local(4, 12, 1))
    assert "Responda *confirmar*, *remarcar* ou *cancelar*. Como falta pouco" in line.body


# At the worst moment


@pytest.mark.parametrize("change", ["move", "cancel"])
@pytest.mark.parametrize("refused", [False, True])
def test_a_change_between_claim_and_sending_stops_the_line(
    days: Calendar, change: str, refused: bool
) -> None:
    """Also where a first try surely came to nothing and the line waits for its second."""
    days.has_template()
    maria = days.maria()
    key = days.book(maria, local(4, 14))
    days.queue_due(local(3, 14))
    if refused:
        days.stage.twilio.script.append(fakes.REFUSE_CONNECTION)
        outbox.send_next(days.stage.services)
    if change == "move":
        days.move(maria, key, local(4, 16))
    else:
        days.cancel(maria, key)
    days.stage.clock.forward(minutes=1)
    drain(days.stage.services)
    said = [line.body for line in days.stage.twilio.sent if line.content_sid]
    assert said == []
    assert days.stage.messages[-1].status == Status.DROPPED
    said = [body for _, body in days.pass_by(local(5, 0))]
    assert len(said) == (2 if change == "move" else 0)
    assert all("16:00" in body for body in said)


def test_workers_at_once_say_everything_once(days: Calendar) -> None:
    """Ten visits, four sweeps at the same moment."""
    days.has_template()
    with days.stage.db.writing() as session:
        session.execute(update(Tenant).values(reminders_hours=[24], max_open_appointments=50))
    maria = days.maria()
    starts = {
        ANA: ((9, 0), (10, 30), (13, 0), (14, 30), (16, 0)),
        BIA: ((10, 0), (11, 30), (15, 0), (16, 30), (18, 0)),
    }
    keys = [days.book(maria, local(9, *at), who) for who, times in starts.items() for at in times]
    now = days.stage.clock.now = local(9, 8, 30)
    assert together([lambda: reminders.send_due(days.stage.services, now)] * 4) == [None] * 4
    drain(days.stage.services)
    reminded = sorted(int(line.variables["4"]) for line in days.stage.twilio.sent if line.content_sid)
    assert reminded == sorted(keys)
    assert {state for _, state in days.states()} == {"sent"}


def test_a_bug_over_one_does_not_hold_up_the_others(days: Calendar) -> None:
    """A visit without services cannot be put into words: it is for staff, the next one is said."""
    days.has_template()
    maria = days.maria()
    broken = days.book(maria, local(4, 14))
    days.book(maria, local(4, 15, 30))
    with days.stage.db.writing() as session:
        session.execute(delete(AppointmentService).where(AppointmentService.appointment_id == broken))
    assert [line.variables["2"][-5:] for line in days.tick(local(3, 15, 30))] == ["15:30"]
    assert [(one.appointment_id, one.reason) for one in days.failed()] == [(broken, "erro interno")]
    notes = [line.text for line in days.stage.messages if line.status == "note"]
    assert [note.partition("Motivo: ")[2][:24] for note in notes] == ["houve um erro interno. S"]


def test_two_businesses_are_strangers(days: Calendar) -> None:
    """One phone in both: each reminds of its own, in its own zone, from its own number."""
    days.has_template()
    maria = days.maria()
    days.stage.say("oi", slug=BARBER)
    barber = days.stage.tenant(BARBER)
    there = days.stage.conversations[-1].customer_id
    with days.stage.db.writing() as session:
        starts_at = datetime(2026, 12, 3, 15, 0, tzinfo=UTC)  # eleven in Manaus, noon in São Paulo
        appointment.book(session, days.now, barber, there, RAIMUNDO, [MASCULINO], starts_at, "staff")
    days.book(maria, local(4, 14))
    before = len(days.stage.twilio.sent)
    days.pass_by(local(3, 15))
    said = [(line.at, line.sender, line.body) for line in days.stage.twilio.sent[before:]]
    assert [(at, sender) for at, sender, _ in said] == [
        (local(3, 9), f"whatsapp:{barber.whatsapp}"),
        (local(3, 14), f"whatsapp:{days.stage.tenant(STUDIO).whatsapp}"),
    ]
    assert "*hoje, quinta-feira, 03/12/2026, às 11:00*\nCorte masculino com Raimundo" in said[0][2]
