"""Fixed sentences of the assistant. None claims that something was arranged: only a tool's words do."""

from collections.abc import Sequence
from datetime import datetime

from bot.llm.rule_based.state.tracker import PUZZLED, Asked, numbered
from bot.llm.rule_based.tool_results import Service
from tools.portuguese import length

MOST_SERVICES = 15

# Behind "não entendi", where a yes does not say which.
SAY_WHICH = {
    Asked.SERVICE: "qual serviço: pode escrever o nome ou o número dele.",
    Asked.PERSON: "com quem: pode escrever o nome ou, se tanto faz, “tanto faz”.",
    Asked.DAY: "qual dia: pode escrever, por exemplo, “quinta” ou “dia 12”.",
    Asked.WHICH_DAY: "qual dos dias: pode escrever o número dele.",
    Asked.TIME: "qual horário: pode escrever, por exemplo, “10h”.",
    Asked.SLOT: "qual deles: pode escrever o número.",
    Asked.WHICH_CANCEL: "qual deles: pode escrever o número.",
    Asked.WHICH_MOVE: "qual deles: pode escrever o número.",
    Asked.MOVE_OR_CANCEL: "o que prefere: pode escrever “remarcar” ou “cancelar”.",
    Asked.CHANGES: "o que mudar: pode escrever o serviço, o profissional, o dia ou o horário.",
}

STAFF_COMES = "Uma pessoa da nossa equipe vai continuar por aqui."
STAFF_CALLED = "Claro, já chamei uma pessoa da nossa equipe! 😊"
WORD_FOR_PERSON = "Se preferir falar com uma pessoa da equipe, é só escrever “atendente”."
FAILED = f"Desculpe, tive um problema com a agenda agora e não consegui concluir o seu pedido. {STAFF_COMES}"
UNCLEAR_WRITE = (
    "Desculpe, tive um problema com a agenda agora e não sei dizer se o seu pedido foi concluído. Uma pessoa "
    "da nossa equipe vai conferir e continuar por aqui."
)
UNFINISHED = "Ainda não consegui concluir o seu pedido."
UPSET = "Sinto muito por isso. Já chamei uma pessoa da nossa equipe para ver com você."
NOT_HERE = "Isso eu não consigo fazer por aqui."
NEVER_MIND = "Tudo bem, deixo como está. Quando quiser, é só me chamar. 😊"
TAKE_YOUR_TIME = "Sem pressa! Quando decidir, é só me chamar por aqui. 😊"
NO_HURRY = "Sem pressa! 😊"
ONE_EACH = "Para duas pessoas marco um horário de cada vez. 😊"
YOU_ARE_WELCOME = "Por nada! Qualquer coisa, é só me chamar. 😊"
GOODBYE = "Até mais! Qualquer coisa, é só me chamar. 😊"
NO_PROBLEM = "Sem problema!"
AGREED = "Combinado! 😊"
YOUR_NAME = "Se puder, me diga também o seu nome. 😊"
OUR_SERVICES = "Nossos serviços:"
CHEAPEST_FIRST = "Do mais em conta ao mais caro:"
PRICES_HERE = "Os valores estão aqui. 😊"
HOLIDAYS = "Sobre feriados, me diga a data que eu olho na agenda. 😊"
MISTAKEN = "Sem problema! Se precisar de um horário, é só me chamar. 😊"
NOT_KNOWN = "Isso eu não sei dizer por aqui, mas uma pessoa da equipe pode responder."
HOW_TO_HELP = "Como posso ajudar?"
HERE = "Estou por aqui! 😊"
NOT_TEXT = "Recebi {what}, mas por aqui só consigo ler texto. Pode me escrever o que você precisa?"
LANGUAGE = "Eu respondo em português, mas entendo um pouco de inglês e espanhol. 😊"
PAST_VISITS = "Daqui eu não consigo ver as suas visitas anteriores."
STILL_PUZZLED = "Ainda não consegui entender, desculpe."
ROBOT = (
    "Sou um assistente virtual, um programa. Cuido dos horários por aqui e, se preferir, chamo uma pessoa da "
    "equipe."
)
NO_SUCH_SERVICE = "Poxa, não encontrei esse serviço por aqui. 😕"
NO_SUCH_PERSON = "Não encontrei essa pessoa na equipe para esse atendimento."
NOW_THE_REST = "Agora vamos ao que falta. 😊"
ANYTHING_ELSE = "Se precisar de mais alguma coisa, é só me chamar."
NOBODY = "No momento não há profissional com agenda aberta para isso."
NO_SERVICES = "No momento não há serviços com agenda aberta por aqui."
NO_APPOINTMENTS = "Não encontrei nenhum horário futuro no seu nome."
NOT_YOURS = "Não encontrei {what} no seu nome. O que tenho:"
NO_LONGER = "Esse horário já não aparece no seu nome. Posso ver outro para você?"
RUNNING_LATE = "Obrigado por avisar! Eu não consigo passar esse recado por aqui."
STOP_MESSAGES = "Entendi, você não quer mais receber mensagens. Isso uma pessoa da equipe resolve."
WHAT_TO_STOP = "Se a ideia é não receber mais mensagens, uma pessoa da equipe resolve isso."
NO_NOTICES = (
    "Você pediu para não receber avisos, então não posso colocar você na lista de espera. Se quiser voltar a "
    "receber, é só escrever “voltar”."
)
NO_NEED_TO_WAIT = "Nem precisa esperar: ainda tenho horário livre."
UNKNOWN_HERE = "eu não tenho aqui; uma pessoa da equipe pode informar."
HOURS_UNKNOWN = f"O horário de funcionamento {UNKNOWN_HERE}"
PRIVATE_CONTACT = (
    "Contatos particulares eu não posso passar, mas por aqui mesmo posso marcar um horário para você. 😊"
)
THIS_WHATSAPP = "Nosso WhatsApp é este mesmo, por onde estamos conversando. 😊"
ADDRESS_UNKNOWN = f"O endereço {UNKNOWN_HERE}"


def contact_unknown(what: str) -> str:
    """Of "o site" and the like."""
    return f"{what[:1].upper()}{what[1:]} {UNKNOWN_HERE}"


def hello(now: datetime) -> str:
    return "Bom dia" if 4 <= now.hour < 12 else "Boa tarde" if 12 <= now.hour < 18 else "Boa noite"


def abilities(tools: frozenset[str]) -> str:
    """What can be done with these tools, as the end of a sentence that begins "posso"."""
    verbs = [verb for tool, verb in _VERBS if tool in tools]
    able = [
        "mostrar os serviços e preços" if "buscar_servicos" in tools else "",
        f"{listed(verbs)} um horário" if verbs else "",
        "chamar uma pessoa da equipe" if "chamar_atendente" in tools else "",
    ]
    return listed([words for words in able if words], "e")


_VERBS = (("agendar", "marcar"), ("remarcar", "mudar"), ("cancelar", "cancelar"))


def notice(minutes: int) -> str:
    """Until when one may cancel or move."""
    return f"Dá para cancelar ou remarcar por aqui até {length(minutes)} antes do horário. 😊"


def first_name(name: str) -> str:
    """A first name to greet with; "" for what does not look like one."""
    first = name.split()[0] if name.split() else ""
    return first if first.isalpha() and 2 <= len(first) <= 20 else ""


def welcome(business: str, tools: frozenset[str]) -> str:
    who = f"Aqui é o assistente virtual – {business}." if business else "Aqui é o assistente virtual."
    can = abilities(tools)
    return f"{who} Posso {can}. Como posso ajudar?" if can else f"{who} Como posso ajudar?"


def puzzled(tools: frozenset[str]) -> str:
    can = abilities(tools)
    return f"{PUZZLED} bem. Por aqui eu cuido dos horários" + (f": posso {can}." if can else ".")


def service_line(service: Service) -> str:
    """ "Corte feminino – 60 min, R$ 120,00" """
    return f"{service.name} – {service.minutes} min, {service.price}"


def service_with_team(service: Service) -> str:
    team = listed([person.name for person in service.team])
    return f"{service_line(service)}" + (f", com {team}" if team else "")


def listed(names: Sequence[str], joint: str = "ou") -> str:
    """ "Ana, Bia ou Caio" """
    return f" {joint} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def not_offered(names: Sequence[str]) -> str:
    """That there is no such service here; "" where none is missed."""
    return f"{listed(names, 'e')} eu não encontrei por aqui. 😕" if names else ""


def one_by_one(wished: Sequence[Service], first: Sequence[Service]) -> str:
    """That not all of it can be done in one visit, and with what we begin."""
    everything, beginning = (listed([one.name for one in part], "e") for part in (wished, first))
    return f"{everything} são com profissionais diferentes. Vemos um de cada vez, começando por {beginning}."


def services_list(services: Sequence[Service]) -> str:
    """Numbered, the first of many."""
    shown = numbered([service_line(service) for service in services[:MOST_SERVICES]])
    more = len(services) - MOST_SERVICES
    return f"{shown}\ne mais {more}: diga o nome do que procura." if more > 0 else shown


def about_visit(services: Sequence[Service]) -> str:
    """How long it takes and what it costs, where all prices are known."""
    minutes = sum(service.minutes for service in services)
    cents = [_cents(service.price) for service in services]
    known = [cost for cost in cents if cost is not None]
    if len(known) < len(cents):
        return f"São {minutes} min, preço sob consulta." if len(cents) == 1 else f"São {minutes} min ao todo."
    total = "" if len(cents) == 1 else " ao todo"
    return f"São {minutes} min{total}, {_money(sum(known))}."


def _cents(price: str) -> int | None:
    digits = price.removeprefix("R$ ").replace(".", "").replace(",", "")
    return int(digits) if price.startswith("R$ ") and digits.isdigit() else None


def _money(cents: int) -> str:
    return f"R$ {cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"


def waiting(line: str) -> str:
    """What the waiting list said, told to the customer."""
    if line.startswith("Na lista"):
        return line.replace("Na lista", "Certo! Você está na lista", 1)
    return line.replace("Já estava", "Você já estava", 1)


def already_waits(lines: Sequence[str]) -> str:
    told = "\n".join(f"- {line}" for line in lines)
    return f"Você está na lista de espera:\n{told}\n\nSe abrir um horário, você recebe uma mensagem por aqui."


def or_staff(sentence: str) -> str:
    """A sentence, and the offer to call a person, to be answered with yes or no."""
    return f"{sentence}\n\n{Asked.STAFF.value}"
