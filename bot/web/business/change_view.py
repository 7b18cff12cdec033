"""What a change does to the business, in Portuguese: field by field, from what to what."""

import datetime as dt
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from bot.web.shared import labels
from models.availability import MINUTES_OF_DAY
from models.business_file import Change, Kind, Stranded
from models.business_file.shape import Away, Hours
from models.business_file.values import clock_text
from models.stranded import Why

NOUNS = {
    "business": "Empresa",
    "service": "Serviço",
    "professional": "Profissional",
    "closure": "Fechamento",
}
KINDS: Mapping[Kind, str] = {
    Kind.ADDED: "novo",
    Kind.CHANGED: "muda",
    Kind.REACTIVATED: "volta a ser usado",
    Kind.DEACTIVATED: "sai de uso",
    Kind.REMOVED: "é removido",
    Kind.UNCHANGED: "fica igual",
}
FIELDS = {
    "name": "Nome",
    "whatsapp": "Número do WhatsApp",
    "timezone": "Fuso horário",
    "address": "Endereço",
    "about": "Sobre a empresa",
    "holidays_country": "País dos feriados",
    "holidays_state": "Estado dos feriados",
    "holidays_city": "Cidade dos feriados",
    "holidays_closed": "Fecha nos feriados",
    "holidays_optional": "Fecha também em",
    "holidays_open": "Abre mesmo em",
    "twilio_account_sid": "Conta do Twilio",
    "twilio_auth_token_env": "Variável do token do Twilio",
    "buttons": "Botões e listas",
    "images": "Assistente vê fotos",
    "slot_step_minutes": "Horários de quantos em quantos minutos",
    "min_notice_minutes": "Antecedência mínima (minutos)",
    "horizon_days": "Agenda aberta (dias)",
    "cancel_notice_minutes": "Prazo para cancelar ou remarcar (minutos)",
    "max_open_appointments": "Horários em aberto por cliente",
    "confirm_first": "Confirmar antes de marcar",
    "reminders_hours": "Lembretes (horas antes)",
    "handoff_hours": "Quando a equipe atende",
    "handoff_realert_minutes": "Novo aviso à equipe (minutos)",
    "handoff_second_text_minutes": "Segunda mensagem a quem espera (minutos)",
    "handoff_release_minutes": "Devolver à fila (minutos)",
    "handoff_reopen_minutes": "Volta para a equipe até (minutos)",
    "template_reminder": "Modelo de lembrete",
    "template_waitlist_offer": "Modelo da lista de espera",
    "template_contact": "Modelo de contato",
    "retention_customers_days": "Esquecer clientes depois de (dias)",
    "retention_media_days": "Apagar anexos depois de (dias)",
    "assistant_greeting": "Saudação",
    "assistant_tone": "Tom",
    "assistant_never_say": "Nunca dizer",
    "faq": "Perguntas frequentes",
    "duration_minutes": "Duração (minutos)",
    "buffer_minutes": "Intervalo depois (minutos)",
    "price": "Preço",
    "on_holidays": "Também nos feriados",
    "services": "Serviços",
    "hours": "Horário",
    "time_off": "Folgas",
    "slug": "Identificador",
}
WHYS: Mapping[Why, str] = {
    Why.PROFESSIONAL: "o profissional sai",
    Why.SERVICE: "o serviço sai",
    Why.OFFER: "o profissional deixa de fazer o serviço",
    Why.HOURS: "fica fora do horário de trabalho",
    Why.TIME_OFF: "cai em uma folga",
    Why.CLOSURE: "cai em um fechamento",
    Why.HOLIDAY: "cai em um feriado",
    Why.TIME_ZONE: "muda de hora com o fuso",
}
_DAYS = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
LONGEST = 160


@dataclass(frozen=True)
class Shown:
    """One row that changes: a heading, and (field, old, new) of what changes in it."""

    heading: str
    fields: list[tuple[str, str, str]]


def shown(change: Change) -> Shown:
    name = _day(change) if change.noun == "closure" else change.name
    heading = NOUNS[change.noun] if change.noun == "business" else f"{NOUNS[change.noun]} {name}"
    parts = change.fields if change.kind in (Kind.CHANGED, Kind.REACTIVATED) else ()
    return Shown(
        f"{heading}: {KINDS[change.kind]}",
        [
            (FIELDS.get(each.field, each.field), words(each.field, each.old), words(each.field, each.new))
            for each in parts
        ],
    )


def _day(change: Change) -> str:
    """A closure's name begins with its date."""
    date, _, rest = change.name.partition(" ")
    return f"{dt.date.fromisoformat(date):%d/%m/%Y} {rest}".strip()


def words(field: str, value: Any) -> str:
    """A value of a field as an owner reads it."""
    if value in (None, "", ()):
        return "sob consulta" if field == "price" else "nada"
    if isinstance(value, bool):
        return "sim" if value else "não"
    if field in _WORDS:
        return _short(_WORDS[field](value))
    return _short(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def money(cents: int) -> str:
    return f"R$ {labels.number(cents // 100)},{cents % 100:02}"


def hours(value: Hours) -> str:
    """ "seg a sex 09:00–12:00 e 13:00–18:00; sáb 09:00–13:00" """
    days = [(day, " e ".join(_span(w.start, w.end) for w in value if w.weekday == day)) for day in range(7)]
    runs = [(text, [day for day, _ in run]) for text, run in itertools.groupby(days, key=lambda day: day[1])]
    return "; ".join(f"{_run(run)} {text}" for text, run in runs if text)


def _run(run: list[int]) -> str:
    return _DAYS[run[0]] if len(run) == 1 else f"{_DAYS[run[0]]} a {_DAYS[run[-1]]}"


def _span(start: int, end: int) -> str:
    return f"{clock_text(start)}–{clock_text(end)}"


def _time_off(value: tuple[Away, ...]) -> str:
    return "; ".join(map(away, value))


def away(each: Away) -> str:
    """ "24/12/2026 a 26/12/2026 (Natal)" """
    dates = f"{each.first:%d/%m/%Y}" + ("" if each.first == each.last else f" a {each.last:%d/%m/%Y}")
    part = "" if (each.start, each.end) == (0, MINUTES_OF_DAY) else f", {_span(each.start, each.end)}"
    return f"{dates}{part}" + (f" ({each.reason})" if each.reason else "")


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "price": money,
    "hours": hours,
    "handoff_hours": hours,
    "time_off": _time_off,
    "faq": lambda value: "; ".join(question for question, _ in cast(tuple[tuple[str, str], ...], value)),
    "holidays_optional": lambda value: ", ".join("todos os facultativos" if v == "all" else v for v in value),
}


def stranded(each: Stranded, now: datetime) -> dict[str, Any]:
    """A visit that would lose its place, as a line to tick."""
    day = labels.day(each.starts_at.date(), now.astimezone(each.starts_at.tzinfo).date())
    return {
        "id": each.appointment_id,
        "when": f"{day}, {each.starts_at:%H:%M}",
        "what": f"{' + '.join(each.services)} com {each.professional}",
        "why": WHYS[each.why],
    }
