"""The way out: each line once, in order, and what fails is retried, looked up or shown to people."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from bot.sending import outbox
from bot.sending.outbox import Doubt, Fail, Retry, decide
from bot.whatsapp import error_codes
from bot.whatsapp.base import Sender, SendError, Sent
from models import conversation, delivery, message
from models.acts import conversation_acts
from models.db import Database
from models.delivery import EarlyStatus, Outgoing
from models.message import Author, Content, Status
from tests.bot.edge import Edge, add_staff
from tests.fakes import twilio as fakes
from tests.fakes.twilio import Behaviour

MAYBE = SendError("", permanent=False, surely_not_sent=False)


def error(code: int | None = None, *, permanent: bool = False) -> SendError:
    return SendError("", permanent=permanent, surely_not_sent=True, code=code)


def after(**span: float) -> Retry:
    return Retry(timedelta(**span))


# The decision


@pytest.mark.parametrize(
    ("failure", "attempt", "decision"),
    [
        (MAYBE, 1, Doubt()),
        (MAYBE, 50, Doubt()),
        (SendError("", permanent=True, surely_not_sent=False), 1, Doubt()),
        (error(permanent=True), 1, Fail()),
        (error(63016, permanent=True), 1, Fail()),
        (error(), 1, after(seconds=2)),  # no connection
        (error(), 7, after(seconds=120)),
        (error(), 8, Fail()),
        (error(20429), 1, after(seconds=6)),
        (error(63018), 2, after(seconds=12)),
        (error(63018), 6, after(seconds=180)),
        (error(63018), 7, Fail()),
        (error(63007), 1, after(minutes=1)),  # an operator must act: the line is kept
        (error(20003), 5, after(minutes=60)),
        (error(20003), 6, Fail()),
        (error(30008), 1, after(minutes=1)),
        (error(30008), 2, Fail()),
        (error(63012), 1, after(minutes=1)),
        (error(63012), 3, after(minutes=15)),
        (error(63012), 4, Fail()),
        (error(63049), 2, after(minutes=5)),
        (error(63049), 6, Fail()),
    ],
)
def test_what_follows_a_failure(failure: SendError, attempt: int, decision: outbox.Decision) -> None:
    assert decide(failure, attempt) == decision


def test_waits_only_grow_and_end() -> None:
    """No failure is retried for ever, and a pair of numbers never within WhatsApp's six seconds."""
    for code in (None, *error_codes.ACTIONS):
        waits = []
        while isinstance(found := decide(error(code), len(waits) + 1), Retry):
            waits.append(found.after)
        assert waits == sorted(waits)
        assert len(waits) < 10
        if error_codes.action(code) == error_codes.Action.RETRY:
            assert min(waits) >= timedelta(seconds=6)


# In order, once


@pytest.fixture
def edge(db: Database) -> Edge:
    """A business with one customer who has written."""
    made = Edge(db)
    made.says("oi")
    return made


def test_a_queued_line_is_sent_once_and_followed_to_the_phone(edge: Edge) -> None:
    edge.queue("Olá! Como posso ajudar?")
    assert edge.send_all() == 1
    assert edge.fake.bodies == ["Olá! Como posso ajudar?"]
    assert edge.statuses() == ["accepted"]
    edge.reports(edge.fake.sent[0], "delivered")
    assert edge.statuses() == ["delivered"]
    assert edge.send_all() == 0


def test_lines_of_a_conversation_go_out_in_order(edge: Edge) -> None:
    for number in range(4):
        edge.queue(f"parte {number}")
    assert edge.send_all() == 4
    assert edge.fake.bodies == [f"parte {number}" for number in range(4)]


def test_a_line_waits_for_the_one_before_it_and_other_conversations_do_not(edge: Edge) -> None:
    """B38: too fast on the second part; the third comes six seconds later, after it; nobody else waits."""
    edge.says("oi", From="whatsapp:+5511911112222", ExternalUserId=None)
    for number in range(3):
        edge.queue(f"parte {number}")
    edge.fake.script.extend([fakes.ACCEPT, fakes.refuse(63018, 429)])
    edge.send_all()
    edge.queue("para outra pessoa", conversation_id=2)
    edge.send_all()
    assert edge.fake.bodies == ["parte 0", "para outra pessoa"]
    edge.clock.forward(seconds=5.9)
    assert edge.send_all() == 0
    edge.clock.forward(seconds=0.1)
    assert edge.send_all() == 2
    assert edge.fake.bodies == ["parte 0", "para outra pessoa", "parte 1", "parte 2"]


def test_one_conversation_can_be_sent_alone(edge: Edge) -> None:
    edge.says("oi", From="whatsapp:+5511911112222", ExternalUserId=None)
    edge.queue("primeira")
    edge.queue("segunda", conversation_id=2)
    assert outbox.send_next(edge.services, 2)
    assert not outbox.send_next(edge.services, 2)
    assert edge.fake.bodies == ["segunda"]


def test_many_senders_at_once_send_each_line_once(edge: Edge) -> None:
    """Four workers' threads over three conversations of five lines each."""
    for number in (2, 3):
        edge.says("oi", From=f"whatsapp:+551191111222{number}", ExternalUserId=None)
    for number in range(15):
        edge.queue(f"linha {number}", conversation_id=number % 3 + 1)

    def work(_: int) -> None:
        # A thread may find nothing while the others have the heads of all conversations in hand.
        while any(line.status in message.UNSENT for line in edge.messages()):
            outbox.send_next(edge.services)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sorted(edge.fake.bodies) == sorted(f"linha {number}" for number in range(15))
    for to in {line.to for line in edge.fake.sent}:
        numbers = [int(line.body.split()[1]) for line in edge.fake.sent if line.to == to]
        assert numbers == sorted(numbers)


# Who speaks


def take(edge: Edge) -> None:
    edge.hand_to("staff", add_staff(edge.db, edge.tenant_id))


def test_a_bot_line_is_dropped_when_a_person_takes_over_before_it_goes(edge: Edge) -> None:
    edge.queue("Posso marcar às 10h?", epoch=edge.conversation().epoch)
    take(edge)
    edge.queue("Oi, aqui é a Bia!", author=Author.STAFF)
    edge.send_all()
    assert edge.fake.bodies == ["Oi, aqui é a Bia!"]
    assert edge.statuses() == ["dropped", "accepted"]


def test_a_bot_line_between_two_tries_is_dropped_as_well(edge: Edge) -> None:
    edge.queue("Posso marcar às 10h?", epoch=edge.conversation().epoch)
    edge.fake.script.append(fakes.TOO_MANY)
    edge.send_all()
    take(edge)
    edge.clock.forward(minutes=1)
    edge.send_all()
    assert (edge.fake.bodies, edge.statuses()) == ([], ["dropped"])


def _too_many(edge: Edge) -> None:
    """Surely not sent, for a reason that passes."""
    edge.fake.script.append(fakes.TOO_MANY)
    edge.send_all()


def _lost_answer(edge: Edge) -> None:
    """Not taken, as it will turn out; nobody knows yet."""
    edge.fake.script.append(fakes.RESET)
    edge.send_all()


def _undelivered(edge: Edge) -> None:
    """Taken, and the pair of numbers then over its rate: sent anew by and by."""
    edge.send_all()
    edge.reports(edge.fake.sent[0], "undelivered", 63018)


@pytest.mark.parametrize("trouble", [lambda _edge: None, _too_many, _lost_answer, _undelivered])
def test_what_the_bot_said_before_a_person_stays_unsaid_when_it_is_back(
    edge: Edge, trouble: Callable[[Edge], None]
) -> None:
    """The holder is the bot again by then, but people and the customer have agreed on something else."""
    staff_id = add_staff(edge.db, edge.tenant_id)
    edge.queue("Posso marcar às 10h?", epoch=edge.conversation().epoch)
    trouble(edge)
    said = len(edge.fake.sent)
    edge.hand_to("staff", staff_id)
    with edge.db.writing() as session:
        conversation_acts.give_back(session, edge.clock(), edge.tenant_id, 1, staff_id)
    edge.queue("Em que mais posso ajudar?", epoch=edge.conversation().epoch)
    for _ in range(4):
        edge.clock.forward(minutes=3)
        outbox.settle(edge.services, edge.clock())
        edge.send_all()
    assert edge.fake.bodies[said:] == ["Em que mais posso ajudar?"]
    assert edge.statuses() == ["dropped", "accepted"]


def test_a_wait_that_the_customer_ends_does_not_unsay_what_the_bot_said(edge: Edge) -> None:
    """Nobody of the staff ever had it."""
    edge.queue("Seu horário é às 10h.", epoch=edge.conversation().epoch)
    edge.hand_to("queue", add_staff(edge.db, edge.tenant_id))
    with edge.db.writing() as session:
        conversation.to_bot(conversation.lock(session, edge.tenant_id, 1))
    edge.send_all()
    assert edge.fake.bodies == ["Seu horário é às 10h."]


def test_a_line_of_the_handover_itself_goes_out(edge: Edge) -> None:
    """It is queued for whoever holds the conversation."""
    edge.queue("Uma pessoa vai continuar.", author=Author.SYSTEM)
    take(edge)
    edge.send_all()
    assert edge.fake.bodies == ["Uma pessoa vai continuar."]


# Failures


@pytest.mark.parametrize(
    ("behaviour", "wait"),
    [
        (fakes.REFUSE_CONNECTION, 2),
        (fakes.TOO_MANY, 6),
        (fakes.refuse(63007), 60),
        (fakes.refuse(20003, 401), 60),
    ],
)
def test_what_surely_was_not_sent_goes_out_later(edge: Edge, behaviour: Behaviour, wait: int) -> None:
    edge.queue("Olá!")
    edge.fake.script.append(behaviour)
    assert edge.send_all() == 1
    edge.clock.forward(seconds=wait - 0.1)
    assert edge.send_all() == 0
    edge.clock.forward(seconds=0.1)
    assert edge.send_all() == 1
    assert edge.fake.bodies == ["Olá!"]
    assert edge.reasons() == []


@pytest.mark.parametrize("code", [21211, 63024])
def test_who_cannot_be_reached_comes_to_people(edge: Edge, code: int) -> None:
    """Once, with the code; the next line is not held up, and no sorry is sent after the lost one."""
    edge.queue("Olá!")
    edge.queue("Tudo bem?")
    edge.fake.script.append(fakes.refuse(code))
    edge.send_all()
    assert edge.statuses() == ["failed", "accepted"]
    assert edge.messages()[1].error_code == code
    assert edge.reasons() == ["falha_no_envio"]
    assert edge.conversation().holder == "queue"
    assert edge.conversation().due_at is None


@pytest.mark.parametrize("code", [21617, 63005, 99999])
def test_who_waits_is_told_that_people_come(edge: Edge, code: int) -> None:
    """One line cannot be sent, another one can: nobody is left in silence."""
    edge.queue("Olá!")
    edge.fake.script.append(fakes.refuse(code))
    edge.send_all()
    assert edge.statuses() == ["failed", "accepted"]
    assert edge.fake.bodies[0].startswith("Desculpe, uma mensagem minha não chegou até você.")
    assert "equipe" in edge.fake.bodies[0]
    assert edge.messages()[-1].author == Author.SYSTEM
    assert edge.reasons() == ["falha_no_envio"]


def test_who_waits_for_nothing_is_told_nothing(edge: Edge) -> None:
    """A line that answers nobody (a reminder) is shown to people alone."""
    edge.answer()
    edge.queue("Lembrete: amanhã às 10h.", author=Author.SYSTEM)
    edge.fake.script.append(fakes.refuse(63005))
    edge.send_all()
    assert (edge.fake.bodies, edge.reasons()) == ([], ["falha_no_envio"])


def test_it_is_tried_until_it_is_enough_and_the_apology_as_well(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.by_number[fakes.CUSTOMER] = fakes.REFUSE_CONNECTION
    for _ in range(40):
        edge.send_all()
        edge.clock.forward(minutes=3)
    assert edge.statuses() == ["failed", "failed"]
    assert len(edge.fake.requests) == 2 * (len(outbox.SHORT) + 1)
    assert edge.reasons() == ["falha_no_envio"]


def test_who_said_stop_is_written_down(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.script.append(fakes.refuse(21610))
    edge.send_all()
    assert edge.customers()[0].opted_out_at == edge.clock.at
    assert edge.statuses() == ["failed"]
    assert edge.reasons() == ["falha_no_envio"]  # they asked for something, and cannot be answered here


def test_who_said_stop_and_waits_for_nothing_is_let_alone(edge: Edge) -> None:
    """A reminder that they did not want is no work for people."""
    edge.answer()
    edge.queue("Lembrete: amanhã às 10h.", author=Author.SYSTEM)
    edge.fake.script.append(fakes.refuse(21610))
    edge.send_all()
    assert edge.customers()[0].opted_out_at == edge.clock.at
    assert edge.reasons() == []


def test_a_missing_setting_keeps_the_line(edge: Edge) -> None:
    """The program starts without Twilio's token, and the token comes later."""

    def unset(tenant_id: int) -> Sender:
        raise SendError("TWILIO_AUTH_TOKEN is not set", permanent=False, surely_not_sent=True, code=20003)

    edge.queue("Olá!")
    good, edge.services = edge.services, edge.services_with(sender_for=unset)
    edge.send_all()
    edge.services = good
    edge.clock.forward(minutes=1)
    edge.send_all()
    assert edge.fake.bodies == ["Olá!"]


# In doubt


IN_DOUBT = [fakes.STALL, fakes.ACCEPT_THEN_STALL, fakes.RESET, fakes.ACCEPT_THEN_RESET]
IN_DOUBT += [fakes.BAD_GATEWAY, fakes.ACCEPT_THEN_BAD_GATEWAY]


@pytest.mark.parametrize("behaviour", IN_DOUBT)
def test_an_ambiguous_line_is_looked_up_and_arrives_once(edge: Edge, behaviour: Behaviour) -> None:
    """Accepted or not, after a time-out, a reset, an HTML 502: it arrives exactly once, in order."""
    edge.queue("Olá!")
    edge.queue("Tudo bem?")
    edge.fake.script.append(behaviour)
    edge.send_all()
    assert edge.statuses() == ["in_doubt", "queued"]
    edge.clock.forward(seconds=59)
    assert outbox.settle(edge.services, edge.clock.at) == 0
    assert edge.send_all() == 0
    edge.clock.forward(seconds=1)
    assert outbox.settle(edge.services, edge.clock.at) == 1
    edge.send_all()
    assert edge.fake.bodies == ["Olá!", "Tudo bem?"]
    assert edge.statuses() == ["accepted", "accepted"]
    assert edge.messages()[1].provider_sid == edge.fake.sent[0].sid
    assert outbox.settle(edge.services, edge.clock.at) == 0


def test_a_callback_settles_the_doubt(edge: Edge) -> None:
    """Our id in its address tells which line it was, though we never saw the sid."""
    edge.queue("Olá!")
    edge.fake.script.append(fakes.ACCEPT_THEN_STALL)
    edge.send_all()
    edge.reports(edge.fake.sent[0], "sent")
    assert edge.statuses() == ["sent"]
    edge.clock.forward(minutes=5)
    assert outbox.settle(edge.services, edge.clock.at) == 0
    assert edge.fake.bodies == ["Olá!"]


def test_a_callback_of_a_lost_failure_comes_to_people(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.script.append(fakes.ACCEPT_THEN_STALL)
    edge.send_all()
    edge.reports(edge.fake.sent[0], "undelivered", 63024)
    assert (edge.statuses(), edge.reasons()) == (["failed"], ["falha_no_envio"])


def test_a_line_that_was_found_undelivered_comes_to_people(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.script.append(fakes.ACCEPT_THEN_STALL)
    edge.send_all()
    edge.fake.sent[0].status, edge.fake.sent[0].error_code = "undelivered", 63003
    edge.clock.forward(minutes=1)
    outbox.settle(edge.services, edge.clock.at)
    assert (edge.statuses(), edge.reasons()) == (["failed"], ["falha_no_envio"])
    assert edge.messages()[-1].error_code == 63003


def test_an_equal_text_said_before_is_not_taken_for_it(edge: Edge) -> None:
    edge.queue("Certo!")
    edge.send_all()
    edge.queue("Certo!")
    edge.fake.script.append(fakes.STALL)
    edge.send_all()
    edge.clock.forward(minutes=1)
    outbox.settle(edge.services, edge.clock.at)
    edge.send_all()
    assert edge.fake.bodies == ["Certo!", "Certo!"]
    assert edge.statuses() == ["accepted", "accepted"]


def test_a_line_that_stays_in_doubt_is_given_up_and_shown(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.script.extend([fakes.BAD_GATEWAY] * 3)
    for _ in range(10):
        edge.send_all()
        edge.clock.forward(minutes=1)
        outbox.settle(edge.services, edge.clock.at)
    assert [form["Body"] for form in edge.fake.requests[:3]] == ["Olá!"] * outbox.MAX_SENDS
    assert edge.statuses() == ["failed", "accepted"]
    assert [line.startswith("Desculpe") for line in edge.fake.bodies] == [True]
    assert edge.reasons() == ["falha_no_envio"]


def test_without_a_way_to_look_nothing_is_sent_again_and_people_are_told(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.fake.script.append(fakes.STALL)
    edge.send_all()
    edge.fake.listing.extend([fakes.refuse(20003, 401)] * 100)
    for _ in range(61):
        edge.clock.forward(minutes=1)
        outbox.settle(edge.services, edge.clock.at)
        edge.send_all()
    assert len(edge.fake.requests) == 1
    assert (edge.statuses(), edge.reasons()) == (["failed"], ["falha_no_envio"])


def test_a_provider_that_is_away_does_not_hold_the_sweep(edge: Edge) -> None:
    """One look that waits in vain is enough for one sweep, and the next one begins with another line."""
    edge.says("oi", From="whatsapp:+5511911112222", ExternalUserId=None)
    for number in (1, 2):
        edge.queue("Olá!", conversation_id=number)
    edge.fake.script.extend([fakes.ACCEPT_THEN_STALL] * 2)
    edge.send_all()
    edge.fake.listing.append(fakes.STALL)
    edge.clock.forward(minutes=1)
    assert outbox.settle(edge.services, edge.clock.at) == 1
    edge.clock.forward(seconds=30)
    assert outbox.settle(edge.services, edge.clock.at) == 1
    assert sorted(edge.statuses()) == ["accepted", "in_doubt"]
    edge.clock.forward(seconds=30)
    assert outbox.settle(edge.services, edge.clock.at) == 1
    assert edge.statuses() == ["accepted", "accepted"]
    assert edge.fake.bodies == ["Olá!", "Olá!"]


# Crashes


def claim(edge: Edge) -> Outgoing:
    """A worker claims a line, and is never heard of again."""
    with edge.db.writing() as session:
        found = delivery.claim_outgoing(session, edge.clock.at)
    assert found is not None
    return found


def test_a_worker_that_died_before_sending_is_replaced(edge: Edge) -> None:
    edge.queue("Olá!")
    claim(edge)
    edge.clock.forward(seconds=119)
    assert (outbox.settle(edge.services, edge.clock.at), edge.send_all()) == (0, 0)
    edge.clock.forward(seconds=1)
    assert (outbox.settle(edge.services, edge.clock.at), edge.send_all()) == (1, 1)
    assert (edge.fake.bodies, edge.statuses()) == (["Olá!"], ["accepted"])


def test_a_worker_that_died_after_sending_is_not_repeated(edge: Edge) -> None:
    edge.queue("Olá!")
    line = claim(edge)
    edge.sender_for(edge.tenant_id).send(line.address, line.text, reference=line.id)
    edge.clock.forward(minutes=2)
    outbox.settle(edge.services, edge.clock.at)
    assert edge.send_all() == 0
    assert (edge.fake.bodies, edge.statuses()) == (["Olá!"], ["accepted"])


def test_two_settlers_at_once_settle_once(edge: Edge) -> None:
    edge.queue("Olá!")
    claim(edge)
    edge.clock.forward(minutes=2)
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: outbox.settle(edge.services, edge.clock.at), range(4)))
    assert sum(counts) == 1
    edge.send_all()
    assert edge.fake.bodies == ["Olá!"]


def test_a_worker_that_comes_back_late_touches_nothing_of_the_next_try(edge: Edge) -> None:
    """It was thought dead; what it says of its own try must not end the other one."""
    edge.queue("Olá!")
    late = claim(edge)
    edge.clock.forward(minutes=2)
    outbox.settle(edge.services, edge.clock.at)
    claim(edge)
    with edge.db.writing() as session:
        assert not delivery.requeue(session, late, edge.clock.at)
        assert not delivery.mark_failed(session, late, 21211)
        assert not delivery.mark_in_doubt(session, late)
    assert edge.statuses() == ["sending"]


# Reports and retries


@dataclass
class Racing:
    """A sender whose status callback is faster than its answer, and knows no id of ours."""

    edge: Edge
    word: str
    code: int | None = None

    def send(self, to: str, text: str, *, reference: int, content: Content | None = None) -> Sent:
        sent = self.edge.sender_for(0).send(to, text, reference=reference, content=content)
        line = self.edge.fake.sent[-1]
        self.edge.deliver(*self.edge.fake.status_form(line, self.word, self.code, path="/twilio/status"))
        return sent

    def find(self, to: str, text: str, since: datetime, *, within: bool = False) -> Sent | None:
        raise AssertionError("nothing is in doubt")


@pytest.mark.parametrize(
    ("word", "status"), [("delivered", "delivered"), ("sent", "sent"), ("queued", "accepted")]
)
def test_a_report_before_our_own_commit_is_not_lost(edge: Edge, word: str, status: str) -> None:
    edge.queue("Olá!")
    edge.services = edge.services_with(sender_for=lambda _: Racing(edge, word))
    edge.send_all()
    assert edge.statuses() == [status]
    assert edge.early() == []


def test_a_failure_before_our_own_commit_comes_to_people(edge: Edge) -> None:
    edge.queue("Olá!")
    edge.services = edge.services_with(sender_for=lambda _: Racing(edge, "undelivered", 63016))
    edge.send_all()
    assert (edge.statuses(), edge.reasons()) == (["failed"], ["falha_no_envio"])


def test_a_report_that_passed_our_commit_is_applied_by_the_sweep(edge: Edge) -> None:
    """Two transactions side by side: neither saw the other."""
    edge.queue("Olá!")
    edge.send_all()
    sid = edge.fake.sent[0].sid
    with edge.db.writing() as session:
        early = EarlyStatus(tenant_id=edge.tenant_id, provider_sid=sid, status=Status.READ, at=edge.clock.at)
        session.add(early)
    outbox.settle(edge.services, edge.clock.at)
    assert (edge.statuses(), edge.early()) == (["read"], [])


def test_reports_that_nobody_asked_for_are_forgotten(edge: Edge) -> None:
    edge.reports(edge.fake.accept_elsewhere("x"), "delivered")
    edge.clock.forward(days=7)
    outbox.settle(edge.services, edge.clock.at)
    assert len(edge.early()) == 1
    edge.clock.forward(seconds=1)
    outbox.settle(edge.services, edge.clock.at)
    assert edge.early() == []


def test_a_rate_limit_that_comes_by_callback_is_waited_out(edge: Edge) -> None:
    """Accepted, then 63018: the line goes out again, and what is still said of the first try is old news."""
    edge.queue("Olá!")
    edge.send_all()
    first = edge.fake.sent[0]
    edge.reports(first, "failed", 63018)
    assert edge.statuses() == ["queued"]
    edge.reports(first, "failed", 63018)
    edge.reports(first, "delivered")
    assert edge.statuses() == ["queued"]
    edge.clock.forward(seconds=6)
    edge.send_all()
    edge.reports(first, "failed", 63018)
    edge.reports(edge.fake.sent[1], "delivered")
    assert edge.fake.bodies == ["Olá!", "Olá!"]
    assert (edge.statuses(), edge.reasons()) == (["delivered"], [])


@pytest.mark.parametrize("code", [63007, 63012, 63018, 63038, 63049, 30002, 30008])
def test_what_passes_is_waited_out_though_it_comes_by_callback(edge: Edge, code: int) -> None:
    """Accepted, then undelivered: not shown to people before it has been tried again in its time."""
    edge.queue("Olá!")
    edge.send_all()
    edge.reports(edge.fake.sent[0], "undelivered", code)
    assert (edge.statuses(), edge.reasons()) == (["queued"], [])
    edge.clock.forward(seconds=60)
    edge.send_all()
    edge.reports(edge.fake.sent[1], "delivered")
    assert (edge.statuses(), edge.reasons()) == (["delivered"], [])


@pytest.mark.parametrize("code", [63013, 63041, 63049, 63051, 20003])
def test_what_an_operator_must_see_is_logged_as_an_error(code: int) -> None:
    assert error_codes.needs_operator(code)
    assert not error_codes.needs_operator(63018)
    assert not error_codes.needs_operator(None)


def test_a_rate_limit_without_end_comes_to_people(edge: Edge) -> None:
    edge.queue("Olá!")
    for _ in range(len(outbox.PACED) + 1):
        edge.send_all()
        edge.reports(edge.fake.sent[-1], "failed", 63018)
        edge.clock.forward(minutes=5)
    assert (edge.statuses(), edge.reasons()) == (["failed", "queued"], ["falha_no_envio"])
    assert edge.fake.bodies == ["Olá!"] * (len(outbox.PACED) + 1)
