"""What a request tells: the business, the moment, the customer, what was said and called in this turn."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time

from bot.llm.base import Block, ModelRequest
from bot.llm.rule_based.policy.steps import call_key
from bot.llm.rule_based.tool_results import (
    Appointment,
    Held,
    Result,
    appointments_in,
    held_in,
    read_time,
    result_of,
)

_CONTEXT = "<contexto>"
_NOW = re.compile(r"^Agora: [^,\n]+, (\d{4}-\d\d-\d\d), (\d\d:\d\d)", re.MULTILINE)
_CUSTOMER = re.compile(r"^Cliente: (.+?)\.?$", re.MULTILINE)
_BUSINESS = re.compile(r"Você é o assistente virtual de (.+?)(?: no WhatsApp)?\.(?:\s|$)")
_ADDRESS = re.compile(r"^Endereço: (.+)$", re.MULTILINE)
# The business's own words may hold empty lines and "Instagram: @…".
_ABOUT = re.compile(r"^Sobre: (.+?)(?=\nFuso horário: |\n+#|\Z)", re.MULTILINE | re.DOTALL)
_NOTICE = re.compile(r"^Cancelar ou remarcar: até (\d+) minutos antes", re.MULTILINE)
_SYSTEM = "[Sistema]"
_REMINDED = re.compile(r"^Lembrete enviado sobre agendamento_id (\d+):", re.MULTILINE)
_WAITS = re.compile(r"^O cliente está na lista de espera: (.+)\.$", re.MULTILINE)
_TAP = re.compile(r"\[O cliente enviou isto por um botão do lembrete: quer (\w+)([^\]]*)\]")
_PICKED = re.compile(
    r"\[Horário que o cliente escolheu na lista: [^\],]+, data ([\d-]{10}), hora (\d\d:\d\d), "
    r"profissional_id (\d+)\.\]"
)
_AUTOMATIC = "[Mensagem automática"
_STAFF = ("[Mensagem da equipe", "[Fim do atendimento humano", _AUTOMATIC)
# What the product says of a photo or a recording asks nothing that takes the place of our own question.
_UNREAD = re.compile(re.escape(_AUTOMATIC) + r"[^\]]*\] (?:Recebi (?:seu|sua) |Pode escrever! )")
_WRITE_ON = f"{_AUTOMATIC} enviada ao cliente] Pode escrever! "
_PLACE = re.compile(r"^(\[O cliente enviou (?:uma localização|um contato)[^\]]*\]) .*", re.DOTALL)
_NOT_TEXT = re.compile(r"^\[O cliente enviou (?!uma mensagem vazia|isto por um bot)(.+?)\.\] ?")
_EMPTY = "[O cliente enviou uma mensagem vazia.]"


@dataclass(frozen=True)
class Picked:
    """A free start that the customer chose from a list. `person` is a professional's id."""

    day: date
    time: time
    person: int


@dataclass(frozen=True)
class Transcript:
    """One request, read.

    `notice`: minutes before a visit until which it may be cancelled; 0 if that is not told.
    `now` is local to the business, None where the request does not tell it. `lines` is what the customer
    wrote since the last answer; `media` names what came that is not text. `said` is the last answer of the
    assistant, "" if people or the product spoke since; `wrote` is what the customer wrote before that,
    `earlier` all that the assistant ever said. `written_on`: they were just told that they may write on.
    `automatic` is what the product wrote right before this turn, `interrupted` the last answer before that.
    `reminded` is the appointment of the reminder that is answered, `waits` what the customer waits for.
    `results` are this turn's by `call_key`, `rounds` its answers with calls.
    """

    business: str = ""
    address: str = ""
    about: str = ""
    notice: int = 0
    now: datetime | None = None
    customer: str = ""
    appointments: tuple[Appointment, ...] = ()
    lines: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    said: str = ""
    wrote: str = ""
    written_on: bool = False
    earlier: str = ""
    automatic: str = ""
    interrupted: str = ""
    reminded: int | None = None
    held: Held | None = None
    waits: tuple[str, ...] = ()
    picked: Picked | None = None
    results: dict[str, Result] = field(default_factory=dict)
    rounds: int = 0
    tools: frozenset[str] = frozenset()
    text_only: bool = False


@dataclass(frozen=True)
class _Line:
    """A block of the conversation with who it is from; `answer`: of an assistant message without calls."""

    role: str
    block: Block
    answer: bool

    @property
    def text(self) -> str:
        return str(self.block.get("text", "")).strip() if self.block.get("type") == "text" else ""


def transcript_of(request: ModelRequest) -> Transcript:
    """Read one request; what is missing in it stays empty."""
    lines = list(_flat(request))
    opening = _opening(lines)
    context = lines[opening].text if opening >= 0 and lines[opening].text.startswith(_CONTEXT) else ""
    before = [line for line in lines[: max(opening, 0)] if not _UNREAD.match(line.text)]
    turn = lines[opening + 1 :] if context else lines[max(opening, 0) :]
    said, unanswered = _before(before)
    written = _flattened([*unanswered, *_words(turn)])
    automatic = before[-1].text if before and before[-1].text.startswith(_AUTOMATIC) else ""
    return Transcript(
        business=_first(_BUSINESS, request.system),
        address=_first(_ADDRESS, request.system),
        about=_first(_ABOUT, request.system),
        notice=int(_first(_NOTICE, request.system) or 0),
        now=_moment(context),
        customer=_customer(context),
        appointments=appointments_in(context),
        lines=tuple(line for text in written if (line := _typed(text)) and line != _EMPTY),
        media=tuple(match[1] for text in written if (match := _NOT_TEXT.match(text))),
        said=said,
        wrote=_wrote(before),
        written_on=opening > 0
        and any(line.text.startswith(_WRITE_ON) for line in lines[opening - 1 : opening]),
        earlier="\n".join(line.text for line in before if line.role == "assistant"),
        automatic=automatic,
        interrupted=_before(_without_automatic(before))[0] if automatic else "",
        reminded=_reminded(context, written),
        held=held_in(context),
        waits=tuple(_WAITS.findall(context)),
        picked=_picked(written),
        results=_results(turn),
        rounds=_rounds(request, turn),
        tools=frozenset(tool.name for tool in request.tools),
        text_only=request.tool_choice == "none",
    )


def _typed(text: str) -> str:
    """A line of the customer without our own notes on it; a tapped button is the word for it.

    What stands beside a place on the map or a contact is its name, not the customer's words.
    """
    return "" if _PICKED.search(text) else _NOT_TEXT.sub("", _PLACE.sub(r"\1", _TAP.sub(r"\1", text)))


def _wrote(before: list[_Line]) -> str:
    """The customer's words that the last answer answered."""
    texts = (line.text for line in reversed(before) if line.role == "user" and line.text)
    return next((_typed(text) for text in texts if not text.startswith((_CONTEXT, _SYSTEM, *_STAFF))), "")


def _picked(written: list[str]) -> Picked | None:
    match = next((found for text in written if (found := _PICKED.search(text))), None)
    try:
        return Picked(date.fromisoformat(match[1]), read_time(match[2]), int(match[3])) if match else None
    except ValueError:
        return None


def _reminded(context: str, written: list[str]) -> int | None:
    tapped = (re.search(r"agendamento_id (\d+)", tap[2]) for text in written if (tap := _TAP.search(text)))
    match = next(filter(None, tapped), None) or _REMINDED.search(context)
    return int(match[1]) if match else None


def _without_automatic(lines: list[_Line]) -> list[_Line]:
    kept = list(lines)
    while kept and kept[-1].text.startswith(_AUTOMATIC):
        kept.pop()
    return kept


def _flat(request: ModelRequest) -> Iterator[_Line]:
    for message in request.messages:
        content = message.get("content") or []
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        answer = not any(block.get("type") == "tool_use" for block in blocks)
        for block in blocks:
            yield _Line(str(message.get("role")), block, answer)


def _opening(lines: list[_Line]) -> int:
    """Where this turn begins: the newest context, else the newest words of the customer; -1 if neither."""
    texts = [n for n, line in enumerate(lines) if line.role == "user" and line.text]
    contexts = [n for n in texts if lines[n].text.startswith(_CONTEXT)]
    words = [n for n in texts if not lines[n].text.startswith((_SYSTEM, *_STAFF))]
    return (contexts or words or [-1])[-1]


def _words(turn: list[_Line]) -> Iterator[str]:
    """The customer's words that opened the turn: whatever comes behind an answer is an instruction."""
    for line in turn:
        if line.role != "user":
            return
        if line.text and not line.text.startswith(_SYSTEM):
            yield line.text


def _before(lines: list[_Line]) -> tuple[str, list[str]]:
    """The last answer, and what the customer wrote after it. Once people spoke, neither counts any more."""
    unanswered: list[str] = []
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if line.role == "assistant" and line.answer and line.text:
            return _whole_answer(lines[: place + 1]), unanswered
        if line.role == "user" and line.text.startswith(_STAFF):
            return "", []
        if line.role == "user" and line.text and not line.text.startswith(_CONTEXT):
            unanswered.insert(0, line.text)
    return "", []


def _whole_answer(lines: list[_Line]) -> str:
    texts: list[str] = []
    for line in reversed(lines):
        if line.role != "assistant" or not line.answer:
            break
        texts.insert(0, line.text)
    return "\n\n".join(filter(None, texts))


def _flattened(texts: list[str]) -> list[str]:
    return [line for text in texts for line in text.splitlines() if line.strip()]


def _results(turn: list[_Line]) -> dict[str, Result]:
    """This turn's results. A call that was never answered counts as failed: it is not made twice."""
    calls = {
        str(line.block.get("id")): call_key(str(line.block.get("name")), line.block.get("input"))
        for line in turn
        if line.block.get("type") == "tool_use"
    }
    results = {key: Result("failed") for key in calls.values()}
    for line in turn:
        if line.block.get("type") == "tool_result" and str(line.block.get("tool_use_id")) in calls:
            key = calls[str(line.block.get("tool_use_id"))]
            results[key] = result_of(_content(line.block), bool(line.block.get("is_error")))
    return results


def _content(block: Block) -> str:
    content = block.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _rounds(request: ModelRequest, turn: list[_Line]) -> int:
    mine = {id(line.block) for line in turn if line.block.get("type") == "tool_use"}
    return sum(
        any(id(block) in mine for block in message.get("content") or [])
        for message in request.messages
        if not isinstance(message.get("content"), str)
    )


def _moment(context: str) -> datetime | None:
    match = _NOW.search(context)
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}") if match else None
    except ValueError:
        return None


def _customer(context: str) -> str:
    name = _first(_CUSTOMER, context)
    return "" if name == "nome desconhecido" else name


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""
