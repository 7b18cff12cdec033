"""Whether a customer asks to be taken off the waiting list. Pure; only for who is on it.

No tool can do it (their arguments are fixed), so what these words say is done before the model is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tools.portuguese import WEEKDAYS, folded

MAX_READ = 500  # characters; nobody says it at greater length


@dataclass(frozen=True)
class Asked:
    """`weekday` (Monday is 0) or `day` of the month, where the list of one day is named; `only`: nothing else
    was said.
    """

    weekday: int | None
    day: int | None
    only: bool

    def means(self, day: date) -> bool:
        """Whether waiting for this day is to end; without a named day all waiting is."""
        return self.weekday in (None, day.weekday()) and self.day in (None, day.day)


def asked(texts: Sequence[str]) -> Asked | None:
    """The wish in the messages of one turn; None where it is not surely said."""
    said = " . ".join(texts)[:MAX_READ]
    words = " ".join(re.findall(r"\w+(?:/\w+)?|[.!?;,]", folded(said)))
    found = _WISH.search(words)
    if found is None or _NOT_THAT.search(words[: found.start()]) or _LIMITED.match(words[found.end() :]):
        return None
    rest = re.findall(r"\w+", f"{words[: found.start()]} {words[found.end() :]}")
    weekday, day = found["weekday"], found["day"] or found["date"]
    return Asked(
        weekday=_WEEKDAYS.index(weekday) if weekday else None,
        day=int(day) if day else None,
        only=set(rest) <= _SMALL,
    )


_WEEKDAYS = tuple(folded(name).split("-")[0] for name in WEEKDAYS)
_NAMES = "|".join(_WEEKDAYS)
_LIST = rf"(?:(?:lista|fila)(?: de espera\b|(?! de\b)|(?= de (?:{_NAMES})\b))|espera)"
_WHEN = (
    rf"(?: (?:d[aeo]|pra|para)(?: a| o)?)?"
    rf"(?: (?P<weekday>{_NAMES})(?: feira)?\b| dia (?P<day>\d{{1,2}})\b| (?P<date>\d{{1,2}})/\d{{1,2}}\b)"
)
_OF = r"(?:d[aeo]|dess[ae]|dest[ae]|n[ao]|ness[ae]|nest[ae]|a|o|essa|esta|minha|pela)"
_TAKE = r"(?:tir|remov|exclu|apag|risc|retir|delet)(?:a|e|o|ar|er|ir|i|am|em|ando)?"
_END = r"(?:cancel|encerr)(?:a|e|ar|em)"
_WISH = re.compile(
    r"\b(?:"
    rf"{_TAKE}(?: (?:me|eu|o|meu|nome|numero))* {_OF} {_LIST}"
    rf"|{_END} (?:a |o |minha |meu |nome |na |da |de )*{_LIST}"
    rf"|(?:sair|saio|saindo) {_OF} {_LIST}"
    rf"|(?:desisto|desisti|desistir) {_OF} (?:{_LIST}|vaga)"
    rf"|nao (?:quero|preciso|vou)(?: mais)?(?: (?:ficar|estar|continuar|seguir|permanecer))? {_OF} {_LIST}"
    r"|nao (?:quero|preciso|vou) (?:mais )?(?:esperar|aguardar) (?:mais )?(?:pel[ao]|por|uma?|o|a)? ?"
    rf"(?:{_LIST}|vaga|horario)"
    rf")\b(?:{_WHEN})?"
)
# Before the wish: "não me tira da lista", "por que me tiraram…", "se eu sair da lista…".
_NOT_THAT = re.compile(r"\b(?:nao|nunca|nem|por que|porque|pq|vao|vai|se|quando|como)\b(?: \w+){0,3} ?$")
_LIMITED = re.compile(r" (?:\w+ )?(?:se|quando|depois|ainda|nao|ate|muito|tanto|demais|agora nao)\b")
# What makes no errand of its own.
_SMALL = frozenset(
    (
        *("oi", "ola", "bom", "boa", "dia", "tarde", "noite", "por", "favor", "pf", "obrigado", "obrigada"),
        *("obg", "valeu", "pode", "poderia", "podem", "voce", "voces", "vc", "vcs", "eu", "me", "quero"),
        *("queria", "gostaria", "preciso", "entao", "ja", "ok", "ta", "tudo", "bem", "certo", "mais", "nao"),
        *("de", "da", "do", "a", "o", "e", "que", "pra", "para", "na", "no", "um", "uma", "horario", "vaga"),
        *("gente", "desculpa", "consegui", "resolvi", "outro", "lugar", "hoje"),
    )
)
