"""/demo on the whole product: the phone, its state, and what the visitor can send."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.demo.fake_twilio import Account, Person, StandIn
from bot.demo.fake_twilio_routes import standin
from bot.demo.page import Answering, Login, demo
from bot.intents.choices import Choice, Question
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from bot.whatsapp import content_api
from models.acts import conversation_acts
from models.db import Database
from models.message import Message
from models.staff import Staff
from tests.bot.edge import settings
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, TOKEN
from tests.stage import BARBER, STUDIO, Stage

PEOPLE = {
    "marina": Person("Marina", "whatsapp:+5511900000001", "whatsapp:BR.1001"),
    "joao": Person("João", "whatsapp:+559280000002", "whatsapp:BR.1002"),
}
CHAT = {"negocio": STUDIO, "cliente": "marina"}
ANSWER = {
    "content": [{"type": "text", "text": "Oi! Temos *corte* por R$ 120,00."}],
    "stop_reason": "end_turn",
}
JSON = {"Accept": "application/json"}
LOGINS = {STUDIO: Login("equipe@bela.example", "senha-da-demo")}


class Demo:
    """The product with the demo's page, whose deliveries run when `work` says so."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.jobs: list[Callable[[], None]] = []
        self.stand_in = StandIn(
            Account(ACCOUNT, TOKEN),
            PUBLIC_URL,
            [f"whatsapp:{stage.tenant(slug).whatsapp}" for slug in (STUDIO, BARBER)],
            now=stage.clock,
            later=lambda _seconds, job: self.jobs.append(job),
            post=self.post,
        )
        pages = [demo(self.stand_in, PEOPLE, LOGINS), standin(self.stand_in)]
        self.app = create_app(stage.services, [webhook(stage.services), *pages])
        self.web: FlaskClient = self.app.test_client()

    def post(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> int:
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return self.app.test_client().post(path, data=form, headers=dict(headers)).status_code

    def run_jobs(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()

    def send(self, chat: Mapping[str, str] = CHAT, **form: str) -> TestResponse:
        page = self.web.get("/demo").text
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found
        return self.web.post("/demo/mensagem", data={"csrf_token": found[1], **chat, **form}, headers=JSON)

    def state(self, chat: Mapping[str, str] = CHAT) -> dict[str, Any]:
        answer = self.web.get("/demo/estado", query_string=dict(chat))
        assert answer.status_code == 200
        assert answer.json is not None
        return dict(answer.json)

    def bubbles(self, chat: Mapping[str, str] = CHAT) -> list[tuple[str, str | None]]:
        """What is said on the phone, with the ticks."""
        said = re.compile(r'class="said">(.*?)</span>', re.DOTALL)
        return [
            (" ".join(said.findall(bubble["html"])), bubble["ticks"])
            for bubble in self.state(chat)["bubbles"]
        ]


@pytest.fixture
def played(sqlite_db: Database, now: datetime) -> Demo:
    return Demo(Stage(sqlite_db, now, script=[ANSWER, ANSWER]))


def test_the_page_says_who_is_who_and_who_answers(played: Demo) -> None:
    page = played.web.get("/demo").text
    assert "Você é Marina, cliente de Studio Bela." in page
    assert "equipe@bela.example" in page
    assert "senha-da-demo" in page
    assert page.count('aria-current="page"') == 1
    for slug in (STUDIO, BARBER):
        for person in PEOPLE:
            assert f"/demo?negocio={slug}&amp;cliente={person}" in page


def test_the_page_keeps_to_its_own_security_policy(played: Demo) -> None:
    """No script, no style and no handler stands in the page itself, and nothing comes from elsewhere."""
    page = played.web.get("/demo").text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_a_message_goes_through_the_webhook_and_the_answer_comes_back(played: Demo) -> None:
    """The ticks go from one to two to coloured, as the server receives and answers."""
    assert played.send(texto="Oi").status_code == 200
    assert played.bubbles() == [("Oi", "sent")]
    played.run_jobs()
    assert played.bubbles() == [("Oi", "delivered")]
    assert played.state()["thinking"] is True
    assert played.state()["presence"] == "digitando…"
    played.stage.work()
    state = played.state()
    assert state["thinking"] is False
    assert "end_turn" in state["live"]
    assert "Respondida" in state["live"]
    assert "“Oi”" in state["live"]
    assert "POST /twilio/inbound" in state["live"]
    assert played.bubbles()[0] == ("Oi", "read")


def test_what_the_business_sends_stands_on_the_phone(played: Demo) -> None:
    played.send(texto="Oi")
    played.run_jobs()
    business = f"whatsapp:{played.stage.tenant().whatsapp}"
    played.stand_in.accept(
        {"From": business, "To": PEOPLE["marina"].address, "Body": "Olá, *Marina*!\nTudo?"}
    )
    assert played.bubbles()[1:] == [("Olá, <b>Marina</b>!\nTudo?", None)]


def test_the_four_conversations_are_kept_apart(played: Demo) -> None:
    played.send(texto="Oi")
    played.run_jobs()
    played.stage.work()
    for chat in (CHAT | {"cliente": "joao"}, CHAT | {"negocio": BARBER}):
        state = played.state(chat)
        assert state["bubbles"] == []
        assert "end_turn" not in state["live"]
        assert "POST /twilio" not in state["live"]


def test_a_repeated_delivery_changes_nothing_and_is_shown(played: Demo) -> None:
    played.send(texto="Oi")
    played.run_jobs()
    answer = played.send(tipo="repetir")
    assert answer.json is not None
    assert "mais uma vez" in answer.json["notice"]
    played.run_jobs()
    inbound = [row for row in played.stage.rows(Message) if row.direction == "in"]
    assert len(inbound) == 1
    assert len(played.bubbles()) == 1
    assert "a mesma, de novo" in played.state()["live"]


@pytest.mark.parametrize(
    ("kind", "stored"), [("localizacao", "location"), ("audio", "audio"), ("foto", "image")]
)
def test_other_things_than_text_are_sent_as_what_they_are(played: Demo, kind: str, stored: str) -> None:
    played.send(tipo=kind)
    played.run_jobs()
    assert [row.kind for row in played.stage.rows(Message)] == [stored]
    assert f"is-{stored}" in played.state()["bubbles"][0]["html"]


REFUSED = [
    ({"texto": ""}, "Escreva uma mensagem"),
    ({"texto": "  \r\n "}, "Escreva uma mensagem"),
    ({"texto": "a" * 1601}, "grande demais"),
    ({"tipo": "repetir"}, "Ainda não há mensagem"),
]


@pytest.mark.parametrize(("form", "sentence"), REFUSED)
def test_what_cannot_be_sent_is_refused_in_one_sentence(
    played: Demo, form: dict[str, str], sentence: str
) -> None:
    answer = played.send(**form)
    assert answer.status_code == 400
    assert answer.json is not None
    assert sentence in answer.json["problem"]
    assert played.jobs == []


def test_a_form_without_the_pages_token_is_not_taken(played: Demo) -> None:
    answer = played.web.post("/demo/mensagem", data={**CHAT, "texto": "Oi"}, headers=JSON)
    assert answer.status_code == 400
    assert played.jobs == []
    late = played.web.post("/demo/mensagem", data={**CHAT, "texto": "Oi"}).text
    assert 'href="/demo"' in late
    assert "Entrar de novo" not in late, "the demo asks for no login"


def test_without_scripts_the_form_comes_back_to_the_same_conversation(played: Demo) -> None:
    token = re.search(r'name="csrf_token" value="([^"]+)"', played.web.get("/demo").text)
    assert token
    form = {"csrf_token": token[1], **CHAT, "cliente": "joao"}
    answer = played.web.post("/demo/mensagem", data=form | {"sugestao": "Oi"})
    assert answer.status_code == 303
    assert answer.location == f"/demo?negocio={STUDIO}&cliente=joao#fim"
    assert "Oi" in played.web.get(answer.location).text
    complaint = played.web.post("/demo/mensagem", data=form, follow_redirects=True)
    assert "Escreva uma mensagem antes de enviar." in complaint.text


@pytest.mark.parametrize("query", [{"negocio": "outro"}, {"cliente": "ninguem"}])
def test_an_unknown_conversation_is_not_found(played: Demo, query: dict[str, str]) -> None:
    assert played.web.get("/demo", query_string=query).status_code == 404
    assert played.web.get("/demo/estado", query_string=query).status_code == 404


def test_the_page_tells_who_holds_the_conversation(played: Demo) -> None:
    played.send(texto="Oi")
    played.run_jobs()
    [row] = played.stage.conversations
    stage = played.stage
    with stage.db.writing() as session:
        staff = Staff(
            tenant_id=row.tenant_id, email="p@x", name="Patrícia", password_hash="x", created_at=stage.clock()
        )
        session.add(staff)
        session.flush()
        assert staff.id is not None
        conversation_acts.take(session, stage.clock(), row.tenant_id, row.id, staff.id)
    assert "Patrícia atende" in played.state()["live"]
    assert played.state()["thinking"] is False


def test_what_a_customer_writes_is_never_markup(played: Demo) -> None:
    played.send(texto="<script>alert(1)</script> *<b>*")
    assert played.bubbles() == [("&lt;script&gt;alert(1)&lt;/script&gt; <b>&lt;b&gt;</b>", "sent")]
    assert "<script>alert" not in played.web.get("/demo").text


ANSWERING = [
    ({}, "Modelo offline embutido", "Nada sai desta máquina."),
    ({"anthropic_api_key": "k"}, "Claude (claude-haiku-5-5)", "https://api.anthropic.com"),
    ({"openai_api_key": "k", "openai_model": "m1"}, "m1, por um servidor", "https://api.openai.com/v1"),
]


@pytest.mark.parametrize(("values", "name", "where"), ANSWERING)
def test_the_visitor_is_told_where_the_words_go(values: dict[str, str], name: str, where: str) -> None:
    told = Answering.of(settings(llm_provider=None, **values))
    assert told.name.startswith(name)
    assert where in told.where


# Buttons


def ask(played: Demo) -> str:
    """A question with two buttons stands on Marina's phone; gives its sid."""
    made = content_api.rich(Question("Posso confirmar?", (Choice("yes", "Sim"), Choice("no", "Não"))))
    assert made is not None
    sid = str(played.stand_in.forms.lay_down(made.document())["sid"])
    form = {
        "From": f"whatsapp:{played.stage.tenant(STUDIO).whatsapp}",
        "To": PEOPLE["marina"].address,
        "ContentSid": sid,
        "ContentVariables": json.dumps(made.variables),
    }
    return played.stand_in.accept(form).sid


def test_buttons_are_shown_and_a_tap_is_an_answer(played: Demo) -> None:
    sid = ask(played)
    [bubble] = played.state()["bubbles"]
    assert f'name="opcao" value="{sid}:yes"' in bubble["html"]
    assert played.send(opcao=f"{sid}:yes").status_code == 200
    played.run_jobs()
    [line] = [line for line in played.stage.messages if line.direction == "in"]
    assert (line.text, line.extra["button_payload"], line.extra["quoted_sid"]) == ("Sim", "yes", sid)
    assert [said for said, _ in played.bubbles()] == ["Posso confirmar?", "Sim"]


@pytest.mark.parametrize("tapped", ["x", ":", "SM1:yes", "{sid}:maybe", "{sid}"])
def test_what_is_not_there_cannot_be_tapped(played: Demo, tapped: str) -> None:
    answer = played.send(opcao=tapped.format(sid=ask(played)))
    assert (answer.status_code, answer.json) == (400, {"problem": "Essa opção não está mais nesta conversa."})


def test_nobody_taps_in_the_chat_of_another(played: Demo) -> None:
    sid = ask(played)
    assert played.send({"negocio": STUDIO, "cliente": "joao"}, opcao=f"{sid}:yes").status_code == 400
