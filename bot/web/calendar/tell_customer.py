"""What staff tell a customer about a visit, and what the pages say of it. Words only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.web.calendar.day_grid import words_of
from bot.web.shared import labels
from models.acts.visit_acts import Action, Stop
from models.availability import Code
from models.errors import Refusal
from models.pages.calendar_page import Event, Visit
from models.stranded import Why
from tools import portuguese

MAX_TEXT = 1000
MOST_NAMED = 3

WHY: Mapping[str, str] = {
    Why.PROFESSIONAL: "O profissional não atende mais aqui",
    Why.SERVICE: "O serviço não é mais oferecido",
    Why.OFFER: "O profissional não faz mais esse serviço",
    Why.HOURS: "Fora do novo horário de trabalho",
    Why.TIME_OFF: "O profissional estará de folga",
    Why.CLOSURE: "O estabelecimento estará fechado",
    Why.HOLIDAY: "É feriado",
    Why.TIME_ZONE: "O fuso horário mudou: o cliente conhece outra hora",
}

# What can be done in spite of a rule, and what in spite of another visit.
OUTSIDE = frozenset(
    {
        Code.PASSADO,
        Code.HORIZONTE,
        Code.FERIADO,
        Code.FECHADO,
        Code.FOLGA,
        Code.FORA_DO_EXPEDIENTE,
        Code.INTERVALO,
        Code.ANTECEDENCIA,
    }
)

_STOPS = {
    Stop.NADA_A_DESFAZER: "Não há mudança para desfazer.",
    Stop.AINDA_NAO: "Este horário ainda não chegou.",
    Stop.JA_TERMINOU: "Este horário já foi encerrado. Desfaça primeiro, se foi engano.",
    Stop.JANELA_FECHADA: (
        "O WhatsApp não permite escrever agora: faz mais de 24 horas que a pessoa mandou a última mensagem."
    ),
}
_CHANGED = "Este horário mudou enquanto a página estava aberta. Confira como ele está agora."


def changed() -> str:
    return _CHANGED


def refusal(refused: Refusal, professional: str, in_the_way: Sequence[str] = ()) -> str:
    """Why staff cannot do something, as a sentence; with the visits that are in the way."""
    if refused.code in set(Stop):
        return _STOPS[Stop(refused.code)]
    clause = portuguese.refusal(refused.code, refused.detail, professional)
    whose = f": {portuguese.shortlist(in_the_way, MOST_NAMED)}" if in_the_way else ""
    return f"{clause[:1].upper()}{clause[1:]}{whose}."


# To the customer


def text(action: str | None, visit: Visit, zone: ZoneInfo) -> str:
    """What to tell the customer after the last change of a visit, to be read before it is sent."""
    hello, what, at = _hello(visit), _what(visit), moment(visit, zone)
    if visit.status == "cancelled":
        return farewell(visit, zone)
    if action == Action.MOVE:
        return (
            f"{hello}! Mudamos o seu horário: {what} agora é {at}. Se não for bom para você, é só responder "
            "por aqui."
        )
    if action in (Action.UNDO, Action.KEEP):
        return f"{hello}! Está tudo certo com o seu horário: {what}, {at}. Até lá!"
    return f"{hello}! Seu horário está marcado: {what}, {at}. Até lá!"


def farewell(visit: Visit, zone: ZoneInfo) -> str:
    """What to tell the customer whose visit is cancelled."""
    return (
        f"{_hello(visit)}. Precisamos cancelar o seu horário de {moment(visit, zone)} ({_what(visit)}). "
        "Desculpe o transtorno! Se quiser outro horário, é só responder por aqui."
    )


def _hello(visit: Visit) -> str:
    return f"Oi, {_first(visit.customer)}" if visit.customer.strip() else "Oi"


def _what(visit: Visit) -> str:
    return f"{portuguese.listed(visit.services)} com {visit.professional}"


def moment(visit: Visit, zone: ZoneInfo) -> str:
    """ "quinta, 3 de dezembro, às 14:30": true whenever it is read."""
    local = visit.starts_at.astimezone(zone)
    day = f"{local.day} de {labels.MONTHS[local.month - 1]}"
    return f"{labels.WEEKDAYS[local.weekday()]}, {day}, às {local:%H:%M}"


def _first(name: str) -> str:
    return name.split()[0][:30]


# The story of a visit


def told(event: Event, zone: ZoneInfo) -> str:
    """One act upon a visit: "Remarcado; antes: 03/12, 10:00"."""
    detail = event.detail
    match event.action:
        case Action.BOOK:
            return "Marcado" + _extras(detail)
        case Action.MOVE:
            return f"Remarcado{_extras(detail)}; antes: {_before(detail, zone)}"
        case Action.CANCEL:
            return "Cancelado"
        case Action.MARK:
            return "Marcado como atendido" if detail.get("status") == "done" else "Marcado como falta"
        case Action.UNDO:
            return "Última mudança desfeita"
        case Action.KEEP:
            return "Mantido como está"
        case Action.TELL:
            return "Cliente avisado"
        case "appointment.confirm":
            return "Presença confirmada"
    return "Alterado"


def _extras(detail: Mapping[str, object]) -> str:
    said = ["como encaixe"] if detail.get("squeeze_in") else []
    said += ["fora da regra"] if detail.get("outside") else []
    return f" ({', '.join(said)})" if said else ""


def _before(detail: Mapping[str, object], zone: ZoneInfo) -> str:
    before = detail.get("from")
    if not isinstance(before, dict):
        return "outro horário"
    local = datetime.fromisoformat(str(before["starts_at"])).astimezone(zone)
    return f"{local:%d/%m}, {words_of(local.hour * 60 + local.minute)}"


REVERSES = {
    Action.MOVE: "Voltar ao horário anterior",
    Action.CANCEL: "Desfazer o cancelamento",
    Action.MARK: "Desfazer a marcação",
}
