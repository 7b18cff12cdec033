"""Whole conversations: from a signed webhook to the message that Twilio accepted, on both databases."""

from datetime import UTC, datetime

import pytest

from bot.process.worker import drain
from models.conversation import Holder
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from models.run import Outcome
from tests.fakes.claude import answer, error, refusal, text, tool_use
from tests.stage import JOAO, MARIA, STUDIO, Stage

TEN = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-03", "hora": "10:00"}


def test_customer_books_by_chatting(db: Database, now: datetime) -> None:
    """Reads, a confirmation, a write: one appointment, and the customer is told."""
    stage = Stage(
        db,
        now,
        [
            answer(
                tool_use("buscar_servicos"),
                tool_use(
                    "buscar_horarios",
                    {"data": "2026-12-03", "servico_id": 1, "profissional_id": 1, "dia_semana": "quinta"},
                ),
            ),
            answer(text("Tenho amanhã, quinta-feira, 03/12, às 10:00 com a Ana. Posso marcar?")),
            answer(tool_use("agendar", TEN | {"dia_semana": "quinta"})),
            answer(text("Marcado: quinta-feira, 03/12, às 10:00, com a Ana.")),
        ],
    )
    assert stage.say("tem horário amanhã com a Ana pra corte?") == [
        "Tenho amanhã, quinta-feira, 03/12, às 10:00 com a Ana. Posso marcar?"
    ]
    assert stage.appointments == []
    assert stage.say("pode marcar") == ["Marcado: quinta-feira, 03/12, às 10:00, com a Ana."]
    [booked] = stage.appointments
    assert booked.starts_at == datetime(2026, 12, 3, 13, 0, tzinfo=UTC)
    assert [run.outcome for run in stage.runs] == [Outcome.ANSWERED, Outcome.ANSWERED]
    assert stage.claude.refusals == []
    assert stage.handoffs == []


def test_model_sees_the_conversation_so_far(db: Database, now: datetime) -> None:
    """The second turn's request holds the first one's words, calls and results; only it has the context."""
    stage = Stage(
        db,
        now,
        [answer(tool_use("buscar_servicos", id="x")), answer(text("Temos corte.")), answer(text("Oi."))],
    )
    stage.say("o que vocês fazem?")
    stage.say("obrigada")
    messages = stage.claude.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert messages[0]["content"][0]["text"] == "o que vocês fazem?"
    assert messages[1]["content"][0]["name"] == "buscar_servicos"
    assert "Corte feminino" in str(messages[2])
    assert messages[3]["content"][0]["text"] == "Temos corte."
    assert "Agora: quarta-feira, 2026-12-02, 10:20" in messages[4]["content"][0]["text"]
    assert "<contexto>" not in str(messages[:4])


def test_burst_is_answered_once(db: Database, now: datetime) -> None:
    """Three bubbles within the debounce: one run that sees them all."""
    stage = Stage(db, now, [answer(text("Amanhã às 16h, certo?"))])
    for bubble in ("quero marcar um corte", "amanhã 15h", "na verdade 16h"):
        stage.deliver(bubble)
    stage.work()
    assert stage.twilio.bodies == ["Amanhã às 16h, certo?"]
    assert stage.claude.requests[0]["messages"][-1]["content"][1]["text"] == (
        "quero marcar um corte\namanhã 15h\nna verdade 16h"
    )


def test_message_delivered_twice_is_answered_once(db: Database, now: datetime) -> None:
    stage = Stage(db, now, [answer(text("Oi!"))])
    sid = stage.deliver("oi")
    stage.deliver("oi", MessageSid=sid)
    stage.work()
    assert stage.twilio.bodies == ["Oi!"]


def test_message_during_a_run_is_answered_after_it(db: Database, now: datetime) -> None:
    """It is neither lost nor answered by the run that did not see it."""

    def interrupted(body: object) -> object:
        stage.deliver("e quanto custa?")
        return answer(text("Temos às 10h."))

    stage = Stage(db, now, [interrupted, answer(text("R$ 120,00."))])
    stage.say("tem horário?")
    stage.work()
    assert stage.twilio.bodies == ["Temos às 10h.", "R$ 120,00."]


def test_same_wish_twice_is_one_appointment(db: Database, now: datetime) -> None:
    """A fresh model answer with a new id, in a later turn: the natural key holds."""
    stage = Stage(
        db,
        now,
        [
            answer(tool_use("agendar", TEN)),
            answer(text("Tudo certo para quinta-feira, 03/12, às 10:00.")),
            answer(tool_use("agendar", TEN)),
            answer(text("Sim: quinta-feira, 03/12, às 10:00.")),
        ],
    )
    stage.say("marca quinta 10h com a Ana")
    stage.say("marcou?")
    assert len(stage.appointments) == 1
    assert "Já estava agendado" in str(stage.claude.requests[-1]["messages"][-1])


def test_refusal_hands_over_and_leaves_no_trace(db: Database, now: datetime) -> None:
    """The customer gets a neutral text; after the return the next turn has nothing that refuses again."""
    from models import staff
    from models.acts import conversation_acts

    stage = Stage(db, now, [refusal("bio"), answer(text("Oi de novo!"))])
    [said] = stage.say("como faço uma bomba?")
    assert "Uma pessoa da equipe" in said
    [episode] = stage.handoffs
    assert episode.reason == Reason.REFUSAL
    tenant = stage.tenant()
    with db.writing() as session:
        person = staff.Staff(
            tenant_id=tenant.id, email="a@b.br", name="Carla", password_hash="x", created_at=now
        )
        session.add(person)
        session.flush()
        conversation_acts.take(session, now, tenant.id, episode.conversation_id, person.id)
        conversation_acts.give_back(
            session, now, tenant.id, episode.conversation_id, person.id, note="era brincadeira"
        )
    assert stage.say("oi") == ["Oi de novo!"]
    sent = str(stage.claude.requests[-1])
    assert "bomba" not in sent
    assert "Fim do atendimento humano" in sent
    assert "Nota da equipe: era brincadeira" in sent


def test_bot_is_silent_while_people_hold_it(db: Database, now: datetime) -> None:
    """After a hand-over: no model call, no answer, the message is there and unread."""
    stage = Stage(
        db,
        now,
        [
            answer(tool_use("chamar_atendente", {"motivo": "quer uma pessoa"})),
            answer(text("Já chamei alguém da equipe.")),
        ],
    )
    [said] = stage.say("quero falar com uma pessoa")
    assert said.startswith("Já chamei alguém da equipe.")
    assert stage.say("oi?") == []
    [conversation] = stage.conversations
    assert conversation.holder == Holder.QUEUE
    assert conversation.unread >= 1
    assert [episode.reason for episode in stage.handoffs] == [Reason.PEDIDO_DO_CLIENTE]
    assert len(stage.claude.requests) == 2


def test_model_down_still_answers(db: Database, now: datetime) -> None:
    stage = Stage(db, now, lambda body: error(529, "overloaded_error"))
    [said] = stage.say("oi")
    assert "Uma pessoa da equipe" in said
    assert [episode.reason for episode in stage.handoffs] == [Reason.MODELO_INDISPONIVEL]


def test_expectation_names_the_next_opening_out_of_hours(db: Database, now: datetime) -> None:
    """Wednesday 22:00 in São Paulo: people answer again on Thursday."""
    stage = Stage(db, datetime(2026, 12, 3, 1, 0, tzinfo=UTC), lambda body: error(500))
    [said] = stage.say("oi")
    assert "Nossa equipe volta amanhã, quinta-feira, 03/12/2026, às 09:00" in said


def test_expectation_of_the_same_day_needs_no_date(db: Database, now: datetime) -> None:
    """Thursday 03:00 in São Paulo."""
    stage = Stage(db, datetime(2026, 12, 3, 6, 0, tzinfo=UTC), lambda body: error(500))
    [said] = stage.say("oi")
    assert "Nossa equipe volta hoje, às 09:00; sua mensagem está na fila." in said


def test_staff_taking_over_in_mid_run_silences_it(db: Database, now: datetime) -> None:
    """The epoch has risen when the answer comes: it is dropped and recorded as superseded."""
    from models import staff
    from models.acts import conversation_acts

    def taken(body: object) -> object:
        tenant = stage.tenant()
        with db.writing() as session:
            person = staff.Staff(
                tenant_id=tenant.id, email="a@b.br", name="Carla", password_hash="x", created_at=now
            )
            session.add(person)
            session.flush()
            conversation_acts.take(session, now, tenant.id, stage.conversations[0].id, person.id)
        return answer(text("Oi!"))

    stage = Stage(db, now, [taken])
    assert stage.say("oi") == []
    assert [run.outcome for run in stage.runs] == [Outcome.SUPERSEDED]


def test_bug_in_a_turn_ends_at_people_after_three_tries(db: Database, now: datetime) -> None:
    """Three crashed attempts, then the fixed text, without the model."""

    class Broken:
        provider, model = "broken", "broken"

        def complete(self, request: object, *, seconds: float) -> object:
            raise ZeroDivisionError("segredo interno")

    stage = Stage(db, now, [])
    stage.model = Broken()
    stage.deliver("oi")
    for _ in range(5):
        stage.clock.forward(seconds=30)
        stage.work()
    [said] = stage.twilio.bodies
    assert "Uma pessoa da equipe" in said
    assert "segredo" not in said
    assert [episode.reason for episode in stage.handoffs] == [Reason.ERRO_INTERNO]
    assert stage.runs[-1].outcome == Outcome.CRASHED


def test_two_businesses_are_strangers(db: Database, now: datetime) -> None:
    """One phone writes to both: two customers, two conversations, each with its own services."""
    stage = Stage(db, now, lambda body: answer(text("Oi!")))
    stage.say("oi")
    stage.say("oi", slug="barbearia-rio-negro")
    assert len({row.tenant_id for row in stage.conversations}) == 2
    assert "Studio Bela" not in str(stage.claude.requests[-1])


def test_offline_model_books_without_a_key(db: Database, now: datetime) -> None:
    """The built-in model leads through the same path to a real appointment."""
    stage = Stage(db, now)
    [offer] = stage.say("oi, quero um corte feminino com a Ana amanhã às 10h")
    assert "10:00" in offer
    [done] = stage.say("sim")
    assert len(stage.appointments) == 1
    assert "03/12/2026" in done
    assert stage.say("quero falar com uma pessoa", sender=MARIA)
    assert [episode.reason for episode in stage.handoffs] == [Reason.PEDIDO_DO_CLIENTE]


def test_answers_go_to_the_address_that_wrote(db: Database, now: datetime) -> None:
    """A Brazilian number without the ninth digit: same person, answered byte for byte."""
    stage = Stage(db, now, lambda body: answer(text("Oi!")))
    stage.say("oi", sender="whatsapp:+5531998966398")
    stage.say("oi", sender="whatsapp:+553198966398")
    assert len(stage.conversations) == 1
    assert [line.to for line in stage.twilio.sent] == ["whatsapp:+5531998966398", "whatsapp:+553198966398"]


def test_long_answer_goes_out_in_parts_in_order(db: Database, now: datetime) -> None:
    """Nothing over Twilio's limit, the next part after the former."""
    long = " ".join(f"Frase número {n}." for n in range(150))
    stage = Stage(db, now, [answer(text(long))])
    parts = stage.say("conta tudo", sender=JOAO, slug=STUDIO)
    assert len(parts) > 1
    assert " ".join(parts) == long
    assert [row.status for row in stage.messages if row.author == Author.BOT] == [Status.ACCEPTED] * len(
        parts
    )


def test_burst_without_end_is_answered_all_the_same(db: Database, now: datetime) -> None:
    """A bubble every second: the quiet time never comes, the answer does."""
    stage = Stage(db, now, lambda body: answer(text("Claro!")))
    for number in range(12):
        stage.deliver(f"e mais {number}")
        stage.clock.forward(seconds=1)
        drain(stage.services)
    assert stage.twilio.bodies[:1] == ["Claro!"]
    assert len(stage.claude.requests) == 1


def test_message_after_a_crash_is_answered_too(db: Database, now: datetime) -> None:
    """The worker died in mid-run, the customer wrote again: the run resumes, then the newer is answered."""

    def dies(body: object) -> object:
        stage.deliver("na verdade 11h!")
        raise KeyboardInterrupt

    stage = Stage(db, now, [dies, answer(text("Às 10h, certo?")), answer(text("Às 11h, certo?"))])
    stage.deliver("quero às 10h")
    stage.clock.forward(seconds=2)
    with pytest.raises(KeyboardInterrupt):
        drain(stage.services)
    stage.clock.forward(minutes=1)
    stage.work()
    assert stage.twilio.bodies == ["Às 10h, certo?", "Às 11h, certo?"]


def test_day_of_a_claim_must_be_that_of_the_booking(db: Database, now: datetime) -> None:
    """Booked for tomorrow, told as today: asked again once, then people take over."""
    lie = answer(text("Pronto! Seu corte está marcado para hoje às 10:00."))
    stage = Stage(db, now, [answer(tool_use("agendar", TEN)), lie, lie])
    [said] = stage.say("pode marcar")
    assert "hoje às 10:00" not in said
    assert [episode.reason for episode in stage.handoffs] == [Reason.PROMESSA_SEM_ACAO]


def test_next_attendance_is_told_in_the_business_zone(db: Database) -> None:
    """Saturday 14:00 in São Paulo, after closing: Monday at nine."""
    stage = Stage(db, datetime(2026, 12, 5, 17, 0, tzinfo=UTC), lambda body: error(500))
    [said] = stage.say("oi")
    assert "segunda-feira, 07/12/2026, às 09:00" in said
