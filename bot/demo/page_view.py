"""What the demo page shows: the chat as it stands on the phone, and what the program did about it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from bot.demo.fake_twilio import Line, Person, StandIn
from bot.demo.fake_twilio_content import Option
from bot.web.inbox import run_trace
from bot.web.inbox.run_trace import RunView
from bot.web.shared import labels
from models import message, run
from models.conversation import Conversation, Holder
from models.customer import CustomerAddress
from models.message import UNSENT, Direction, Message
from models.run import Run, RunStep
from models.staff import Staff
from models.tenant import Tenant

LINES = 60
RUNS = 4
EXCHANGES = 8


@dataclass(frozen=True)
class Chat:
    """One of the conversations that the page can play: a customer with a business."""

    key: str
    person: Person
    tenant: Tenant

    @property
    def business(self) -> str:
        return f"whatsapp:{self.tenant.whatsapp}"

    @property
    def tenant_id(self) -> int:
        assert self.tenant.id is not None
        return self.tenant.id


@dataclass(frozen=True)
class Bubble:
    """One message on the phone. `ticks` is "sent", "delivered", "read" or "failed" for the customer's own."""

    id: str
    mine: bool
    kind: str
    text: str
    place: str
    clock: str
    day: str
    ticks: str | None
    options: tuple[Option, ...] = ()
    button: str = ""


@dataclass(frozen=True)
class ExchangeView:
    clock: str
    path: str
    what: str
    answer: str
    bad: bool


@dataclass(frozen=True)
class State:
    """All of the page that changes by itself."""

    bubbles: tuple[Bubble, ...]
    runs: tuple[RunView, ...]
    exchanges: tuple[ExchangeView, ...]
    holder: str = "O assistente atende"
    holder_code: str = Holder.BOT
    conversation_id: int | None = None
    presence: str = "online"
    thinking: bool = False


@dataclass(frozen=True)
class _Rows:
    """What the database knows of a chat."""

    conversation: Conversation | None = None
    messages: Sequence[Message] = ()
    runs: Sequence[Run] = ()
    steps: Mapping[int, list[RunStep]] = field(default_factory=dict)
    assignee: str = ""


def state(session: Session, chat: Chat, stand_in: StandIn, now: datetime) -> State:
    """The chat, the newest runs first, and the newest requests between the stand-in and the server."""
    rows = _rows(session, chat)
    lines = stand_in.between(chat.person.address, chat.business)[-LINES:]
    zone, today = chat.tenant.zone, now.astimezone(chat.tenant.zone).date()
    read = _read_sids(rows)
    thinking = _is_thinking(rows)
    code = rows.conversation.holder if rows.conversation else Holder.BOT
    return State(
        bubbles=tuple(_bubble(line, zone, today, read) for line in lines),
        runs=tuple(
            run_trace.view(found, rows.steps.get(found.id or 0, []), rows.messages, zone)
            for found in rows.runs
        ),
        exchanges=tuple(_exchanges(stand_in, {line.sid for line in lines}, zone)),
        holder=_holder(code, rows.assignee),
        holder_code=code,
        conversation_id=rows.conversation.id if rows.conversation else None,
        presence="digitando…" if thinking else "online",
        thinking=thinking,
    )


def _rows(session: Session, chat: Chat) -> _Rows:
    query = (
        select(Conversation)
        .join(CustomerAddress, col(CustomerAddress.customer_id) == col(Conversation.customer_id))
        .where(
            Conversation.tenant_id == chat.tenant_id,
            CustomerAddress.tenant_id == chat.tenant_id,
            CustomerAddress.address == chat.person.address,
        )
    )
    conversation = session.exec(query).first()
    if conversation is None or conversation.id is None:
        return _Rows()
    runs = _newest_runs(session, chat.tenant_id, conversation.id)
    return _Rows(
        conversation,
        message.transcript(session, chat.tenant_id, conversation.id, limit=2 * LINES),
        runs,
        run.steps(session, [found.id for found in runs if found.id is not None]),
        _assignee(session, conversation),
    )


def _newest_runs(session: Session, tenant_id: int, conversation_id: int) -> Sequence[Run]:
    query = (
        select(Run)
        .where(Run.tenant_id == tenant_id, Run.conversation_id == conversation_id)
        .order_by(col(Run.id).desc())
        .limit(RUNS)
    )
    return session.exec(query).all()


def _assignee(session: Session, conversation: Conversation) -> str:
    query = select(Staff.name).where(
        Staff.tenant_id == conversation.tenant_id, Staff.id == conversation.assignee_id
    )
    return session.exec(query).first() or ""


def _holder(code: str, assignee: str) -> str:
    if code == Holder.QUEUE:
        return "Na fila, à espera de uma pessoa"
    if code == Holder.STAFF:
        return f"{assignee} atende, o assistente fica em silêncio"
    return "O assistente atende"


def _read_sids(rows: _Rows) -> set[str]:
    """The customer's messages that somebody here has read: a run began with them, or an answer came after."""
    through = max((found.through_seq for found in rows.runs), default=0)
    answers = [line.seq for line in rows.messages if line.direction == Direction.OUT]
    seen = max([*answers, through])
    return {line.provider_sid for line in rows.messages if line.provider_sid and line.seq <= seen}


def _is_thinking(rows: _Rows) -> bool:
    found = rows.conversation
    if found is None:
        return False
    bot_works = found.holder == Holder.BOT and (found.due_at is not None or found.lease_token is not None)
    return bot_works or any(line.status in UNSENT for line in rows.messages)


def _bubble(line: Line, zone: ZoneInfo, today: date, read: Collection[str]) -> Bubble:
    return Bubble(
        id=line.sid,
        mine=line.inbound,
        kind=line.kind,
        text=line.text,
        place=line.place,
        clock=labels.clock(line.at, zone),
        day=labels.day(line.at.astimezone(zone).date(), today),
        ticks=_ticks(line, read) if line.inbound else None,
        options=line.options,
        button=line.button,
    )


def _ticks(line: Line, read: Collection[str]) -> str:
    if line.status == "delivered" and line.sid in read:
        return "read"
    return line.status


# Requests


def _exchanges(stand_in: StandIn, sids: Collection[str], zone: ZoneInfo) -> list[ExchangeView]:
    """Newest first; a second delivery of a message says that it is one."""
    times: Counter[tuple[str, str]] = Counter()
    views = []
    for one in [one for one in tuple(stand_in.exchanges) if one.sid in sids]:
        times[one.sid, one.what] += 1
        repeated = " (a mesma, de novo)" if times[one.sid, one.what] > 1 else ""
        views.append(
            ExchangeView(
                clock=f"{one.at.astimezone(zone):%H:%M:%S}",
                path=one.path,
                what=_WHAT.get(one.what, one.what) + repeated,
                answer=f"{one.answer} em {one.milliseconds} ms" if one.answer else "sem resposta",
                bad=one.answer is None or one.answer >= 400,
            )
        )
    return views[: -EXCHANGES - 1 : -1]


_WHAT = {
    "text": "mensagem de texto",
    "location": "localização",
    "audio": "mensagem de voz",
    "image": "foto",
    "interactive": "toque em uma opção",
    "sent": "enviada",
    "delivered": "entregue",
    "read": "lida",
    "undelivered": "não entregue",
}
