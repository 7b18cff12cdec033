"""The waiting list as staff read it, and how they take somebody off it."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select
from werkzeug.test import TestResponse

from bot.web.calendar.waitlist import PERIODS
from models import waitlist
from models.audit import AuditEvent
from models.db import Database
from models.waitlist import OVER, UNANSWERED, State, WaitlistEntry
from tests.bot.web import days
from tests.bot.web.calendar.test_calendar import book, said
from tests.bot.web.days import TOMORROW, Salon
from tests.bot.web.office import BRUNO, LEAK, Office, post
from tools import argument_types

MARIA = "+5511900000001"
PAGE = "/agenda/espera"


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def salon(office: Office) -> Salon:
    return Salon(office)


@pytest.fixture
def key(salon: Salon) -> int:
    """Maria waits for a cut tomorrow."""
    return salon.waits(salon.writes("Maria", MARIA))


def entry(office: Office, key: int) -> WaitlistEntry:
    with office.db.reading() as session:
        return session.get_one(WaitlistEntry, key)


def removals(office: Office) -> list[tuple[int | None, int | None, object]]:
    with office.db.reading() as session:
        rows = session.scalars(select(AuditEvent).where(AuditEvent.action == "waitlist.remove"))
        return [(row.staff_id, row.subject_id, row.at) for row in rows]


def remove(client: FlaskClient, key: int, seen: str = "waiting") -> TestResponse:
    return post(client, f"{PAGE}/{key}/tirar", estado=seen)


def plain(page: str) -> str:
    """The words of a page, without its marks."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("<main")[2]).split())


# Reading


def test_an_empty_list_says_so_and_nothing_leads_to_it(office: Office) -> None:
    client = office.client()
    assert "Ninguém na lista de espera." in client.get(PAGE).text
    assert PAGE not in client.get("/agenda").text


def test_who_waits_stands_by_day_and_in_order(office: Office) -> None:
    days.waiting(office)
    page = office.client(BRUNO).get(PAGE).text
    words = plain(page)
    assert re.findall(r'<h2 id="dia-([^"]+)', page) == ["2026-12-03", "2026-12-04"]
    order = ["amanhã, quinta, 3 de dezembro 2", "Maria", "Karina", "sexta, 4 de dezembro 1", "Rui"]
    assert sorted(order, key=words.index) == order
    for line in (
        "Corte feminino · qualquer profissional · qualquer hora Aguardando desde hoje, 10:20",
        "Corte feminino · com Ana Souza · à tarde Oferta enviada (14:30 com Ana Souza), guardada até 10:50",
        "Barba · qualquer profissional · de manhã Aguardando desde hoje, 10:20 Um horário abriu, mas o aviso "
        "não saiu: faz mais de 24 horas que a pessoa escreveu, e não há um modelo aprovado para este aviso.",
    ):
        assert line in words
    assert words.count("o aviso não saiu") == 1
    talk = office.says(name="Maria", phone=MARIA)
    assert f'href="/fila/{talk}#fim"' in page


def test_an_offer_that_has_not_left_or_is_over_says_so(office: Office, salon: Salon, key: int) -> None:
    client = office.client()
    salon.offers(key, "14:30", "10:50")
    with office.db.writing() as session:
        session.get_one(WaitlistEntry, key).message_id = None
    assert "Oferta saindo (14:30 com Ana Souza), guardada até 10:50" in client.get(PAGE).text
    office.clock.forward(minutes=30)
    assert "(14:30 com Ana Souza), vencida desde 10:50" in client.get(PAGE).text


def test_each_part_of_a_day_has_words() -> None:
    assert PERIODS.keys() == argument_types.PERIODS.keys()


@pytest.mark.parametrize("state", [State.BOOKED, State.EXPIRED, State.CANCELLED])
def test_what_is_over_is_not_listed(office: Office, key: int, state: State) -> None:
    with office.db.writing() as session:
        waitlist.close(session, key, state, OVER)
    client = office.client()
    assert "Ninguém na lista de espera." in client.get(PAGE).text
    assert PAGE not in client.get("/agenda").text


def test_another_business_s_list_is_its_own(office: Office, salon: Salon) -> None:
    theirs = office.row(office.says(name=f"Cliente {LEAK}", ids=office.outra)).customer_id
    salon.waits(theirs, tenant_id=office.outra.tenant, service_id=office.outra.corte)
    client = office.client()
    assert "Ninguém na lista de espera." in client.get(PAGE).text
    assert PAGE not in client.get("/agenda").text


def test_the_agenda_says_how_many_wait(office: Office) -> None:
    days.waiting(office)
    page = office.client().get("/agenda").text
    assert re.search(rf'href="{PAGE}">.*Lista de espera <span class="count">3</span>', page)


def test_a_long_list_asks_no_more_of_the_database(office: Office, salon: Salon) -> None:
    client = office.client()
    seen: list[str] = []
    event.listen(office.db.engine, "before_cursor_execute", lambda *args: seen.append(args[2]))

    def asked() -> int:
        seen.clear()
        assert client.get(PAGE).status_code == 200
        return len(seen)

    empty = asked()
    maria = salon.writes("Maria", MARIA)
    for n in range(20):
        salon.waits(maria, day=TOMORROW + timedelta(days=n))
    assert asked() == empty
    assert client.get(PAGE).text.count("<li>") == 20


# Booking


@pytest.mark.parametrize("offered", [False, True])
def test_the_page_that_books_knows_of_whom_and_what(
    office: Office, salon: Salon, key: int, offered: bool
) -> None:
    """Of an offer also its time. Who is booked is off the list."""
    if offered:
        salon.offers(key, "14:30", "10:50")
    client = office.client()
    found = re.search(r'href="(/agenda/novo[^"]*)"', client.get(PAGE).text)
    assert found
    link = found[1].replace("&amp;", "&")
    maria = entry(office, key).customer_id
    wish = {"cliente": [str(maria)], "servico": [str(office.bela.corte)], "dia": [str(TOMORROW)]}
    if offered:
        wish |= {"prof": [str(office.bela.ana)], "hora": ["14:30"]}
    assert parse_qs(urlsplit(link).query) == wish
    page = client.get(link).text
    assert "<b><bdi>Maria</bdi></b>" in page
    assert bool(re.search(rf'value="{office.bela.ana} 14:30" checked', page)) is offered
    assert book(office, client, cliente=maria, nome="").status_code == 303
    assert entry(office, key).state == State.BOOKED


# Taking off


def test_staff_take_a_customer_off_the_list(office: Office, key: int) -> None:
    """An attendant may; it asks first, and it is on record with who and when."""
    client = office.client(BRUNO)
    page = client.get(f"{PAGE}/{key}/tirar").text
    assert "o cliente não será mais avisado" in page
    assert entry(office, key).state == State.WAITING
    answer = remove(client, key)
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE)
    assert "Cliente fora da lista de espera." in client.get(PAGE).text
    assert (entry(office, key).state, entry(office, key).reason) == (State.CANCELLED, waitlist.REMOVED)
    assert removals(office) == [(office.bruno, key, office.clock())]


def test_of_an_offer_it_says_what_becomes_of_it(office: Office, salon: Salon, key: int) -> None:
    salon.offers(key, "14:30", "10:50")
    client = office.client()
    page = client.get(f"{PAGE}/{key}/tirar").text
    assert "o horário deixa de ficar guardado" in page
    assert 'name="estado" value="offered"' in page
    assert remove(client, key, "offered").status_code == 303
    assert entry(office, key).state == State.CANCELLED


BECAME = {
    State.BOOKED: ("", "Este cliente já tem horário marcado nesse dia, e saiu da lista."),
    State.EXPIRED: (UNANSWERED, "Esta espera já terminou: a oferta não foi aceita a tempo."),
    State.CANCELLED: (waitlist.ASKED, "Este cliente já saiu da lista: o cliente pediu para sair."),
}


@pytest.mark.parametrize("state", BECAME)
def test_what_ended_meanwhile_is_left_alone(office: Office, key: int, state: State) -> None:
    """And the sentence says how it ended; so does the page of who comes too late to ask."""
    reason, sentence = BECAME[state]
    client = office.client()
    with office.db.writing() as session:
        waitlist.close(session, key, state, reason)
    before = entry(office, key)
    for seen in ("waiting", "offered", state):
        answer = remove(client, key, seen)
        assert (answer.status_code, said(answer)) == (409, f"{sentence} Nada foi mudado.")
        assert "<button" not in answer.text.partition("<main")[2]
    assert entry(office, key) == before
    assert removals(office) == []
    asked = client.get(f"{PAGE}/{key}/tirar")
    assert asked.status_code == 200
    assert sentence in asked.text


def test_an_offer_made_meanwhile_is_asked_about_again(office: Office, salon: Salon, key: int) -> None:
    client = office.client()
    salon.offers(key, "14:30", "10:50")
    answer = remove(client, key, "waiting")
    assert answer.status_code == 409
    assert "recebeu uma oferta enquanto a página estava aberta" in said(answer)
    assert 'name="estado" value="offered"' in answer.text
    assert (entry(office, key).state, removals(office)) == (State.OFFERED, [])


def test_a_form_without_the_state_changes_nothing(office: Office, key: int) -> None:
    client = office.client()
    for seen in ("", "x" * 500, "waiting "):
        assert remove(client, key, seen).status_code == 409
    assert (entry(office, key).state, removals(office)) == (State.WAITING, [])


def test_a_name_is_only_words(office: Office, salon: Salon) -> None:
    key = salon.waits(salon.writes('<img src=x onerror="alert(1)">', MARIA))
    client = office.client()
    for page in (PAGE, f"{PAGE}/{key}/tirar"):
        text = client.get(page).text
        assert "<img" not in text
        assert "&lt;img src=x" in text
