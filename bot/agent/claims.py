"""What a text says was booked, moved or cancelled, and whether that is so.

A claim must be backed by a write of this run or by an appointment that the customer has; where the text names
a day or a time, that must fit as well.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum

from bot.agent.wording import DAY, Named, Sentence, Table, any_of, compiled, named, normalise


@dataclass(frozen=True)
class Evidence:
    """What backs a claim: lines of the customer's appointments, and results of write tools of this run.

    With `today` (the business's local date) "hoje" and "amanhã" are compared too.
    """

    appointments: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    today: date | None = None

    def with_writes(self, writes: Iterable[str]) -> "Evidence":
        return replace(self, writes=tuple(writes))


class Kind(Enum):
    BOOKED = "booked"  # the bot did it: needs a write, or an appointment at the time that is named
    STANDS = "stands"  # it is so: any appointment that fits will do
    MOVED = "moved"
    CANCELLED = "cancelled"
    REPORTED = "reported"  # cancelled some time ago: needs only that no such appointment stands
    EXPECTED = "expected"  # as STANDS, but a claim only where a time is named and nothing is asked


WORDS = {
    "booked": any_of("marcad marcadinh agendad reservad encaixad confirmad garantid") + "[oa]s?",
    "moved": any_of("remarcad reagendad transferid alterad mudad trocad adiad antecipad") + "[oa]s?",
    "again": "(?:remarcad|reagendad)[oa]s?",
    "cancelled": "(?:cancelad|desmarcad)[oa]s?",
    "done": any_of("feit realizad efetuad concluid registrad criad confirmad") + "[oa]s?",
    "is": r"(?:(?:est|t)(?:a|ao)|fic(?:ou|aram)|fo(?:i|ram)|seguem?|continuam?|permanecem?|constam?)",
    "was": any_of("foi foram estava tinha+sido havia+sido consta+como"),
    "sure": r"(?:(?:ja|tudo|bem|agora|sim|mesmo|entao|certinho|certo|aqui|como|e) )*",
    "few": r"(?:(?!eh )\w+ ){0,4}?",
    "yours": r"(?:(?:o|a|os|as) )?(?:seu|sua|seus|suas|teu|tua|esse|essa|este|esta|voce|vc)\b",
    "visit": any_of("horario agendamento consulta atendimento sessao visita reserva corte") + "s?",
    "to": r"(?:(?:para|pra|pras|pro|n[ao]|em|as|o|a|dia) )+",
    "day": rf"(?:\d|(?:{DAY})\b)",
    "made": r"fiz (?:[ao] )?(?:seu |sua )?",
    "managed": r"(?:consegui|conseguimos|acabei de|acabamos de) (?:te |lhe )?",
    "changed": any_of("mudei alterei transferi passei troquei adiei antecipei movi"),
    "if": r"(?:se(?! preocup| encontr)|(?<!seu )(?<!sse )(?<!ste )caso|sempre que|desde que|ate que|uma vez"
    r"|quando|assim que|logo que|depois (?:que|de)|antes de|apos)",
    "removed": any_of("cancelamos desmarcamos removi tirei retirei exclui apaguei"),
    # A headline: "Agendado!", "Prontinho, Maria! Corte feminino com Ana confirmado:"
    "head": r"(?<!.)(?:\w+(?: \w+){0,2}[,!] )?"
    r"(?:(?!tem\b|temos\b|est[ao]|fo[ir]|fic|segue|continu)\w+ ){0,5}?\b",
    "end": r"(?: com sucesso)? ?(?=$|[!,:.(-])",
}

CLAIMS: tuple[tuple[Kind, str, str], ...] = (
    (Kind.BOOKED, "did", r"(?:marquei|agendei|reservei|encaixei)\b"),
    (Kind.BOOKED, "did yours", r"(?:confirmei|garanti|anotei|registrei) <yours> <few><visit>\b"),
    (Kind.BOOKED, "made", r"<made>(?:agendamento|reserva|marcacao)\b"),
    (Kind.BOOKED, "we did", r"(?:marcamos|agendamos|reservamos|encaixamos) <yours>"),
    (Kind.BOOKED, "managed", r"<managed>(?:marcar|agendar|reservar|encaixar)\b"),
    (Kind.BOOKED, "left", r"deix(?:ei|amos) <few><booked>"),
    (Kind.BOOKED, "agenda", r"(?:coloquei|inclui|botei|adicionei) <few>n?a (?:nossa )?agenda\b"),
    (Kind.BOOKED, "noun", r"(?:agendamento|reserva|marcacao) <few><done>"),
    (Kind.BOOKED, "headline", r"<head><booked><end>"),
    (Kind.STANDS, "is", r"<is> <sure>(?:<booked>|mantid[oa])"),
    (Kind.STANDS, "for a day", r"<booked> <few><to><day>"),
    (Kind.STANDS, "came to a day", r"ficou <few><to><day>"),
    (Kind.STANDS, "you have", r"(?:voce|vc) (?:ja |so )?tem <few><visit> <booked>"),
    (Kind.STANDS, "is yours", r"o horario (?:ja )?eh (?:todo )?seu\b|voce (?:ja )?esta na agenda\b"),
    (Kind.EXPECTED, "yours is", r"<yours>(?: \w+){1,6}?(?::| eh| sera| vai ser| fica) (?:<to>)?<day>"),
    (Kind.EXPECTED, "so it is", r"entao (?:eh|sera|vai ser|fica) (?:<to>)?<day>|(?<!.)tudo certo <to><day>"),
    (Kind.EXPECTED, "becomes", r"fica <few><booked>"),
    (Kind.EXPECTED, "awaited", r"(?:te|lhe|nos) (?:esper|aguard|ve[jm])|(?:esper|aguard)amos (?:por )?voce"),
    (Kind.EXPECTED, "until", r"(?<!.)ate (?:\w+ )?<day>"),
    (Kind.EXPECTED, "opener", r"(?<!.)(?:prontinho|pronto|feito|combinado|fechado|anotado)(?:,? \w+)?[!,.:]"),
    (Kind.MOVED, "did", r"(?:remarquei|reagendei)\b"),
    (Kind.MOVED, "did yours", r"<changed> <yours> <few><visit>\b"),
    (Kind.MOVED, "did to a day", r"<changed> <few><to><day>"),
    (Kind.MOVED, "made", r"<made>(?:remarcacao|alteracao|mudanca|troca)\b"),
    (Kind.MOVED, "for a day", r"<again> <few><to><day>"),
    (Kind.MOVED, "managed", r"<managed>(?:remarcar|reagendar|mudar|alterar|trocar|transferir)\b"),
    (Kind.MOVED, "is", r"<is> <sure><again>"),
    (Kind.MOVED, "visit is", r"<visit> <few><is> <sure><moved>"),
    (Kind.MOVED, "changed", r"<yours> <few><visit> (?:\w+ )?(?:mudou|passou) para\b"),
    (Kind.MOVED, "noun", r"(?:remarcacao|alteracao|mudanca|troca) <few><done>"),
    (Kind.MOVED, "headline", r"<head><again><end>"),
    (Kind.CANCELLED, "did", r"(?:cancelei|desmarquei)\b"),
    (Kind.CANCELLED, "did yours", r"<removed> <yours>"),
    (Kind.CANCELLED, "made", r"<made>cancelamento\b"),
    (Kind.CANCELLED, "managed", r"<managed>(?:cancelar|desmarcar)\b"),
    (Kind.CANCELLED, "is", r"<is> <sure><cancelled>"),
    (Kind.CANCELLED, "noun", r"cancelamento <few><done>"),
    (Kind.CANCELLED, "headline", r"<head><cancelled><end>"),
    (Kind.REPORTED, "was", r"ja <was> <cancelled>"),
)  # fmt: skip

# What makes such words no claim. Read on the sentence up to their end, …
NO_CLAIM: Table = (
    ("negated", r"(?:nao|nunca|nem|nada|ninguem|nenhum\w*|sem|falta)\b[^,]*$"),
    ("conditional", r"<if>\b[^,]*(?:,[^,]*)?$"),
    ("cited", r"(?:voce|vc|cliente) (?:disse|falou|mencionou|comentou|perguntou|pediu|escreveu|achou)\b.*$"),
    ("of others", r"(?:outr[oa]s? (?:clientes?|pessoas?)|alguem|(?:tem|com) clientes?)\b[^,]*$"),
    ("of other things", r"(?:pagamento|pix|feriado|desconto|promocao|cadastro|endereco|valor|preco)\b[^,]*$"),
    ("of other things", r"(?:evento|estacionamento|sinal|orcamento|nome|telefone|dados|vaga de)\b[^,]*$"),
    ("of other things", r"(?:lembretes?|avisos?|mensagens)\b[^,]*$"),
    ("how we work", r"(?:com|por|so|somente|apenas) (?:hora|horario|agendamento)s? <booked>$"),
)  # fmt: skip
# … also, but not of "marquei" and the like, …
WISHED: Table = (
    ("offered", r"(?:posso|podemos|poderia|vou|vamos|iria|consigo|da para|eh so|basta)\b[^,]*$"),
    ("wanted", r"(?:quer|quero|queria|quiser|gostaria|deseja|prefere|precisa|preciso)\b[^,]*$"),
    ("not yet", r"(?:ser|estar|ficar|seja|sejam|sera|serao|seria|fosse|for)\b[^,]*$"),
)
# … and on what follows.
NO_CLAIM_AFTER: Table = (
    ("conditional", r"^[^,]*\b(?:assim que|depois que|apos|mediante|se (?:voce|vc|nao|houver)|caso)\b"),
    ("of others", r"^[^,]*\b(?:por|para|pra|com) outr[oa]\b"),
    ("of other things", r"^(?: \w+){0,2} (?:lembretes?|avisos?|mensagens)\b"),
    ("a rule", r"^[^,]*\b(?:pod[ae]m?|dev[ae]m?|precisam?|sao|costumam?|com (?:menos|antecedencia))\b"),
)  # fmt: skip
_TAKEN = re.compile(
    r"^(?!.*\b(?:seu|sua|voce|vc|te)\b).*(?:horario|vaga|dia|as \d|\d\d:\d\d|\bess[ea]|\best[ea]s)"
    r".*\bja (?:est\w+|fo\w+|tinha\w* sido) (?:reservad|marcad|agendad)"
)
_OFFER = re.compile(r"\b(?:livres?|disponiv\w+|vagas?|opc(?:ao|oes)|temos|tenho|horarios|ultimo)\b")
_TO_CONFIRM = re.compile(
    r"\b(?:respond[ae]|digite|confirme|me confirm\w+|diga sim|aguardo (?:a |sua )+confirmacao|so confirmar)\b"
)
_NEAR = (
    200  # characters around a claim that can tell it from none; without a bound a babbling text costs seconds
)
_BY_US = re.compile(r"\w+(?:ei|amos)\b|(?:consegui|fiz|inclui|garanti|transferi|movi|removi|exclui)\b")
_DETAIL = re.compile(
    rf"^(?:- |\d{{1,2}}[/:h]|as \d|(?:{DAY}|data|dia|hora|horario|quando|novo|inicio)\b"
    r"|(?:com|servico|profissional)\b"
    r"|(?:\w+ ?){1,5}$)"
)
_CLAIMS = compiled(
    (f"(?P<{kind.name}>{'|'.join(pattern for of, _, pattern in CLAIMS if of is kind)})" for kind in Kind),
    WORDS,
)
_NO_CLAIM, _WISHED, _AFTER = (
    compiled((pattern for _, pattern in table), WORDS) for table in (NO_CLAIM, WISHED, NO_CLAIM_AFTER)
)


@dataclass(frozen=True)
class Claim:
    """`said` are the times and days of the sentence; `then` those from the claiming words on, none of which
    may be made up; `target` those behind the "para" of a move.
    """

    kind: Kind
    said: Named
    then: Named
    target: Named


def claims(said: Sequence[Sentence], today: date | None = None) -> Iterator[Claim]:
    """Every claim in these sentences of one text."""
    for n, sentence in enumerate(said):
        kinds = _kinds(sentence)
        if kinds:
            here, details = _named(sentence.text, said[n + 1 :], today)
            if Kind.EXPECTED in kinds and (not here.times or _proposed(sentence, said)):
                del kinds[Kind.EXPECTED]
            for kind, words in kinds.items():
                then = Named() if _OFFER.search(sentence.text) else named(words + details, today)
                target = _target(words, today) if kind is Kind.MOVED else Named()
                yield Claim(kind, here, then, target)


def _named(text: str, following: Sequence[Sentence], today: date | None) -> tuple[Named, str]:
    """What a sentence names, or, where it names no time, it and the lines behind it that say when."""
    here = named(text, today)
    if here.times:
        return here, ""
    details = "".join(f" {line}" for line in _details(following))
    return (named(text + details, today) if details else here), details


def _proposed(sentence: Sentence, said: Sequence[Sentence]) -> bool:
    """Whether a sentence is an offer, or the text asks for a yes."""
    asked = sentence.tagged or any(one.asks or _TO_CONFIRM.search(one.text) for one in said)
    return asked or bool(_OFFER.search(sentence.text))


def _kinds(sentence: Sentence) -> dict[Kind, str]:
    """The kinds of claim in a sentence, each with the text from its words on."""
    text = sentence.text.rpartition(",")[0] if sentence.asks else sentence.text
    return {
        Kind[match.lastgroup or ""]: match.string[match.start() :]
        for match in _CLAIMS.finditer(text.removeprefix("- "))
        if _is_claim(match, asked=sentence.asks)
    }


def _is_claim(match: re.Match[str], *, asked: bool) -> bool:
    text, by_us = match.string, _BY_US.match(match[0])
    before, after = text[max(0, match.start() - _NEAR) : match.end()], text[match.end() :][:_NEAR]
    if (asked or _WISHED.search(before)) and not by_us:
        return False
    return not (_NO_CLAIM.search(before) or _AFTER.search(after) or _TAKEN.search(before + after))


def _target(text: str, today: date | None) -> Named:
    _, para, target = text.replace(" pra ", " para ").rpartition(" para ")
    return named(f"{para}{target}", today) if para else Named()


def _details(following: Sequence[Sentence]) -> Iterator[str]:
    """Lines right behind a claim that only say when and what: "Data: quarta-feira", "- 11:30"."""
    for sentence in following:
        if sentence.asks or sentence.tagged or not _DETAIL.match(sentence.text):
            return
        yield sentence.text


# Whether it is so


@dataclass(frozen=True)
class _Visit:
    """An appointment: its first minute of the day, how long it is known to last, and names of its day."""

    start: int
    minutes: int
    days: frozenset[str]

    @property
    def end(self) -> int:
        return self.start + self.minutes

    def fits(self, said: Named) -> bool:
        return (not said.times or self.start in said.times) and (not said.days or bool(self.days & said.days))


@dataclass
class _Facts:
    """By agendamento_id: what the customer has now, and what this run made. Also what it cancelled, and all
    that is told: a service may be called "Meia perna às 8".
    """

    standing: dict[str, _Visit] = field(default_factory=dict)
    made: dict[str, _Visit] = field(default_factory=dict)
    cancelled: list[_Visit] = field(default_factory=list)
    visits: list[_Visit] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def appointment(self, line: str) -> None:
        key, visits = self._read(line)
        if visits:
            self.standing[key] = visits[-1]

    def write(self, line: str) -> None:
        key, visits = self._read(line)
        if not visits:
            return
        if _GONE.search(line):
            self.standing.pop(key, None)
            self.made.pop(key, None)
            self.cancelled.append(visits[-1])
        else:
            self.standing[key] = self.made[key] = visits[-1]

    def know(self, said: Named) -> bool:
        """Whether all these times and days are of some visit, or told otherwise."""
        times = {time for time in said.times if not any(v.start <= time <= v.end for v in self.visits)}
        days = said.days.difference(*(visit.days for visit in self.visits))
        if not times and not days:
            return True
        told = [named(normalise(line)) for line in self.lines]
        return times <= {time for one in told for time in one.times} and days <= {
            day for one in told for day in one.days
        }

    def _read(self, line: str) -> tuple[str, list[_Visit]]:
        key, visits = _KEY.search(line), _visits(line)
        self.lines.append(line)
        self.visits += visits
        return key[1] if key else line, visits


_GONE = re.compile(r"^(?:já estava )?cancelado|, foi cancelado\.", re.IGNORECASE)
_KEY = re.compile(r"agendamento_id (\d+)")
_MOMENT = re.compile(r"(\w+)(?:-feira)?, (\d\d)/(\d\d)/\d{4}, às (\d\d):(\d\d)")
_MINUTES = re.compile(r"\((\d{1,4}) min\b")


def _visits(line: str) -> list[_Visit]:
    minutes = _MINUTES.search(line)
    return [
        _Visit(
            start=int(hour) * 60 + int(minute),
            minutes=int(minutes[1]) if minutes else 0,
            days=frozenset({normalise(weekday), f"{int(day)}/{int(month)}", str(int(day))}),
        )
        for weekday, day, month, hour, minute in _MOMENT.findall(line)
    ]


def unbacked(said: Sequence[Sentence], evidence: Evidence) -> bool:
    """Whether these sentences claim something that is not so."""
    found = list(claims(said, evidence.today))
    if not found:
        return False
    facts = _Facts()
    for line in evidence.appointments:
        facts.appointment(line)
    for line in evidence.writes:
        facts.write(line)
    return not all(_backed(claim, facts) for claim in found)


def _backed(claim: Claim, facts: _Facts) -> bool:
    said, made, standing = claim.said, facts.made.values(), facts.standing.values()
    if claim.kind is Kind.REPORTED and not any(visit.fits(said) for visit in standing):
        return True
    if not facts.know(claim.then):
        return False
    match claim.kind:
        case Kind.BOOKED:
            visits = [*made, *standing] if said else [*made]
            return any(visit.fits(said) for visit in visits)
        case Kind.STANDS | Kind.EXPECTED:
            return any(visit.fits(said) for visit in standing)
        case Kind.MOVED:
            moved = claim.target and any(visit.fits(claim.target) for visit in standing)
            return bool(moved) or any(visit.fits(said) for visit in made)
        case Kind.CANCELLED | Kind.REPORTED:
            return any(visit.fits(said) for visit in facts.cancelled)
