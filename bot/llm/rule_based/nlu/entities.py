"""Finding services and professionals of this business in what was said, whatever they are called."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.llm.rule_based.nlu.dates import MASK
from bot.llm.rule_based.nlu.normalise import normalise, words_of
from bot.llm.rule_based.tool_results import Catalogue, Person, Service

STOP = words_of(
    "a o as os e de da do das dos em na no nas nos com para por um uma uns umas ao que se me meu minha "
    "mais mas ou dr dra doutor doutora prof sr sra dia hora horas horario servico quero queria gostaria "
    "marcar agendar fazer tem voce voces pode hoje sim nao eu isso esta sao"
)
_CLOSE = 0.86  # of two words' letters: "progresiva", "manicuri"
# What people ask for under another name than most lists have.
_CALLED = {
    "unha": "manicure",
    "mao": "manicure",
    "pe": "pedicure",
    "tinta": "coloracao",
    "pintar": "coloracao",
}
# Services that people ask for, to be missed aloud where a business has not got them.
_TRADES = {
    normalise(name): name
    for name in (
        "Pedicure", "Progressiva", "Luzes", "Mechas", "Botox", "Alisamento", "Selagem", "Cauterização",
        "Sobrancelha", "Depilação", "Maquiagem", "Penteado", "Cílios", "Massagem", "Drenagem", "Bigode",
        "Tatuagem", "Micropigmentação", "Manicure", "Escova", "Hidratação", "Coloração", "Barba",
    )
}  # fmt: skip
_REFUSED = re.compile(
    r"\b(?:nao (?:quero|vou querer|preciso|precisa)(?: mais)?|"
    r"sem|tira\w*|esquec\w+|(?:em vez|no lugar) d[aeo]s?)\b"
    r"(?P<what>[^,?]*?)(?=$|,|\?|\b(?:quero|queria|mas|prefiro|so)\b)"
)
_BREAK = re.compile(rf"{MASK}+|,|\+|\?|/|\b(?:e|com|mais|ou|tambem)\b")
_JOINT = re.compile(r"\w (?:e|com|mais) \w|[+&/]")
_UNKNOWN_PERSON = re.compile(
    r"\bcom (?:a|o) (?!(?:minha|meu|mesm[ao]|menin[ao]|pessoa|profissional|moc[ao]|equipe|gente|que|outr[ao]|"
    r"filh[ao]|mae|pai|cabelo|unha|senhora?|dona?|responsavel|atendente|gerente)\b)[a-z]{3,}"
)
_NO_SERVICE = (
    r"(?!fazer|marcar|agendar|horari|hora|vaga|ver|saber|remarcar|cancelar|consulta\b|atend|esse|essa|isso|outr|"
    r"mais|mudar|trocar|falar|servico|com|para|ir|um|uma|visita|valor|preco|total|sessao|pacote|tudo|cada|"
    r"voces?\b|fica|menos|combo|mesm)"
)
_NAMED_SERVICE = re.compile(
    r"\b(?:(?:fazer|faz|fazem|marcar|agendar|quero|queria|gostaria de|preciso de|oferecem|trabalham com) "
    r"(?:uma?s? |o |a |fazer uma? )?|"
    r"(?:custam?|quanto (?:e|fica|sai|esta|cobram?)|preco|valor) (?:d?[ao]s? |uma? |por |para |fazer )+)"
    rf"{_NO_SERVICE}[a-z]{{4,}}"
)


@dataclass(frozen=True)
class Named:
    """Services that text names. `sure` ones are meant; each of `doubts` is a set of which one is meant."""

    sure: tuple[Service, ...] = ()
    doubts: tuple[tuple[Service, ...], ...] = ()


def services_in(text: str, services: Sequence[Service]) -> Named:
    """The services that normalised text names, in the order in which they are named."""
    words = _words(text)
    whole = [s for s in services if all(_among(word, words) for word in _words_of(s.name))]
    covered = _covered(whole)
    taken = {word for service in whole for word in words if _among(word, _words_of(service.name))}
    doubts: list[tuple[Service, ...]] = []
    for stretch in _stretches(text):
        candidates = _likeliest([word for word in stretch if word not in taken], services)
        if candidates and not set(candidates) & set(covered) and candidates not in doubts:
            doubts.append(candidates)
    alone = [candidates[0] for candidates in doubts if len(candidates) == 1]
    named = sorted({*covered, *alone}, key=lambda service: _place(service, words))
    return Named(tuple(named), tuple(candidates for candidates in doubts if len(candidates) > 1))


def _covered(whole: Sequence[Service]) -> list[Service]:
    """Of services all of whose words are there, those that no longer such name contains. A combination
    ("Corte e barba") is meant in place of whatever shares a word with it ("corte masculino e barba").
    """
    names = {service: set(_words_of(service.name)) for service in whole}
    combined = [service for service in whole if _JOINT.search(normalise(service.name))]
    return [
        service
        for service in whole
        if not any(names[service] < names[other] for other in whole)
        and (service in combined or not any(names[service] & names[other] for other in combined))
    ]


def _likeliest(words: list[str], services: Sequence[Service]) -> tuple[Service, ...]:
    scores = {s: sum(_among(word, _words_of(s.name)) for word in words) for s in services}
    best = max(scores.values(), default=0)
    found = tuple(s for s, score in scores.items() if score == best and best)
    # Who says "corte" does not mean "Corte e barba".
    return tuple(s for s in found if not _JOINT.search(normalise(s.name))) or found


def people_in(text: str, team: Sequence[Person]) -> tuple[Person, ...]:
    """The professionals that normalised text may mean: those whose name has most of its words."""
    words = _words(text)
    scores = {person: sum(_same_name(w, n) for w in words for n in _words_of(person.name)) for person in team}
    best = max(scores.values(), default=0)
    return tuple(person for person, score in scores.items() if score == best and best)


def is_of_team(name: str, catalogue: Catalogue) -> bool:
    """Whether a name may be that of a professional: "João" is João Batista, "João Pedro" is somebody else."""
    words = set(_words(normalise(name)))
    return any(words <= set(_words_of(person.name)) for person in catalogue.team)


def speaks_of_someone_else(text: str) -> bool:
    """Whether a professional is named ("com a Joana"), to be asked where nobody of that name was found."""
    return bool(_UNKNOWN_PERSON.search(text))


def names_unknown(text: str) -> bool:
    """Whether something to be done is named ("fazem tatuagem"), to be asked where no service was found."""
    return bool(_NAMED_SERVICE.search(text))


def parts_of(combined: Service, person: Person, services: Sequence[Service]) -> tuple[Service, ...]:
    """What a professional who does not do "Corte e barba" does of it: each part, or nothing."""
    name = normalise(combined.name)
    theirs = [one for one in services if person in one.team and not _JOINT.search(normalise(one.name))]
    parts = [_likeliest(words, theirs) for words in _stretches(name) if words]
    whole = _JOINT.search(name) and all(len(part) == 1 for part in parts)
    return tuple(part[0] for part in parts) if whole else ()


def refused_apart(text: str) -> tuple[str, str]:
    """Normalised text without what is expressly not wanted ("não quero corte, quero escova"), and that."""
    return _REFUSED.sub(" ", text), " , ".join(match["what"] for match in _REFUSED.finditer(text))


def not_offered(text: str, services: Sequence[Service]) -> list[str]:
    """What normalised text asks for of the usual that none of these services is."""
    names = [word for service in services for word in _words_of(service.name)]
    missed = (
        trade for word in _words(text) for trade in _TRADES if not _among(word, names) and alike(word, trade)
    )
    return [_TRADES[trade] for trade in dict.fromkeys(missed)]


def without(text: str, services: Iterable[Service]) -> str:
    """Text without the words of these services, in which to look for people."""
    names = [word for service in services for word in _words_of(service.name)]
    kept = [w for w in text.split() if w in ("com", ",") or not (w not in STOP and _among(w, names))]
    return " ".join(kept)


def unpacked(told: str, catalogue: Catalogue) -> tuple[tuple[Service, ...], Person | None] | None:
    """The services and the professional of "Corte + Barba com Caio Reis", as this model writes them.

    None if such services or such a person no longer exist. Names may contain anything, " com " and " + " too.
    """
    for person in (None, *catalogue.team):
        services_part = told if person is None else told.removesuffix(f"com {person.name}").rstrip()
        if person is not None and services_part == told:
            continue
        services = split_names(services_part, catalogue.services)
        if services is not None:
            return services, person
    return None


def appointment_services(told: str, catalogue: Catalogue) -> tuple[Service, ...]:
    """The services of an appointment as a tool tells them ("Corte, Barba e Sobrancelha"); () if unknown."""
    alone = next((service for service in catalogue.services if service.name == told), None)
    if alone:
        return (alone,)
    for service in catalogue.services:
        for joint in (", ", " e "):
            if told.startswith(service.name + joint):
                rest = appointment_services(told.removeprefix(service.name + joint), catalogue)
                if rest:
                    return (service, *rest)
    return ()


def split_names(told: str, services: Sequence[Service]) -> tuple[Service, ...] | None:
    """The services of "Corte + Barba"; None if one of them no longer exists."""
    if not told:
        return ()
    for service in services:
        if told == service.name:
            return (service,)
        if told.startswith(f"{service.name} + "):
            rest = split_names(told.removeprefix(f"{service.name} + "), services)
            if rest is not None:
                return (service, *rest)
    return None


# --- words -------------------------------------------------------------------------------------------------


def _stretches(text: str) -> list[list[str]]:
    return [_words(stretch) for stretch in _BREAK.split(text)]


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.replace(MASK, " ")) if word not in STOP]


def _words_of(name: str) -> list[str]:
    plain = normalise(name)
    return _words(plain) or plain.split()


def _place(service: Service, words: list[str]) -> int:
    names = _words_of(service.name)
    return next((place for place, word in enumerate(words) if _among(word, names)), len(words))


def _among(word: str, words: Iterable[str]) -> bool:
    return any(alike(word, other) for other in words)


def alike(word: str, other: str) -> bool:
    """The same word but for number, diminutive, verb or noun, a slip of the finger, or another name."""
    if other in (word, _CALLED.get(word), _CALLED.get(word.removesuffix("s"))):
        return True
    if word.isdigit() or other.isdigit():
        return False
    short, long = sorted((stem(word), stem(other)), key=len)
    if short == long or (len(short) >= 5 and long.startswith(short)):
        return True
    return min(len(word), len(other)) >= 5 and word[0] == other[0] and _close(word, other)


def _close(word: str, other: str) -> bool:
    return SequenceMatcher(None, word, other).ratio() >= _CLOSE


def stem(word: str) -> str:
    """A word without number, diminutive and final vowel or verb ending."""
    if len(word) < 4:
        return word
    plain = re.sub(r"z?inh[oa]s?$", "", word)
    return re.sub(r"(?:[aeo]s|s|ar|[aeo])$" if len(plain) > 4 else r"s$", "", plain)


def _same_name(word: str, name: str) -> bool:
    if word == name:
        return True
    return min(len(word), len(name)) >= 5 and word[0] == name[0] and _close(word, name)
