"""What is so: the customer's appointments, what this run wrote, and the names and prices of the business.

A text's words are compared with it: what they name of time, day, person, service and price must all fit.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from bot.agent.guardrails.wording import DAY, Named, any_of, named, normalise
from models.catalog import Offer


def _nothing_known() -> Sequence[Offer]:
    return ()


@dataclass(frozen=True)
class Evidence:
    """What backs a claim: lines of the customer's appointments, and results of write tools of this run.

    With `today` (the business's local date) "hoje" and "amanhã" are compared too. `waits` are lines on what
    the customer waits for already, and was offered from there; `offers` gives the business's services, asked
    for only if a text claims something.
    """

    appointments: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    today: date | None = None
    waits: tuple[str, ...] = ()
    offers: Callable[[], Sequence[Offer]] = _nothing_known

    def with_writes(self, writes: Iterable[str]) -> "Evidence":
        return replace(self, writes=tuple(writes))


# What a text says of a visit


@dataclass(frozen=True)
class Said:
    """What words name of a visit. People, and services by their telling words, in normalised form."""

    when: Named = field(default_factory=Named)
    people: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    prices: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.when or self.people or self.services or self.prices)


# Words of a service's name that are said of any visit, and such as count only beside the name's noun: "corte
# simples", but "é simples assim".
_GENERIC = re.compile(
    any_of(
        "horario agendamento consulta atendimento sessao visita reserva hora dia tarde noite manha primeira"
        " segunda terca quarta quinta sexta sabado domingo retorno pacote servico duas para cada mais"
    )
)
_ADJECTIVE = re.compile(any_of("complet* simples especial premium geral inicial medi* curto longo"))
_TITLE = r"(?:(?:a|o|as|os|la|el|dr|dra|doutora?|sr|sra|nossa|nosso|profissional|barbeiro|barbeira)\.? )*"
_PERSON = re.compile(
    rf"\b(?:com|profissional:?|with|con|(?:agenda|cadeira) d[ao])(?:: | ){_TITLE}(?P<name>\w+(?: \w+){{0,2}})"
    rf"|\b[ao] (?P<host>\w+) (?:ja )?(?:te|lhe) (?:esper|aguard|atend)"
)
_NOT_NAMES = re.compile(
    rf"(?:{DAY}|sucesso|success|carinho|hora|horario|pix|cartao|visa|wi|google|instagram)\b"
)
_PRICE = re.compile(r"r\$ ?(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d\d))?(?!\d)|\b(\d+)(?:,(\d\d))? reais\b")
_OTHER_PRICE = re.compile(r"\b(?:sinal|taxa|multa|desconto|entrada|caucao|gorjeta|pacote)\b[^.]*")
# What is named only to say that it is not part of the visit.
_NOT_PART = re.compile(
    rf"\b(?:{any_of('sem em+vez+d[aeo] no+lugar+d[aeo] alem+d[aeo] quanto+a without sin')}(?: [ao]s?)?"
    r"|para (?:[ao]s?|sua|seu)) (?=(\w+))"
)
_NOT_YET = re.compile(r"\b(\w+)(?= (?:ainda )?nao\b)")


@dataclass(frozen=True)
class Names:
    """The business's names, for finding them in a text."""

    offers: Sequence[Offer]

    @cached_property
    def people(self) -> frozenset[str]:
        return frozenset(
            word for offer in self.offers for _, name in offer.professionals for word in words(name)
        )

    @cached_property
    def services(self) -> frozenset[str]:
        """The words that tell services apart."""
        told = {word for offer in self.offers for word in words(offer.name) if len(word) > 3}
        return frozenset(word for word in told - self.people if not _GENERIC.fullmatch(word))

    def said(self, text: str, cased: str, today: date | None) -> Said:
        """What a normalised text names; `cased` is the same text with its capitals."""
        return Said(named(text, today), self._people(text, cased), self._services(text), _prices(text))

    def _people(self, text: str, cased: str) -> frozenset[str]:
        """Known names, and what stands where a name would, with a capital."""
        found: set[str] = set()
        for match in _PERSON.finditer(text):
            part = "name" if match["name"] else "host"
            first, *more = words(match[part])
            capital = cased[match.start(part)].isupper() and not cased.isupper()
            is_name = part == "name" and capital and first not in self.services and len(first) > 1
            if first in self.people or (is_name and not _NOT_NAMES.match(first)):
                found |= {self._in_full(first), *(word for word in more if word in self.people)}
        return frozenset(found)

    def _in_full(self, name: str) -> str:
        """ "aninha" and "caiozinho" are "ana" and "caio"."""
        short = re.sub("z?inh[oa]$", "", name)
        return next((one for one in self.people if short != name and one.startswith(short)), name)

    def _services(self, text: str) -> frozenset[str]:
        told = _NOT_YET.sub(r"-\1", _NOT_PART.sub(self._unless_part, text))
        found, before = set(), ""
        for word in re.findall(r"[\w-]+", told):
            single = word if word in self.services else word.removesuffix("s")
            if single in self.services and (before in self.services or not _ADJECTIVE.fullmatch(single)):
                found.add(single)
            before = single
        return frozenset(found)

    def _unless_part(self, match: re.Match[str]) -> str:
        return f"{match[0]}-" if match[1] in self.services else match[0]  # "-escova" is no word of ours

    def price(self, told: str) -> frozenset[int]:
        """What the services named in a normalised line cost, each and together."""
        found = [offer for offer in self.offers if normalise(offer.name) in told]
        # "Corte e barba" is the service of that name, or two: either price will do.
        larger = [
            one
            for one in found
            if not any(one is not other and normalise(one.name) in normalise(other.name) for other in found)
        ]
        smaller = [one for one in found if one not in larger]
        cents = [[one.price_cents or 0 for one in part] for part in (larger, smaller)]
        known = all(one.price_cents is not None for one in found)
        return (
            frozenset({*cents[0], *cents[1], sum(cents[0]), sum(cents[1])})
            if found and known
            else frozenset()
        )


def words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", normalise(text))


def _prices(text: str) -> frozenset[int]:
    told = _OTHER_PRICE.sub(" ", text)
    return frozenset(
        int((whole or plain).replace(".", "")) * 100 + int(cents or part or 0)
        for whole, cents, plain, part in _PRICE.findall(told)
    )


# What there is


@dataclass(frozen=True)
class Visit:
    """An appointment, or a wait for one (without a start): its words, what it may cost, names of its day."""

    start: int | None
    minutes: int
    days: frozenset[str]
    people: frozenset[str]
    services: frozenset[str]
    prices: frozenset[int]

    @property
    def when(self) -> range:
        return range(self.start, self.start + self.minutes + 1) if self.start is not None else range(0)

    def with_price(self, cents: int) -> "Visit":
        return replace(self, prices=self.prices | {cents}) if self.prices else self

    def fits(self, said: Said) -> bool:
        """Whether it may be what is meant. Where one time is named, all that is named must be of this one."""
        return self._fits(said, one=len(said.when.times) < 2)

    def touches(self, said: Said) -> bool:
        """Whether it may be one of several that are meant."""
        return self._fits(said, one=False)

    def _fits(self, said: Said, *, one: bool) -> bool:
        when = said.when
        return (
            (not when.times or self.start in when.times)
            and (not when.days or bool(self.days & when.days))
            and _among(said.people, self.people, all_of=one)
            and _among(said.services, self.services, all_of=one)
            and (not self.prices or _among(said.prices, self.prices, all_of=one))
        )


def any_fits(visits: Sequence[Visit], said: Said) -> bool:
    """Whether one of them may be meant, or, where no time is named, all that is named is of some of them."""
    if any(visit.fits(said) for visit in visits):
        return True
    return (
        not said.when.times
        and any(visit.touches(said) for visit in visits)
        and said.when.days <= frozenset().union(*(visit.days for visit in visits))
        and said.people <= frozenset().union(*(visit.people for visit in visits))
        and said.services <= frozenset().union(*(visit.services for visit in visits))
    )


def _among(
    said: frozenset[str] | frozenset[int], own: frozenset[str] | frozenset[int], *, all_of: bool
) -> bool:
    return not said or (said <= own if all_of else bool(said & own))


_GONE = re.compile(r"^(?:já estava )?cancelado|, foi cancelado\.", re.IGNORECASE)
_WAITS = re.compile(r"lista de espera: ", re.IGNORECASE)
_OFFERED = re.compile(r"^Oferta da lista de espera: ")
_KEY = re.compile(r"agendamento_id (\d+)")
_MOMENT = re.compile(r"(\w+)(?:-feira)?, (\d\d)/(\d\d)/\d{4}(?:, às (\d\d):(\d\d))?")
_MINUTES = re.compile(r"\((\d{1,4}) min\b")
# In a normalised line: "…: corte e escova com ana souza, de quarta-feira, 02/12/2026, …"
_BEFORE_DAY = r"(?: \(\w+ \d+\))?, (?:de )?[a-z]+(?:-feira)?, \d\d/"
_WITH = re.compile(rf": (?P<what>.*) com (?P<who>[^,(]+?){_BEFORE_DAY}")
_WHAT = re.compile(rf": (?P<what>.*?){_BEFORE_DAY}(?:[^.]*, com (?P<who>[^,.]+))?")


@dataclass
class Facts:
    """By agendamento_id: what the customer has now, and what this run made. Also what it cancelled, what the
    customer waits for, and all that is told: a service may be called "Meia perna às 8".
    """

    names: Names
    standing: dict[str, Visit] = field(default_factory=dict)
    made: dict[str, Visit] = field(default_factory=dict)
    cancelled: list[Visit] = field(default_factory=list)
    waiting: list[Visit] = field(default_factory=list)
    offered: list[Visit] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    moves: list[tuple[Visit, Visit]] = field(default_factory=list)

    @classmethod
    def of(cls, evidence: Evidence, names: Names) -> "Facts":
        facts = cls(names)
        for line in evidence.appointments:
            facts._appointment(line)
        for line in (*evidence.waits, *evidence.writes):
            facts._write(line)
        facts._add_up()
        return facts

    def _appointment(self, line: str) -> None:
        key, visits = self._read(line)
        if visits:
            self.standing[key] = visits[-1]

    def _write(self, line: str) -> None:
        key, visits = self._read(line)
        if not visits:
            return
        if _OFFERED.search(line):
            self.offered.append(visits[-1])
        elif _WAITS.search(line):
            self.waiting.append(visits[-1])
        elif _GONE.search(line):
            self.standing.pop(key, None)
            self.made.pop(key, None)
            self.cancelled.append(visits[-1])
        else:
            if len(visits) > 1:
                self.moves.append((self.standing.get(key, visits[0]), visits[-1]))
            self.standing[key] = self.made[key] = visits[-1]

    def _add_up(self) -> None:
        """Of several visits made together the price of all may be told."""
        total = sum(max(visit.prices, default=0) for visit in self.made.values())
        self.made = {key: visit.with_price(total) for key, visit in self.made.items()}

    def know(self, said: Said) -> bool:
        """Whether all that is said is of some visit, or told otherwise."""
        return self._knows_when(said.when) and self._knows_what(said)

    def moved_from(self, source: Said) -> bool:
        """Whether a visit that this run moved may be meant, by what it was and when it had been."""
        said = replace(source, prices=frozenset())
        return not self.moves or any(
            replace(old, people=old.people | new.people).touches(said) for old, new in self.moves
        )

    def _knows_when(self, said: Named) -> bool:
        times = {time for time in said.times if not any(time in visit.when for visit in self.visits)}
        days = said.days.difference(*(visit.days for visit in self.visits))
        if not times and not days:
            return True
        told = [named(normalise(line)) for line in self.lines]
        return times <= {time for one in told for time in one.times} and days <= {
            day for one in told for day in one.days
        }

    def _knows_what(self, said: Said) -> bool:
        people = said.people.difference(*(visit.people for visit in self.visits))
        services = said.services.difference(*(visit.services for visit in self.visits))
        costs = {cost for visit in (*self.visits, *self.made.values()) for cost in visit.prices}
        return not people and not services and (not costs or said.prices <= costs)

    def _read(self, line: str) -> tuple[str, list[Visit]]:
        key, visits = _KEY.search(line), _visits(line, self.names)
        self.lines.append(line)
        self.visits += visits
        return key[1] if key else line, visits


def _visits(line: str, names: Names) -> list[Visit]:
    told = normalise(line)
    minutes, prices = _MINUTES.search(line), _prices(told)
    subject = _WITH.search(told) or _WHAT.search(told)
    what = subject["what"] if subject else ""
    return [
        Visit(
            start=int(hour) * 60 + int(minute) if hour else None,
            minutes=int(minutes[1]) if minutes else 0,
            days=frozenset({normalise(weekday), f"{int(day)}/{int(month)}", str(int(day))}),
            people=frozenset(words(subject["who"] or "") if subject else ()),
            services=frozenset(words(what)),
            prices=prices or names.price(what),
        )
        for weekday, day, month, hour, minute in _MOMENT.findall(line)
    ]
