"""Dates, prices and refusals in Portuguese: the words that the model reads, in one place."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from models.appointment import AppointmentStatus, Details
from models.availability import Code
from models.catalog import Offer
from tools.facts import FreeOf, Start

WEEKDAYS = (
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "sábado",
    "domingo",
)
MAX_CHARACTERS = 4000
MAX_STARTS = 12
_Item = TypeVar("_Item")


def day(value: date) -> str:
    """ "quarta-feira, 02/12/2026" """
    return f"{WEEKDAYS[value.weekday()]}, {value:%d/%m/%Y}"


def on(value: date) -> str:
    """ "na quarta-feira, 02/12/2026", "no domingo, 06/12/2026" """
    return f"{'no' if value.weekday() > 4 else 'na'} {day(value)}"


def clock(minute: int) -> str:
    """Minutes of the local day as "10:00"; 1440 is "24:00"."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def at(value: date, minute: int) -> str:
    """ "quarta-feira, 02/12/2026, às 10:00", of a local date and minute that may not exist"""
    return f"{day(value)}, às {clock(minute)}"


def when(local: datetime) -> str:
    """ "quarta-feira, 02/12/2026, às 10:00" """
    return f"{day(local)}, às {local:%H:%M}"


def moment(value: datetime, zone: ZoneInfo) -> str:
    """The same of any instant."""
    return when(value.astimezone(zone))


def price(cents: int | None) -> str:
    """ "R$ 1.200,00"; None is a price on request."""
    if cents is None:
        return "preço sob consulta"
    whole = f"{cents // 100:,}".replace(",", ".")
    return f"R$ {whole},{cents % 100:02d}"


def listed(words: Sequence[str]) -> str:
    """ "a, b e c" """
    return " e ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def shortlist(words: Sequence[str], most: int = 20) -> str:
    """ "a, b, c", and how many more where there are many."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" e mais {more}" if more > 0 else "")


def length(minutes: int) -> str:
    """ "45 minutos", "2 horas", "1 hora e 30 minutos", "3 dias": exact, in the largest units that fit."""
    days, rest = divmod(minutes, 24 * 60)
    if days and not rest:
        return _count(days, "dia")
    parts = [_count(minutes // 60, "hora"), _count(minutes % 60, "minuto")]
    return listed([part for part in parts if not part.startswith("0 ")] or ["0 minutos"])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def service(offer: Offer) -> str:
    """ "Corte feminino (servico_id 1)" """
    return f"{offer.name} (servico_id {offer.id})"


def names(offers: Sequence[Offer]) -> str:
    """ "Corte feminino e Escova" """
    return listed([offer.name for offer in offers])


def professional(professional_id: int, name: str) -> str:
    """ "Ana Souza (profissional_id 1)" """
    return f"{name} (profissional_id {professional_id})"


def offer_line(offer: Offer) -> str:
    """ "Corte feminino (servico_id 1): 60 min, R$ 120,00." """
    return f"{service(offer)}: {offer.duration_minutes} min, {price(offer.price_cents)}."


def visit(details: Details, zone: ZoneInfo) -> str:
    """ "Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30" """
    return f"{listed(details.services)} com {details.professional}, {moment(details.starts_at, zone)}"


def appointment_line(details: Details, zone: ZoneInfo) -> str:
    """ "agendamento_id 7: Corte feminino com Ana Souza (profissional_id 1), quarta-feira, …, às 11:30." """
    who = professional(details.professional_id, details.professional)
    confirmed = " O cliente já confirmou presença." if details.confirmed else ""
    return (
        f"agendamento_id {details.id}: {listed(details.services)} com {who}, "
        f"{moment(details.starts_at, zone)}.{confirmed}"
    )


def free_line(free: FreeOf) -> str:
    """ "- Ana Souza (profissional_id 1): 09:00, 10:30 e mais 4" """
    times = ", ".join(f"{start:%H:%M}" for start in free.starts)
    more = f" e mais {free.more}" if free.more else ""
    return f"- {professional(free.professional.id, free.professional.name)}: {times}{more}"


def spread(items: Sequence[_Item], most: int) -> list[_Item]:
    """At most `most` of the items, evenly, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(n * (len(items) - 1) / (most - 1))] for n in range(most)]


def bounded(text: str, most: int = MAX_CHARACTERS) -> str:
    """Cut on a line, with how many lines were left out."""
    if len(text) <= most:
        return text
    lines = text.split("\n")
    room = most - len("\ne mais 99999")
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    if not kept:
        return text[: most - 1] + "…"
    return "\n".join([*kept, f"e mais {len(lines) - len(kept)}"])


def folded(text: str) -> str:
    """For matching: no accents, case or invisible characters, single spaces."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = (c for c in plain if c.isspace() or unicodedata.category(c) not in ("Mn", "Cf", "Cc"))
    return re.sub(r"\s+", " ", "".join(kept)).strip()


def nearest_lines(nearest: Sequence[Start]) -> list[str]:
    """The heading and one line each, or that there are none."""
    lines = [
        f"- {when(start.starts_at)}, com {professional(start.professional.id, start.professional.name)}"
        for start in nearest
    ]
    if not lines:
        return ["Também não há nenhum outro horário na agenda aberta."]
    return ["Horários mais próximos:", *lines]


def refusal(code: str, detail: Mapping[str, object], who: str, customer: str = "o cliente") -> str:
    """Why not, as a clause that begins small and ends without a stop; `who` is a professional or business."""
    values = {key: _SPOKEN[key](value) for key, value in detail.items() if key in _SPOKEN}
    if code == Code.FORA_DO_EXPEDIENTE and not values.get("hours"):
        return f"{who} não atende nesse dia"
    return CLAUSES[Code(code)].format_map({"who": who, "customer": customer, "reason": "", **values})


def _hours(windows: object) -> str:
    assert isinstance(windows, Sequence)
    return listed([f"das {clock(start)} às {clock(end)}" for start, end in windows])


def _minutes(value: object) -> str:
    assert isinstance(value, int)
    return length(value)


def _date(value: object) -> str:
    assert isinstance(value, date)
    return day(value)


def _reason(value: object) -> str:
    return f" ({value})" if value else ""


_SPOKEN: Mapping[str, Callable[[object], str]] = {
    "hours": _hours,
    "minutes": _minutes,
    "last": _date,
    "date": _date,
    "reason": _reason,
    "believed": str,
    "limit": str,
}

CLAUSES: Mapping[Code, str] = {
    Code.PASSADO: "essa data ou hora já passou",
    Code.HORIZONTE: "a agenda está aberta só até {last}",
    Code.FERIADO: "é feriado{reason} e não há atendimento",
    Code.FECHADO: "o estabelecimento estará fechado{reason}",
    Code.FOLGA: "{who} estará de folga",
    Code.FORA_DO_EXPEDIENTE: "não cabe no expediente de {who} nesse dia, que é {hours}",
    Code.INTERVALO: "o atendimento passaria pelo intervalo de {who}, que atende {hours} nesse dia",
    Code.ANTECEDENCIA: "é preciso agendar com pelo menos {minutes} de antecedência",
    Code.OCUPADO: "a agenda de {who} já está ocupada",
    Code.FORA_DA_GRADE: "os atendimentos de {who} não começam nesse minuto",
    Code.HORA_INEXISTENTE: "essa hora não existe nesse dia, por causa da mudança do relógio",
    Code.DIA_SEMANA_ERRADO: "a data é {date}, e não {believed}",
    Code.SERVICO_NAO_ATENDIDO: "{who} não faz esse atendimento",
    Code.LIMITE_CLIENTE: "{customer} já chegou ao máximo de agendamentos futuros, que é {limit}",
    Code.JA_COMECOU: "esse agendamento já começou ou já passou",
    Code.JA_CANCELADO: "esse agendamento já foi cancelado",
    Code.PRAZO_DE_MUDANCA: "mudanças e cancelamentos só são aceitos com pelo menos {minutes} de antecedência",
}

MISSING = {
    "service": "Não existe serviço com {id}. Use buscar_servicos para ver os identificadores.",
    "professional": "Não existe profissional com {id}. Use buscar_servicos para ver os identificadores.",
    "appointment": "Este cliente não tem {id}. Use meus_agendamentos para ver os identificadores.",
}

STATUS = {
    AppointmentStatus.BOOKED: "está marcado",
    AppointmentStatus.CANCELLED: "foi cancelado",
    AppointmentStatus.DONE: "já foi realizado",
    AppointmentStatus.NO_SHOW: "consta como falta",
}


def shortened(text: str, most: int = 60) -> str:
    """What somebody else wrote, short enough to be repeated."""
    return text if len(text) <= most else text[: most - 1] + "…"
