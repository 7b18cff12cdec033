"""The settings that are plain fields: one page for each section of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, abort, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.web.business import fields as f
from bot.web.business.fields import Field
from bot.web.business.shared import Change, Opened, Unusable, blueprint, opened, save, value_of, with_values
from bot.web.shared import request_context
from models import holiday
from models.business_file import BusinessFile
from models.business_file.reader import MOST_NEVER_SAY, by_weekday
from models.business_file.shape import hours_of
from models.holiday import ALL, Place

ZONES = (
    ("America/Sao_Paulo", "Brasília (São Paulo, Rio, Sul, Nordeste)"),
    ("America/Manaus", "Amazonas (Manaus)"),
    ("America/Cuiaba", "Mato Grosso (Cuiabá)"),
    ("America/Campo_Grande", "Mato Grosso do Sul (Campo Grande)"),
    ("America/Porto_Velho", "Rondônia (Porto Velho)"),
    ("America/Boa_Vista", "Roraima (Boa Vista)"),
    ("America/Rio_Branco", "Acre (Rio Branco)"),
    ("America/Belem", "Pará e Amapá (Belém)"),
    ("America/Fortaleza", "Ceará (Fortaleza)"),
    ("America/Recife", "Pernambuco (Recife)"),
    ("America/Bahia", "Bahia (Salvador)"),
    ("America/Noronha", "Fernando de Noronha"),
)


@dataclass(frozen=True)
class Section:
    """One page. `fields` are made for the business as it is: some offer what it has."""

    slug: str
    icon: str
    title: str
    about: str
    fields: Callable[[BusinessFile], Sequence[Field]]
    role: str = "manager"


def _company(file: BusinessFile) -> Sequence[Field]:
    own = file.settings.timezone
    zones = ZONES if any(own == zone for zone, _ in ZONES) else (*ZONES, (own, own))
    return (
        f.line("name", "Nome", 120, hint="Como os clientes conhecem a empresa."),
        f.line("address", "Endereço", 500, optional=""),
        f.prose(
            "about",
            "Sobre a empresa",
            4000,
            optional="",
            hint="O assistente responde com isto: estacionamento, formas de pagamento, como chegar.",
        ),
        f.phone(
            "whatsapp", "Número do WhatsApp", hint="O número que os clientes chamam, já ligado ao Twilio."
        ),
        f.choice("timezone", "Fuso horário", zones),
    )


def _rules(_file: BusinessFile) -> Sequence[Field]:
    return (
        f.number("slot_step_minutes", "Oferecer horários de quantos em quantos minutos", unit="minutos"),
        f.number("min_notice_minutes", "Antecedência mínima para marcar", unit="minutos"),
        f.number("horizon_days", "Agenda aberta para os próximos", unit="dias"),
        f.number("cancel_notice_minutes", "Cancelar ou remarcar até", unit="minutos antes"),
        f.number("max_open_appointments", "Horários em aberto de um mesmo cliente", unit="no máximo"),
        f.reminders(
            "reminders_hours",
            "Lembretes: quantas horas antes",
            "Separadas por vírgula, como 24, 2. Vazio: o assistente não lembra ninguém.",
        ),
    )


def _assistant(_file: BusinessFile) -> Sequence[Field]:
    return (
        f.line("assistant_greeting", "Saudação", 300, optional="", hint="Com que palavras ele cumprimenta."),
        f.prose("assistant_tone", "Tom", 500, optional="", hint="Por exemplo: trate por você, com leveza."),
        f.lines(
            "assistant_never_say",
            "O que nunca dizer nem prometer",
            200,
            MOST_NEVER_SAY,
            "Uma coisa por linha: descontos, prazos, nomes de concorrentes.",
        ),
        f.check("buttons", "Botões e listas para tocar", "Horários em lista, “Sim” e “Não” em botões."),
        f.check("images", "O assistente vê as fotos que os clientes enviam"),
    )


def _people_answer(_file: BusinessFile) -> Sequence[Field]:
    return (
        f.hours(
            "handoff_hours", "Quando a equipe atende", "Fora disso o assistente diz quando alguém volta."
        ),
        f.number("handoff_realert_minutes", "Avisar a equipe de novo depois de", unit="minutos"),
        f.number("handoff_second_text_minutes", "Escrever de novo a quem espera depois de", unit="minutos"),
        f.number(
            "handoff_release_minutes", "Conversa assumida e parada volta à fila depois de", unit="minutos"
        ),
        f.number(
            "handoff_reopen_minutes", "Quem escreve de novo volta para a equipe por até", unit="minutos"
        ),
    )


def _holidays(file: BusinessFile) -> Sequence[Field]:
    country = file.settings.holidays_country or "BR"
    place = Place(country, file.settings.holidays_state, file.settings.holidays_city)
    states = [("", "Só os nacionais"), *((each, each) for each in holiday.states(country))]
    cities = [("", "Nenhuma destas"), *((each, each) for each in holiday.cities(country))]
    opened = [name for name in place.names() if name not in place.optional_names()]
    extra = [each for each in file.settings.holidays_open if each not in opened]
    return (
        f.check("holidays_closed", "A empresa fecha nos feriados"),
        f.choice("holidays_state", "Estado", states, optional=None),
        f.choice("holidays_city", "Cidade", cities, optional=None),
        f.several(
            "holidays_optional",
            "Pontos facultativos em que também fecha",
            [(name, name) for name in place.optional_names()],
        ),
        f.several("holidays_open", "Feriados em que abre mesmo assim", [(n, n) for n in [*opened, *extra]]),
        f.closures(
            "closures", "Outros dias fechados", "Para remover um dia, apague a data. As horas são opcionais."
        ),
    )


def _data(_file: BusinessFile) -> Sequence[Field]:
    return (
        f.number(
            "retention_customers_days",
            "Esquecer clientes sem contato depois de",
            unit="dias",
            optional=None,
            hint="Vazio: ficam até pedirem. O que é esquecido não volta.",
        ),
        f.number("retention_media_days", "Apagar fotos e áudios depois de", unit="dias", optional=None),
        f.content_sid("template_reminder", "Modelo aprovado de lembrete (ContentSid)"),
        f.content_sid("template_waitlist_offer", "Modelo aprovado da lista de espera (ContentSid)"),
        f.content_sid("template_contact", "Modelo aprovado para a equipe escrever (ContentSid)"),
    )


SECTIONS = {
    each.slug: each
    for each in (
        Section(
            "empresa",
            "note",
            "A empresa",
            "Nome, endereço, número e o que contar aos clientes.",
            _company,
            "owner",
        ),
        Section("feriados", "calendar", "Feriados e dias fechados", "Quando ninguém trabalha.", _holidays),
        Section("regras", "clock", "Regras da agenda", "Antecedência, limites e lembretes.", _rules),
        Section(
            "assistente", "robot", "Jeito do assistente", "Saudação, tom e o que nunca dizer.", _assistant
        ),
        Section(
            "atendimento",
            "people",
            "Atendimento da equipe",
            "Quando pessoas respondem, e o que acontece enquanto ninguém responde.",
            _people_answer,
        ),
        Section(
            "dados",
            "key",
            "Dados e modelos",
            "Por quanto tempo guardar, e modelos aprovados do WhatsApp.",
            _data,
            "owner",
        ),
    )
}


@blueprint.get("")
def index() -> ResponseReturnValue:
    found = opened()
    return render_template(
        "staff/business/index.html",
        tenant=request_context.current_tenant(),
        sections=[each for each in SECTIONS.values() if request_context.may(each.role)],
        services=len(found.file.services),
        people=len(found.file.professionals),
        questions=len(found.file.assistant.faq),
    )


@blueprint.get("/<slug>")
def section(slug: str) -> ResponseReturnValue:
    return _page(_section(slug), opened())


@blueprint.post("/<slug>")
def change(slug: str) -> ResponseReturnValue:
    wanted, found = _section(slug), opened()
    typed = request.form.to_dict()
    values, wrong = f.read(wanted.fields(found.file), typed)
    if not wrong:
        try:
            return save(Change(lambda file: _with(file, values), url_for("business.section", slug=slug)))
        except Unusable as problem:
            return _page(wanted, found, typed=typed, problem=problem.problem)
    return _page(wanted, found, typed=typed, wrong=wrong)


def _section(slug: str) -> Section:
    found = SECTIONS.get(slug) or abort(404)
    return found if request_context.may(found.role) else abort(403)


def _page(
    wanted: Section,
    found: Opened,
    *,
    typed: dict[str, str] | None = None,
    wrong: dict[str, str] | None = None,
    problem: str = "",
) -> Response:
    """The form; after a refusal with what was typed, and what is wrong beside its field."""
    shown = wanted.fields(found.file)
    page = render_template(
        "staff/business/section.html",
        tenant=request_context.current_tenant(),
        wanted=wanted,
        fields=shown,
        typed=f.filled(shown, lambda name: _value(found.file, name)) if typed is None else typed,
        wrong=wrong or {},
        problem=problem,
        version=found.version if typed is None else request.form.get("versao", ""),
    )
    return make_response(page, 422 if wrong or problem else 200)


def _value(file: BusinessFile, name: str) -> Any:
    if name == "closures":
        return file.closures
    value = value_of(file)(name)
    if name == "handoff_hours":
        return hours_of(value)
    if name == "holidays_optional" and value == [ALL]:
        settings = file.settings
        place = Place(settings.holidays_country or "BR", settings.holidays_state, settings.holidays_city)
        return place.optional_names()
    return value


def _with(file: BusinessFile, values: dict[str, Any]) -> BusinessFile:
    """The file with what a section's form says, each value in the form of its column."""
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    if "handoff_hours" in values:
        given["handoff_hours"] = by_weekday(values["handoff_hours"])
    if "closures" in values:
        file = replace(file, closures=values["closures"])
        given |= _place(file, given)
    return with_values(file, given)


def _place(file: BusinessFile, given: dict[str, Any]) -> dict[str, Any]:
    """Holidays of another place have other names: what it does not know is left out."""
    place = Place(file.settings.holidays_country or "BR", given["holidays_state"], given["holidays_city"])
    names, optional = place.names(), place.optional_names()
    was = file.settings.holidays_optional
    chosen = [each for each in given["holidays_optional"] if each in optional]
    return {
        "holidays_country": place.country if given["holidays_closed"] else file.settings.holidays_country,
        "holidays_optional": was if was == [ALL] and chosen == optional else chosen,
        "holidays_open": [each for each in given["holidays_open"] if each in names or each[:1].isdigit()],
    }
