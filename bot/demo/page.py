"""/demo: a page that plays the customer's phone, with the run beside it. Only under `horacerta demo`.

What the visitor writes goes to the stand-in, and from there as a signed form through the real webhook; what
the business answers comes back through the real outbox.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, flash, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session, col, select

from bot.core.settings import Settings
from bot.demo import fake_twilio, page_view
from bot.demo.fake_twilio import MAX_BODY, Person, StandIn
from bot.demo.page_view import Chat
from bot.web.shared import request_context
from models.tenant import Tenant

SUGGESTIONS = ("Oi", "Tem horário amanhã?", "Quero falar com uma pessoa")
ATTACHMENTS = {
    "localizacao": fake_twilio.location(
        "-23.5614", "-46.6559", "Av. Paulista, 1578 - São Paulo", "Estou aqui"
    ),
    "audio": fake_twilio.media("audio", "audio/ogg"),
    "foto": fake_twilio.media("image", "image/jpeg"),
}
REPEAT = "repetir"
REPEATED = "A última mensagem foi entregue mais uma vez. O atendimento não deve responder de novo."


@dataclass(frozen=True)
class Login:
    """A staff login of a business, shown to the visitor."""

    email: str
    password: str


class Problem(Exception):
    """The visitor's wish cannot be fulfilled; the text is one kind sentence."""


def demo(stand_in: StandIn, people: Mapping[str, Person], logins: Mapping[str, Login]) -> Blueprint:
    """The page, its state as JSON, and the form. `people` by their key in the address, `logins` by slug."""
    page = Blueprint("demo", __name__, url_prefix="/demo")

    @page.get("")
    def index() -> ResponseReturnValue:
        with request_context.services().db.reading() as session:
            chats, chosen = _chats(session, people)
            state = page_view.state(session, chosen, stand_in, request_context.now())
        return render_template(
            "demo/page.html",
            chats=chats,
            chosen=chosen,
            state=state,
            login=logins.get(chosen.tenant.slug),
            model=Answering.of(request_context.services().settings),
            suggestions=SUGGESTIONS,
            max_length=MAX_BODY,
        )

    @page.get("/estado")
    def state() -> ResponseReturnValue:
        return _state(stand_in, people)

    @page.post("/mensagem")
    def send() -> ResponseReturnValue:
        notice = ""
        with request_context.services().db.reading() as session:
            _, chosen = _chats(session, people)
        try:
            notice = _send(stand_in, chosen)
        except Problem as problem:
            if _wants_json():
                return jsonify(problem=str(problem)), 400
            notice = str(problem)
        if _wants_json():
            return _state(stand_in, people, notice)
        if notice:
            flash(notice)
        here = url_for("demo.index", _anchor="fim", negocio=chosen.tenant.slug, cliente=chosen.key)
        return redirect(here, 303)

    return page


@dataclass(frozen=True)
class Answering:
    """Which model answers, and where what is written goes."""

    name: str
    where: str

    @classmethod
    def of(cls, settings: Settings) -> "Answering":
        if settings.provider == "anthropic":
            return cls(
                f"Claude ({settings.anthropic_model})",
                f"As conversas vão para {settings.anthropic_base_url}.",
            )
        if settings.provider == "openai":
            return cls(
                f"{settings.openai_model}, por um servidor compatível com OpenAI",
                f"As conversas vão para {settings.openai_base_url}.",
            )
        return cls("Modelo offline embutido (regras, sem inteligência artificial)", "Nada sai desta máquina.")


def _chats(session: Session, people: Mapping[str, Person]) -> tuple[list[Chat], Chat]:
    """All conversations, and the one that the address or the form names (the first where it names none)."""
    tenants = session.exec(select(Tenant).order_by(col(Tenant.id))).all()
    chats = [Chat(key, person, tenant) for tenant in tenants for key, person in people.items()]
    slug, key = request.values.get("negocio"), request.values.get("cliente")
    wanted = (chat for chat in chats if slug in (None, chat.tenant.slug) and key in (None, chat.key))
    chosen = next(wanted, None)
    if chosen is None:
        abort(404)
    return chats, chosen


def _state(stand_in: StandIn, people: Mapping[str, Person], notice: str = "") -> ResponseReturnValue:
    with request_context.services().db.reading() as session:
        _, chosen = _chats(session, people)
        state = page_view.state(session, chosen, stand_in, request_context.now())
    bubbles = [
        {
            "id": bubble.id,
            "day": bubble.day,
            "ticks": bubble.ticks,
            "html": render_template("demo/_bubble.html", bubble=bubble),
        }
        for bubble in state.bubbles
    ]
    return jsonify(
        bubbles=bubbles,
        thinking=state.thinking,
        presence=state.presence,
        live=render_template("demo/_live.html", state=state),
        notice=notice,
    )


def _send(stand_in: StandIn, chat: Chat) -> str:
    """Do what the form asks; gives what to tell the visitor, mostly nothing. Raises Problem."""
    kind = request.form.get("tipo", "")
    if kind == REPEAT:
        return _repeat(stand_in, chat)
    if tapped := request.form.get("opcao"):
        stand_in.write(chat.person, chat.business, _tap(stand_in, chat, tapped))
        return ""
    stand_in.write(chat.person, chat.business, ATTACHMENTS.get(kind) or fake_twilio.text(_text()))
    return ""


def _tap(stand_in: StandIn, chat: Chat, tapped: str) -> dict[str, str]:
    """What tapping an option sends; `tapped` is the sid of its message and its own id."""
    sid, _, option_id = tapped.partition(":")
    line = stand_in.find(sid)
    if line is not None and {line.sender, line.recipient} == {chat.business, chat.person.address}:
        for option in line.options:
            if option.id == option_id:
                return fake_twilio.tap(line, option)
    raise Problem("Essa opção não está mais nesta conversa.")


def _repeat(stand_in: StandIn, chat: Chat) -> str:
    lines = stand_in.between(chat.person.address, chat.business)
    newest = next((line for line in reversed(lines) if line.form), None)
    if newest is None:
        raise Problem("Ainda não há mensagem para repetir: escreva uma primeiro.")
    stand_in.repeat(newest.sid)
    return REPEATED


def _text() -> str:
    text = request.form.get("sugestao") or request.form.get("texto", "").replace("\r\n", "\n").strip()
    if not text:
        raise Problem("Escreva uma mensagem antes de enviar.")
    if len(text) > MAX_BODY:
        raise Problem(f"A mensagem é grande demais: o WhatsApp leva até {MAX_BODY} letras de cada vez.")
    return text


def _wants_json() -> bool:
    return request.accept_mimetypes.best == "application/json"
