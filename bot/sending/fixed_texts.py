"""Fixed texts to the customer, for when no model speaks. Portuguese, warm, without technical words."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from models.appointment import Details
from models.customer import Wish
from models.handoff import Reason
from models.message import Incoming
from models.tenant import Tenant
from models.usage import Over, Scope
from tools import portuguese

_SORRY = {
    Reason.REFUSAL: "Com esse pedido eu não consigo ajudar por aqui.",
    Reason.PEDIDO_DO_CLIENTE: "Certo!",
    Reason.LIMITE_DE_USO: "Recebi muitas mensagens por hoje e preciso fazer uma pausa.",
    Reason.MIDIA_NAO_SUPORTADA: "Não consigo ver nem ouvir esse tipo de mensagem.",
}
_DEFAULT = "Desculpe, não consegui concluir o seu pedido agora."
_IDS = re.compile(r" \((?:agendamento|profissional|servico)_id \d+\)")


def handoff_text(
    reason: Reason, tenant: Tenant, now: datetime, *, said: str | None, writes: Sequence[str] = ()
) -> str:
    """What the customer reads when people take over.

    `said` are the model's own last words; without them a fixed sentence stands there. What was done in the
    run (`writes`, results of tools) is told if `said` does not tell it. The expectation is always ours.
    """
    done = [line for write in writes if not _tells(said or "", line := _IDS.sub("", write))]
    if said is None and not done:
        said = _SORRY.get(reason, _DEFAULT)
    paragraphs = [
        said,
        "\n".join(done),
        expectation(tenant, now, told=_PERSON.search(said or "") is not None),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


_PERSON = re.compile(r"\b(pessoa|equipe|atendente)\b", re.IGNORECASE)
_TIME = re.compile(r"às (\d\d):(\d\d)")


def _tells(said: str, done: str) -> bool:
    """Whether the words name the time of what was done: "10:30", "10h30" or "10h"."""
    times = _TIME.findall(done)
    return all(
        re.search(rf"\b0?{int(hour)}(:{minute}|h{minute}|h\b(?!\d))", said) for hour, minute in times[-1:]
    ) and bool(times)


def expectation(tenant: Tenant, now: datetime, *, told: bool = False) -> str:
    """That a person continues, and when. Where the words before have `told` the first, only what is new."""
    opens = tenant.next_attendance(now)
    if opens is None or opens <= now:
        return "" if told else _IN_HOURS
    back = f"Nossa equipe volta {_opening(tenant, opens, now)}; sua mensagem está na fila."
    return back if told else f"Uma pessoa da equipe vai continuar por aqui. {back}"


_IN_HOURS = "Uma pessoa da equipe vai continuar o atendimento por aqui. Pode continuar escrevendo. 🙂"


def _opening(tenant: Tenant, opens: datetime, now: datetime) -> str:
    """When people are back; of today nobody needs the date."""
    local, today = opens.astimezone(tenant.zone), now.astimezone(tenant.zone)
    return f"hoje, às {local:%H:%M}" if local.date() == today.date() else when(tenant, opens, now)


def contact(tenant: Tenant, name: str, when: str) -> str:
    """What the template says by which staff take up a talk after WhatsApp's window has shut."""
    hello = f"Olá, {name}!" if name else "Olá!"
    return f"{hello} Aqui é {tenant.name}, sobre a sua mensagem de {when}. Podemos continuar por aqui?"


def came_back(tenant: Tenant, now: datetime) -> str:
    """What the customer reads who writes again soon after people had settled their matter."""
    return f"Recebi sua mensagem! {expectation(tenant, now)}"


# There the bot could not go on either, or would stop again at once.
_NO_WAY_BACK = (Reason.LIMITE_DE_USO, Reason.MODELO_INDISPONIVEL, Reason.ERRO_INTERNO)


def still_waiting(reason: str | None) -> str:
    """What the customer reads whom nobody has answered for some time."""
    sorry = "Desculpe a demora! Ainda não consegui uma pessoa da equipe, mas sua mensagem continua na fila."
    way_back = "Se preferir, responda *BOT* para voltar ao assistente."
    return sorry if reason in _NO_WAY_BACK else f"{sorry}\n\n{way_back}"


def back_text(tenant: Tenant) -> str:
    """What the customer reads when the bot takes over again."""
    return f"Voltei! Sou o assistente de {tenant.name}. Posso ajudar com seu horário?"


def stopped(tenant: Tenant, *, booked: bool) -> str:
    """What the customer reads who wants no more messages. The last one that we write by ourselves."""
    kept = " Seus agendamentos continuam valendo." if booked else ""
    return (
        f"Tudo bem! {tenant.name} não vai mais enviar lembretes nem avisos para você.{kept}\n\n"
        "Se mudar de ideia, é só escrever *voltar*. E quando precisar de um horário, pode me chamar. 🙂"
    )


def started(tenant: Tenant) -> str:
    """What the customer reads who wants to be written to again."""
    return f"Que bom! Você voltou a receber os lembretes e avisos de {tenant.name}. Posso ajudar em algo?"


def no_promotion(tenant: Tenant) -> str:
    """What the customer reads who wants no advertising."""
    return (
        f"Tudo bem! Por aqui {tenant.name} não envia promoções: só lembretes e avisos dos seus horários, e "
        "esses continuam. Se também não quiser recebê-los, é só escrever *sair*."
    )


def heeded(tenant: Tenant, wish: Wish) -> str:
    """What the customer reads of such a wish while people hold the conversation."""
    if wish == Wish.PROMOTION:
        return no_promotion(tenant)
    if wish == Wish.STOP:
        return (
            f"Tudo bem! {tenant.name} não vai mais enviar lembretes nem avisos para você. Esta conversa com "
            "a equipe continua.\n\nSe mudar de ideia, é só escrever *voltar*."
        )
    return f"Pronto! Você voltou a receber os lembretes e avisos de {tenant.name}."


def with_confirmation(tenant: Tenant, incoming: Incoming) -> Incoming:
    """A message with the words that confirm its wish, if it has one."""
    if incoming.wish is None:
        return incoming
    return replace(incoming, confirmation=heeded(tenant, incoming.wish))


def first_name(name: str) -> str:
    """How we address a customer; "" where what WhatsApp says is no name."""
    first = name.split()[0] if name.split() else ""
    return first if first.isalpha() else ""


def when(tenant: Tenant, starts_at: datetime, now: datetime) -> str:
    """ "amanhã, quinta-feira, 03/12/2026, às 10:00", as it is true now"""
    ahead = (starts_at.astimezone(tenant.zone).date() - now.astimezone(tenant.zone).date()).days
    near = {0: "hoje, ", 1: "amanhã, "}.get(ahead, "")
    return f"{near}{portuguese.moment(starts_at, tenant.zone)}"


def what(visit: Details) -> str:
    """ "Corte feminino com Ana Souza" """
    return f"{portuguese.listed(visit.services)} com {visit.professional}"


def reminder(tenant: Tenant, name: str, visit: Details, now: datetime) -> str:
    """The reminder of a visit."""
    hello = f"Oi, {name}!" if name else "Oi!"
    lines = [
        f"{hello} Aqui é {tenant.name}, passando para lembrar do seu horário:",
        "",
        f"*{when(tenant, visit.starts_at, now)}*",
        what(visit),
        *([f"📍 {tenant.address}"] if tenant.address else []),
        "",
        _asked(visit, now, tenant),
    ]
    return "\n".join(lines)


def _asked(visit: Details, now: datetime, tenant: Tenant) -> str:
    if visit.confirmed:
        return "Sua presença já está confirmada. Se precisar, responda *remarcar* ou *cancelar*."
    late = visit.starts_at < now + timedelta(minutes=tenant.cancel_notice_minutes)
    people = " Como falta pouco, para mudar ou cancelar a equipe precisa ajudar." if late else ""
    return f"Responda *confirmar*, *remarcar* ou *cancelar*.{people}"


def confirmed(tenant: Tenant, visit: Details, now: datetime) -> str:
    """The answer to who says that they will come."""
    return f"Presença confirmada! Esperamos você {when(tenant, visit.starts_at, now)}: {what(visit)}. 🙂"


def offer(tenant: Tenant, name: str, *, what: str, start: datetime, until: datetime, now: datetime) -> str:
    """What somebody on the waiting list reads when a time has opened for them."""
    hello = f"Oi, {name}!" if name else "Oi!"
    return (
        f"{hello} Aqui é {tenant.name}. Abriu um horário que você esperava:\n\n"
        f"*{when(tenant, start, now)}*\n{what}\n\n"
        f"Quer ficar com ele? Responda *quero* até as {until.astimezone(tenant.zone):%H:%M}. Depois disso, "
        "ofereço à próxima pessoa da lista."
    )


def left_list(waited_for: Sequence[str]) -> str:
    """What somebody reads who asked to be taken off the waiting list."""
    lines = "\n".join(f"• {line}" for line in waited_for)
    return (
        f"Pronto, tirei você da lista de espera:\n\n{lines}\n\n"
        "Se quiser voltar para ela, ou marcar outro horário, é só me escrever. 🙂"
    )


STICKER = "Recebi sua figurinha! 😄 Para eu ajudar com um horário, me escreve o que você precisa?"
EMPTY = "Recebi sua mensagem, mas ela chegou sem nada escrito. 😕 Pode me escrever de novo?"
WRITE_ON = "Pode escrever! Me conta o que você precisa: marcar, mudar ou ver um horário?"
_UNREAD = {
    "audio": "Recebi seu áudio, mas não consegui ouvir.",
    "image": "Recebi sua imagem, mas não consigo ver imagens por aqui.",
    "video": "Recebi seu vídeo, mas não consigo ver vídeos por aqui.",
    "document": "Recebi seu arquivo, mas não consigo abrir arquivos por aqui.",
}


def unread(kind: str) -> str:
    """That something could not be heard or seen, and how to go on (the answers follow)."""
    return f"{_UNREAD[kind]} 😕 Como você prefere continuar?"


def unsaid(what: str, tenant: Tenant, starts_at: datetime, why: str) -> str:
    """For staff: that the customer did not get what we wanted to write of a time, and why."""
    when = portuguese.moment(starts_at, tenant.zone)
    return f"{what} não enviado, sobre {when}. Motivo: {why}. Se for importante, vale ligar."


REMINDER, OFFER = "Lembrete", "Aviso da lista de espera"
UNSAID_WITHOUT_TEMPLATE = (
    "faz mais de 24 horas que a pessoa escreveu, e não há um modelo aprovado para este aviso"
)
UNSAID_BY_FAULT = "houve um erro interno"


def unsaid_code(code: int | None) -> str:
    return f"o WhatsApp não entregou (código {code})" if code else "o WhatsApp não entregou"


def not_served(tenant: Tenant) -> str:
    """What customers read of a business that is disabled."""
    return (
        f"Oi! No momento {tenant.name} não está atendendo por este número. "
        "Por favor, fale com o estabelecimento por outro canal."
    )


def limit_detail(over: Over) -> str:
    """For staff: which limit was reached, and how much was used of that of the day."""
    if over.scope == Scope.BUDGET:
        return "O orçamento do mês para o assistente acabou; quem cuida da instalação pode aumentá-lo."
    whose = "Este cliente" if over.scope == Scope.CUSTOMER else "O negócio"
    tokens = f"{over.used.input_tokens:,}".replace(",", ".")
    return f"{whose} chegou ao limite do dia: {over.used.runs} respostas automáticas, {tokens} tokens lidos."
