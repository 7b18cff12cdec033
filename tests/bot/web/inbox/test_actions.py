"""What staff do with a conversation by its page, without JavaScript: a button, and an answer in words."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from models.appointment import Appointment
from models.conversation import WINDOW, Holder
from models.customer import Customer
from models.db import Database
from models.handoff import CloseReason, Handoff
from models.message import Author, Status
from models.run import NewStep, StepKind
from models.staff import Staff
from models.tenant import Tenant
from tests.bot.web.inbox.test_queue import act
from tests.bot.web.office import BRUNO, Office, post, result

TEMPLATE = "HX" + "0" * 32


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


@pytest.fixture
def talk(office: Office) -> int:
    conversation_id = office.says("Oi", name="Maria")
    office.flags(conversation_id)
    return conversation_id


def manager(office: Office) -> FlaskClient:
    with office.db.writing() as session:
        session.get_one(Staff, office.ana).role = "manager"
    return office.client()


# Letting go


def test_released_it_waits_for_everybody(office: Office, client: FlaskClient, talk: int) -> None:
    office.takes(talk, office.ana)
    answer = act(client, talk, "soltar")
    assert (answer.status_code, answer.location) == (303, "/fila")
    assert "Conversa de volta na fila." in client.get("/fila").text
    assert office.row(talk).holder == Holder.QUEUE
    assert "Ana Souza devolveu para a fila" in client.get(f"/fila/{talk}").text


def test_passed_on_to_a_colleague(office: Office, client: FlaskClient, talk: int) -> None:
    office.takes(talk, office.ana)
    page = client.get(f"/fila/{talk}").text
    assert f'<option value="{office.bruno}">Bruno Reis</option>' in page
    assert "Carla" not in page
    answer = act(client, talk, "passar", to=office.bruno)
    assert (answer.status_code, answer.location) == (303, "/fila")
    assert "Conversa passada para Bruno Reis." in client.get("/fila").text
    assert office.row(talk).assignee_id == office.bruno
    assert act(client, talk, "passar", to="x").status_code == 422


def test_taken_over_after_a_question(office: Office, client: FlaskClient, talk: int) -> None:
    """Who has it, since when they are away, and only then the button; the colleague is told in the thread."""
    bruno = office.client(BRUNO)
    office.takes(talk, office.bruno)
    assert f'href="/fila/{talk}/assumir-mesmo-assim"' in client.get(f"/fila/{talk}").text
    office.clock.forward(minutes=50)
    asked = client.get(f"/fila/{talk}/assumir-mesmo-assim").text
    assert "Bruno Reis" in asked
    assert "última vez: 10:20" in asked
    assert office.row(talk).assignee_id == office.bruno, "asking takes nothing"
    assert act(client, talk, "substituir", holder_id=office.bruno).status_code == 303
    assert office.row(talk).assignee_id == office.ana
    assert "Ana Souza assumiu no lugar de Bruno Reis" in bruno.get(f"/fila/{talk}").text


def test_taking_over_from_somebody_else_than_was_asked_is_refused(
    office: Office, client: FlaskClient, talk: int
) -> None:
    office.takes(talk, office.bruno)
    answer = act(client, talk, "substituir", holder_id=office.carla)
    assert answer.status_code == 409
    assert "Bruno Reis já assumiu esta conversa." in answer.text
    assert act(client, talk, "substituir", holder_id="x").status_code == 400


@pytest.mark.parametrize("held", [Holder.BOT, Holder.QUEUE, "mine"])
def test_there_is_nothing_to_ask_where_no_colleague_has_it(
    office: Office, client: FlaskClient, held: str
) -> None:
    talk = office.says()
    if held == Holder.QUEUE:
        office.flags(talk)
    elif held == "mine":
        office.takes(talk, office.ana)
    assert client.get(f"/fila/{talk}/assumir-mesmo-assim").location == f"/fila/{talk}#fim"


# Putting aside


@pytest.mark.parametrize(
    ("form", "until"),
    [
        ({"until": "30m"}, timedelta(minutes=30)),
        ({"until": "2h"}, timedelta(hours=2)),
        ({"until": "manha"}, timedelta(hours=22, minutes=40)),  # 09:00, where no hours are given
        ({"until": "", "when": "2026-12-02T15:00"}, timedelta(hours=4, minutes=40)),
    ],
)
def test_put_aside_until(
    office: Office, client: FlaskClient, talk: int, form: dict[str, str], until: timedelta
) -> None:
    answer = act(client, talk, "adiar", **form)
    assert (answer.status_code, answer.location) == (303, "/fila?aba=minhas")
    assert office.row(talk).snoozed_until == office.clock() + until
    page = client.get("/fila?aba=minhas").text
    assert "Conversa adiada até" in page
    assert "Adiada até" in page
    assert act(client, talk, "retomar").status_code == 303
    assert office.row(talk).snoozed_until is None


def test_tomorrow_is_when_people_answer_again(office: Office, client: FlaskClient, talk: int) -> None:
    """On a Friday that is Monday."""
    with office.db.writing() as session:
        session.get_one(Tenant, office.bela.tenant).handoff_hours = {"0": [[600, 1080]], "2": [[600, 1080]]}
    assert "Até segunda, 7 de dezembro, 10:00" in client.get(f"/fila/{talk}").text
    act(client, talk, "adiar", until="manha")
    assert office.row(talk).snoozed_until == office.clock() + timedelta(days=4, hours=23, minutes=40)


@pytest.mark.parametrize(
    "form",
    [{"until": ""}, {"until": "x", "when": "x"}, {"when": "2026-12-02T10:19"}, {"when": "2027-12-02T10:00"},
     {"when": "2026-12-03T10:00+00:00"}],
)  # fmt: skip
def test_no_time_to_come_back(office: Office, client: FlaskClient, talk: int, form: dict[str, str]) -> None:
    answer = act(client, talk, "adiar", **form)
    assert answer.status_code == 422
    assert "Escolha um horário no futuro, em até 14 dias." in answer.text
    assert office.row(talk).holder == Holder.QUEUE


# Ending


def test_ended_it_is_kept_under_its_tab(office: Office, client: FlaskClient, talk: int) -> None:
    act(client, talk, "responder", text="Pronto!")
    answer = act(client, talk, "encerrar")
    assert (answer.status_code, answer.location) == (303, "/fila")
    assert "Atendimento encerrado." in client.get("/fila").text
    assert office.row(talk).holder == Holder.BOT
    assert "Maria" in client.get("/fila?aba=encerradas").text
    office.says("ah, e mais uma coisa", name="Maria")
    back = client.get("/fila").text
    assert "Voltou a escrever" in back
    assert "ah, e mais uma coisa" in back
    assert "Maria" not in client.get("/fila/linhas?aba=encerradas").text
    with office.db.reading() as session:
        assert session.get_one(Handoff, 1).close_reason == CloseReason.RESOLVED


def test_nothing_unseen_is_ended(office: Office, client: FlaskClient, talk: int) -> None:
    office.takes(talk, office.ana)
    office.says("Ainda não!", name="Maria")
    answer = act(client, talk, "encerrar", last_seen_seq=1)
    assert answer.status_code == 409
    assert "Maria escreveu enquanto você escrevia." in answer.text
    assert office.row(talk).holder == Holder.STAFF


@pytest.mark.parametrize("verb", ["soltar", "passar", "adiar", "retomar", "encerrar"])
def test_the_loser_is_told_who_won(office: Office, client: FlaskClient, talk: int, verb: str) -> None:
    office.takes(talk, office.bruno)
    answer = act(client, talk, verb, to=office.bruno, until="30m", last_seen_seq=9)
    assert answer.status_code == 409
    assert "Bruno Reis já assumiu esta conversa." in answer.text
    assert office.row(talk).assignee_id == office.bruno


# Notes


def test_a_note_is_seen_by_the_team_and_sent_to_nobody(
    office: Office, client: FlaskClient, talk: int
) -> None:
    assert act(client, talk, "nota", remark="  Cliente antiga.\r\nPrefere a Ana.  ").status_code == 303
    line = office.lines(talk)[-1]
    assert (line.text, line.status, line.author) == (
        "Cliente antiga.\nPrefere a Ana.",
        Status.NOTE,
        Author.STAFF,
    )
    page = office.client(BRUNO).get(f"/fila/{talk}").text
    assert "Prefere a Ana." in page
    assert "nota interna" in page
    assert office.row(talk).holder == Holder.QUEUE, "a note takes nothing"
    assert "Cliente antiga" not in client.get("/fila").text, "and is no preview"


@pytest.mark.parametrize(
    ("text", "problem"), [("", "A nota está vazia."), ("x" * 1001, "A nota tem 1001 caracteres")]
)
def test_a_note_that_cannot_be_kept(
    office: Office, client: FlaskClient, talk: int, text: str, problem: str
) -> None:
    answer = act(client, talk, "nota", remark=text)
    assert answer.status_code == 422
    assert problem in answer.text
    assert text in answer.text
    assert len(office.lines(talk)) == 1


# Outside WhatsApp's window


def shut(office: Office, *, template: str | None = TEMPLATE, reminder: str | None = None) -> int:
    """A conversation whose window has shut; the customer comes tomorrow."""
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.template_contact, tenant.template_reminder = template, reminder
    talk = office.says("Oi", name="Maria")
    office.flags(talk)
    office.clock.at += WINDOW
    office.books(talk, starts_in=timedelta(days=1))
    return talk


def test_where_there_is_no_template_the_page_says_who_can_help(office: Office) -> None:
    talk = shut(office, template=None)
    page = office.client().get(f"/fila/{talk}").text
    assert "esta empresa ainda não tem nenhum" in page
    assert "Quem cuida da configuração pode cadastrar um." in page
    assert act(office.client(), talk, "modelo", template="contato").status_code == 422


def test_a_template_goes_out_in_its_place(office: Office) -> None:
    talk = shut(office)
    client = office.client()
    page = client.get(f"/fila/{talk}").text
    words = "Olá, Maria! Aqui é Studio Bela, sobre a sua mensagem de 02/12/2026. Podemos continuar por aqui?"
    assert words in page
    assert "Lembrete do próximo horário" not in page
    for _ in range(2):
        assert act(client, talk, "modelo", template="contato", client_key="k9").status_code == 303
    line = office.lines(talk)[-1]
    assert len(office.lines(talk)) == 2, "once a key"
    assert (line.text, line.content_sid, line.content_variables) == (
        words,
        TEMPLATE,
        {"1": "Maria", "2": "02/12/2026"},
    )
    assert office.row(talk).assignee_id == office.ana
    assert office.services.wake_outbox.is_set()


def test_the_reminder_is_offered_for_a_visit_ahead(office: Office) -> None:
    talk = shut(office, reminder=TEMPLATE)
    client = office.client()
    assert "Lembrete do próximo horário" in client.get(f"/fila/{talk}").text
    assert act(client, talk, "modelo", template="lembrete").status_code == 303
    line = office.lines(talk)[-1]
    assert line.content_variables is not None
    assert line.content_variables["3"] == "Corte feminino com Ana Souza"


def test_who_asked_for_no_messages_is_sent_no_template(office: Office) -> None:
    """Not offered, and not sent by a page that is older than the wish."""
    talk = shut(office, reminder=TEMPLATE)
    with office.db.writing() as session:
        session.get_one(Customer, office.row(talk).customer_id).opted_out_at = office.clock()
    page = office.client().get(f"/fila/{talk}").text
    assert "esta pessoa pediu para não receber mensagens" in page
    assert "Enviar modelo" not in page
    for template in ("contato", "lembrete"):
        assert act(office.client(), talk, "modelo", template=template).status_code == 422
    assert len(office.lines(talk)) == 1


@pytest.mark.parametrize("template", ["", "x", "lembrete"])
def test_a_template_that_is_not_offered_is_not_sent(office: Office, template: str) -> None:
    talk = shut(office)
    answer = act(office.client(), talk, "modelo", template=template)
    assert answer.status_code == 422
    assert len(office.lines(talk)) == 1


# The customer's card


def test_the_card_tells_what_was_before(office: Office, client: FlaskClient, talk: int) -> None:
    for days, status in ((-20, "no_show"), (-9, "done")):
        office.books(talk, starts_in=timedelta(days=days))
        with office.db.writing() as session:
            session.get_one(Appointment, 1 if days == -20 else 2).status = status
    act(client, talk, "responder", text="Oi!")
    act(client, talk, "devolver", note="Pode marcar às 15h.")
    page = client.get(f"/fila/{talk}").text
    assert "1 falta" in page
    assert "12/11" in page
    assert "(não veio)" in page
    assert "(veio)" in page
    assert "devolvida ao assistente por Ana Souza" in page
    assert "Pode marcar às 15h." in page


def test_a_name_is_corrected_and_the_change_is_logged(office: Office, talk: int) -> None:
    client = manager(office)
    answer = act(client, talk, "nome", name="  Maria   das Dores ")
    assert (answer.status_code, answer.location) == (303, f"/fila/{talk}")
    assert "<h1><bdi>Maria das Dores</bdi></h1>" in client.get(f"/fila/{talk}").text
    assert "mudou o nome de um cliente" in client.get("/registro").text
    act(client, talk, "nome", name="")
    assert "+55 11 90000-0001" in client.get(f"/fila/{talk}").text


def test_a_name_that_is_too_long_is_given_back(office: Office, client: FlaskClient, talk: int) -> None:
    answer = act(client, talk, "nome", name="x" * 201)
    assert answer.status_code == 422
    assert "O nome tem 201 caracteres; o limite é 200." in answer.text
    assert "x" * 201 in answer.text


# Ready answers


def test_a_ready_answer_fills_the_box_without_javascript(
    office: Office, client: FlaskClient, talk: int
) -> None:
    post(client, "/respostas", page="/respostas", name="Endereço", text="Oi, {nome}! Rua Augusta, 1000.")
    page = client.get(f"/fila/{talk}").text
    assert 'data-name="endereco" data-text="Oi, Maria! Rua Augusta, 1000."' in page
    filled = client.get(f"/fila/{talk}?pronta=1").text
    assert ">Oi, Maria! Rua Augusta, 1000.</textarea>" in filled
    for other in ("987", "x", "-1"):
        assert client.get(f"/fila/{talk}?pronta={other}").status_code == 200


# The run, step by step


def test_managers_see_what_the_assistant_did_step_by_step(office: Office, talk: int) -> None:
    run_id = office.works(
        talk,
        NewStep(StepKind.INPUT, [{"type": "text", "text": "<contexto>"}]),
        NewStep(
            StepKind.ANSWER,
            [{"type": "tool_use", "id": "t", "name": "agendar", "input": {"hora": "9h"}}],
            stop_reason="tool_use",
            usage={"input_tokens": 1200, "output_tokens": 30},
        ),
        result("agendar", {"hora": "9h"}, "A hora é HH:MM.", error_class="invalid_input"),
        cost_microdollars=12_300,
    )
    office.answers(talk, "Pronto", run_id=run_id)
    client = manager(office)
    assert f'href="/fila/{talk}/execucao/{run_id}"' in client.get(f"/fila/{talk}").text
    page = client.get(f"/fila/{talk}/execucao/{run_id}").text
    for words in (
        *("O modelo pediu uma ferramenta", "A hora é HH:MM.", "&lt;contexto&gt;", "1.200 tokens lidos"),
        *("US$ 0,01", "Respondida", "offline"),
    ):
        assert words in page, words
    assert f"/execucao/{run_id}" not in office.client(BRUNO).get(f"/fila/{talk}").text
