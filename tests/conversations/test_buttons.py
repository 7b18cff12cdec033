"""Times and questions go out to be tapped where the business wants it; what is tapped is understood."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest

from bot.llm.rule_based import OfflineModel
from bot.sending import outbox
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import TwilioForms, twilio_client
from models.catalog import Professional
from models.content_template import ContentTemplate
from models.db import Database
from models.handoff import Reason
from models.message import Status
from models.tenant import Tenant
from tests.conversations.test_waiting_list import FullDay
from tests.fakes import twilio as fakes
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.content import Offer
from tests.fakes.days import ANA, TEMPLATE, Calendar, local
from tests.fakes.twilio import ACCOUNT, TOKEN, Behaviour, Line, refuse
from tests.stage import JOAO, MARIA, STUDIO, Stage

SEARCH = tool_use(
    "buscar_horarios", {"data": "2026-12-03", "servico_id": 1, "profissional_id": 1, "dia_semana": "quinta"}
)
TIMES = "Amanhã com a Ana tenho 10:00 ou 14:00. Qual prefere?"
LIST = f"{TIMES}\n1. qui, 03/12 às 10:00, com Ana Souza\n2. qui, 03/12 às 14:00, com Ana Souza"
ASK = "Corte com a Ana, quinta-feira, 03/12, às 14:00. Posso marcar?"


def let_tap(stage: Stage, *, buttons: bool = True) -> None:
    http = httpx.Client(transport=stage.twilio.transport())
    client = twilio_client(Account(ACCOUNT, (TOKEN,), ""), http, None)
    stage.services = replace(stage.services, forms_for=lambda tenant_id: TwilioForms(client))
    with stage.db.writing() as session:
        session.get_one(Tenant, stage.tenant(STUDIO).id).buttons = buttons


@pytest.fixture
def stage_of(db: Database, now: datetime) -> Callable[..., Stage]:
    """A stage with a studio that wants buttons, or not."""

    def make(*script: object, buttons: bool = True, offline: bool = False) -> Stage:
        stage = Stage(db, now, None if offline else list(script))
        let_tap(stage, buttons=buttons)
        return stage

    return make


def searched() -> tuple[object, object]:
    return answer(SEARCH), answer(text(TIMES))


def tap(stage: Stage, line: Line, title: str) -> list[str]:
    fields = stage.twilio.tap(line, title)
    return stage.say(fields.pop("Body"), **fields)


def asked(stage: Stage) -> str:
    words = stage.claude.requests[-1]["messages"][-1]["content"][1]["text"]
    assert isinstance(words, str)
    return words


def test_offered_times_are_a_list_and_what_is_tapped_is_told_in_words(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), answer(text(ASK)))
    assert stage.say("tem horário amanhã com a Ana?") == [TIMES]
    [line] = stage.twilio.sent
    assert line.shown is not None
    assert line.shown.button == "Ver horários"
    assert line.shown.offers == (
        Offer("slot:1:2026-12-03T10:00", "qui, 03/12 às 10:00", "com Ana Souza"),
        Offer("slot:1:2026-12-03T14:00", "qui, 03/12 às 14:00", "com Ana Souza"),
    )
    assert stage.messages[-1].text == LIST  # what staff and the model read
    tap(stage, line, "qui, 03/12 às 14:00")
    assert asked(stage) == (
        "qui, 03/12 às 14:00 [Horário que o cliente escolheu na lista: quinta-feira, data 2026-12-03, "
        "hora 14:00, profissional_id 1.]"
    )


def test_a_yes_is_a_button(stage_of: Callable[..., Stage]) -> None:
    """The booking that follows is the tapped one."""
    booking = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-03", "hora": "14:00"}
    stage = stage_of(
        answer(text(ASK)),
        answer(tool_use("agendar", booking)),
        answer(text("Marcado: quinta-feira, 03/12, às 14:00, com a Ana.")),
    )
    stage.say("quinta 14h com a Ana")
    [line] = stage.twilio.sent
    assert line.shown is not None
    assert (line.body, [offer.title for offer in line.shown.offers]) == (ASK, ["Sim", "Não", "Outro horário"])
    assert stage.messages[-1].text == ASK
    tap(stage, line, "Sim")
    assert len(stage.appointments) == 1
    assert stage.twilio.sent[-1].shown is None


def rename(stage: Stage, *names: str) -> None:
    with stage.db.writing() as session:
        for number, name in enumerate(names, 1):
            session.get_one(Professional, number).name = name


def test_a_line_stays_as_the_model_wrote_it(stage_of: Callable[..., Stage]) -> None:
    """Twilio's variables take no "'"; with another sign the model would not know its own words again."""
    stage = stage_of(offline=True)
    rename(stage, "João D'Ávila 💈")
    [asked] = stage.say("quero marcar corte feminino quinta às 10h com o João")
    assert asked.startswith("Posso confirmar: Corte feminino com João D’Ávila 💈, quinta-feira")
    assert stage.messages[-1].text == asked.replace("’", "'")
    tap(stage, stage.twilio.sent[-1], "Sim")
    [booked] = stage.appointments
    [asked] = stage.say("quero remarcar para sexta às 11h")
    assert asked.startswith("Posso remarcar: Corte feminino com João D’Ávila 💈, de quinta-feira")
    [moved] = tap(stage, stage.twilio.sent[-1], "Sim")
    assert "Remarcado: Corte feminino com João D'Ávila 💈" in moved
    assert stage.appointments[0].starts_at - booked.starts_at == timedelta(hours=25)


def test_a_tapped_time_keeps_its_service(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(offline=True)
    rename(stage, "João D'Ávila 💈", "Zé D'Ávila")
    stage.say("quero uma escova sexta de manhã com o Zé")
    [asked] = tap(stage, stage.twilio.sent[-1], "10:30")
    assert asked.startswith("Posso confirmar: Escova com Zé D’Ávila, sexta-feira, 04/12/2026, às 10:30?")
    tap(stage, stage.twilio.sent[-1], "Sim")
    assert [visit.professional_id for visit in stage.appointments] == [2]


def test_each_of_two_people_at_one_time_can_be_tapped(stage_of: Callable[..., Stage]) -> None:
    either = "Na quinta tenho:\n1. 03/12 às 10:00, com Ana\n2. 03/12 às 10:00, com Zé\nQual prefere?"
    anyone = tool_use("buscar_horarios", {"data": "2026-12-03", "servico_id": 1, "dia_semana": "quinta"})
    stage = stage_of(answer(anyone), answer(text(either)), answer(text(ASK)))
    rename(stage, "Ana Souza", "Zé")
    stage.say("quinta às 10")
    tap(stage, stage.twilio.sent[-1], "qui 03/12 10:00 Zé")
    assert "hora 10:00, profissional_id 2.]" in asked(stage)


def test_a_number_chooses_as_well(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), answer(text(ASK)), answer(text("Ok.")))
    stage.say("tem horário amanhã com a Ana?")
    stage.say("a 1")
    assert asked(stage).startswith(
        "a 1 [Horário que o cliente escolheu na lista: quinta-feira, data 2026-12-03"
    )
    stage.say("obrigada")
    assert "hora 10:00, profissional_id 1" in str(stage.claude.requests[-1]["messages"][:-1])


def test_an_old_list_still_tells_what_was_tapped(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), answer(text("R$ 120,00.")), answer(text(ASK)))
    stage.say("tem horário amanhã com a Ana?")
    stage.say("quanto custa?")
    tap(stage, stage.twilio.sent[0], "qui, 03/12 às 10:00")
    assert "hora 10:00, profissional_id 1" in asked(stage)


def test_who_wants_no_buttons_has_none(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), buttons=False)
    assert stage.say("tem horário amanhã com a Ana?") == [TIMES]
    assert stage.twilio.sent[0].content_sid is None
    assert stage.messages[-1].text == TIMES
    assert stage.twilio.forms.documents == {}


def test_a_form_is_laid_down_once(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), *searched())
    stage.say("tem horário amanhã com a Ana?")
    stage.say("e para mim?", JOAO)
    assert [line.shown is not None for line in stage.twilio.sent] == [True, True]
    assert len(stage.twilio.forms.documents) == len(stage.rows(ContentTemplate)) == 1


@pytest.mark.parametrize(
    "behaviour", [fakes.STALL, fakes.TOO_MANY, fakes.refuse(20001), fakes.REFUSE_CONNECTION]
)
def test_where_no_form_can_be_made_it_is_a_numbered_text(
    stage_of: Callable[..., Stage], behaviour: Behaviour
) -> None:
    stage = stage_of(*searched())
    stage.twilio.forms_refused = behaviour
    assert stage.say("tem horário amanhã com a Ana?") == [LIST]
    assert stage.handoffs == []


@pytest.mark.parametrize("code", [63005, 63021, 21656, 99999])
def test_what_twilio_refuses_goes_out_as_a_text_once(stage_of: Callable[..., Stage], code: int) -> None:
    stage = stage_of(*searched())
    stage.twilio.script.append(refuse(code))
    assert stage.say("tem horário amanhã com a Ana?") == [LIST]
    assert len(stage.twilio.requests) == 2
    assert stage.handoffs == []


def test_what_whatsapp_refuses_later_goes_out_as_a_text_once(stage_of: Callable[..., Stage]) -> None:
    """63005 mostly comes by callback; the second time it comes to people."""
    stage = stage_of(*searched())
    stage.say("tem horário amanhã com a Ana?")
    for sent, reasons in ((2, []), (3, [Reason.FALHA_NO_ENVIO])):
        line = stage.twilio.sent[-1]
        path, headers, form = stage.twilio.status_form(line, "undelivered", 63005)
        stage.client().post(path, data=form, headers=headers)
        stage.work()
        assert [episode.reason for episode in stage.handoffs] == reasons
        assert len(stage.twilio.sent) == sent
    assert [line.body for line in stage.twilio.sent[:2]] == [TIMES, LIST]
    assert stage.twilio.sent[2].body.startswith("Desculpe, uma mensagem minha não chegou até você.")


def test_who_cannot_be_reached_is_not_tried_as_a_text(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched())
    stage.twilio.script.append(refuse(63003))
    stage.say("tem horário amanhã com a Ana?")
    assert len(stage.twilio.requests) == 1
    assert [episode.reason for episode in stage.handoffs] == [Reason.FALHA_NO_ENVIO]


def test_a_form_that_was_deleted_at_twilio_is_made_anew(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(*searched(), *searched())
    stage.twilio.script.append(refuse(21655))
    assert stage.say("tem horário amanhã com a Ana?") == [LIST]
    assert stage.rows(ContentTemplate) == []
    assert stage.say("de novo?") == [TIMES]
    assert len(stage.twilio.forms.documents) == 2


def test_a_list_of_which_nobody_knows_whether_it_was_sent_is_found(stage_of: Callable[..., Stage]) -> None:
    """By its question: its numbers are not said there."""
    stage = stage_of(*searched())
    stage.twilio.script.append(fakes.ACCEPT_THEN_STALL)
    stage.say("tem horário amanhã com a Ana?")
    assert stage.messages[-1].status == Status.IN_DOUBT
    stage.clock.forward(minutes=5)
    outbox.settle(stage.services, stage.clock())
    assert (stage.messages[-1].status, len(stage.twilio.sent)) == (Status.ACCEPTED, 1)


def test_a_question_is_found_by_what_was_made_of_it(stage_of: Callable[..., Stage]) -> None:
    """Twilio keeps it with another "'"."""
    stage = stage_of(answer(text("Corte com João D'Ávila,  03/12, às 10:00. Posso marcar?")))
    stage.twilio.script.append(fakes.ACCEPT_THEN_STALL)
    stage.say("quinta às 10")
    stage.clock.forward(minutes=5)
    outbox.settle(stage.services, stage.clock())
    assert (stage.messages[-1].status, len(stage.twilio.sent)) == (Status.ACCEPTED, 1)
    assert "D'Ávila" in stage.messages[-1].text


def test_what_cannot_be_heard_has_buttons(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    voice = {
        "MessageType": "audio",
        "NumMedia": "1",
        "MediaContentType0": "audio/ogg",
        "MediaUrl0": "https://x/1",
    }
    stage.say("", **voice)
    [line] = stage.twilio.sent
    assert line.shown is not None
    assert [offer.title for offer in line.shown.offers] == ["Vou escrever", "Falar com uma pessoa"]
    tap(stage, line, "Falar com uma pessoa")
    assert [episode.reason for episode in stage.handoffs] == [Reason.PEDIDO_DO_CLIENTE]


def test_a_long_answer_stays_a_text(stage_of: Callable[..., Stage]) -> None:
    """B40"""
    long = "\n".join(["Oi!", "A Ana é ótima. " * 100, TIMES])
    stage = stage_of(answer(SEARCH), answer(text(long)))
    said = stage.say("tem horário amanhã com a Ana?")
    assert [line.shown for line in stage.twilio.sent] == [None] * len(said)


# What we say without being asked


@pytest.fixture
def days(db: Database) -> Calendar:
    """Two visits of Maria's on Friday, of the first of which she is reminded on Thursday at two."""
    days = Calendar(db)
    let_tap(days.stage)
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.book(maria, local(4, 16))
    days.maria(local(3, 9))
    return days


def test_a_reminder_has_buttons(days: Calendar) -> None:
    """Its form is laid down once, whatever visit it is of; the line itself reads as ever."""
    days.has_template()
    [first], [second] = days.tick(local(3, 14)), days.tick(local(3, 16))
    assert first.shown is not None
    assert first.shown.offers == (
        Offer("confirm:1", "Confirmar"),
        Offer("move:1", "Remarcar"),
        Offer("cancel:1", "Cancelar"),
    )
    assert first.body == days.stage.messages[-2].text
    assert first.body.endswith("Responda *confirmar*, *remarcar* ou *cancelar*.")
    assert second.shown is not None
    assert second.shown.offers[0].id == "confirm:2"
    assert len(days.stage.twilio.forms.documents) == 1


@pytest.mark.parametrize(("number", "visit"), [(-2, 1), (-1, 2)])
def test_the_tapped_reminder_is_confirmed(days: Calendar, number: int, visit: int) -> None:
    days.tick(local(3, 14))
    days.tick(local(3, 16))
    runs = len(days.stage.runs)
    [said] = tap(days.stage, days.stage.twilio.sent[number], "Confirmar")
    assert "confirmad" in said
    assert [row.id for row in days.stage.appointments if row.confirmed_at] == [visit]
    assert len(days.stage.runs) == runs  # the model was not asked


@pytest.mark.parametrize(("title", "words"), [("Remarcar", "remarcar o"), ("Cancelar", "cancelar o")])
def test_what_else_is_tapped_under_a_reminder_is_told(days: Calendar, title: str, words: str) -> None:
    days.tick(local(3, 14))
    tap(days.stage, days.stage.twilio.sent[-1], title)
    assert f"quer {words} agendamento_id 1.]" in str(days.stage.claude.requests[-1]["messages"][-1])


def test_words_answer_a_reminder_with_buttons(days: Calendar) -> None:
    days.tick(local(3, 14))
    days.stage.say("confirmo")
    assert [row.id for row in days.stage.appointments if row.confirmed_at] == [1]


@pytest.mark.parametrize("code", [63005, 21656])
def test_a_reminder_that_is_refused_with_buttons_goes_out_as_a_text(days: Calendar, code: int) -> None:
    days.stage.twilio.script.append(refuse(code))
    [line] = days.tick(local(3, 14))
    assert (line.content_sid, line.body) == (None, days.stage.messages[-1].text)
    assert days.failed() == []


def test_after_a_day_of_silence_the_template_is_sent(days: Calendar) -> None:
    days.has_template()
    assert {line.content_sid for line in days.tick(local(4, 12))} == {TEMPLATE}


def test_a_refused_apostrophe_is_no_reason_to_say_nothing(days: Calendar) -> None:
    """In a template as well."""
    days.has_template()
    rename(days.stage, "João D'Ávila")
    said = {line.variables["3"] for line in days.tick(local(4, 12))}
    assert said == {"Corte feminino com João D’Ávila"}


@pytest.mark.parametrize("buttons", [True, False])
def test_an_offer_of_the_waiting_list_has_buttons(db: Database, buttons: bool) -> None:
    days = FullDay(db)
    let_tap(days.stage, buttons=buttons)
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    [line] = days.offer()
    assert line.body == days.stage.messages[-1].text
    titles = [offer.title for offer in line.shown.offers] if line.shown else []
    assert titles == (["Quero", "Não quero"] if buttons else [])


@pytest.mark.parametrize(("title", "booked"), [("Quero", True), ("Não quero", False)])
def test_the_tapped_offer_is_taken_or_not(db: Database, title: str, booked: bool) -> None:
    days = FullDay(db)
    days.stage.model = OfflineModel()
    let_tap(days.stage)
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    [line] = days.offer()
    tap(days.stage, line, title)
    visits = [row for row in days.stage.appointments if row.customer_id == days.people[MARIA]]
    assert [row.starts_at for row in visits] == ([local(4, 14, 30)] if booked else [])
