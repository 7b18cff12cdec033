"""The queue and one conversation, as staff read and work them without JavaScript."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from werkzeug.test import TestResponse

from bot.web.inbox import queue_row
from bot.web.shared import labels
from models.conversation import WINDOW, Holder
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from models.run import Outcome
from tests.bot.web.office import BRUNO, LEAK, Office, post, result, token
from tests.databases import SqliteTemplate


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


def act(client: FlaskClient, conversation_id: int, verb: str, **form: object) -> TestResponse:
    """Press a button of the conversation's page. Whoever presses has seen everything, unless it is said."""
    page = f"/fila/{conversation_id}"
    shown = client.get(page).text
    seen = re.search(r'name="last_seen_seq" value="(\d+)"', shown)
    values = {"last_seen_seq": seen[1] if seen else "0", "client_key": "k1", **form}
    return post(client, f"{page}/{verb}", page="/agenda", **values)


# The list


def test_empty_queue_says_something_kind(client: FlaskClient) -> None:
    assert "Ninguém esperando." in client.get("/fila").text
    assert "Você não tem conversas em mãos." in client.get("/fila?aba=minhas").text


def test_a_row_tells_who_why_how_long_and_what(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says("Quero falar com gente", name="Maria")
    office.flags(conversation_id, Reason.MODELO_INDISPONIVEL)
    office.clock.forward(minutes=7)
    page = client.get("/fila").text
    assert 'href="/fila/' + str(conversation_id) in page
    for words_ in ("Maria", "Assistente fora do ar", "Espera há 7 min", "Quero falar com gente"):
        assert words_ in page
    assert "<title>(1) Fila" in page
    assert "modelo_indisponivel" not in client.get("/fila/linhas").text


@pytest.mark.parametrize(
    ("minutes", "shown"),
    [(0, "Chegou agora"), (4, "Espera há 4 min"), (14, "Espera há 14 min"),
     (15, "Atrasado: espera há 15 min"),
     (60, "Atrasado: espera há 1 h"), (24 * 60, "Atrasado: espera há 1 dia"), (72 * 60, "espera há 3 dias")],
)  # fmt: skip
def test_the_wait_is_told_in_words(office: Office, client: FlaskClient, minutes: int, shown: str) -> None:
    """Not by colour alone: who is late is called late."""
    office.flags(office.says())
    office.clock.forward(minutes=minutes)
    assert shown in office.client().get("/fila").text


def test_tabs_count_truly(office: Office, client: FlaskClient) -> None:
    waiting, mine, his = (office.says(phone=f"+551191111000{n}") for n in range(3))
    office.flags(waiting)
    office.takes(mine, office.ana)
    office.takes(his, office.bruno)
    page = client.get("/fila").text
    counts = dict(re.findall(r'>(\w+) <span class="count">(\d+)</span>', page))
    assert counts == {"Aguardando": "1", "Minhas": "1", "Todas": "4", "Encerradas": "0"}


def test_a_long_list_comes_in_pages(office: Office, client: FlaskClient) -> None:
    for number in range(60):
        office.flags(office.says(phone=f"+55119222200{number:02d}", name=f"Pessoa {number:02d}"))
        office.clock.forward(seconds=1)
    first = client.get("/fila").text
    following = re.search(r'href="(/fila\?[^"]*depois=[^"]*)"', first)
    assert following
    second = client.get(following[1].replace("&amp;", "&")).text
    names = re.findall(r"Pessoa \d\d", first) + re.findall(r"Pessoa \d\d", second)
    assert names == [f"Pessoa {number:02d}" for number in range(60)]
    assert 'data-poll="' not in second, "a later page does not refresh itself into the first"


@pytest.mark.parametrize(
    "query",
    [
        "aba=x",
        "depois=x",
        "depois=1-2",
        "depois=1-99999999999999999-1",
        "aba=todas&depois=-",
        "q=%00%F0",
        "motivo=x",
        "pessoa=x",
        "pessoa=99999999999999",
        "q=a",
        "q=[[[a",
        "motivo=&pessoa=&q=",
    ],
)
def test_odd_addresses_show_a_list_all_the_same(client: FlaskClient, query: str) -> None:
    assert client.get(f"/fila?{query}").status_code == 200


def test_the_list_is_sent_again_only_when_it_changed(office: Office, client: FlaskClient) -> None:
    office.flags(office.says())
    first = client.get("/fila/linhas?aba=aguardando")
    version = first.headers["X-Version"]
    assert client.get(f"/fila/linhas?aba=aguardando&v={version}").status_code == 204
    office.flags(office.says(phone="+5511911112222"))
    changed = client.get(f"/fila/linhas?aba=aguardando&v={version}")
    assert changed.status_code == 200
    assert changed.text.count("<li") == 2


# The conversation


def test_the_transcript_tells_days_authors_and_delivery(office: Office, client: FlaskClient) -> None:
    office.clock.at -= timedelta(days=1)
    conversation_id = office.says("Oi!", name="Maria")
    office.answers(conversation_id, "Olá, Maria!", status=Status.DELIVERED)
    office.clock.at += timedelta(days=1)
    office.says("Voltei", name="Maria")
    office.answers(conversation_id, "Um aviso.", author=Author.SYSTEM, status=Status.READ)
    office.answers(
        conversation_id, "Aqui é a Ana.", author=Author.STAFF, staff_id=office.ana, status=Status.SENT
    )
    page = client.get(f"/fila/{conversation_id}").text
    parts = ["ontem", "Oi!", "Olá, Maria!", "Entregue", "hoje", "Voltei", "Um aviso.", "Lido",
             "Ana Souza · equipe", "Aqui é a Ana.", "Enviado"]  # fmt: skip
    places = [page.find(part, page.index('id="thread"')) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "Assistente" in page
    assert "Mensagem automática" in page
    assert "10:20" in page, "the time of the business, not UTC"


@pytest.mark.parametrize(
    ("status", "code", "shown"),
    [(Status.QUEUED, 0, "Na fila de envio"), (Status.SENDING, 0, "Enviando"), 
     (Status.IN_DOUBT, 0, "Conferindo o envio"),
     (Status.FAILED, 63016, "Falhou: faz mais de 24 horas que a pessoa escreveu"),
     (Status.FAILED, 12345, "Falhou: código 12345"),
     (Status.FAILED, 0, "Falhou: o WhatsApp não disse por quê"),
     (Status.DROPPED, 0, "Não enviada: uma pessoa assumiu")],
)  # fmt: skip
def test_delivery_in_words(
    office: Office, client: FlaskClient, status: Status, code: int, shown: str
) -> None:
    conversation_id = office.says()
    office.answers(conversation_id, "Oi", status=status, error_code=code)
    assert shown in client.get(f"/fila/{conversation_id}").text


def test_every_state_and_reason_has_words() -> None:
    assert set(labels.REASONS) == set(Reason)
    assert set(labels.STATES) == set(Status) - {Status.RECEIVED, Status.NOTE}
    assert set(labels.AUTHORS) == set(Author)


def test_what_the_assistant_did_is_folded_in(office: Office, client: FlaskClient) -> None:
    """Name, input, result and error of each call, before the answer that came of it."""
    conversation_id = office.says("Tem vaga?")
    run_id = office.works(
        conversation_id,
        result("buscar_horarios", {"data": "2026-12-03", "dia_semana": "quinta"}, "Ana: 09:00, 10:00"),
        result("agendar", {"hora": "9h"}, "A hora deve ser HH:MM.", error_class="invalid_input"),
    )
    office.answers(conversation_id, "Tem sim!", run_id=run_id)
    page = client.get(f"/fila/{conversation_id}").text
    begins = page.index('<details class="work')
    fold = page[begins : page.index("</details>", begins)]
    assert "Busca de horários, Agendamento · 1 erro" in fold
    assert "buscar_horarios" in fold
    assert "&#34;dia_semana&#34;: &#34;quinta&#34;" in fold
    assert "Ana: 09:00, 10:00" in fold
    assert "dados inválidos" in fold
    assert "A hora deve ser HH:MM." in fold
    assert "2 consultas ao modelo · 1.926 tokens" in fold
    assert page.index("Tem vaga?") < page.index("Busca de horários") < page.index("Tem sim!")


@pytest.mark.parametrize(
    ("outcome", "reason", "shown"),
    [(Outcome.HANDED_OFF, "limite_tempo", "Passou para a equipe: O assistente demorou demais"),
     (Outcome.SUPERSEDED, None, "Parou, porque uma pessoa assumiu"),
     (Outcome.CRASHED, None, "Parou no meio")],
)  # fmt: skip
def test_a_run_without_an_answer_is_shown(
    office: Office, client: FlaskClient, outcome: Outcome, reason: str | None, shown: str
) -> None:
    conversation_id = office.says()
    office.works(conversation_id, outcome=outcome, handoff_reason=reason)
    assert shown in client.get(f"/fila/{conversation_id}").text


def test_media_are_placeholders(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says("", kind="audio")
    page = client.get(f"/fila/{conversation_id}").text
    assert "Áudio" in page
    assert "<audio" not in page
    assert "Áudio" in client.get("/fila?aba=todas").text


def test_reason_detail_and_next_visits_stand_beside(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.flags(conversation_id, Reason.PEDIDO_DO_CLIENTE, detail="Quer encaixe às 19h")
    office.books(conversation_id, starts_in=timedelta(days=1, hours=1))
    page = client.get(f"/fila/{conversation_id}").text
    assert "Pediu uma pessoa" in page
    assert "Quer encaixe às 19h" in page
    assert "amanhã, 11:20" in page
    assert "Corte feminino com Ana Souza" in page
    assert "Ninguém assumiu" in page


def test_older_messages_come_by_page(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says("linha 001")
    for number in range(2, 121):
        run_id = office.works(conversation_id, result("agendar", {}, f"feito {number:03d}"))
        office.answers(conversation_id, f"linha {number:03d}", run_id=run_id)
    newest = client.get(f"/fila/{conversation_id}").text
    assert "linha 021" in newest
    assert "linha 020" not in newest
    older = client.get(f"/fila/{conversation_id}?antes=21").text
    assert "linha 001" in older
    assert "linha 020" in older
    assert "linha 021" not in older
    for number in range(2, 121):
        assert f"feito {number:03d}" in (older if number <= 20 else newest)
        assert f"feito {number:03d}" not in (newest if number <= 20 else older)
    assert 'name="last_seen_seq"' not in older, "nobody answers from a page that does not show the end"


# Acting


def test_take_answer_give_back(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.flags(conversation_id)
    taken = act(client, conversation_id, "assumir")
    assert (taken.status_code, taken.location) == (303, f"/fila/{conversation_id}#fim")
    assert "Com você" in client.get(f"/fila/{conversation_id}").text
    assert office.row(conversation_id).unread == 0
    replied = act(client, conversation_id, "responder", text="Oi!\r\nPode ser às 15h?")
    assert replied.status_code == 303
    line = office.lines(conversation_id)[-1]
    assert (line.text, line.author, line.staff_id) == ("Oi!\nPode ser às 15h?", Author.STAFF, office.ana)
    assert office.services.wake_outbox.is_set()
    returned = act(client, conversation_id, "devolver", note="Marcar às 15h, já combinado.")
    assert (returned.status_code, returned.location) == (303, "/fila")
    assert office.services.wake_agent.is_set()
    assert office.row(conversation_id).holder == Holder.BOT
    assert office.lines(conversation_id)[-1].text.startswith("Voltei! Sou o assistente de Studio Bela.")
    assert "Conversa devolvida ao assistente." in client.get("/fila").text


def test_what_the_bot_holds_may_be_answered(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    assert "Com o assistente" in client.get("/fila?aba=todas").text
    assert act(client, conversation_id, "responder", text="Deixa comigo").status_code == 303
    assert office.row(conversation_id).assignee_id == office.ana


def test_a_long_reply_goes_out_in_parts_and_once(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    text = "Uma frase bem comum, que se repete. " * 100
    for _ in range(2):
        assert act(client, conversation_id, "responder", text=text).status_code == 303
    parts = [line.text for line in office.lines(conversation_id)][1:]
    assert len(parts) == 3
    assert all(len(part) <= 1500 for part in parts)
    assert " ".join(parts) == text.strip()


def test_reading_claims_nothing_and_marks_nothing(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.flags(conversation_id)
    before = office.row(conversation_id)
    for path in ("", "/linhas", "?antes=3"):
        client.get(f"/fila/{conversation_id}{path}")
    assert office.row(conversation_id) == before


def test_the_page_may_say_that_somebody_looked(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.flags(conversation_id)
    assert act(client, conversation_id, "lida", last_seen_seq=0).status_code == 204
    assert office.row(conversation_id).unread == 1
    assert act(client, conversation_id, "lida", last_seen_seq=1).status_code == 204
    assert office.row(conversation_id).unread == 0


@pytest.mark.parametrize("verb", ["assumir", "responder", "devolver"])
def test_the_loser_is_told_who_won(office: Office, client: FlaskClient, verb: str) -> None:
    """And keeps what was typed."""
    conversation_id = office.says()
    office.flags(conversation_id)
    office.takes(conversation_id, office.bruno)
    answer = act(client, conversation_id, verb, text="meu rascunho", note="meu rascunho", last_seen_seq=1)
    assert answer.status_code == 409
    assert "Bruno Reis já assumiu esta conversa." in answer.text
    assert 'role="alert"' in answer.text
    assert ("meu rascunho" in answer.text) is (verb != "assumir")
    assert office.row(conversation_id).assignee_id == office.bruno


@pytest.mark.parametrize("who", ["customer", "bot", "colleague"])
def test_something_newer_stops_the_reply_and_is_shown(office: Office, client: FlaskClient, who: str) -> None:
    conversation_id = office.says("Oi", name="Maria")
    if who == "customer":
        office.says("Mudei de ideia", name="Maria")
        expected = "Maria escreveu enquanto você escrevia. Confira antes de enviar."
    elif who == "bot":
        office.answers(conversation_id, "Mudei de ideia")
        expected = "O assistente respondeu enquanto você escrevia. Confira antes de enviar."
    else:
        bruno = office.client(BRUNO)
        act(bruno, conversation_id, "responder", text="Mudei de ideia", client_key="b1")
        act(bruno, conversation_id, "devolver")
        expected = "Bruno Reis respondeu enquanto você escrevia. Confira antes de enviar."
    answer = act(client, conversation_id, "responder", text="meu rascunho", last_seen_seq=1)
    assert answer.status_code == 409
    assert expected in answer.text
    assert "Mudei de ideia" in answer.text
    assert ">meu rascunho</textarea>" in answer.text
    assert '<span class="chip slow">nova</span>' in answer.text
    last = office.lines(conversation_id)[-1].seq
    assert f'name="last_seen_seq" value="{last}"' in answer.text, "the next try knows what came"
    assert "meu rascunho" not in [line.text for line in office.lines(conversation_id)]


def test_nothing_unseen_is_swallowed_by_giving_back(office: Office, client: FlaskClient) -> None:
    """The bot takes up after what was said; a message that nobody read must not fall between the two."""
    conversation_id = office.says("Oi", name="Maria")
    office.takes(conversation_id, office.ana)
    office.says("Ainda não!", name="Maria")
    answer = act(client, conversation_id, "devolver", note="meu recado", last_seen_seq=1)
    assert answer.status_code == 409
    assert "Maria escreveu enquanto você escrevia." in answer.text
    assert "meu recado" in answer.text
    assert office.row(conversation_id).holder == Holder.STAFF
    assert act(client, conversation_id, "devolver").status_code == 303


def test_out_of_the_window_nothing_is_sent(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says(name="Maria")
    office.flags(conversation_id)
    office.clock.at += WINDOW - timedelta(hours=3)
    assert "A janela do WhatsApp fecha às 10:20" in office.client().get(f"/fila/{conversation_id}").text
    office.clock.at += timedelta(hours=3)
    client = office.client()
    page = client.get(f"/fila/{conversation_id}").text
    assert "Faz mais de 24 horas que a pessoa escreveu." in page
    assert 'name="text"' not in page
    answer = act(client, conversation_id, "responder", text="meu rascunho", last_seen_seq=1)
    assert answer.status_code == 422
    assert "meu rascunho" in answer.text
    assert len(office.lines(conversation_id)) == 1


@pytest.mark.parametrize(
    ("form", "status"),
    [({"text": ""}, 422), ({"text": " \n "}, 422), ({"text": "x" * 4001}, 422), ({"text": "\u202e\x00"}, 422),
     ({"last_seen_seq": ""}, 400), ({"last_seen_seq": "-1"}, 400), ({"last_seen_seq": "9" * 30}, 400),
     ({"client_key": ""}, 400), ({"client_key": "k" * 41}, 400), ({"client_key": "\x00"}, 400)],
)  # fmt: skip
def test_forms_that_make_no_sense(
    office: Office, client: FlaskClient, form: dict[str, str], status: int
) -> None:
    conversation_id = office.says()
    values = {"text": "oi", **form}
    answer = act(client, conversation_id, "responder", **values)
    assert answer.status_code == status
    assert len(office.lines(conversation_id)) == 1
    if len(form.get("text", "")) > 4000:
        assert "A mensagem tem 4001 caracteres; o limite é 4000." in answer.text
        assert form["text"] in answer.text


def test_a_note_has_a_limit(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.takes(conversation_id, office.ana)
    answer = act(client, conversation_id, "devolver", note="x" * 1001)
    assert answer.status_code == 422
    assert "O recado tem 1001 caracteres; o limite é 1000." in answer.text
    assert office.row(conversation_id).holder == Holder.STAFF


def test_a_huge_form_is_refused(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    form = {"csrf_token": token(client), "text": "x" * 70_000}
    answer = client.post(f"/fila/{conversation_id}/responder", data=form)
    assert answer.status_code == 413
    assert "Texto grande demais" in answer.text


def test_the_whole_way_on_both_databases(db: Database) -> None:
    office = Office(db)
    conversation_id = office.says("Oi", name="Maria")
    run_id = office.works(conversation_id, result("agendar", {}, "ok"))
    office.answers(conversation_id, "Olá!", run_id=run_id)
    office.flags(conversation_id, detail="Quer falar com gente")
    office.books(conversation_id, starts_in=timedelta(hours=1))
    client = office.client()
    page = f"/fila/{conversation_id}"
    for path in (
        "/fila",
        "/fila?aba=minhas",
        "/fila?aba=todas&depois=0-1764000000000000-1",
        page,
        f"{page}/linhas",
    ):
        assert client.get(path).status_code == 200, path
    assert "Maria" in client.get("/agenda").text
    for verb in ("assumir", "responder", "devolver"):
        assert act(client, conversation_id, verb, text="Oi!", note="ok").status_code == 303, verb
    assert "Voltei!" in client.get(page).text


# Polling


def test_the_conversation_is_sent_again_only_when_it_changed(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says("um")
    office.answers(conversation_id, "dois", status=Status.QUEUED)
    address = f"/fila/{conversation_id}/linhas?depois=2"
    version = client.get(address).headers["X-Version"]
    assert client.get(f"{address}&v={version}").status_code == 204
    office.says("três")
    changed = client.get(f"{address}&v={version}")
    assert changed.status_code == 200
    assert re.findall(r'data-seq="(\d+)"', changed.text) == ["1", "2", "3"], (
        "delivery of what was there may move"
    )


def test_a_window_that_shuts_is_a_change(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.clock.at += WINDOW - timedelta(seconds=1)
    client = office.client()
    address = f"/fila/{conversation_id}/linhas?depois=1"
    version = client.get(address).headers["X-Version"]
    office.clock.at += timedelta(seconds=1)
    assert 'data-mode="bot shut"' in client.get(f"{address}&v={version}").text


def test_a_window_that_will_shut_soon_is_a_change(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.clock.at += WINDOW - queue_row.WINDOW_ENDS_SOON - timedelta(seconds=1)
    client = office.client()
    address = f"/fila/{conversation_id}/linhas?depois=1"
    version = client.get(address).headers["X-Version"]
    assert client.get(f"{address}&v={version}").status_code == 204
    office.clock.at += timedelta(seconds=1)
    assert "Janela do WhatsApp fecha às" in client.get(f"{address}&v={version}").text


@pytest.mark.parametrize("tab", ["aguardando", "minhas", "todas"])
def test_the_list_tells_whose_window_will_shut_soon(office: Office, tab: str) -> None:
    """Only where people are to answer: the assistant answers at once."""
    waiting, mine, bots = (office.says(phone=f"+551191111000{n}") for n in range(3))
    office.flags(waiting)
    office.takes(mine, office.ana)
    office.clock.at += WINDOW - queue_row.WINDOW_ENDS_SOON
    page = office.client().get(f"/fila?aba={tab}").text
    with_people = {"aguardando": [waiting], "minhas": [mine], "todas": [mine, waiting]}[tab]
    found = {int(row[0]): row[1] for row in re.findall(r'data-key="c-(\d+)"(.*?)</li>', page, re.S)}
    assert sorted(key for key, row in found.items() if "Janela fecha às " in row) == sorted(with_people)
    assert (bots in found) is (tab == "todas")
    office.clock.at -= timedelta(seconds=1)
    assert "Janela fecha" not in office.client().get(f"/fila?aba={tab}").text


# Figures


@pytest.mark.parametrize(
    ("page", "limit"),
    [("/fila", 6), ("/fila?aba=minhas", 6), ("/fila?aba=todas", 6), ("/fila/linhas?aba=todas", 5),
     ("/fila?aba=encerradas", 6), ("/fila?q=maria&motivo=voltou&pessoa=1", 6), ("/fila/pulso", 2),
     ("/fila/{id}", 12), ("/agenda", 11)],
)  # fmt: skip
def test_pages_ask_few_questions_however_much_there_is(office: Office, page: str, limit: int) -> None:
    conversation_id = office.says()
    for number in range(12):
        other = office.says(phone=f"+55119333300{number:02d}")
        office.flags(other)
        run_id = office.works(conversation_id, result("agendar", {}, "ok"), result("agendar", {}, "ok"))
        office.answers(conversation_id, "x", run_id=run_id)
        office.answers(conversation_id, "y", author=Author.STAFF, staff_id=office.ana)
    client = office.client()
    asked: list[str] = []
    event.listen(office.db.engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
    assert client.get(page.format(id=conversation_id)).status_code == 200
    assert len([statement for statement in asked if not statement.startswith("BEGIN")]) <= limit


# Untrusted text


STRINGS = [
    "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", '"><script>alert(1)</script>',
    "' autofocus onfocus='alert(1)", "{{7*7}}{% raw %}", "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>", "javascript:alert(1)", '<b hx-get="/sair" hx-trigger="load">',
    "<form action=//evil>", "&lt;script&gt;", "a\u202eb\u200bc" + "\u0301" * 50, "x" * 4096,
]  # fmt: skip


class Shape(HTMLParser):
    """The tags of a page with the names of their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _value in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def everywhere(office: Office, text: str) -> list[Shape]:
    """Every page on which this text stands as a name, message, reason, tool, input, result and draft."""
    conversation_id = office.says(text, name=text[:200], phone=f"+55119{len(text):08d}")
    run_id = office.works(conversation_id, result(text[:60], {text[:60]: text}, text, error_class="bug"))
    office.answers(conversation_id, text, run_id=run_id)
    office.flags(conversation_id, detail=text[:1000])
    office.books(conversation_id, starts_in=timedelta(hours=1))
    client = office.client()
    pages = [client.get(path) for path in ("/fila", "/fila?aba=todas", f"/fila/{conversation_id}", "/agenda")]
    pages.append(act(client, conversation_id, "responder", text=f"{text} {'y' * 4000}"))
    pages.append(client.post(f"/fila/{conversation_id}/responder", data={"text": text}))
    return [Shape(page.text) for page in pages]


@pytest.mark.parametrize("nasty", STRINGS)
def test_nothing_that_strangers_write_is_markup(
    sqlite_template: SqliteTemplate, tmp_path: Path, nasty: str
) -> None:
    """Every page has the tags and attributes that it has for a harmless text, and shows what was written."""
    shapes = []
    for name, text in (("nasty", nasty), ("tame", "Maria")):
        folder = tmp_path / name
        folder.mkdir()
        db = sqlite_template.copy(folder)
        shapes.append(everywhere(Office(db), text))
        db.dispose()
    for odd, harmless in zip(*shapes, strict=True):
        assert odd.tags == harmless.tags
    conversation = shapes[0][2]
    assert conversation.text.count(nasty) >= 4


def test_tool_input_that_is_no_object_is_shown_too(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    run_id = office.works(
        conversation_id, result("agendar", '{"data": "20', "?", error_class="invalid_input")
    )
    office.answers(conversation_id, "x", run_id=run_id)
    assert "{&#34;data&#34;: &#34;20" in client.get(f"/fila/{conversation_id}").text


# Another business


def test_nothing_of_another_business_is_anywhere(office: Office, client: FlaskClient) -> None:
    theirs = office.says(f"segredo {LEAK}", name=f"Cliente {LEAK}", ids=office.outra)
    office.flags(theirs, detail=LEAK)
    office.books(theirs, starts_in=timedelta(hours=1), ids=office.outra)
    ours = office.says(phone="+5511911112222")
    for path in ("/fila", "/fila?aba=minhas", "/fila?aba=todas", "/fila/linhas?aba=todas", "/agenda",
                 f"/fila/{ours}", f"/fila/{ours}/linhas", f"/fila/{theirs}",
                 f"/fila/{theirs}/linhas"):  # fmt: skip
        assert LEAK not in client.get(path).text, path
    assert client.get(f"/fila/{theirs}").status_code == 404
    assert client.get(f"/fila/{theirs}").text == client.get("/fila/987654").text
