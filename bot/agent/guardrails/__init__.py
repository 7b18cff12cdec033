"""What may not reach a customer: leaked calls, internal words, claims that are not so, empty promises."""

import re
from dataclasses import dataclass

from bot.agent.guardrails import promises
from bot.agent.guardrails.claims import unbacked
from bot.agent.guardrails.evidence import Evidence
from bot.agent.guardrails.wording import Table, bounded, compiled, normalise, sentences
from models.availability import Code
from models.handoff import Reason
from tools import TOOLS

__all__ = ["Fault", "fault", "normalise"]


@dataclass(frozen=True)
class Fault:
    """Why a text is not sent as it is. `nudge` is told to the model once; then `reason` hands over."""

    kind: str
    nudge: str
    reason: Reason


LEAK = Fault(
    "leak",
    "[Sistema] Sua resposta continha uma chamada de ferramenta ou código escrito como texto. Chame a "
    "ferramenta de verdade, ou responda ao cliente só com palavras.",
    Reason.RESPOSTA_VAZIA,
)
INTERNAL = Fault(
    "internal",
    "[Sistema] Sua resposta continha termos internos. Diga o mesmo ao cliente sem nomes de ferramentas, "
    "números internos ou marcas do sistema.",
    Reason.RESPOSTA_VAZIA,
)
CLAIM = Fault(
    "claim",
    "[Sistema] Sua resposta afirma um agendamento, uma mudança ou um cancelamento que as ferramentas não "
    "confirmaram assim. Se o cliente já disse sim a exatamente isso, chame a ferramenta agora. Senão, "
    "corrija a resposta: diga só o que as ferramentas e os agendamentos do cliente mostram, com o dia e a "
    "hora certos.",
    Reason.PROMESSA_SEM_ACAO,
)
PERSON = Fault(
    "person",
    "[Sistema] Sua resposta promete uma pessoa da equipe, mas ninguém foi chamado. Chame chamar_atendente "
    "agora, ou responda sem prometer isso.",
    Reason.PEDIDO_DO_CLIENTE,
)
PROMISE = Fault(
    "promise",
    "[Sistema] Sua resposta promete fazer algo depois, mas a conversa para aqui: ninguém volta a escrever "
    "por você. Faça agora, com as ferramentas, e diga o resultado, ou pergunte ao cliente o que falta.",
    Reason.PROMESSA_SEM_ACAO,
)

# Names of code that are no words of a customer's language.
_NAMES = {tool.name for tool in TOOLS} | {name for tool in TOOLS for name in tool.arguments.model_fields}
_CODES = {code.value.lower() for code in Code} | {reason.value for reason in Reason}
_PROTOCOL = {"tool_use", "tool_result", "tool_call", "tool_choice", "is_error", "stop_reason", "end_turn"}
_CODE_WORDS = "|".join(sorted(name for name in _NAMES | _CODES | _PROTOCOL if "_" in name))
_CALLS = "|".join(tool.name for tool in TOOLS)

LEAKS: Table = (
    ("tag", r"</?[a-z_][\w:.-]*(?:=[\w.-]*)?(?:\s[^<>]*)?/?>"),
    (
        "open tag",
        r"</?\s*(?:tool_call|function|invoke|tool_use|parameter|function_calls|tool_result|contexto)\b",
    ),
    ("special token", r"[<＜]\s*[|｜]|[|｜]\s*[>＞]|\[/?(?:tool_\w+|inst|available_tools)\]"),
    ("JSON", r"""[{]\s*["'][\w.]+["']\s*:"""),
    ("empty JSON", r"(?<!\S)(?:[{]\s*[}]|\[\s*\])(?!\S)"),
    ("fence", r"```\s*(?:json|xml|python|tool\w*|[{\[])"),
)
LEAKED_WORDS: Table = (
    ("call", rf"(?:{_CALLS})\((?=\s*(?:[{{\"')]|\w+\s*[=:]))"),
    ("ReAct", r"(?:action input|(?<![^\n])(?:action|observation|thought))\s*:"),
    ("function", r"to=functions\b|functions\.\w|function_call\b"),
    ("no word", r"(?<!\S)(?:null|none|undefined)\s*\Z"),
)
INTERNALS: Table = (
    ("name", rf"(?:{_CODE_WORDS})\b"),
    (
        "mark",
        r"(?<=\[)(?:sistema|system|mensagem (?:da|do|automática)|fim do atendimento|o cliente enviou)\b",
    ),
    ("trace", r'traceback \(most|file "[^"]*", line \d|[a-z]+(?:error|exception)\b'),
    ("database", r"(?:sqlalchemy|sqlite3?|psycopg\d?|pydantic)\b|select\b[^.]{0,200}\bfrom\b|insert into\b"),
    ("prompt", r"você é o assistente virtual de|system prompt\b|(?<=# )(?:como trabalhar|o negócio)"),
    ("time zone", r"america/[a-z]"),
    ("tool talk", r"ferramenta (?:de busca|retornou|respondeu|não|falhou|confirmou|mostrou|informou)"),
    ("call talk", r"chamada de (?:ferramenta|função)|(?:tool|function) call\b"),
)
# Both are matched in lower case, which is faster than to ignore case.
_LEAKS = re.compile(rf"(?=[<＜>＞|｜{{\[`])(?:{'|'.join(pattern for _, pattern in LEAKS)})")
_LEAKED_WORDS, _INTERNALS = (
    compiled((pattern for _, pattern in table), {}) for table in (LEAKED_WORDS, INTERNALS)
)


def fault(text: str, evidence: Evidence, *, final: bool = False) -> Fault | None:
    """The first reason why this text may not go out; None if there is none.

    In a forced `final` answer the words about a person who continues are no promise of the bot's.
    """
    text = bounded(text)
    raw = text.lower()
    if _LEAKS.search(raw) or _LEAKED_WORDS.search(raw):
        return LEAK
    if _INTERNALS.search(raw):
        return INTERNAL
    said = sentences(text)
    if unbacked(said, evidence, final=final):
        return CLAIM
    if not final and promises.person(said):
        return PERSON
    return PROMISE if promises.in_vain(said, wrote=bool(evidence.writes), final=final) else None
