"""The bot in the terminal: one customer, typed lines in, answers out, through the same rows as WhatsApp."""

import io
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TextIO

import click

from bot.core.services import Services
from bot.core.settings import Settings
from bot.intents import opt_out
from bot.process import bootstrap, worker
from bot.process.staff_logins import tenant_id as find_tenant
from bot.sending import fixed_texts
from bot.sending.terminal import PREFIX
from models import conversation, delivery, message
from models.conversation import Holder
from models.db import Database
from models.handoff import WAY_BACK
from models.message import Author, Direction, Incoming, Message, Status
from models.tenant import Tenant

ADDRESS = f"{PREFIX}cliente"
LOOK_SECONDS = 1.0  # between two looks for what a person wrote meanwhile
AUTHORS = {Author.STAFF: "pessoa da equipe", Author.SYSTEM: "mensagem automática"}


def talk(settings: Settings, db: Database, slug: str) -> None:
    """Read lines until the end of input; print what the bot, or a person, answers."""
    services = bootstrap.services(settings, db, {})
    with db.reading() as session:
        tenant_id = find_tenant(session, slug)
        name = session.get_one(Tenant, tenant_id).name
    chat = Chat(services, tenant_id, settings.public_url or f"http://{settings.host}:{settings.port}")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    click.echo(f"{name} ({settings.provider}). Escreva como um cliente; Ctrl-D encerra.")
    for shown in chat.resume():
        click.echo(shown)
    is_terminal = sys.stdin.isatty()
    for line in typed(sys.stdin, chat.news if is_terminal else None):
        if not is_terminal:
            click.echo(f"> {line}")
        for shown in chat.say(line):
            click.echo(shown)


@dataclass
class Chat:
    """One customer's talk. `base` is where staff find their page.

    What was shown has been read, here as on a phone: staff see it, and no later session shows it again.
    """

    services: Services
    tenant_id: int
    base: str = ""
    conversation_id: int = 0
    told: bool = False

    def resume(self) -> list[str]:
        """What has been written since the last session, and who holds the conversation if not the bot."""
        with self.services.db.reading() as session:
            known = conversation.at_address(session, self.tenant_id, ADDRESS)
        self.conversation_id = known or 0
        return self.news()

    def say(self, text: str) -> list[str]:
        """Say one thing; give the lines that come back, and who holds the conversation if not the bot."""
        said = opt_out.heard(text)
        incoming = Incoming(
            tenant_id=self.tenant_id,
            addresses=(ADDRESS,),
            provider_sid=f"terminal-{secrets.token_hex(8)}",
            text=text,
            wish=said.wish if said else None,
            only_wish=said is not None and said.only,
        )
        with self.services.db.reading() as session:
            incoming = fixed_texts.with_confirmation(session.get_one(Tenant, self.tenant_id), incoming)
        received = message.receive(self.services.db, incoming, self.services.now(), timedelta(0))
        self.conversation_id = received.conversation_id
        return self.news()

    def news(self) -> list[str]:
        """What has been answered since the last look, and a word where a person has taken over."""
        if not self.conversation_id:
            return []
        worker.drain(self.services)
        with self.services.db.reading() as session:
            lines = message.transcript(session, self.tenant_id, self.conversation_id)
            holder = conversation.find(session, self.tenant_id, self.conversation_id).holder
        new = [line for line in lines if line.direction == Direction.OUT and line.status == Status.DELIVERED]
        if new:
            self._mark_read(new)
        return [*(_shown(line.author, line.text) for line in new), *self._held(holder)]

    def _mark_read(self, lines: Iterable[Message]) -> None:
        now = self.services.now()
        with self.services.db.writing() as session:
            for line in lines:
                assert line.provider_sid is not None
                delivery.apply_status(session, now, self.tenant_id, sid=line.provider_sid, status=Status.READ)

    def _held(self, holder: str) -> list[str]:
        """Told once, as long as people hold the conversation."""
        told, self.told = self.told, holder != Holder.BOT
        if told or not self.told:
            return []
        return [
            f"(Agora esta conversa está com as pessoas da equipe, e o robô fica calado. Para responder como "
            f"equipe: {self.base}/fila/{self.conversation_id}, com `horacerta serve` no ar. Para voltar ao "
            f"robô, escreva {WAY_BACK.upper()}, ou devolva a conversa nessa página.)"
        ]


def typed(source: TextIO, news: Callable[[], list[str]] | None) -> Iterator[str]:
    """The lines that are typed, without empty ones, up to the end of input or Ctrl-C.

    With `news` (at a terminal) there is a prompt, and what comes meanwhile is shown above it.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(source, lines), daemon=True).start()
    while (line := _next(lines, news)) is not None:
        if line.strip():
            yield line.strip()
    if news:
        click.echo()


def _read(source: TextIO, lines: "queue.SimpleQueue[str | None]") -> None:
    for line in source:
        lines.put(line)
    lines.put(None)


def _next(lines: "queue.SimpleQueue[str | None]", news: Callable[[], list[str]] | None) -> str | None:
    """The next line; None at the end."""
    if news is None:
        return lines.get()
    click.echo("> ", nl=False)
    try:
        while True:
            try:
                return lines.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                _show_above(news())
    except KeyboardInterrupt:
        return None


def _show_above(shown: list[str]) -> None:
    if shown:
        click.echo("\r" + "\n".join([*shown, "> "]), nl=False)


def _shown(author: str, text: str) -> str:
    return text if author == Author.BOT else f"[{AUTHORS.get(Author(author), author)}] {text}"
