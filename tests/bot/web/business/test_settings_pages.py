"""The business on pages: what is typed is what the file would say, checked, and shown before it strands."""

import html
import re
import threading
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from bot.web.business.sections import SECTIONS
from models import business_file
from models.audit import AuditEvent
from models.business_file import BusinessFile, versions
from models.catalog import Professional, Service
from models.db import Database
from models.staff import Staff
from models.stranded import StrandedAppointment
from models.tenant import Tenant
from tests.bot.web.office import ANA, BRUNO, Office

HOSTILE = "\"><script>alert(1)</script> {{ 7*7 }} & 'yes': [no] #\u202e\x00 é"


def staffed(db: Database) -> Office:
    office = Office(db)
    with db.writing() as session:
        session.get_one(Staff, office.ana).role = "owner"
        session.get_one(Staff, office.bruno).role = "manager"
    return office


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return staffed(sqlite_db)


def form_of(page: str, last: bool = False) -> dict[str, str]:
    """What a browser would send of the first form in a page's content (or the last), untouched."""
    forms = re.findall(r"<form.*?</form>", page.partition("<main")[2], re.DOTALL)
    form, found = forms[-1 if last else 0], {}
    for tag in re.findall(r"<input[^>]*>", form):
        given = dict(re.findall(r'([a-z_]+)="([^"]*)"', tag))
        if given.get("type") != "checkbox" or " checked" in tag:
            found[given["name"]] = html.unescape(given.get("value", "on"))
    for name, text in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        found[name] = html.unescape(text)
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
        found[name] = html.unescape(chosen[1]) if chosen else ""
    return found


def send(client: FlaskClient, path: str, **typed: str | None) -> TestResponse:
    """Open a page, change some of its fields (None: empty the box), send it."""
    form = form_of(client.get(path).text) | typed
    return client.post(path, data={name: text for name, text in form.items() if text is not None})


def current(office: Office) -> BusinessFile:
    with office.db.reading() as session:
        return business_file.current(session, "studio-bela")


def count_of_versions(office: Office) -> int:
    with office.db.reading() as session:
        return len(versions.page(session, office.bela.tenant))


@pytest.mark.parametrize(
    "path", [*SECTIONS, "servicos/1", "servicos/3", "profissionais/1", "profissionais/2"]
)
def test_a_form_that_is_sent_as_it_came_changes_nothing(office: Office, path: str) -> None:
    client = office.client()
    assert send(client, f"/ajustes/{path}").status_code == 303
    assert "Nada mudou." in client.get("/ajustes").text
    assert count_of_versions(office) == 0


CHANGES = {
    "empresa": ({"name": "Bela Nova", "about": "Dois\nandares."}, "settings", "about", "Dois\nandares."),
    "regras": ({"horizon_days": "30", "reminders_hours": "2, 48"}, "rules", "reminders_hours", [48, 2]),
    "assistente": (
        {"assistant_never_say": "desconto\n\nprazo", "buttons": "on"},
        "assistant",
        "assistant_never_say",
        ["desconto", "prazo"],
    ),
    "atendimento": (
        {"handoff_hours-0-0-de": "9", "handoff_hours-0-0-ate": "1830", "handoff_hours-iguais": "on"},
        "rules",
        "handoff_hours",
        {str(day): [[540, 1110]] for day in range(5)},
    ),
    "feriados": (
        {"holidays_closed": "on", "holidays_state": "SP", "holidays_optional-0": "on"},
        "settings",
        "holidays_optional",
        ["Carnaval"],
    ),
    "dados": ({"retention_media_days": "90"}, "retention", "retention_media_days", 90),
}


@pytest.mark.parametrize("slug", CHANGES)
def test_what_is_typed_is_what_the_file_says(office: Office, slug: str) -> None:
    """And it is on record, and stands in the form again."""
    typed, part, name, value = CHANGES[slug]
    client = office.client()
    assert send(client, f"/ajustes/{slug}", **typed).status_code == 303
    assert getattr(getattr(current(office), part), name) == value
    assert send(client, f"/ajustes/{slug}").status_code == 303
    assert count_of_versions(office) == 2
    with office.db.reading() as session:
        (act,) = session.exec(select(AuditEvent).where(AuditEvent.action == "business.change")).all()
    assert act.staff_id == office.ana
    assert "mudou os ajustes da empresa" in client.get("/registro").text


WRONG = {
    "no number": ("regras", {"horizon_days": "muitos"}, "Escreva um número inteiro, de 1 a 366."),
    "too many": ("regras", {"horizon_days": "367"}, "Escreva um número inteiro, de 1 a 366."),
    "beyond the horizon": ("regras", {"min_notice_minutes": "99999"}, "A antecedência mínima passa dos dias"),
    "hours of reminders": ("regras", {"reminders_hours": "2, 2"}, "A mesma hora está duas vezes."),
    "no name": ("empresa", {"name": " "}, "Escreva em uma linha, até 120 caracteres."),
    "a phone": ("empresa", {"whatsapp": "3000-1000"}, "Escreva o número com o código do país"),
    "another's phone": ("empresa", {"whatsapp": "+551130002000"}, "já é de outra empresa"),
    "a zone": ("empresa", {"timezone": "Marte"}, "Escolha uma das opções."),
    "half a window": ("atendimento", {"handoff_hours-0-0-de": "9"}, "Segunda: complete as duas horas."),
    "backwards": (
        "atendimento",
        {"handoff_hours-1-0-de": "12:00", "handoff_hours-1-0-ate": "9h"},
        "Terça: o fim precisa vir depois do início.",
    ),
    "no date": ("feriados", {"closures-0-dia": "31/02/2027"}, "Fechamento: confira a data."),
    "a template": ("dados", {"template_contact": "HX1"}, "O código começa com HX"),
    "soon forgotten": ("dados", {"retention_customers_days": "3"}, "Escreva um número inteiro, de 30 a"),
    "a price": ("servicos/1", {"price_cents": "1,2,3"}, "Escreva o preço em reais"),
    "a name twice": ("servicos/1", {"name": "ESCOVA"}, "Este nome já existe."),
    "overlapping": (
        "profissionais/1",
        {"hours-0-1-de": "11:00"},
        "Segunda: um horário passa por cima do outro.",
    ),
    "time off": (
        "profissionais/1",
        {"time_off-0-dia": "2027-01-05", "time_off-0-fim": "2027-01-04"},
        "Folga: o último dia vem antes do primeiro.",
    ),
    "no answer": ("perguntas", {"question": "Aceitam Pix?", "answer": ""}, "Escreva a resposta."),
}


@pytest.mark.parametrize(("path", "typed", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_beside_it_and_nothing_is_lost(
    office: Office, path: str, typed: dict[str, str], sentence: str
) -> None:
    before = current(office)
    answer = send(office.client(), f"/ajustes/{path}", **typed)
    assert answer.status_code == 422
    assert sentence in answer.text
    shown = form_of(answer.text)
    assert {**shown, **typed} == shown or "timezone" in typed  # what is no option cannot stand in a list
    assert current(office) == before


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("empresa", "name"),
        ("empresa", "about"),
        ("assistente", "assistant_greeting"),
        ("assistente", "assistant_tone"),
        ("assistente", "assistant_never_say"),
        ("servicos/1", "name"),
        ("profissionais/1", "name"),
        ("perguntas", "question"),
        ("perguntas", "answer"),
    ],
)
def test_hostile_text_is_only_text(office: Office, path: str, name: str) -> None:
    client = office.client()
    more = {"question": "Sim?", "answer": "Sim."} if path == "perguntas" else {}
    assert send(client, f"/ajustes/{path}", **{**more, name: HOSTILE}).status_code == 303
    for page in (f"/ajustes/{path}", "/ajustes", "/ajustes/historico", "/ajustes/servicos"):
        shown = client.get(page)
        assert shown.status_code == 200
        assert "<script>alert" not in shown.text
        assert "\u202e" not in shown.text
    file = client.get("/ajustes/arquivo.yaml").text
    assert business_file.parse(file) == current(office)


# What a change does to others


def test_a_change_that_strands_shows_whom_and_waits_for_each(office: Office) -> None:
    talk = office.says()
    office.books(talk, starts_in=timedelta(days=1))
    client = office.client()
    empty = {
        f"hours-{day}-{place}-{edge}": "" for day in range(7) for place in (0, 1) for edge in ("de", "ate")
    }
    asked = send(client, "/ajustes/profissionais/1", **empty)
    assert asked.status_code == 409
    assert "Um horário marcado perde o lugar" in asked.text
    assert "Corte feminino com Ana Souza" in asked.text
    assert current(office).professionals[0].hours != ()
    unseen = client.post("/ajustes/profissionais/1", data=form_of(asked.text))
    assert unseen.status_code == 409
    kept = client.post("/ajustes/profissionais/1", data=form_of(asked.text) | {"manter": "1"})
    assert kept.status_code == 303
    assert current(office).professionals[0].hours == ()
    with office.db.reading() as session:
        assert len(session.exec(select(StrandedAppointment)).all()) == 1


def test_customers_are_forgotten_only_after_a_yes(office: Office) -> None:
    office.says()
    office.clock.forward(days=100)
    client = office.client()
    asked = send(client, "/ajustes/dados", retention_customers_days="30")
    assert asked.status_code == 409
    assert "cliente será esquecido" in asked.text or "clientes serão esquecidos" in asked.text
    form = form_of(asked.text)
    [number] = re.findall(r'name="esquecer" value="(\d+)"', asked.text)
    assert client.post("/ajustes/dados", data=form).status_code == 409
    assert client.post("/ajustes/dados", data=form | {"esquecer": number}).status_code == 303


def test_a_colleague_s_change_is_not_undone_unseen(office: Office) -> None:
    ours, theirs = office.client(ANA), office.client(BRUNO)
    form = form_of(ours.get("/ajustes/regras").text)
    assert send(theirs, "/ajustes/regras", horizon_days="30").status_code == 303
    asked = ours.post("/ajustes/regras", data=form | {"max_open_appointments": "5"})
    assert asked.status_code == 409
    assert "Bruno Reis" in asked.text
    assert "<del>30</del>" in asked.text
    assert current(office).rules.max_open_appointments == 3
    assert ours.post("/ajustes/regras", data=form_of(asked.text)).status_code == 303
    assert current(office).rules.horizon_days == 60


def test_two_sections_changed_at_once_are_both_kept(db: Database) -> None:
    """On PostgreSQL too, where two changes run side by side."""
    office = staffed(db)
    sent = [("regras", {"horizon_days": "30"}), ("assistente", {"assistant_tone": "Leve."})]
    clients = [office.client() for _ in sent]
    forms = [
        form_of(c.get(f"/ajustes/{slug}").text) | typed
        for c, (slug, typed) in zip(clients, sent, strict=True)
    ]

    def send_one(place: int) -> None:
        slug, form = sent[place][0], forms[place]
        answer = clients[place].post(f"/ajustes/{slug}", data=form)
        if answer.status_code == 409:  # the other was faster, and was shown
            answer = clients[place].post(f"/ajustes/{slug}", data=form_of(answer.text))
        assert answer.status_code == 303

    threads = [threading.Thread(target=send_one, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file = current(office)
    assert (file.rules.horizon_days, file.assistant.assistant_tone) == (30, "Leve.")


# Services, professionals, questions


def test_a_service_is_made_renamed_put_away_and_brought_back(office: Office) -> None:
    client = office.client()
    made = send(
        client, "/ajustes/servicos/novo", name="Progressiva", price_cents="1.250,5", **{"people-1": "on"}
    )
    assert made.status_code == 303
    assert current(office).services[-1].price_cents == 125_050
    assert "Progressiva" in current(office).professionals[1].services
    assert send(client, "/ajustes/servicos/1", name="Corte").status_code == 303
    with office.db.reading() as session:
        assert session.get_one(Service, office.bela.corte).name == "Corte"
    page = client.get("/ajustes/servicos/1").text
    assert client.post("/ajustes/servicos/1/tirar", data=form_of(page, last=True)).status_code == 303
    listed = client.get("/ajustes/servicos").text
    assert "Fora de uso" in listed
    assert client.post("/ajustes/servicos/1/voltar", data=form_of(listed, last=True)).status_code == 303
    with office.db.reading() as session:
        assert session.get_one(Service, office.bela.corte).active


def test_a_professional_comes_with_hours_and_time_off(office: Office) -> None:
    client = office.client()
    typed = {"services-0": "on", "hours-5-0-de": "8h", "hours-5-0-ate": "24:00"}
    time_off = {"time_off-0-dia": "2027-01-04", "time_off-0-motivo": "Férias"}
    assert send(client, "/ajustes/profissionais/novo", name="Duda", **typed, **time_off).status_code == 303
    duda = current(office).professionals[-1]
    assert (duda.name, duda.services, duda.hours) == ("Duda", ("Corte feminino",), ((5, 480, 1440),))
    assert duda.time_off[0].reason == "Férias"
    with office.db.reading() as session:
        assert session.exec(select(Professional.name).where(Professional.name == "Duda")).one()


def test_a_question_is_kept_changed_and_dropped(office: Office) -> None:
    client = office.client()
    send(client, "/ajustes/perguntas", question="Aceitam Pix?", answer="Sim.")
    page = client.get("/ajustes/perguntas").text
    before = {
        "antes": "Aceitam Pix?",
        "csrf_token": form_of(page)["csrf_token"],
        "versao": form_of(page)["versao"],
    }
    client.post("/ajustes/perguntas", data=before | {"question": "Aceitam Pix?", "answer": "Sempre."})
    assert current(office).assistant.faq == [{"question": "Aceitam Pix?", "answer": "Sempre."}]
    before["versao"] = form_of(client.get("/ajustes/perguntas").text)["versao"]
    assert client.post("/ajustes/perguntas/apagar", data=before).status_code == 303
    assert current(office).assistant.faq == []


def test_the_way_back_is_seen_before_it_is_taken(office: Office) -> None:
    client = office.client()
    send(client, "/ajustes/regras", horizon_days="30")
    assert "como está agora" in client.get("/ajustes/historico").text
    page = client.get("/ajustes/historico/1").text
    assert "<del>30</del>" in page
    assert client.post("/ajustes/historico/1/voltar", data=form_of(page)).status_code == 303
    assert current(office).rules.horizon_days == 60
    assert "Os ajustes estão assim agora." in client.get("/ajustes/historico/1").text


# Who may


@pytest.mark.parametrize("slug", ["empresa", "dados"])
def test_a_manager_leaves_to_the_owner_what_is_the_owner_s(office: Office, slug: str) -> None:
    client = office.client(BRUNO)
    assert f"/ajustes/{slug}" not in client.get("/ajustes").text
    assert client.get(f"/ajustes/{slug}").status_code == 403
    send(client, "/ajustes/regras", horizon_days="30")
    page = client.get("/ajustes/historico/1").text
    assert "Voltar a ser assim" not in page
    form = form_of(client.get("/ajustes/regras").text)
    assert client.post("/ajustes/historico/1/voltar", data=form).status_code == 403
    assert client.post(f"/ajustes/{slug}", data=form).status_code == 403
    assert client.get("/ajustes/nada").status_code == 404


def test_the_next_answer_knows_it(office: Office) -> None:
    """What a turn loads is the row that was changed."""
    send(office.client(), "/ajustes/assistente", assistant_greeting="Oi, é a Lia.")
    with office.db.reading() as session:
        assert session.get_one(Tenant, office.bela.tenant).assistant_greeting == "Oi, é a Lia."
