"""Finding services and professionals of this business in what was said, whatever they are called."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from bot.llm.rule_based.nlu.negation import MASK, is_refused
from bot.llm.rule_based.nlu.normalise import normalise, words_of
from tools.facts import Named, Offer

STOP = words_of(
    "a o as os e de da do das dos em na no nas nos com para por um uma uns umas ao que se me meu minha "
    "mais mas ou dr dra doutor doutora prof sr sra dia hora horas horario servico quero queria gostaria "
    "marcar agendar fazer tem voce voces pode hoje sim nao eu isso esta sao ser foi era seria favor"
)
# Words of every day that are no slip of a service's name, however near they come.
_OTHER_WORDS = words_of(
    "conta contas forte porta parte certo certa curto curta custa escola escolha barra barba manha cara "
    "carta tarde marca marco corpo corre corri levar pessoa banho trabalho cabelo"
)
_CLOSE = 0.8  # of two words' letters: "corti", "progresiva", "manicuri"
# What people ask for under another name than most lists have.
_CALLED = {
    "unha": "manicure",
    "mao": "manicure",
    "pe": "pedicure",
    "tinta": "coloracao",
    "pintar": "coloracao",
    "tingir": "coloracao",
    "tintura": "coloracao",
}
# What is asked for where it may not be had: services, and kinds of them.
_TRADES = {
    normalise(name): name
    for name in (
        "Pedicure", "Progressiva", "Luzes", "Mechas", "Botox", "Alisamento", "Selagem", "Cauterização",
        "Sobrancelha", "Depilação", "Maquiagem", "Penteado", "Cílios", "Massagem", "Drenagem", "Bigode",
        "Tatuagem", "Micropigmentação", "Manicure", "Escova", "Hidratação", "Coloração", "Barba", "Pezinho",
        "Platinado", "Reflexo", "Trança", "Piercing", "Limpeza de pele",
    )
}  # fmt: skip
_KINDS = {
    "masculino": r"masculin[oa]|(?:de |para )(?:homem|meu marido|meu namorado|meu esposo)",
    "feminino": r"feminin[oa]|(?:de |para )mulher",
    "infantil": r"infantil|de crianca|de menin[oa]|de bebe",
    "em gel": r"(?:em |de |com )?gel\b|de fibra|acrigel|porcelana|postica",
    "degradê": r"degrade|disfarcado|navalhado",
    "definitiva": r"definitiva|permanente|japonesa|marroquina",
}
_KIND = {kind: re.compile(rf"\b(?:{words})") for kind, words in _KINDS.items()}
_BREAK = re.compile(rf"{MASK}+|,|\+|\?|/|\b(?:e|com|mais|ou|tambem)\b")
_JOINT = re.compile(r"\w (?:e|com|mais) \w|[+&/]")
_INSTEAD = re.compile(
    r"\b(?:nao (?:quero|vou querer|preciso|precisa)(?: mais)?|sem|tira\w*|esquec\w+|(?:em vez|"
    r"no lugar) d[aeo]s?)\b"
    r"(?P<what>[^,?]*?)(?=$|,|\?|\b(?:quero|queria|mas|prefiro|so)\b)"
)
_SOMEBODY = re.compile(
    r"\bcom (?:a|o) (?!(?:minha|meu|mesm[ao]|menin[ao]|pessoa|profissional|moc[ao]|equipe|gente|que|outr[ao]|"
    r"filh[ao]|mae|pai|cabelo|unha|senhora?|dona?|responsavel|atendente|gerente)\b)[a-z]{3,}"
)
_NO_SERVICE = (
    r"(?!fazer|marcar|agendar|horari|hora|vaga|ver|saber|remarcar|cancelar|consulta\b|atend|esse|essa|"
    r"isso|outr|"
    r"mais|mudar|trocar|falar|servico|com|para|ir|um|uma|visita|valor|preco|total|sessao|pacote|tudo|cada|"
    r"voces?\b|fica|menos|combo|mesm|segunda|terca|quarta|quinta|sexta|sabado|tarde|manha|duas|todas?)"
)
_SOMETHING = re.compile(
    r"\b(?:(?:fazer|faz|fazem|marcar|agendar|quero|queria|gostaria de|preciso de|oferecem|trabalham com) "
    r"(?:uma?s? |o |a |fazer uma? )?|"
    r"(?:custam?|quanto (?:e|fica|sai|esta|cobram?)|preco|valor) (?:d?[ao]s? |uma? |por |para |fazer )+)"
    rf"{_NO_SERVICE}[a-z]{{4,}}"
)
_GREETED = re.compile(r"(?:^|, )(?:oi+e?|ola|opa|e ai)[ ,]+\w+")


@dataclass(frozen=True)
class Catalogue:
    """What this business offers. `shortened`: there is more than this."""

    offers: tuple[Offer, ...] = ()
    shortened: bool = False

    @property
    def team(self) -> tuple[Named, ...]:
        """Everybody, each once, in the order of the services."""
        return tuple(dict.fromkeys(person for offer in self.offers for person in offer.professionals))

    def chosen(self, ids: Iterable[int]) -> tuple[Offer, ...]:
        """The services with these ids, in the ids' order; what is no longer there is left out."""
        known = {offer.id: offer for offer in self.offers}
        return tuple(known[one] for one in ids if one in known)

    def person(self, key: int | None) -> Named | None:
        return next((one for one in self.team if one.id == key), None)


NOTHING_KNOWN = Catalogue()


@dataclass(frozen=True)
class Heard:
    """What words name. Each of `doubts` is a set of services of which one is meant. `refused` and `not_with`
    are expressly not wanted. `missed`: what is asked for and not done here. `stranger`, `something`: a
    person or a service is named that this business has not.
    """

    services: tuple[Offer, ...] = ()
    doubts: tuple[tuple[Offer, ...], ...] = ()
    refused: tuple[Offer, ...] = ()
    people: tuple[Named, ...] = ()
    not_with: tuple[Named, ...] = ()
    missed: tuple[str, ...] = ()
    stranger: bool = False
    something: bool = False

    @property
    def service(self) -> bool:
        return bool(self.services or self.doubts)

    @property
    def anything(self) -> bool:
        return bool(self.service or self.people or self.refused or self.not_with or self.something)


NOTHING_HEARD = Heard()


def heard_in(text: str, catalogue: Catalogue) -> Heard:
    """What normalised, day-and-hour-masked text names."""
    wanted, unwanted = _INSTEAD.sub(" ", text), " , ".join(match["what"] for match in _INSTEAD.finditer(text))
    services, doubts = services_in(wanted, catalogue.offers)
    found = [*services, *(offer for doubt in doubts for offer in doubt)]
    people, not_with = _people(_GREETED.sub(" ", text), found, catalogue)
    doubts = tuple(_able(doubt, people) for doubt in doubts)
    services = (*services, *(doubt[0] for doubt in doubts if len(doubt) == 1))
    services, missed_kinds = _of_kind(wanted, services, doubts, catalogue.offers)
    missed = (*_not_done(text, catalogue.offers), *missed_kinds)
    gone = services_in(unwanted, catalogue.offers)
    return Heard(
        services=tuple(dict.fromkeys(services)),
        doubts=tuple(doubt for doubt in doubts if len(doubt) > 1 and not set(doubt) & set(services)),
        refused=(*gone[0], *(offer for doubt in gone[1] for offer in doubt)),
        people=people,
        not_with=not_with,
        missed=missed,
        stranger=not people and not not_with and bool(_SOMEBODY.search(text)),
        something=not found and (bool(missed) or bool(_SOMETHING.search(text))),
    )


# Services

_Services = tuple[tuple[Offer, ...], tuple[tuple[Offer, ...], ...]]


def services_in(text: str, offers: Sequence[Offer]) -> _Services:
    """The services that normalised text names, as they come, and the sets of which it leaves the choice."""
    words = _words(text)
    whole = [one for one in offers if all(_among(word, words) for word in _words_of(one.name))]
    covered = _covered(whole)
    taken = {word for one in whole for word in words if _among(word, _words_of(one.name))}
    doubts: list[tuple[Offer, ...]] = []
    for stretch in _BREAK.split(text):
        likely = _likeliest([word for word in _words(stretch) if word not in taken], offers)
        if likely and not set(likely) & set(covered) and likely not in doubts:
            doubts.append(likely)
    alone = [likely[0] for likely in doubts if len(likely) == 1]
    named = sorted({*covered, *alone}, key=lambda one: _place(one, words))
    return tuple(named), tuple(likely for likely in doubts if len(likely) > 1)


def _covered(whole: Sequence[Offer]) -> list[Offer]:
    """Of services all of whose words are there, those that no longer such name contains. A combination
    ("Corte e barba") is meant in place of whatever shares a word with it ("corte masculino e barba").
    """
    names = {one: set(_words_of(one.name)) for one in whole}
    combined = [one for one in whole if _JOINT.search(normalise(one.name))]
    return [
        one
        for one in whole
        if not any(names[one] < names[other] for other in whole)
        and (one in combined or not any(names[one] & names[other] for other in combined))
    ]


def _likeliest(words: list[str], offers: Sequence[Offer]) -> tuple[Offer, ...]:
    scores = {one: sum(_among(word, _words_of(one.name)) for word in words) for one in offers}
    best = max(scores.values(), default=0)
    found = tuple(one for one, score in scores.items() if score == best and best)
    # Who says "corte" does not mean "Corte e barba".
    return tuple(one for one in found if not _JOINT.search(normalise(one.name))) or found


def _able(doubt: tuple[Offer, ...], people: Sequence[Named]) -> tuple[Offer, ...]:
    """Of what may be meant, what the one professional who is named does."""
    return tuple(one for one in doubt if len(people) != 1 or people[0] in one.professionals) or doubt


def _of_kind(
    text: str, services: tuple[Offer, ...], doubts: Sequence[tuple[Offer, ...]], offers: Sequence[Offer]
) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """ "Corte masculino" where there is only "Corte feminino" names neither: what was taken for it is not
    meant, and the kind is missed.
    """
    asked = [kind for kind, words in _KIND.items() if words.search(text)]
    words = {
        word for one in [*services, *(o for doubt in doubts for o in doubt)] for word in _words_of(one.name)
    }
    akin = [normalise(one.name) for one in offers if words & set(_words_of(one.name))]
    lacking = [kind for kind in asked if not any(_KIND[kind].search(name) for name in akin)]
    if not services or not lacking:
        return services, ()
    first = services[0]
    head = first.name.split()[0]
    return tuple(one for one in services if one != first), (f"{head} {lacking[0]}",)


def _not_done(text: str, offers: Sequence[Offer]) -> tuple[str, ...]:
    """What normalised text asks for of the usual that none of these services is."""
    names = [word for one in offers for word in _words_of(one.name)]
    missed = (
        trade for word in _words(text) for trade in _TRADES if not _among(word, names) and alike(word, trade)
    )
    return tuple(_TRADES[trade] for trade in dict.fromkeys(missed))


def parts_of(combined: Offer, person: Named, offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """What a professional who does not do "Corte e barba" does of it: each part, or nothing."""
    name = normalise(combined.name)
    theirs = [one for one in offers if person in one.professionals and not _JOINT.search(normalise(one.name))]
    parts = [_likeliest(words, theirs) for stretch in _BREAK.split(name) if (words := _words(stretch))]
    whole = _JOINT.search(name) and all(len(part) == 1 for part in parts)
    return tuple(part[0] for part in parts) if whole else ()


# People


def _people(
    text: str, found: Iterable[Offer], catalogue: Catalogue
) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """Who is named outside the names of services, and who is expressly not wanted."""
    names = [word for one in found for word in _words_of(one.name)]
    kept = [w for w in text.split() if w in ("com", ",") or not (w not in STOP and _among(w, names))]
    out = [person for person, before, after in _mentions(kept, catalogue.team) if is_refused(before, after)]
    named = people_in(" ".join(kept), [one for one in catalogue.team if one not in out])
    return named, tuple(dict.fromkeys(out))


def _mentions(words: list[str], team: Sequence[Named]) -> Iterator[tuple[Named, str, str]]:
    for place, word in enumerate(words):
        for person in team:
            if word not in STOP and any(_same_name(word, name) for name in _words_of(person.name)):
                yield person, " ".join(words[:place]) + " ", " " + " ".join(words[place + 1 :])


def people_in(text: str, team: Sequence[Named]) -> tuple[Named, ...]:
    """The professionals that normalised text may mean: those whose name has most of its words."""
    words = _words(text)
    scores = {one: sum(_likeness(w, n) for w in words for n in _words_of(one.name)) for one in team}
    best = max(scores.values(), default=0)
    return tuple(person for person, score in scores.items() if score == best and best)


def is_of_team(name: str, catalogue: Catalogue) -> bool:
    """Whether a name may be that of a professional: "João" is João Batista, "João Pedro" is somebody else."""
    words = set(_words(normalise(name)))
    return any(words <= set(_words_of(person.name)) for person in catalogue.team)


# Words


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.replace(MASK, " ")) if word not in STOP]


@lru_cache(maxsize=2048)
def _words_of(name: str) -> list[str]:
    plain = normalise(name)
    return _words(plain) or plain.split()


def _place(offer: Offer, words: list[str]) -> int:
    names = _words_of(offer.name)
    return next((place for place, word in enumerate(words) if _among(word, names)), len(words))


def _among(word: str, words: Iterable[str]) -> bool:
    return any(alike(word, other) for other in words)


@lru_cache(maxsize=16384)
def alike(word: str, other: str) -> bool:
    """The same word but for number, diminutive, verb or noun, a slip of one or two letters, another name."""
    if other in (word, _CALLED.get(word), _CALLED.get(word.removesuffix("s"))):
        return True
    if word.isdigit() or other.isdigit():
        return False
    short, long = sorted((stem(word), stem(other)), key=len)
    if short == long or (len(short) >= 5 and long.startswith(short)):
        return True
    near = min(len(word), len(other)) >= 5 and word[0] == other[0] and word not in _OTHER_WORDS
    return near and _close(word, other)


def _close(word: str, other: str) -> bool:
    return SequenceMatcher(None, word, other).ratio() >= _CLOSE


def stem(word: str) -> str:
    """A word without number, diminutive and final vowel or verb ending."""
    if len(word) < 4:
        return word
    plain = re.sub(r"z?inh[oa]s?$", "", word)
    return re.sub(r"(?:[aeo]s|s|ar|[aeo])$" if len(plain) > 4 else r"s$", "", plain)


def _same_name(word: str, name: str) -> bool:
    return _likeness(word, name) > 0


def _likeness(word: str, name: str) -> float:
    """Of a name that is a slip of another ("Carlla") a little less than of the very one."""
    if word == name:
        return 1
    near = min(len(word), len(name)) >= 4 and word[0] == name[0] and max(len(word), len(name)) >= 5
    return 0.9 if near and _close(word, name) else 0
