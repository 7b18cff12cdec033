"""What the demo page shows: the chat as it stands on the phone, and what the program did about it."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from bot.standin import Line, Person, StandIn
from bot.web import words
from models import message, run
from models.conversation import Conversation, Holder
from models.customer import CustomerAddress
from models.message import UNSENT, Direction, Message
from models.run import Outcome, Run, RunStep, StepKind
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


@dataclass(frozen=True)
class Call:
    name: str
    words: str
    input: str


@dataclass(frozen=True)
class StepView:
    """One step of a run. `code` is what the program calls it: a stop reason, an error class, a reason."""

    kind: str
    title: str
    code: str = ""
    note: str = ""
    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    bad: bool = False


@dataclass(frozen=True)
class RunView:
    """One run, from the message that began it to what became of its answer."""

    id: int
    asked: str
    outcome: str
    state: str
    model: str
    clock: str
    seconds: str
    tokens: str
    reason: str
    reason_code: str
    steps: tuple[StepView, ...]
    deliveries: tuple[str, ...]


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
        runs=tuple(_run(found, rows, zone) for found in rows.runs),
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
        clock=words.clock(line.at, zone),
        day=words.day(line.at.astimezone(zone).date(), today),
        ticks=_ticks(line, read) if line.inbound else None,
    )


def _ticks(line: Line, read: Collection[str]) -> str:
    if line.status == "delivered" and line.sid in read:
        return "read"
    return line.status


# Runs

OUTCOMES = {
    Outcome.ANSWERED: "Respondida",
    Outcome.HANDED_OFF: "Passada para a equipe",
    Outcome.SUPERSEDED: "Descartada: uma pessoa assumiu",
    Outcome.CRASHED: "Interrompida",
}
STOP_REASONS = {
    "end_turn": "O modelo respondeu",
    "stop_sequence": "O modelo respondeu",
    "tool_use": "O modelo pediu uma ferramenta",
    "pause_turn": "O modelo fez uma pausa",
    "max_tokens": "Resposta cortada no limite de tamanho",
    "model_context_window_exceeded": "Resposta cortada: conversa longa demais",
    "refusal": "O modelo recusou",
}


def _run(found: Run, rows: _Rows, zone: ZoneInfo) -> RunView:
    assert found.id is not None
    outcome = Outcome(found.outcome) if found.outcome else None
    return RunView(
        id=found.id,
        asked=_asked(rows.messages, found),
        outcome=OUTCOMES[outcome] if outcome else "Em andamento",
        state=outcome or "going",
        model=found.model or found.provider,
        clock=words.clock(found.started_at, zone),
        seconds=_seconds(found),
        tokens=_run_tokens(found),
        reason=words.reason(found.handoff_reason).words if found.handoff_reason else "",
        reason_code=found.handoff_reason or "",
        steps=tuple(_step(step) for step in rows.steps.get(found.id, [])),
        deliveries=tuple(_deliveries(rows.messages, found.id)),
    )


def _asked(messages: Sequence[Message], found: Run) -> str:
    """What the customer said that the run answers; of what is no text, its kind."""
    inbound = (line for line in messages if line.direction == Direction.IN)
    said = [line for line in inbound if found.from_seq < line.seq <= found.through_seq]
    return " · ".join(line.text if line.kind == "text" else words.kind(line.kind) for line in said)


def _seconds(found: Run) -> str:
    if found.finished_at is None:
        return ""
    seconds = (found.finished_at - found.started_at).total_seconds()
    return f"{seconds:.1f} s".replace(".", ",") if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _run_tokens(found: Run) -> str:
    asked = found.input_tokens + found.cache_read_tokens + found.cache_write_tokens
    return _tokens(asked, found.cache_read_tokens, found.output_tokens)


def _tokens(asked: int, cached: int, answered: int) -> str:
    if not asked and not answered:
        return "nenhum token"
    from_cache = f" ({_number(cached)} do cache)" if cached else ""
    return f"{_number(asked)} tokens lidos{from_cache}, {_number(answered)} escritos"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", ".")


def _deliveries(messages: Sequence[Message], run_id: int) -> Iterator[str]:
    for line in messages:
        sign = words.delivery(line)
        if line.run_id == run_id and sign:
            yield sign.words


def _step(step: RunStep) -> StepView:
    if step.kind == StepKind.RESULT:
        return _result(step)
    if step.kind == StepKind.INPUT:
        return StepView("input", "O que o modelo recebeu", texts=_texts(step.content))
    if step.kind == StepKind.NUDGE:
        return StepView("nudge", "Pedimos que corrigisse", texts=_texts(step.content))
    return _answer(step)


def _answer(step: RunStep) -> StepView:
    usage = step.usage or {}
    cached = usage.get("cache_read_tokens", 0)
    asked = usage.get("input_tokens", 0) + cached + usage.get("cache_write_tokens", 0)
    code = step.stop_reason or "sem stop_reason"
    forced = step.kind == StepKind.FINAL
    return StepView(
        "answer",
        "Resposta final, sem ferramentas" if forced else STOP_REASONS.get(code, "Resposta inesperada"),
        code=code,
        note=f"{_tokens(asked, cached, usage.get('output_tokens', 0))}, {step.milliseconds} ms",
        texts=_texts(step.content),
        calls=tuple(_calls(step.content)),
        bad=not step.kept and not forced,
    )


def _result(step: RunStep) -> StepView:
    content = step.content
    name = words.TOOLS.get(content["name"], content["name"])
    if not step.is_error:
        return StepView("result", f"Resultado: {name}", texts=(content["text"],))
    return StepView(
        "result",
        f"Recusa: {name}",
        code=step.error_class or "",
        note=words.ERROR_CLASSES.get(step.error_class or "", ""),
        texts=(content["text"],),
        bad=True,
    )


def _texts(content: object) -> tuple[str, ...]:
    return tuple(block["text"] for block in _blocks(content) if block.get("type") == "text")


def _calls(content: object) -> Iterator[Call]:
    for block in _blocks(content):
        if block.get("type") == "tool_use":
            name = str(block.get("name"))
            arguments = json.dumps(block.get("input"), ensure_ascii=False, indent=2)
            yield Call(name, words.TOOLS.get(name, name), arguments)


def _blocks(content: object) -> list[dict[str, str]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


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
    "sent": "enviada",
    "delivered": "entregue",
    "read": "lida",
    "undelivered": "não entregue",
}
