"""What a request tells: the business, the moment, the customer, what was said and called in this turn."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from bot.llm.client import Block, ModelRequest
from bot.llm.offline.results import Appointment, Result, appointments_in, result_of
from bot.llm.offline.talk import call_key

_CONTEXT = "<contexto>"
_NOW = re.compile(r"^Agora: [^,\n]+, (\d{4}-\d\d-\d\d), (\d\d:\d\d)", re.MULTILINE)
_CUSTOMER = re.compile(r"^Cliente: (.+?)\.?$", re.MULTILINE)
_BUSINESS = re.compile(r"Você é o assistente virtual de (.+?)(?: no WhatsApp)?\.(?:\s|$)")
_ADDRESS = re.compile(r"^Endereço: (.+)$", re.MULTILINE)
_ABOUT = re.compile(r"^Sobre: (.+?)(?=\n\n|\n[^\n:.]{3,40}: |\n#|\Z)", re.MULTILINE | re.DOTALL)
_SYSTEM = "[Sistema]"
_STAFF = ("[Mensagem da equipe", "[Fim do atendimento humano", "[Mensagem automática")
_NOT_TEXT = re.compile(r"^\[O cliente enviou (?!uma mensagem vazia)(.+?)\.\] ?")
_EMPTY = "[O cliente enviou uma mensagem vazia.]"


@dataclass(frozen=True)
class Transcript:
    """One request, read.

    `now` is local to the business, None where the request does not tell it. `lines` is what the customer
    wrote since the last answer; `media` names what came that is not text; `said` is the last answer of the
    assistant, "" if people spoke since. `results` are this turn's by `call_key`, `rounds` its answers with
    calls.
    """

    business: str = ""
    address: str = ""
    about: str = ""
    now: datetime | None = None
    customer: str = ""
    appointments: tuple[Appointment, ...] = ()
    lines: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    said: str = ""
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
    before = lines[:opening] if context else lines[: max(opening, 0)]
    turn = lines[opening + 1 :] if context else lines[max(opening, 0) :]
    said, unanswered = _before(before)
    written = _flattened([*unanswered, *_words(turn)])
    return Transcript(
        business=_first(_BUSINESS, request.system),
        address=_first(_ADDRESS, request.system),
        about=_first(_ABOUT, request.system),
        now=_moment(context),
        customer=_customer(context),
        appointments=appointments_in(context),
        lines=tuple(line for text in written if (line := _NOT_TEXT.sub("", text)) and line != _EMPTY),
        media=tuple(match[1] for text in written if (match := _NOT_TEXT.match(text))),
        said=said,
        results=_results(turn),
        rounds=_rounds(request, turn),
        tools=frozenset(tool.name for tool in request.tools),
        text_only=request.tool_choice == "none",
    )


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
