"""Fixed words of the loop to the model (nudges, the final instruction), and sentence cutting."""

import re
from collections.abc import Sequence

from bot.llm.base import ChatMessage
from models.handoff import Reason

NUDGE_EMPTY = (
    "[Sistema] Sua resposta não pôde ser usada: não trouxe uma mensagem completa nem a chamada de uma "
    "ferramenta. Responda agora ao cliente em português, com uma mensagem curta, ou chame a ferramenta."
)
NUDGE_CONTINUE = "[Sistema] Continue de onde parou."
CALL_AFTER_END = (
    "Não executada: a resposta terminou sem pedir a execução de ferramentas. "
    "Se a chamada ainda for necessária, faça-a de novo."
)
TOO_MANY_CALLS = (
    "Não executada: uma resposta pode ter no máximo {most} chamadas. "
    "Se esta ainda for necessária, faça-a na próxima resposta."
)

_FINAL = (
    "[Sistema] Este atendimento automático termina aqui{why}. Escreva agora a última mensagem ao cliente, "
    "sem chamar ferramentas: responda com o que já se sabe, diga só o que as ferramentas confirmaram, não "
    "prometa nada que não esteja confirmado e diga que uma pessoa da equipe vai continuar o atendimento."
)
_WHY = {
    Reason.PEDIDO_DO_CLIENTE: ", porque o cliente será atendido por uma pessoa",
}


def final_instruction(reason: Reason) -> str:
    return _FINAL.format(why=_WHY.get(reason, ""))


def with_instruction(messages: Sequence[ChatMessage], text: str) -> list[ChatMessage]:
    """The messages with a last word of ours in the last user message.

    Behind tool results it goes into the last result itself: a text block there teaches the model that the
    user speaks after each result, and brings empty answers.
    """
    *before, last = messages
    *blocks, block = last["content"]
    if block["type"] == "tool_result":
        added = [block | {"content": f"{block['content']}\n\n{text}"}]
    else:
        added = [block, {"type": "text", "text": text}]
    return [*before, {"role": "user", "content": [*blocks, *added]}]


_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|\n")


def whole_sentences(text: str) -> str:
    """What is whole of a text that was cut off: up to the end of its last finished sentence or line."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""
