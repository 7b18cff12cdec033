"""The agenda as staff read it and work on it: in the business's own time, and only its own."""

import csv
import html
import io
import re
from collections.abc import Callable
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select
from werkzeug.test import TestResponse

from bot.web.app import TEMPLATES
from bot.web.calendar.day_grid import DAY, MOST_LANES, ROW
from models import appointment, stranded
from models.appointment import Appointment, AppointmentStatus
from models.audit import AuditEvent
from models.catalog import Closure, Professional, Service, TimeOff
from models.conversation import WINDOW
from models.customer import Customer, CustomerAddress
from models.db import Database
from models.message import Author, Message
from models.pages import calendar_page
from models.pages.calendar_page import Visit
from models.tenant import Tenant
from tests.bot.web import days
from tests.bot.web.days import TODAY, TOMORROW, Salon, at
from tests.bot.web.office import BRUNO, LEAK, Office, post, token

MARIA = "+5511900000001"
XSS = '<img src=x onerror="alert(1)">'


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def salon(office: Office) -> Salon:
    return Salon(office)


def visit(office: Office, key: int) -> Visit:
    with office.db.reading() as session:
        return calendar_page.visit(session, office.bela.tenant, key)


def when(office: Office, key: int) -> str:
    return f"{visit(office, key).starts_at.astimezone(days.ZONE):%d %H:%M}"


def lines(office: Office) -> list[tuple[str, str, int | None]]:
    """What staff said to customers."""
    with office.db.reading() as session:
        rows = session.scalars(select(Message).where(Message.author == Author.STAFF).order_by("id"))
        return [(row.text, row.status, row.staff_id) for row in rows]


def acts(office: Office) -> list[tuple[str, int | None]]:
    with office.db.reading() as session:
        rows = session.scalars(select(AuditEvent).where(AuditEvent.action != "staff.log_in").order_by("id"))
        return [(row.action, row.staff_id) for row in rows]


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return found[1]


def send(office: Office, client: FlaskClient, path: str, **form: object) -> TestResponse:
    """A POST as the visit's page sends it: with the state that the page shows."""
    state = visit(office, int(path.split("/")[2])).state
    return client.post(path, data={"csrf_token": token(client), "estado": state, **form})


def said(answer: TestResponse) -> str:
    """The one notice of a page, without the link that leads on."""
    found = re.search(
        r'<p class="notice (?:good|bad)"[^>]*>.*?<span>(.*?)</span></p>', answer.text, re.DOTALL
    )
    assert found, answer.text
    return found[1].split(" <a ")[0]


# Reading


def test_a_day_shows_its_visits_in_local_time(office: Office) -> None:
    office.books(office.says(name="Maria"), starts_in=timedelta(hours=1))
    page = office.client().get("/agenda").text
    assert "hoje, quarta, 2 de dezembro" in page
    assert re.search(r'11:20<span class="until">–12:20', page)
    assert "Maria" in page
    assert "Corte feminino" in page
    assert 'id="agora"' in page


def test_a_visit_over_midnight_stands_on_both_days(office: Office) -> None:
    """23:50 in São Paulo is the next day in UTC."""
    office.books(office.says(name="Maria"), starts_in=timedelta(hours=13, minutes=30))
    client = office.client()
    for day, shown in (("01", False), ("02", True), ("03", True), ("04", False)):
        assert ("23:50" in client.get(f"/agenda?dia=2026-12-{day}").text) is shown


def test_a_day_leads_to_its_neighbours(office: Office) -> None:
    page = office.client().get("/agenda?dia=2026-12-31").text
    assert 'href="/agenda?dia=2026-12-30"' in page
    assert 'href="/agenda?dia=2027-01-01"' in page
    assert "1 de janeiro de 2027" in office.client().get("/agenda?dia=2027-01-01").text


@pytest.mark.parametrize(
    "day", ["x", "2026-13-01", "0001-01-01", "9999-12-31", "2026-12-02T10:00", "20261202"]
)
def test_what_is_no_day_is_today_and_no_file(office: Office, day: str) -> None:
    client = office.client()
    for view in ("dia", "semana"):
        page = client.get(f"/agenda?dia={day}&ver={view}")
        assert page.status_code == 200
        assert "Não reconheci o dia pedido. Aqui está hoje." in page.text
        assert f'value="{TODAY}"' in page.text
    assert "Não reconheci" not in client.get(f"/agenda?dia={TODAY}").text
    assert client.get(f"/agenda/dia.csv?dia={day}").status_code == 404


def test_another_business_s_day_is_its_own(office: Office) -> None:
    theirs = office.says(name=f"Cliente {LEAK}", ids=office.outra)
    office.books(theirs, starts_in=timedelta(hours=1), ids=office.outra)
    client = office.client()
    for page in ("/agenda", "/agenda?ver=semana", f"/agenda?prof={office.outra.ana}", "/agenda/dia.csv"):
        assert LEAK not in client.get(page).text


def test_everything_of_a_day_is_told(office: Office) -> None:
    found = days.full(office)
    page = office.client().get("/agenda").text
    for words in ("Atendido", "Não veio", "Encaixe", "Folga: Dentista", "Fechado: Reunião da equipe"):
        assert words in page
    assert "1 cancelado" in page
    assert "O profissional estará de folga" in page
    for key in found:
        assert (f'href="/agenda/{found[key]}"' in page) is (key != "tomorrow")


def test_one_professional_alone(office: Office) -> None:
    page = office.client().get(f"/agenda?prof={office.bela.bia}").text
    assert page.count('class="column') == 1
    assert f"prof={office.bela.bia}&amp;hora=10:20" in page


def test_a_week_is_of_one_professional(office: Office) -> None:
    """Without one, of the first by name."""
    page = office.client().get("/agenda?ver=semana").text
    assert "30 de novembro a 6 de dezembro de 2026" in page
    assert page.count('class="column') == 7
    assert f'prof={office.bela.ana}" aria-current="page"><bdi>Ana Souza' in page
    assert "29 de dezembro" not in office.client().get("/agenda?ver=semana&dia=2026-12-21").text
    assert "21 a 27 de dezembro de 2026" in office.client().get("/agenda?ver=semana&dia=2026-12-21").text


def test_a_former_professional_is_shown_with_visits_and_without_free_time(
    office: Office, salon: Salon
) -> None:
    salon.books(salon.client("Rui"), "11:00", who="bia")
    with office.db.writing() as session:
        session.get_one(Professional, office.bela.bia).active = False
    page = office.client().get("/agenda").text
    assert "Rui" in page
    assert f"prof={office.bela.bia}" not in page


def test_a_holiday_is_named(office: Office) -> None:
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.holidays_country, tenant.holidays_closed = "BR", True
    page = office.client().get("/agenda?dia=2026-12-25").text
    assert "Feriado: Natal" in page
    assert "livre" not in page


def test_a_holiday_tells_what_is_done_all_the_same(office: Office) -> None:
    """In the column of who does it alone."""
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.holidays_country, tenant.holidays_closed = "BR", True
        service = session.get_one(Service, office.bela.escova)
        service.on_holidays = True
    client = office.client()
    for who, shown in ((office.bela.ana, True), (office.bela.bia, False)):
        page = client.get(f"/agenda?dia=2026-12-25&prof={who}").text
        assert ("Feriado: Natal. Neste dia só Escova" in page) is shown
    assert "Neste dia só" not in client.get("/agenda?dia=2026-12-24").text
    with office.db.writing() as session:
        day = date(2026, 12, 25)
        off = TimeOff(tenant_id=tenant.id, professional_id=office.bela.ana, first_date=day, last_date=day)
        session.add(off)
    assert "Neste dia só" not in client.get("/agenda?dia=2026-12-25").text


def test_a_day_asks_little_of_the_database(office: Office, count: Callable[..., int]) -> None:
    """The same few statements whatever stands in it."""
    client = office.client()
    empty = count(lambda: client.get("/agenda"))
    days.full(office)
    days.waiting(office)
    assert count(lambda: client.get("/agenda")) == empty <= 12


@pytest.fixture
def count(office: Office) -> Callable[[Callable[[], object]], int]:
    """How many statements an act runs."""
    seen: list[str] = []
    event.listen(office.db.engine, "before_cursor_execute", lambda *args: seen.append(args[2]))

    def counted(act: Callable[[], object]) -> int:
        seen.clear()
        act()
        return sum(not text.startswith(("BEGIN", "PRAGMA")) for text in seen)

    return counted


# Booking


def book(office: Office, client: FlaskClient | None = None, **form: object) -> TestResponse:
    wish = {
        "servico": office.bela.corte,
        "dia": TOMORROW,
        "horario": f"{office.bela.ana} 14:00",
        "nome": "Rosa",
        **form,
    }
    return post(client or office.client(), "/agenda/novo", **wish)


def key_of(answer: TestResponse) -> int:
    assert answer.status_code == 303, said(answer)
    return int(urlsplit(answer.headers["Location"]).path.rsplit("/", 1)[1])


def test_a_walk_in_is_booked(office: Office) -> None:
    answer = book(office, telefone="(11) 98888-7777")
    key = key_of(answer)
    assert parse_qs(urlsplit(answer.headers["Location"]).query) == {"avisar": ["1"]}
    found = visit(office, key)
    assert (when(office, key), found.customer, found.created_by) == ("03 14:00", "Rosa", "staff")
    assert acts(office) == [("appointment.book", office.ana)]
    with office.db.reading() as session:
        addresses = [row.address for row in session.scalars(select(CustomerAddress))]
    assert "whatsapp:+5511988887777" in addresses


def test_an_existing_customer_is_found_and_booked(office: Office, salon: Salon) -> None:
    maria = salon.writes("Maria José", MARIA)
    client = office.client()
    for words in ("jose", "0000-0001"):
        page = client.get(f"/agenda/novo?busca={words}&servico={office.bela.corte}&dia=2026-12-03").text
        assert f"cliente={maria}&amp;servico={office.bela.corte}&amp;dia=2026-12-03" in page
    assert "Ninguém com esse nome" in client.get("/agenda/novo?busca=zzz").text
    key = key_of(book(office, cliente=maria, nome=""))
    assert visit(office, key).customer == "Maria José"


def test_the_form_shows_what_is_free(office: Office, salon: Salon) -> None:
    salon.books(salon.client("Rui"), "10:00", day=TOMORROW)
    page = (
        office.client()
        .get(f"/agenda/novo?dia=2026-12-03&prof={office.bela.ana}&servico={office.bela.corte}&hora=11:00")
        .text
    )
    offered = re.findall(r'name="horario" value="\d+ ([^"]+)"', page)
    assert offered[:3] == ["09:00", "11:00", "13:00"]
    assert re.search(rf'value="{office.bela.ana} 11:00" checked', page)


def test_a_gap_that_was_tapped_is_offered_beside_the_grid(office: Office, salon: Salon) -> None:
    """09:00 to 09:40 is taken: the gap begins between two times of the grid."""
    salon.books(salon.client("Rui"), "09:00", day=TOMORROW, what="escova")
    asked = f"/agenda/novo?dia=2026-12-03&prof={office.bela.ana}&servico={office.bela.corte}"
    client = office.client()
    page = client.get(f"{asked}&hora=09:45").text
    assert re.findall(r'name="horario" value="\d+ ([^"]+)"', page)[:2] == ["09:45", "10:00"]
    assert re.search(rf'value="{office.bela.ana} 09:45" checked', page)
    for odd in ("09:30", "11:15", "18:00", "25:00"):  # taken, over lunch, after hours, none at all
        assert f'value="{office.bela.ana} {odd}"' not in client.get(f"{asked}&hora={odd}").text


def test_times_want_a_service(office: Office) -> None:
    page = office.client().get("/agenda/novo?ver=horarios&dia=2026-12-03")
    assert said(page) == "Escolha o serviço."
    assert "Corte feminino · 1 h · R$ 120,00" in page.text


def test_who_does_not_work_today_is_told_apart_too(office: Office) -> None:
    """The line of the present hour is no visit."""
    assert office.client().get("/agenda").text.count("Não atende neste dia.") == 0
    office.clock.forward(hours=3 * 24)  # Saturday, when Bia is off
    page = office.client().get("/agenda").text
    assert 'id="agora"' in page
    assert page.count("Não atende neste dia.") == 1
    assert page.count('<span class="soft summary">não atende neste dia</span>') == 1


def test_a_printed_week_says_whose_it_is(office: Office) -> None:
    page = office.client().get(f"/agenda?ver=semana&prof={office.bela.bia}&dia=2026-12-03").text
    assert re.search(r'<span class="paper-only"> · <bdi>Bia Lima</bdi></span></h2>', page)
    assert '<span class="paper-only"> de 2026</span></h2>' in office.client().get("/agenda").text


def test_anybody_who_does_it(office: Office) -> None:
    page = office.client().get(f"/agenda/novo?dia=2026-12-03&servico={office.bela.corte}").text
    assert "09:00 · Ana Souza" in page
    assert "09:00 · Bia Lima" in page
    page = office.client().get(f"/agenda/novo?dia=2026-12-03&servico={office.bela.escova}").text
    assert "09:00 · " not in page
    assert "Bia Lima</option>" in page  # in the list of the second step


def test_a_full_day_leads_to_the_nearest(office: Office, salon: Salon) -> None:
    salon.blocks("00:00", "24:00", "", day=TOMORROW, who="bia")
    page = (
        office.client()
        .get(f"/agenda/novo?dia=2026-12-03&servico={office.bela.corte}&prof={office.bela.bia}&nome=Rosa")
        .text
    )
    assert "Não há horário livre nesse dia. Os mais próximos:" in page
    assert "dia=2026-12-04" in page
    assert "nome=Rosa" in page


def test_times_that_break_the_notice_are_told_apart(office: Office) -> None:
    """It is 10:20, and an hour's notice is the rule: 11:00 can be booked at the desk, knowingly."""
    ids = office.bela
    page = office.client().get(f"/agenda/novo?dia=2026-12-02&servico={ids.corte}&prof={ids.ana}").text
    assert f'value="{ids.ana} 11:00 fora"' in page
    assert f'value="{ids.ana} 13:00"' in page
    assert "fora da regra de antecedência" in page
    key = key_of(book(office, dia=TODAY, horario=f"{ids.ana} 11:00 fora"))
    assert when(office, key) == "02 11:00"


def test_several_services_follow_one_another(office: Office) -> None:
    ids = office.bela
    key = key_of(book(office, servico=[ids.corte, ids.barba]))
    assert visit(office, key).services == ("Corte feminino", "Barba")
    assert visit(office, key).ends_at == at(TOMORROW, "15:30")


def test_a_rule_asks_to_be_confirmed(office: Office) -> None:
    ids = office.bela
    wish = {"horario": "outro", "prof": ids.ana, "hora": "20:00"}
    answer = book(office, **wish)
    assert answer.status_code == 422
    assert said(answer).startswith("Não cabe no expediente de Ana Souza nesse dia")
    assert 'name="fora"' in answer.text
    assert 'name="encaixe"' not in answer.text
    assert 'value="Rosa"' in answer.text
    key = key_of(book(office, **wish, fora="on"))
    assert when(office, key) == "03 20:00"


def test_an_overlap_asks_to_be_confirmed(office: Office, salon: Salon) -> None:
    salon.books(salon.client("Rui"), "14:00", day=TOMORROW)
    answer = book(office)
    problem = "A agenda de Ana Souza já está ocupada: Rui, das 14:00 às 15:00."
    assert (answer.status_code, said(answer)) == (422, problem)
    assert 'name="encaixe"' in answer.text
    key = key_of(book(office, encaixe="on"))
    assert visit(office, key).squeeze_in
    assert "Encaixe" in office.client().get(f"/agenda/{key}").text


def test_both_are_asked_one_after_the_other(office: Office, salon: Salon) -> None:
    salon.books(salon.client("Rui"), "20:00", day=TOMORROW)
    wish = {"horario": "outro", "prof": office.bela.ana, "hora": "20:00"}
    answer = book(office, **wish, fora="on")
    assert re.search('name="fora" checked', answer.text)
    assert 'name="encaixe"' in answer.text
    key_of(book(office, **wish, fora="on", encaixe="on"))


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"nome": ""}, "Escolha um cliente, ou escreva o nome do novo."),
        ({"nome": " \u200b "}, "Escolha um cliente, ou escreva o nome do novo."),
        ({"telefone": "123"}, "Este telefone não parece completo. Escreva com DDD, ou deixe em branco."),
        ({"telefone": "abc"}, "Este telefone não parece completo. Escreva com DDD, ou deixe em branco."),
        ({"servico": ""}, "Escolha o serviço."),
        ({"servico": [1, 2, 3, 4, 5, 6]}, "São no máximo 5 serviços por visita."),
        ({"dia": "x"}, "Escolha um dia, de um mês atrás até dois anos à frente."),
        ({"dia": "2030-01-01"}, "Escolha um dia, de um mês atrás até dois anos à frente."),
        ({"dia": "2026-01-01"}, "Escolha um dia, de um mês atrás até dois anos à frente."),
        ({"horario": ""}, "Escolha um horário."),
        ({"horario": "1 25:00"}, "Escolha um horário."),
        ({"horario": "outro", "hora": "10:00"}, "Escolha o profissional."),
        ({"servico": 98765}, "O cliente, o serviço ou o profissional não existe mais. Escolha de novo."),
        (
            {"horario": "98765 14:00"},
            "O cliente, o serviço ou o profissional não existe mais. Escolha de novo.",
        ),
        ({"cliente": 98765}, "O cliente, o serviço ou o profissional não existe mais. Escolha de novo."),
        ({"cliente": "9" * 30, "nome": ""}, "Escolha um cliente, ou escreva o nome do novo."),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_written(
    office: Office, form: dict[str, object], problem: str
) -> None:
    answer = book(office, **form)
    assert (answer.status_code, said(answer)) == (422, problem)
    with office.db.reading() as session:
        assert session.scalars(select(Appointment)).all() == []
        assert len(session.scalars(select(Customer)).all()) == 2  # one of each business


def test_a_stranger_s_rows_are_as_good_as_missing(office: Office) -> None:
    theirs = office.outra
    for form in (
        {"cliente": theirs.customer},
        {"servico": theirs.corte},
        {"horario": f"{theirs.ana} 14:00"},
    ):
        foreign = book(office, **form)
        missing = book(
            office, **{key: str(value).replace(str(value).split()[0], "98765") for key, value in form.items()}
        )
        assert foreign.status_code == missing.status_code == 422
        assert said(foreign) == said(missing)
        assert LEAK not in foreign.text


def test_a_double_click_books_once(office: Office) -> None:
    """With a number, and without one."""
    client = office.client()
    for form in ({"telefone": "11988887777"}, {"nome": "Sem Número", "horario": f"{office.bela.bia} 14:00"}):
        first = key_of(book(office, client, **form))
        assert key_of(book(office, client, **form)) == first
        assert "Este horário já está marcado." in client.get(f"/agenda/{first}").text
    with office.db.reading() as session:
        assert len(session.scalars(select(Appointment)).all()) == 2
        assert len(session.scalars(select(Customer)).all()) == 4  # one of each business stands behind them


@pytest.mark.parametrize("form", [{"nome": "Rita"}, {"horario": "15:00"}])
def test_another_name_or_time_at_a_known_number_is_asked_about(office: Office, form: dict[str, str]) -> None:
    """Once it is confirmed whose it is, the same visit is still the same one."""
    client, phone = office.client(), {"telefone": "11988887777"}
    first = key_of(book(office, client, **phone))
    if "horario" in form:
        form = {"horario": f"{office.bela.ana} {form['horario']}"}
    again = book(office, client, **phone, **form)
    assert again.status_code == 422
    assert said(again).startswith("Este telefone já é deste cliente.")
    confirmed = key_of(book(office, client, cliente=visit(office, first).customer_id, **form))
    assert (confirmed == first) == ("nome" in form)


def test_a_known_number_is_not_a_new_customer(office: Office, salon: Salon) -> None:
    """Written without the ninth digit, by another name: the form offers whose it is."""
    maria = salon.writes("Maria", MARIA)
    answer = book(office, telefone="(11) 90000-0001")
    assert answer.status_code == 422
    assert f'name="cliente" value="{maria}"' in answer.text
    assert "Maria" in answer.text


def test_a_phone_that_stands_for_a_name_is_shown_once(office: Office, salon: Salon) -> None:
    """On every page that shows both, the conversation too; with a name both are shown."""
    client = office.client()
    for name, number, phone, day in (
        ("", "+5511977776666", "+55 11 97777-6666", TODAY),
        ("Maria", MARIA, "+55 11 90000-0001", TOMORROW),
    ):
        talk = office.says(name=name, phone=number)
        customer = salon.writes(name, number)
        key = salon.books(customer, "14:00", day=day)
        pages = (f"/fila/{talk}", f"/agenda/novo?cliente={customer}", f"/agenda/novo?busca={phone[-9:]}",
                 f"/agenda/{key}", f"/agenda?dia={day}")  # fmt: skip
        for page in pages:
            body = client.get(page).text.partition("<main")[2]
            shown = " ".join(re.sub(r"<[^>]*>", " ", body).split())
            assert phone in shown, page
            assert f"{phone} {phone}" not in shown, page


# One visit


def test_a_visit_has_its_page(office: Office) -> None:
    found = days.full(office)
    client = office.client()
    page = client.get(f"/agenda/{found['booked']}").text
    assert "hoje, quarta, 2 de dezembro, às 11:00" in page
    assert 'href="tel:+5511900000001"' in page
    assert "Marcado (fora da regra)" in page
    assert "Oi, Maria! Seu horário está marcado: Corte feminino com Ana Souza, quarta" in page
    gone = client.get(f"/agenda/{found['cancelled']}").text
    assert "Motivo: Ficou doente" in gone
    assert "Desfazer o cancelamento" in gone
    assert "/remarcar" not in gone


def test_a_move(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    client = office.client()
    page = client.get(f"/agenda/{key}/remarcar?dia=2026-12-04&prof={office.bela.bia}").text
    assert f'value="{office.bela.bia} 09:00"' in page
    answer = send(
        office, client, f"/agenda/{key}/remarcar", dia="2026-12-04", horario=f"{office.bela.bia} 09:00"
    )
    assert answer.headers["Location"] == f"/agenda/{key}?avisar=1"
    assert (when(office, key), visit(office, key).professional) == ("04 09:00", "Bia Lima")
    page = client.get(answer.headers["Location"]).text
    assert "Horário remarcado." in page
    assert "Mudamos o seu horário: Corte feminino com Bia Lima agora é sexta, 4 de dezembro, às 09:00" in page
    assert "Remarcado; antes: 03/12, 14:00" in page
    assert lines(office) == []


def test_a_move_may_be_refused(office: Office, salon: Salon) -> None:
    salon.books(salon.client("Rui"), "09:00", day=TOMORROW)
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    client = office.client()
    path, wish = f"/agenda/{key}/remarcar", {"dia": TOMORROW, "horario": f"{office.bela.ana} 09:00"}
    answer = send(office, client, path, **wish)
    problem = "A agenda de Ana Souza já está ocupada: Rui, das 09:00 às 10:00."
    assert (answer.status_code, said(answer)) == (422, problem)
    answer = send(office, client, path, dia=TOMORROW, horario="outro", prof=office.bela.ana, hora="21:00")
    assert 'name="fora"' in answer.text
    assert when(office, key) == "03 14:00"
    assert send(office, client, path, **wish, encaixe="on").status_code == 303
    assert visit(office, key).squeeze_in


def test_a_cancellation_tells_the_customer(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    client = office.client()
    page = client.get(f"/agenda/{key}/cancelar").text
    assert "Precisamos cancelar o seu horário de quinta, 3 de dezembro, às 14:00" in page
    assert re.search('name="avisar" checked', page)
    assert not office.services.wake_outbox.is_set()
    form = {"avisar": "on", "aviso": "Desculpe, Maria!", "chave": hidden(page, "chave"), "motivo": "Doença"}
    answer = send(office, client, f"/agenda/{key}/cancelar", **form)
    assert answer.headers["Location"] == f"/agenda/{key}"
    assert (visit(office, key).status, visit(office, key).cancel_reason) == ("cancelled", "Doença")
    assert lines(office) == [("Desculpe, Maria!", "queued", office.ana)]
    assert office.services.wake_outbox.is_set()
    assert [action for action, _ in acts(office)][-2:] == ["appointment.cancel", "appointment.tell"]
    send(office, client, f"/agenda/{key}/cancelar", **form)
    assert len(lines(office)) == 1


def test_a_cancellation_may_be_silent(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    send(office, office.client(), f"/agenda/{key}/cancelar", aviso="Desculpe!")
    assert visit(office, key).status == "cancelled"
    assert lines(office) == []


@pytest.mark.parametrize("page", ["", "/cancelar"])
@pytest.mark.parametrize(
    ("writes", "words"),
    [
        (True, "faz mais de 24 horas que a pessoa escreveu. Ligue para"),
        (False, "a pessoa nunca escreveu para cá. Ligue para"),
        (None, "a pessoa nunca escreveu para cá. Não há telefone guardado."),
    ],
)
def test_outside_the_window_the_phone_is_offered(
    office: Office, salon: Salon, page: str, writes: bool | None, words: str
) -> None:
    if writes:
        who = salon.writes("Maria", MARIA, ago=WINDOW)
    else:
        who = salon.client("Maria", MARIA if writes is False else "")
    key = salon.books(who, "14:00", day=TOMORROW)
    shown = re.sub(r"\s+", " ", office.client().get(f"/agenda/{key}{page}").text)
    assert words in shown
    assert "<textarea" not in shown
    assert (f'<a href="tel:{MARIA}">' in shown) is (writes is not None)


def test_the_window_may_shut_meanwhile(office: Office, salon: Salon) -> None:
    """Then nothing is cancelled either, and the page says why."""
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    office.clock.forward(hours=24)
    client = office.client()
    form = {"avisar": "on", "aviso": "Desculpe!"}
    answer = send(office, client, f"/agenda/{key}/cancelar", **form)
    assert answer.status_code == 422
    assert said(answer).startswith("O WhatsApp não permite escrever agora")
    assert visit(office, key).status == "booked"


def test_an_empty_text_is_not_sent(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    client = office.client()
    for path, form in ((f"/agenda/{key}/cancelar", {"avisar": "on"}), (f"/agenda/{key}/avisar", {})):
        assert send(office, client, path, aviso=" \u200e ", **form).status_code == 422
    assert visit(office, key).status == "booked"


def test_a_text_is_sent_once(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    client = office.client()
    for _ in range(2):
        answer = send(office, client, f"/agenda/{key}/avisar", aviso="Até amanhã!", chave="k1")
        assert answer.status_code == 303
    assert lines(office) == [("Até amanhã!", "queued", office.ana)]
    page = client.get(f"/agenda/{key}").text
    assert "Cliente avisado" in page
    # What was said is not put up to be said again; what is new is.
    assert "O cliente já foi avisado." in page
    assert ">Oi, Maria!" not in page
    send(office, client, f"/agenda/{key}/cancelar")
    page = client.get(f"/agenda/{key}").text
    assert "já foi avisado" not in page
    assert ">Oi, Maria. Precisamos cancelar" in page


@pytest.mark.parametrize(("path", "status"), [("veio", "done"), ("faltou", "no_show")])
def test_marking_and_taking_it_back(office: Office, salon: Salon, path: str, status: str) -> None:
    key = salon.books(salon.client("Rui"), "10:00")
    client = office.client(BRUNO)
    assert send(office, client, f"/agenda/{key}/{path}").status_code == 303
    assert visit(office, key).status == status
    assert acts(office)[-1] == ("appointment.mark", office.bruno)
    assert "Desfazer a marcação" in client.get(f"/agenda/{key}").text
    assert send(office, client, f"/agenda/{key}/desfazer").status_code == 303
    assert visit(office, key).status == "booked"
    assert acts(office)[-1] == ("appointment.undo", office.bruno)
    assert "Desfazer" not in client.get(f"/agenda/{key}").text


def test_tomorrow_s_visit_cannot_be_marked(office: Office, salon: Salon) -> None:
    key = salon.books(salon.client("Rui"), "10:00", day=TOMORROW)
    client = office.client()
    assert f"/agenda/{key}/veio" not in client.get(f"/agenda/{key}").text
    answer = send(office, client, f"/agenda/{key}/veio")
    assert (answer.status_code, said(answer)) == (422, "Este horário ainda não chegou.")


def test_what_cannot_be_taken_back_is_said(office: Office, salon: Salon) -> None:
    key = salon.books(salon.client("Rui"), "14:00", day=TOMORROW)
    client = office.client()
    answer = send(office, client, f"/agenda/{key}/desfazer")
    assert (answer.status_code, said(answer)) == (422, "Não há mudança para desfazer.")
    salon.cancels(key)
    salon.books(salon.client("Zoe"), "14:00", day=TOMORROW)
    answer = client.post(
        f"/agenda/{key}/desfazer", data={"csrf_token": token(client), "estado": "0.cancelled"}
    )
    problem = "A agenda de Ana Souza já está ocupada: Zoe, das 14:00 às 15:00."
    assert (answer.status_code, said(answer)) == (422, problem)


@pytest.mark.parametrize("act", ["remarcar", "cancelar", "veio", "faltou", "desfazer"])
def test_a_page_that_is_old_changes_nothing(office: Office, salon: Salon, act: str) -> None:
    """The customer moved it while staff had the page open."""
    key = salon.books(salon.client("Rui"), "14:00")
    client = office.client()
    form = {"csrf_token": token(client), "estado": "0.booked", "dia": TOMORROW}
    with office.db.writing() as session:
        salon.desk(session).move(key, "0.booked", office.bela.ana, at(TODAY, "16:00"))
    before = visit(office, key)
    answer = client.post(f"/agenda/{key}/{act}", data={**form, "horario": f"{office.bela.ana} 09:00"})
    assert answer.status_code == 409
    assert said(answer) == "Este horário mudou enquanto a página estava aberta. Confira como ele está agora."
    assert "às 16:00" in answer.text
    assert visit(office, key) == before


def test_who_has_confirmed_is_marked_until_the_next_change(office: Office, salon: Salon) -> None:
    maria = salon.writes("Maria", MARIA)
    key = salon.books(maria, "14:00", day=TOMORROW)
    with office.db.writing() as session:
        appointment.confirm(session, office.clock(), office.bela.tenant, maria, key)
    client = office.client()
    assert "Confirmou presença" in client.get(f"/agenda/{key}").text
    assert "Confirmou" in client.get("/agenda?dia=2026-12-03").text
    send(office, client, f"/agenda/{key}/remarcar", dia=TOMORROW, horario=f"{office.bela.ana} 16:00")
    assert "Confirmou" not in client.get("/agenda?dia=2026-12-03").text


# What wants attention


def test_what_lost_its_place_is_worked_off(office: Office) -> None:
    found = days.full(office)
    client = office.client()
    assert "Precisam de atenção" in client.get("/agenda").text
    assert client.get(f"/agenda/{found['lost']}").text.count("O profissional estará de folga") == 1
    answer = send(office, client, f"/agenda/{found['lost']}/manter")
    assert answer.headers["Location"] == f"/agenda/{found['lost']}?avisar=1"
    assert "Precisam de atenção" not in client.get("/agenda").text
    assert acts(office)[-1] == ("appointment.keep", office.ana)
    with office.db.reading() as session:
        (row,) = session.scalars(select(stranded.StrandedAppointment))
    assert (row.outcome, row.settled_by) == ("kept", office.ana)


# Blocking


def block(office: Office, **form: object) -> TestResponse:
    wish = {"prof": office.bela.ana, "dia": TOMORROW, "de": "14:00", "fim": "15:00", "motivo": "Dentista"}
    return post(office.client(), "/agenda/bloquear", **{**wish, **form})


def test_time_is_blocked_and_given_back(office: Office) -> None:
    answer = block(office)
    assert answer.headers["Location"] == "/agenda?dia=2026-12-03"
    client = office.client()
    page = client.get("/agenda?dia=2026-12-03").text
    assert "Folga: Dentista" in page
    assert "/agenda/bloqueio/folga/1" in page
    page = client.get("/agenda/bloqueio/folga/1").text
    assert "quinta, 3 de dezembro, das 14:00 às 15:00" in page
    assert post(client, "/agenda/bloqueio/folga/1/remover").status_code == 303
    assert "Dentista" not in client.get("/agenda?dia=2026-12-03").text
    assert [action for action, _ in acts(office)] == ["block.add", "block.remove"]


@pytest.mark.parametrize(
    ("form", "start", "end"),
    [
        ({"dia_todo": "on"}, 0, 1440),
        ({"dia_todo": "on", "de": "", "fim": ""}, 0, 1440),
        ({"de": "18:00", "fim": "00:00"}, 1080, 1440),
        ({"de": "09:00:00", "fim": "09:05:00"}, 540, 545),
    ],
)
def test_parts_of_days(office: Office, form: dict[str, object], start: int, end: int) -> None:
    assert block(office, **form, ate="2026-12-05").status_code == 303
    with office.db.reading() as session:
        (row,) = session.scalars(select(TimeOff))
    assert (row.start_minute, row.end_minute) == (start, end)
    assert (row.first_date, row.last_date, row.staff_id) == (TOMORROW, date(2026, 12, 5), office.ana)


def test_the_whole_business_closes(office: Office) -> None:
    block(office, prof="todos", ate="2026-12-04")
    with office.db.reading() as session:
        assert sorted(session.scalars(select(Closure.date))) == [TOMORROW, date(2026, 12, 4)]
    assert office.client().get("/agenda?dia=2026-12-03").text.count("Fechado: Dentista") == 2
    page = office.client().get("/agenda/bloqueio/fechamento/2").text
    assert "Todos" in page


def test_visits_in_the_way_are_listed_first(office: Office, salon: Salon) -> None:
    key = salon.books(salon.writes("Maria", MARIA), "14:30", day=TOMORROW)
    answer = block(office)
    assert answer.status_code == 409
    assert "Há um horário marcado ali." in answer.text
    assert f'href="/agenda/{key}"' in answer.text
    assert "Maria · Corte feminino com Ana Souza" in answer.text
    with office.db.reading() as session:
        assert session.scalars(select(TimeOff)).all() == []
    assert block(office, mesmo_assim="on").status_code == 303
    client = office.client()
    assert visit(office, key).status == "booked"
    assert "Precisam de atenção" in client.get("/agenda").text


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"prof": ""}, "Escolha quem fica bloqueado."),
        ({"prof": "x"}, "Escolha quem fica bloqueado."),
        ({"prof": "98765"}, "Este profissional não existe mais."),
        ({"dia": ""}, "Escolha o dia."),
        ({"dia": "2020-01-01"}, "Escolha o dia."),
        ({"ate": "2026-12-01"}, "O último dia vem antes do primeiro, ou está longe demais."),
        ({"ate": "2029-12-01"}, "O último dia vem antes do primeiro, ou está longe demais."),
        ({"de": ""}, "Escreva de que hora a que hora, ou marque o dia inteiro."),
        ({"fim": "14:00"}, "A hora final precisa ser depois da inicial."),
        ({"fim": "13:00"}, "A hora final precisa ser depois da inicial."),
    ],
)
def test_a_block_that_is_none(office: Office, form: dict[str, object], problem: str) -> None:
    answer = block(office, **form)
    assert (answer.status_code, said(answer)) == (422, problem)
    assert block(office, prof=office.outra.ana).status_code == 422
    with office.db.reading() as session:
        assert session.scalars(select(TimeOff)).all() == []


# Export


def test_a_day_as_a_table(office: Office) -> None:
    found = days.full(office)
    answer = office.client().get("/agenda/dia.csv?dia=2026-12-02")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="agenda-2026-12-02.csv"'
    assert answer.data.startswith(b"\xef\xbb\xbfDia;")
    rows = list(csv.reader(io.StringIO(answer.text.lstrip("\ufeff")), delimiter=";"))
    assert len(rows) == len(found)
    assert rows[1] == [
        "02/12/2026",
        "09:00",
        "10:00",
        "Ana Souza",
        "Joana",
        "",
        "Corte feminino",
        "Atendido",
        "",
    ]
    assert ["Rui", "", "Barba", "Marcado", "sim"] in [row[4:] for row in rows]
    assert "55 11 90000-0001" in answer.text  # has written
    assert "55 11 93333-2222" in answer.text  # has left a number


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+55",
        "-2",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1+1",
        '=HYPERLINK("http://x")',
        "\u200b=1",
        "\u00a0=1",
    ],
)
def test_no_cell_is_a_formula(office: Office, salon: Salon, name: str) -> None:
    salon.books(salon.client(name), "14:00")
    answer = office.client().get("/agenda/dia.csv")
    rows = list(csv.reader(io.StringIO(answer.text.lstrip("\ufeff")), delimiter=";"))
    assert rows[1][4] == f"'{name}"
    for row in rows:
        for cell in row:
            assert not cell.strip().startswith(("=", "+", "-", "@"))


def test_a_cell_may_hold_what_it_likes(office: Office, salon: Salon) -> None:
    salon.books(salon.client('a;b"c\nd'), "14:00")
    answer = office.client().get("/agenda/dia.csv")
    rows = list(csv.reader(io.StringIO(answer.text.lstrip("\ufeff"), newline=""), delimiter=";"))
    assert rows[1][4] == 'a;b"c\nd'


# Strings of strangers


STRINGS = [
    XSS,
    "<svg/onload=alert(1)>",
    '"><script>alert(1)</script>',
    "' autofocus onfocus='alert(1)",
    "{{7*7}}{% raw %}",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "javascript:alert(1)",
    '<b hx-get="/sair" hx-trigger="load">',
    "&lt;script&gt;",
    "\u202egnp.exe",
]


@pytest.mark.parametrize("text", STRINGS)
def test_a_string_is_shown_and_does_nothing(office: Office, salon: Salon, text: str) -> None:
    """As a customer's name, a reason, a cause of blocking, a search."""
    key = salon.books(salon.writes(text, MARIA), "14:00")
    gone = salon.books(salon.client(text), "15:00")
    salon.cancels(gone, text)
    salon.blocks("14:00", "16:00", text, who="ana")
    client = office.client()
    pages = [
        "/agenda",
        "/agenda?ver=semana",
        f"/agenda/{key}",
        f"/agenda/{gone}",
        f"/agenda/{key}/cancelar",
        f"/agenda/{key}/remarcar",
        "/agenda/bloqueio/folga/1",
    ]
    answers = [client.get(page) for page in pages]
    answers.append(client.get("/agenda/novo", query_string={"busca": text, "nome": text, "hora": text}))
    answers.append(book(office, client, nome=text, telefone=text, horario=text))
    answers.append(block(office, motivo=text, dia=text))
    answers.append(send(office, client, f"/agenda/{key}/avisar", aviso=""))
    for answer in answers:
        assert answer.status_code in (200, 422)
        for tag in ("<img", "<svg/", "<script>", "<b hx", "onfocus='"):
            assert tag not in answer.text
    shown = html.unescape(answers[0].text)
    assert (text in shown) or "\u202e" in text


def test_pages_carry_no_inline_style_or_script(office: Office) -> None:
    """The content policy would drop it."""
    found = days.full(office)
    client = office.client()
    for page in (
        "/agenda",
        "/agenda?ver=semana",
        f"/agenda/{found['booked']}",
        f"/agenda/{found['booked']}/remarcar",
        f"/agenda/{found['booked']}/cancelar",
        f"/agenda/novo?servico={office.bela.corte}",
        "/agenda/bloquear",
        "/agenda/calendarios",
    ):
        text = client.get(page).text
        assert " style=" not in text
        assert not re.search(r"\son\w+=", text)
        assert not re.search(r"<script(?![^>]*src=)", text)


def test_every_row_of_the_grid_has_its_class() -> None:
    """What the pages name, the style sheet knows."""
    sheet = (TEMPLATES / "static" / "agenda.css").read_text()
    for row in range(1, DAY // ROW + 1):
        assert f".at-{row}{{grid-row-start:{row}}}" in sheet
        assert f".for-{row}{{grid-row-end:span {row}}}" in sheet
    for lanes in range(2, MOST_LANES + 1):
        for lane in range(1, lanes + 1):
            assert f".lane-{lane}-{lanes}{{" in sheet


def test_marking_is_offered_once_the_day_is_there(office: Office, salon: Salon) -> None:
    key = salon.books(salon.client("Rui"), "16:00")
    assert f"/agenda/{key}/veio" in office.client().get(f"/agenda/{key}").text
    assert f"/agenda/{key}/faltou" not in office.client().get(f"/agenda/{key}").text
    answer = send(office, office.client(), f"/agenda/{key}/faltou")
    assert (answer.status_code, said(answer)) == (422, "Este horário ainda não chegou.")
    office.clock.forward(hours=6)
    assert f"/agenda/{key}/faltou" in office.client().get(f"/agenda/{key}").text
    salon.marks(key, AppointmentStatus.DONE)
    assert f"/agenda/{key}/veio" not in office.client().get(f"/agenda/{key}").text


# From a conversation


def test_a_conversation_leads_to_the_customer_s_visits_and_to_a_new_one(office: Office) -> None:
    conversation_id = office.says(name="Maria", phone=MARIA)
    office.books(conversation_id, starts_in=timedelta(days=1))
    client = office.client()
    page = client.get(f"/fila/{conversation_id}").text
    assert '<a href="/agenda/1"><b>amanhã, 10:20</b></a>' in page
    customer_id = office.row(conversation_id).customer_id
    assert f'href="/agenda/novo?cliente={customer_id}"' in page
    assert "<b><bdi>Maria</bdi></b>" in client.get(f"/agenda/novo?cliente={customer_id}").text
    assert f'href="/fila/{conversation_id}#fim"' in client.get("/agenda/1").text
