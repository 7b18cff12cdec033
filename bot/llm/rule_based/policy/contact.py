"""How to reach the business, as far as it says so itself. What belongs to people is never told."""

import re

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.entities import people_in
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.topics import CONTACT
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.steps import Talk
from bot.llm.rule_based.state.dialogue_turn import Turn

_TELEPHONE = "o telefone"
# What is asked for, in the words of the question and of the business.
_KINDS = {
    "o Instagram": re.compile(r"\binsta(?:gram)?\b"),
    "o Facebook": re.compile(r"\bface(?:book)?\b"),
    "o TikTok": re.compile(r"\btiktok\b"),
    "o e-mail": re.compile(r"\be ?mail\b"),
    "o site": re.compile(r"\bsite\b"),
    "o WhatsApp": re.compile(r"\b(?:whats(?:app)?|zap|wpp|em contato)\b"),
    _TELEPHONE: re.compile(r"\b(?:telefone|celular|fone|(?<!em )contato)\b|\b\d{4,5}-\d{4}\b"),
}
_PLACE = (
    r"(?:voces?|salao|clinica|barbearia|studio|estudio|loja|empresa|recepcao|consultorio|espaco|lugar|local|"
    r"estabelecimento|contato|casa|ai|la|whats\w*|zap|telefone|celular)"
)
_OF_SOMEBODY = re.compile(
    rf"\b(?:{CONTACT}|numero)(?: \w+)?? "
    rf"(?:del[ea]s?|pessoal|particular|d[aeo]s? (?!{_PLACE}\b)(?P<who>[a-z]{{2,}}))\b"
)


def contact(turn: Turn) -> Talk:
    """What the business tells of itself; nothing of its people or of other customers."""
    if (yield from _is_private(turn)):
        return nlg.PRIVATE_CONTACT
    asked = [name for name, kind in _KINDS.items() if kind.search(turn.reading.text)] or [_TELEPHONE]
    told = {name: _told(turn, name) for name in asked}
    unknown = nlg.listed([name for name, line in told.items() if not line], "e")
    known = dict.fromkeys(filter(None, told.values()))
    return "\n".join([*known, *([nlg.contact_unknown(unknown)] if unknown else [])])


def is_told(answer: str) -> bool:
    """Whether `contact` could answer."""
    return answer != nlg.PRIVATE_CONTACT and nlg.UNKNOWN_HERE not in answer


def _is_private(turn: Turn) -> Talk:
    """The words that ask for somebody's own; "" if they are about the business."""
    somebody = _OF_SOMEBODY.search(turn.reading.text)
    if somebody and somebody["who"] not in normalise(turn.transcript.business).split():
        return somebody[0]
    if not turn.can("buscar_servicos"):
        return ""
    catalogue = yield from catalogue_for(turn)
    return "".join(person.name for person in people_in(turn.reading.rest, catalogue.team))


def _told(turn: Turn, name: str) -> str:
    """The business's own lines about it; "" if there are none."""
    lines = [line for line in turn.transcript.about.splitlines() if _KINDS[name].search(normalise(line))]
    return "\n".join(lines) or (nlg.THIS_WHATSAPP if name == "o WhatsApp" else "")
