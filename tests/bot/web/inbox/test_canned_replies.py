"""Ready answers: kept by the team, put into a reply by a short name."""

from datetime import datetime

import pytest
from flask.testing import FlaskClient

from models import canned_reply
from models.canned_reply import MAX_TEXT, MOST, CannedReply
from models.db import Database
from models.errors import NotFound, Refusal
from tests.bot.web.office import Office, post
from tests.fakes.talk import Talk


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


def names(office: Office) -> list[str]:
    with office.db.reading() as session:
        return [reply.name for reply in canned_reply.list_of(session, office.bela.tenant)]


def save(client: FlaskClient, path: str = "/respostas", **form: str) -> int:
    return post(
        client, path, page="/respostas", **({"name": "pix", "text": "Aceitamos Pix."} | form)
    ).status_code


def test_added_changed_and_deleted(office: Office, client: FlaskClient) -> None:
    assert "Nenhuma resposta pronta ainda." in client.get("/respostas").text
    assert save(client, name="Formas de  PAGAMENTO!") == 303
    assert names(office) == ["formas-de-pagamento"]
    page = client.get("/respostas").text
    assert "Resposta guardada." in page
    assert "/formas-de-pagamento" in page
    assert save(client, "/respostas/1", name="pix", text="Pix ou cartão.") == 303
    assert names(office) == ["pix"]
    assert post(client, "/respostas/1/apagar").status_code == 303
    assert names(office) == []


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"name": "!!"}, "Dê um nome curto"),
        ({"name": "x" * 31}, "Dê um nome curto"),
        ({"text": " "}, "Escreva o texto"),
        ({"text": "x" * (MAX_TEXT + 1)}, "Escreva o texto"),
        ({"name": "Endereço"}, "Já existe uma resposta com este nome."),
    ],
)
def test_what_cannot_be_kept_is_given_back(
    office: Office, client: FlaskClient, form: dict[str, str], problem: str
) -> None:
    save(client, name="endereco", text="Rua Augusta")
    values = {"name": "pix", "text": "meu texto"} | form
    answer = post(client, "/respostas", page="/respostas", **values)
    assert answer.status_code == 422
    assert problem in answer.text
    assert values["text"] in answer.text
    assert names(office) == ["endereco"]


def test_a_change_that_cannot_be_kept_is_given_back_where_it_was(office: Office, client: FlaskClient) -> None:
    save(client, name="um")
    save(client, name="dois")
    answer = post(client, "/respostas/2", page="/respostas", name="um", text="meu texto")
    assert answer.status_code == 422
    assert (
        '<textarea id="reply-2-text" name="text" rows="3" maxlength="2000" required dir="auto">meu texto'
        in (answer.text)
    )
    assert names(office) == ["dois", "um"]


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        ("Oi, {nome}! Tudo bem?", "Maria", "Oi, Maria! Tudo bem?"),
        ("Oi, {nome}! Tudo bem?", "", "Oi! Tudo bem?"),
        ("{nome}", "", ""),
        ("100% {customer.__class__} {{7*7}} %s {}", "Maria", "100% {customer.__class__} {{7*7}} %s {}"),
        ("Oi, {nome}", "{nome}", "Oi, {nome}"),
    ],
)
def test_only_the_name_is_filled_in(text: str, name: str, shown: str) -> None:
    """No placeholder reaches a customer, and no other sign means anything."""
    reply = CannedReply(tenant_id=1, name="x", text=text, changed_by=1, changed_at=None)
    assert reply.for_customer(name) == shown


def test_each_business_has_its_own(db: Database, now: datetime) -> None:
    talk = Talk(db, now)
    with db.writing() as session:
        for tenant, person in ((talk.tenant, talk.ana), (talk.other.tenant, talk.carla)):
            canned_reply.save(session, now, tenant, person, name="pix", text=f"de {tenant}")
    with db.reading() as session:
        (ours,) = canned_reply.list_of(session, talk.tenant)
        assert ours.id is not None
        assert ours.text == f"de {talk.tenant}"
    for act in (
        lambda session: canned_reply.save(
            session, now, talk.other.tenant, talk.carla, name="a", text="b", reply_id=ours.id
        ),
        lambda session: canned_reply.delete(session, now, talk.other.tenant, talk.carla, ours.id),
        lambda session: canned_reply.find(session, talk.other.tenant, ours.id),
    ):
        with pytest.raises(NotFound), db.writing() as session:
            act(session)


def test_there_is_an_end_to_them(sqlite_db: Database, now: datetime) -> None:
    talk = Talk(sqlite_db, now)
    with pytest.raises(Refusal) as refusal, sqlite_db.writing() as session:
        for number in range(MOST + 1):
            canned_reply.save(session, now, talk.tenant, talk.ana, name=f"n{number}", text="x")
    assert refusal.value.code == "DEMAIS"
