"""The customer's own name in what they write. Wrong is worse than none: a yes may stand beside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.llm.rule_based.nlu.normalise import normalise, words_of
from bot.llm.rule_based.nlu.yes_no import answer_in

# Written small, only these pass for names; other words must begin large where no sentence begins.
_COMMON = words_of(
    "adriana alan alessandra alex alexandre alice aline amanda ana anderson andre andreia angela angelica "
    "antonia antonio aparecida arthur augusto beatriz benedito benicio bernardo bianca breno bruna bruno "
    "caio camila carla carlos carolina catarina caua cecilia celia celso cesar cintia clara clarice "
    "claudia cleber cleide conceicao cristiane cristiano cristina daniel daniela danilo dario davi debora "
    "denise diego douglas edilson edivaldo edna edson eduarda eduardo elaine eliana eliane elias elisa "
    "elisangela emanuel emilia enzo erica erika ester evandro everton ezequiel fabiana fabio fabricio "
    "fatima felipe fernanda fernando flavia flavio francisca francisco gabriel gabriela geovana geraldo "
    "gilberto gilmar giovana gisele glaucia graziela gregorio guilherme gustavo heitor helena heloisa "
    "henrique hugo iara igor ines ingrid iracema irene isaac isabel isabela isadora israel ivan ivete "
    "ivone jaqueline jefferson jessica joana joao joaquim joelma jonas jonathan jorge jose josefa josiane "
    "joyce julia juliana julio jussara karina katia kaua kelly laila lara larissa laura leandro leila "
    "leonardo leticia lia lidia lilian livia lorena lorenzo luan lucas lucia luciana luciano luciene "
    "lucio luis luisa luiz luiza luna magda malu manoel manuela marcela marcelo marcia marcio marcos "
    "maria mariana marilene marilia marina mario marisa marlene marta mateus matheus mauricio mayara "
    "melissa michele miguel mirela miriam moises monica murilo nadia natalia natanael nathalia neide "
    "nelson nicolas nilson nina odair olivia orlando oscar osvaldo otavio paloma pamela patricia paula "
    "paulo pedro pietra priscila rafael rafaela raimundo ramon raquel rebeca regina reginaldo renan "
    "renata renato ricardo rita roberta roberto robson rodrigo rogerio romulo ronaldo rosa rosana "
    "rosangela roseli ruan rubens rui ruth ruy sabrina salete samuel sandra sara sarah sebastiana "
    "sebastiao sergio severino sheila silvana silvia simone sofia solange sonia stefany stella suelen "
    "sueli suzana tania tarcisio tatiana telma teresa tereza thais thiago tiago ulisses valdir valentina "
    "valeria valter vanda vanessa vania vera veronica vicente vilma vinicius virginia vitor vitoria "
    "viviane wagner wanderson wellington wesley william wilson xenia yara yasmin yuri zelia zilda"
)
_PARTICLES = words_of("da de do das dos e")
_OF_A_FAMILY = words_of("da dos das")  # "da silva", also where all is written small
_BEFORE_OTHERS = words_of("com a o da do pela pelo na no para")  # "sim, com a Bia" names a professional
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_THANKS = re.compile(r"(?<=\w)[ ,.!]+(?:muito )?(?:obrigad[oa]|obg|valeu|por favor)[^\w]*$", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"\b(?:(?P<sure>meu nome (?:é|eh|e)|me chamo|(?:no|em) nome d[eao])"
    r"|aqui (?:é|eh) [ao]|sou [ao]) +"
    r"(?=[^\W\d_]{2})",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Introduced:
    """`name` as it is kept, and the lines without it."""

    name: str
    lines: tuple[str, ...]


_RELATION = (
    r"(?:m[ãa]e|pai|filh[oa]|filhinh[oa]|irm[ãa]o?|av[óôo]|vov[óôo]|ti[ao]|espos[oa]|marido|"
    r"namorad[oa]|amig[oa]|"
    r"sobrinh[oa]|net[oa]|sogr[oa]|prim[oa]|cunhad[oa]|enteado|enteada|afilhad[oa])"
)
_FOR_ANOTHER = re.compile(
    rf"\b(?:(?:para|pra|pro|p/) (?:o |a )?(?:minha|meu) {_RELATION}\b(?:,? (?:(?:a|o|se chama|"
    rf"chamad[oa]|que se chama) )?)?"
    r"|o nome del[ea] (?:é|eh|e) +)",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:pra|para) mim\b|\beu e\b|\bjunt[ao]s?\b", re.IGNORECASE)


def third_person(lines: Sequence[str]) -> Introduced | None:
    """For whom it is, where that is somebody else: their name, or "" where only "minha mãe" is said."""
    for place, line in enumerate(lines):
        match = _FOR_ANOTHER.search(line)
        if match is None or _BOTH.search(line):
            continue
        words = list(_WORD.finditer(line, match.end()))
        adjacent = words and not line[match.end() : words[0].start()].strip(" ,")
        if not adjacent or not _is_name(words[0][0]):
            return Introduced("", tuple(lines))
        count = _length(words, line)
        rest = f"{line[: match.start()]} {line[words[count - 1].end() :]}"
        others = (*lines[:place], rest, *lines[place + 1 :])
        return Introduced(_kept(words[:count]), tuple(one for one in others if _WORD.search(one)))
    return None


def introduced(lines: Sequence[str], *, answering: bool) -> Introduced | None:
    """The name that a customer gives: in so many words, or, where they are `answering`, at a line's end."""
    for place, line in enumerate(lines):
        found = _in_words(line) or (_at_end(line) if answering else None)
        if found:
            name, rest = found
            others = (*lines[:place], rest, *lines[place + 1 :])
            return Introduced(name, tuple(one for one in others if _WORD.search(one)))
    return None


def _in_words(line: str) -> tuple[str, str] | None:
    match = _INTRODUCED.search(line)
    if match is None:
        return None
    words = list(_WORD.finditer(line, match.end()))
    count = _length(words, line)
    if not count or not (match["sure"] or _is_name(words[0][0])):
        return None
    return _kept(words[:count]), f"{line[: match.start()]} {line[words[count - 1].end() :]}"


def _at_end(line: str) -> tuple[str, str] | None:
    """The longest name with which the line ends."""
    line = _THANKS.sub("", line)
    words = list(_WORD.finditer(line))
    for first in range(max(len(words) - 5, 0), len(words)):
        tail = words[first:]
        at_end = not re.search(r"\w|\?", line[tail[-1].end() :])
        if at_end and _length(tail, line) == len(tail) and _may_begin(words, first, line):
            return _kept(tail), line[: tail[0].start()]
    return None


def _may_begin(words: list[re.Match[str]], first: int, line: str) -> bool:
    before = normalise(words[first - 1][0]) if first else ""
    if before in _BEFORE_OTHERS:
        return False
    if normalise(words[first][0]) in _COMMON:
        return True
    if not first or line.isupper() or answer_in(normalise(words[first][0])):
        return False
    # Behind a full stop every word begins large.
    gap = line[words[first - 1].end() : words[first].start()]
    return _is_name(words[first][0]) and not re.search(r"[.!?]", gap)


def _length(words: list[re.Match[str]], line: str) -> int:
    """How many words from the first on are one name: large ones, with small particles between them."""
    count = 1
    for place in range(1, len(words)):
        gap = line[words[place - 1].end() : words[place].start()]
        if gap.strip():
            break
        if words[place][0].istitle():
            count = place + 1
        elif words[place][0] in _OF_A_FAMILY and place + 1 < len(words):
            count = place + 2
        elif words[place][0] not in _PARTICLES and place >= count:
            break
    return count if words else 0


def _is_name(word: str) -> bool:
    return len(word) > 1 and (word.istitle() or normalise(word) in _COMMON)


def _kept(words: list[re.Match[str]]) -> str:
    spoken = [word[0] if normalise(word[0]) in _PARTICLES else word[0].title() for word in words]
    return " ".join(spoken)[:60]
