"""What staff read instead of codes: reasons, delivery states, times, phones. Words and numbers only."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from models.handoff import CloseReason, Reason
from models.message import Author, Message, Status
from models.pages.inbox_list import Cause

WEEKDAYS = ("segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo")
MONTHS = (
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
)


@dataclass(frozen=True)
class Sign:
    """An icon (a name of `templates/staff/_icons.html`) and the words beside it."""

    icon: str
    words: str


REASONS: Mapping[Reason, Sign] = {
    Reason.REFUSAL: Sign("block", "O assistente não pôde responder"),
    Reason.TOOL_USE_TRUNCADO: Sign("cut", "Ação cortada no meio"),
    Reason.LIMITE_ITERACOES: Sign("loop", "Muitas etapas sem concluir"),
    Reason.LIMITE_TOKENS: Sign("loop", "Conversa longa demais para o assistente"),
    Reason.LIMITE_TEMPO: Sign("clock", "O assistente demorou demais"),
    Reason.RESPOSTA_TRUNCADA: Sign("cut", "Resposta cortada"),
    Reason.RESPOSTA_VAZIA: Sign("cut", "O assistente ficou sem resposta"),
    Reason.STOP_REASON_DESCONHECIDO: Sign("alert", "Resposta inesperada do assistente"),
    Reason.PROMESSA_SEM_ACAO: Sign("alert", "O assistente prometeu algo que não fez"),
    Reason.MODELO_INDISPONIVEL: Sign("offline", "Assistente fora do ar"),
    Reason.ERRO_INTERNO: Sign("alert", "Erro no assistente"),
    Reason.PEDIDO_DO_CLIENTE: Sign("person", "Pediu uma pessoa"),
    Reason.MIDIA_NAO_SUPORTADA: Sign("image", "Enviou algo que o assistente não lê"),
    Reason.FALHA_NO_ENVIO: Sign("unsent", "Uma mensagem não foi entregue"),
    Reason.LIMITE_DE_USO: Sign("clock", "Limite de uso atingido"),
}
CAUSES: Mapping[Cause, Sign] = {
    Cause.STAFF: Sign("person", "A equipe assumiu"),
    Cause.REOPENED: Sign("again", "Voltou a escrever"),
}


def reason(cause: Reason | Cause) -> Sign:
    """Why a conversation is with people."""
    return CAUSES[cause] if isinstance(cause, Cause) else REASONS[cause]


ENDINGS: Mapping[CloseReason, str] = {
    CloseReason.RETURNED_TO_BOT: "devolvida ao assistente",
    CloseReason.RESOLVED: "encerrada",
    CloseReason.CUSTOMER_CANCELLED: "o cliente voltou ao assistente",
}


ROLES = {"attendant": "Atendente", "manager": "Gerente", "owner": "Dono"}

_LOGGED = {
    "staff.log_in": "entrou",
    "staff.add": "criou o acesso de {other}",
    "staff.invite": "convidou alguém",
    "staff.password_link": "gerou um link de senha para {other}",
    "staff.reset_password": "guardou uma senha nova para {other}",
    "staff.change_password": "trocou a própria senha",
    "staff.withdraw": "cancelou um convite",
    "staff.end_sessions": "fez {other} sair de todos os aparelhos",
    "staff.disable": "desativou o acesso de {other}",
    "staff.enable": "reativou o acesso de {other}",
    "staff.set_role": "mudou o papel de {other} para {role}",
    "canned.save": "guardou uma resposta pronta",
    "canned.delete": "apagou uma resposta pronta",
    "customer.rename": "mudou o nome de um cliente",
    "customer.forget": "apagou os dados de um cliente",
    "customer.export": "exportou os dados de um cliente",
    "conversation.take": "assumiu uma conversa",
    "conversation.take_over": "assumiu uma conversa no lugar de {other}",
    "conversation.pass_on": "passou uma conversa para {other}",
    "conversation.release": "devolveu uma conversa para a fila",
    "conversation.snooze": "adiou uma conversa",
    "conversation.wake": "retomou uma conversa",
    "conversation.resolve": "encerrou um atendimento",
    "conversation.give_back": "devolveu uma conversa ao assistente",
    "appointment.book": "marcou um horário",
    "appointment.move": "remarcou um horário",
    "appointment.cancel": "cancelou um horário",
    "appointment.mark": "marcou se um cliente veio",
    "appointment.undo": "desfez uma mudança de horário",
    "appointment.keep": "manteve um horário que perdeu o lugar",
    "appointment.tell": "avisou um cliente sobre o horário",
    "appointment.confirm": "recebeu a confirmação de um horário",
    "block.add": "bloqueou um horário",
    "block.remove": "removeu um bloqueio",
    "waitlist.join": "colocou um cliente na lista de espera",
    "waitlist.remove": "tirou um cliente da lista de espera",
    "waitlist.leave": "tirou da lista de espera um cliente que pediu",
    "business.disable": "desligou o atendimento da empresa",
    "business.enable": "ligou o atendimento da empresa",
    "business.import": "importou os dados da empresa",
    "business.change": "mudou os ajustes da empresa",
    "feed.renew": "criou um endereço de calendário",
    "feed.revoke": "desativou um endereço de calendário",
}


def logged(action: str, other: str | None, detail: Mapping[str, object]) -> str:
    """An act of the log, after the name of who did it."""
    role = ROLES.get(str(detail.get("after")), "outro")
    return _LOGGED.get(action, action).format(other=other or "alguém", role=role)


def event(act: str, who: str | None, other: str | None, detail: Mapping[str, object], until: str) -> Sign:
    """What one of the staff did with a conversation, or the program by itself; `until` ends a snooze."""
    name, colleague = who or "Alguém da equipe", other or "outra pessoa"
    match act, detail.get("why"):
        case "release", "no_reply":
            return Sign("loop", f"Voltou para a fila: {colleague} não respondeu a tempo")
        case "release", "disabled":
            return Sign("loop", f"Voltou para a fila: o acesso de {colleague} foi desativado")
        case "release", _:
            return Sign("loop", f"{name} devolveu para a fila")
    said = {
        "take": ("hand", f"{name} assumiu a conversa"),
        "take_over": ("hand", f"{name} assumiu no lugar de {colleague}"),
        "pass_on": ("next", f"{name} passou a conversa para {colleague}"),
        "snooze": ("clock", f"{name} adiou até {until}"),
        "wake": ("clock", f"{name} retomou a conversa"),
        "resolve": ("tick", f"{name} encerrou o atendimento"),
        "give_back": ("robot", f"{name} devolveu ao assistente"),
    }.get(act, ("alert", f"{name}: {act}"))
    return Sign(*said)


AUTHORS: Mapping[Author, str] = {
    Author.CUSTOMER: "Cliente",
    Author.BOT: "Assistente",
    Author.STAFF: "Equipe",
    Author.SYSTEM: "Mensagem automática",
}

STATES: Mapping[Status, Sign] = {
    Status.QUEUED: Sign("clock", "Na fila de envio"),
    Status.SENDING: Sign("clock", "Enviando"),
    Status.IN_DOUBT: Sign("clock", "Conferindo o envio"),
    Status.ACCEPTED: Sign("clock", "Enviando"),
    Status.SENT: Sign("tick", "Enviado"),
    Status.DELIVERED: Sign("ticks", "Entregue"),
    Status.READ: Sign("ticks", "Lido"),
    Status.FAILED: Sign("unsent", "Falhou"),
    Status.DROPPED: Sign("block", "Não enviada: uma pessoa assumiu"),
}

_FAILURES = {
    63003: "este número não está ativo no WhatsApp",
    63005: "o WhatsApp recusou o conteúdo",
    63007: "o número da empresa não está configurado para enviar",
    63013: "o WhatsApp recusou o conteúdo pelas suas regras",
    63016: "faz mais de 24 horas que a pessoa escreveu",
    63018: "muitas mensagens em pouco tempo",
    63021: "o WhatsApp recusou o conteúdo",
    63024: "esta pessoa não pode receber mensagens no WhatsApp",
    63032: "o WhatsApp não entrega mensagens a esta pessoa no momento",
    63038: "o limite diário de mensagens foi atingido",
    63051: "o número da empresa está bloqueado pelo WhatsApp",
}


def delivery(message: Message) -> Sign | None:
    """How far a line of ours has come, with the cause of a failure; None for what is never sent."""
    if message.status in (Status.RECEIVED, Status.NOTE):
        return None
    sign = STATES[Status(message.status)]
    if message.status != Status.FAILED:
        return sign
    return Sign(sign.icon, f"Falhou: {failure(message.error_code)}")


def failure(code: int | None) -> str:
    """Why a line could not be delivered, by the vendor's code."""
    return _FAILURES.get(code or 0, f"código {code}" if code else "o WhatsApp não disse por quê")


KINDS = {
    "image": "Imagem",
    "audio": "Áudio",
    "video": "Vídeo",
    "document": "Documento",
    "sticker": "Figurinha",
    "location": "Localização",
    "contact": "Contato",
    "contacts": "Contato",
    "reaction": "Reação",
    "system": "Aviso do WhatsApp",
    "unsupported": "Mensagem de um tipo que não chega aqui",
    "empty": "Mensagem vazia",
}


def kind(code: str) -> str:
    """What a line is that is no text."""
    return KINDS.get(code, "Anexo")


def preview(text: str) -> str:
    """The last line as a list shows it: of what is no text, what it is."""
    return kind(text[1:-1]) if text[:1] == "[" and text[1:-1] in KINDS else text


TOOLS = {
    "buscar_servicos": "Consulta de serviços",
    "buscar_horarios": "Busca de horários",
    "agendar": "Agendamento",
    "meus_agendamentos": "Agendamentos do cliente",
    "remarcar": "Remarcação",
    "cancelar": "Cancelamento",
    "lista_de_espera": "Lista de espera",
    "chamar_atendente": "Chamada de atendente",
}
ERROR_CLASSES = {
    "invalid_input": "dados inválidos",
    "domain_rule": "regra da agenda",
    "unknown_tool": "ferramenta inexistente",
    "infrastructure": "sistema indisponível",
    "bug": "erro interno",
    "repeated": "repetida",
    "not_executed": "não executada",
}


def number(value: int) -> str:
    """ "12.345" """
    return f"{value:,}".replace(",", ".")


def ago(now: datetime, then: datetime) -> str:
    """How long since, in the largest whole unit: "agora", "12 min", "3 h", "2 dias"."""
    minutes = max(0, (now - then) // timedelta(minutes=1))
    if minutes < 1:
        return "agora"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h"
    days = minutes // (24 * 60)
    return "1 dia" if days == 1 else f"{days} dias"


def clock(moment: datetime, zone: ZoneInfo) -> str:
    """Local time of day: "14:05"."""
    return f"{moment.astimezone(zone):%H:%M}"


def moment(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """A day and a time of day: "14:05" today, else "amanhã, 09:00"."""
    of, today = at.astimezone(zone).date(), now.astimezone(zone).date()
    return clock(at, zone) if of == today else f"{day(of, today)}, {clock(at, zone)}"


def day(of: date, today: date) -> str:
    """A date as people say it: "hoje", "ontem", "amanhã", else with weekday and date."""
    near = {-1: "ontem", 0: "hoje", 1: "amanhã"}.get((of - today).days)
    return near or long_day(of, today)


def long_day(of: date, today: date) -> str:
    """A date with its weekday: "quinta, 3 de dezembro", with the year where it is not today's."""
    year = "" if of.year == today.year else f" de {of.year}"
    return f"{WEEKDAYS[of.weekday()]}, {of.day} de {MONTHS[of.month - 1]}{year}"


def headline(of: date, today: date) -> str:
    """A date as a heading: "hoje, quinta, 3 de dezembro"."""
    near = day(of, today)
    whole = long_day(of, today)
    return whole if near == whole else f"{near}, {whole}"


def short_day(of: date, today: date) -> str:
    """A date for a narrow column: "ontem", "03/12", "03/12/25"."""
    if (today - of).days == 1:
        return "ontem"
    return f"{of:%d/%m}" if of.year == today.year else f"{of:%d/%m/%y}"


_BRAZILIAN = re.compile(r"\+55(\d\d)(\d{4,5})(\d{4})")


def phone(address: str) -> str:
    """An address as people write a phone; an address without a number (a WhatsApp id) is said to be one."""
    number = address.removeprefix("whatsapp:")
    found = _BRAZILIAN.fullmatch(number)
    if found:
        return "+55 {} {}-{}".format(*found.groups())
    return number if number.startswith("+") else "sem número de telefone"


def person(name: str, address: str) -> str:
    """What to call a customer: the name, else the phone, where there is one."""
    return name.strip() or (phone(address) if address else "cliente sem nome")
