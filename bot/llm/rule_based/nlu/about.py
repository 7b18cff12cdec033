"""What the business says of itself in its own words, as far as a question asks for it."""

import re

from bot.llm.rule_based.nlu.entities import STOP, alike
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.topics import CONTACT

_HOURS = re.compile(r"\b(?:abert|abre|fecha|funciona|atende)\w*\b.*\d|\b\d{1,2} ?(?:h\b|:\d\d)")
# What is asked for, in the words of the question and of the business.
TELEPHONE, WHATSAPP = "o telefone", "o WhatsApp"
CONTACTS = {
    "o Instagram": re.compile(r"\binsta(?:gram)?\b"),
    "o Facebook": re.compile(r"\bface(?:book)?\b"),
    "o TikTok": re.compile(r"\btiktok\b"),
    "o e-mail": re.compile(r"\be ?mail\b"),
    "o site": re.compile(r"\bsite\b"),
    WHATSAPP: re.compile(r"\b(?:whats(?:app)?|zap|wpp|em contato)\b"),
    TELEPHONE: re.compile(r"\b(?:telefone|celular|fone|(?<!em )contato)\b|\b\d{4,5}-\d{4}\b"),
}
_PLACE = (
    r"(?:voces?|salao|clinica|barbearia|studio|estudio|loja|empresa|recepcao|consultorio|espaco|lugar|local|"
    r"estabelecimento|contato|casa|ai|la|whats\w*|zap|telefone|celular)"
)
_OF_SOMEBODY = re.compile(
    rf"\b(?:{CONTACT}|numero)(?: \w+)?? "
    rf"(?:del[ea]s?|pessoal|particular|d[aeo]s? (?!{_PLACE}\b)(?P<who>[a-z]{{2,}}))\b"
)


def hours_told(about: str) -> str:
    """The lines that tell when it is open; "" where there are none."""
    return "\n".join(line for line in about.splitlines() if _HOURS.search(normalise(line)))


def lines_on(about: str, asked: str) -> list[str]:
    """The lines that speak of what was asked in normalised words ("aceitam pix?")."""
    words = _words(asked)
    return [
        line
        for line in about.splitlines()
        if any(alike(w, o) for w in words for o in _words(normalise(line)))
    ]


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text) if word not in STOP and len(word) > 2]


def contacts_in(text: str) -> list[str]:
    """Which ways to reach the business a normalised question asks for; the telephone where it names none."""
    return [name for name, words in CONTACTS.items() if words.search(text)] or [TELEPHONE]


def contact_told(about: str, name: str) -> str:
    """The lines that tell one of `CONTACTS`; "" where there are none."""
    return "\n".join(line for line in about.splitlines() if CONTACTS[name].search(normalise(line)))


def asks_for_somebodys(text: str, business: str) -> bool:
    """Whether a normalised question is for the number of a person, not that of the business."""
    somebody = _OF_SOMEBODY.search(text)
    return somebody is not None and somebody["who"] not in normalise(business).split()
