"""The bot in the terminal: one customer, typed lines in, answers out, through the same rows as WhatsApp."""

import secrets
import sys
from collections.abc import Iterator
from datetime import timedelta

import click

from bot import bootstrap, optout, worker
from bot.accounts import tenant_id as find_tenant
from bot.services import Services
from bot.settings import Settings
from bot.terminal import PREFIX
from models import message
from models.db import Database
from models.message import Author, Direction, Incoming
from models.tenant import Tenant

ADDRESS = f"{PREFIX}cliente"


def talk(settings: Settings, db: Database, slug: str) -> None:
    """Read lines until the end of input; print what the bot, or a person, answers."""
    services = bootstrap.services(settings, db, {})
    with db.reading() as session:
        tenant_id = find_tenant(session, slug)
        name = session.get_one(Tenant, tenant_id).name
    click.echo(f"{name} ({settings.provider}). Escreva como um cliente; Ctrl-D encerra.")
    for line in _lines():
        for answer in exchange(services, tenant_id, line):
            click.echo(answer)


def _lines() -> Iterator[str]:
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def exchange(services: Services, tenant_id: int, text: str) -> list[str]:
    """Say one thing; give the lines that come back."""
    said = optout.heard(text)
    incoming = Incoming(
        tenant_id=tenant_id,
        addresses=(ADDRESS,),
        provider_sid=f"terminal-{secrets.token_hex(8)}",
        text=text,
        wish=said.wish if said else None,
        only_wish=said is not None and said.only,
    )
    received = message.receive(services.db, incoming, services.now(), timedelta(0))
    worker.drain(services)
    with services.db.reading() as session:
        lines = message.transcript(session, tenant_id, received.conversation_id)
    last_in = max(line.seq for line in lines if line.provider_sid == incoming.provider_sid)
    answers = [line for line in lines if line.seq > last_in and line.direction == Direction.OUT]
    return [_shown(line.author, line.text) for line in answers] or [
        "(uma pessoa da equipe está com esta conversa: veja /fila)"
    ]


def _shown(author: str, text: str) -> str:
    return text if author == Author.BOT else f"[{author}] {text}"
