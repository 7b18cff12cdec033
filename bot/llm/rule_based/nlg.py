"""What the assistant says. Free to change: nobody reads it back."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from bot.intents.choices import Choice, Question
from bot.llm.rule_based.nlu.entities import Catalogue
from bot.llm.rule_based.nlu.times import PARTS, Hours
from bot.llm.rule_based.policy.steps import Reply
from bot.llm.rule_based.state.slots import PERIOD_WORDS, Act, Asked, Form, Full
from tools import portuguese
from tools.facts import Booked, Cancelled, Fact, Moved, Offer, Visit, Waiting

STAFF_COMES = "Uma pessoa da nossa equipe vai continuar por aqui."
STAFF_CALLED = "Claro, já chamei uma pessoa da nossa equipe! 😊"
UPSET = "Sinto muito por isso. Já chamei uma pessoa da nossa equipe para ver com você."
HEALTH = "Sobre saúde eu não posso orientar, mas já chamei uma pessoa da nossa equipe para falar com você."
EMERGENCY = "Em caso de emergência, ligue agora para o 192 ou o 190. Já chamei uma pessoa da nossa equipe."
LATE = "Obrigado por avisar! Já passei o recado para a nossa equipe. 😊"
FAILED = f"Desculpe, tive um problema com a agenda agora e não consegui concluir o seu pedido. {STAFF_COMES}"
UNCLEAR_WRITE = (
    "Desculpe, tive um problema com a agenda agora e não sei dizer se o seu pedido foi concluído. Uma pessoa "
    "da nossa equipe vai conferir e continuar por aqui."
)
UNFINISHED = "Ainda não consegui concluir o seu pedido."
CLOSING = "Qualquer coisa é só chamar! 😊"
NOT_HERE = "Isso eu não consigo fazer por aqui."
NEVER_MIND = "Tudo bem, deixo como está. Quando quiser, é só me chamar. 😊"
TAKE_YOUR_TIME = "Sem pressa! Quando decidir, é só me chamar por aqui. 😊"
NO_HURRY = "Sem pressa! 😊"
NO_PROBLEM = "Sem problema!"
SEE_YOU_SOON = "Combinado, até já! 😊"
WELCOME_BACK = "Que bom! 😊"
YOU_ARE_WELCOME = "Por nada! Qualquer coisa, é só me chamar. 😊"
GOODBYE = "Até mais! Qualquer coisa, é só me chamar. 😊"
MISTAKEN = "Sem problema! Se precisar de um horário, é só me chamar. 😊"
HERE = "Estou por aqui! 😊"
HOW_TO_HELP = "Como posso ajudar?"
ROBOT = (
    "Sou o assistente virtual, um programa: não sou uma pessoa. Cuido dos horários por aqui e, se preferir, "
    "chamo alguém da equipe."
)
LANGUAGE = "Eu respondo em português, mas entendo um pouco de inglês e espanhol. 😊"
NOT_TEXT = "Recebi {what}, mas por aqui só consigo ler texto. Pode me escrever o que você precisa?"
PAST_VISITS = "Daqui eu não consigo ver as suas visitas anteriores."
NOT_KNOWN = "Isso eu não sei dizer por aqui, mas uma pessoa da equipe pode responder."
PUZZLED = "Desculpe, não entendi bem."
STILL_PUZZLED = "Ainda não consegui entender, desculpe. Pode escolher um número, ou falar com uma pessoa:"
WHICH_ONE = "Preciso saber qual deles: é só escrever o número."
WORD_FOR_PERSON = "Se preferir falar com uma pessoa da equipe, é só escrever “atendente”."
NO_SUCH_PERSON = "Não encontrei essa pessoa na equipe para esse atendimento."
NO_SUCH_SERVICE = "Poxa, não encontrei esse serviço por aqui. 😕"
NOBODY = "No momento não há profissional com agenda aberta para isso."
NO_SERVICES = "No momento não há serviços com agenda aberta por aqui."
NO_VISITS = "Não encontrei nenhum horário futuro no seu nome."
NOT_YOURS = "Não encontrei {what} no seu nome. O que tenho:"
NO_LONGER = "Esse horário já não aparece no seu nome."
WHAT_TO_STOP = "Se a ideia é não receber mais mensagens, é só escrever “sair”."
NO_NOTICES = (
    "Você pediu para não receber avisos, então não posso colocar você na lista de espera. Se quiser voltar a "
    "receber, é só escrever “voltar”."
)
WORD_COMES = "Se abrir um horário, você recebe uma mensagem por aqui."
NO_NEED_TO_WAIT = "Nem precisa esperar: ainda tenho horário livre."
ONE_AT_A_TIME = "Por aqui marco um horário de cada vez; vamos ao primeiro."
ONE_EACH = "Não achei dois horários juntos, então marco um depois do outro. 😊"
TOGETHER = "Achei horário para as duas pessoas ao mesmo tempo; marco um e depois o outro. 😊"
NOT_OPEN_THEN = "Nesse horário não atendemos."
ASK_EXACT = "Tenho mais horários do que cabe mostrar. Se quiser uma hora exata, é só dizer."
MORE_TIMES = "Alguns dos horários livres; se pensou em outra hora, é só dizer."
YOUR_NAME = "Se puder, me diga também o seu nome. 😊"
HOLIDAYS = "Sobre feriados, me diga a data que eu olho na agenda. 😊"
UNKNOWN_HERE = "eu não tenho aqui; uma pessoa da equipe pode informar."
PRIVATE_CONTACT = (
    "Contatos particulares eu não posso passar, mas por aqui mesmo posso marcar um horário para você. 😊"
)
THIS_WHATSAPP = "Nosso WhatsApp é este mesmo, por onde estamos conversando. 😊"

QUESTIONS = {
    Asked.SERVICE: "Qual serviço você gostaria?",
    Asked.PERSON: "Com quem você prefere?",
    Asked.DAY: "Que dia fica bom para você?",
    Asked.WHICH_DAY: "Qual desses dias?",
    Asked.TIME: "Qual horário você prefere?",
    Asked.CHECK_HOUR: "Você quer dizer às 13:00?",
    Asked.CHANGES: "O que você prefere mudar: o dia, o horário, o serviço ou o profissional?",
    Asked.MOVE_OR_CANCEL: "Você quer remarcar ou cancelar?",
    Asked.PERSON_OF_STAFF: "Quer que eu chame uma pessoa da equipe?",
}
WHICH_VISIT = {Act.CANCEL: "Qual deles você quer cancelar?", Act.MOVE: "Qual deles você quer remarcar?"}
MOST_CHOICES = 10


# A reply as it goes out


def question(reply: Reply) -> Question | None:
    """The open question with its choices, if it has any."""
    state = reply.state
    body = "\n\n".join(filter(None, (reply.lead, state.words)))
    return Question(body, state.choices, "Ver opções" if state.numbered else "") if state.choices else None


def spoken(reply: Reply) -> str:
    """All of it as one text, the choices numbered where they are to be told."""
    asked = question(reply)
    if asked is None:
        return "\n\n".join(filter(None, (reply.lead, reply.state.words)))
    return asked.numbered() if asked.button else asked.body


def tappable(asked: Question) -> Question | None:
    """The question as buttons or a list can hold it; None where there are too many choices."""
    if len(asked.choices) > MOST_CHOICES:
        return None
    return replace(asked, choices=tuple(_fitting(one) for one in asked.choices)) if asked.button else asked


def _fitting(choice: Choice) -> Choice:
    """A title has 24 characters; of a longer one the whole stands below it."""
    if len(choice.title) <= 24:
        return replace(choice, description=portuguese.shortened(choice.description, 72))
    whole = ", ".join(filter(None, (choice.title, choice.description)))
    return Choice(choice.id, portuguese.shortened(choice.title, 24), portuguese.shortened(whole, 72))


# Days, hours, wishes


def day(value: date) -> str:
    """ "quinta-feira, 03/12/2026" """
    return portuguese.day(value)


def moment(value: datetime) -> str:
    """ "quinta-feira, 03/12/2026, às 10:00" """
    return f"{day(value)}, às {value:%H:%M}"


def days(values: Sequence[date]) -> str:
    if len(values) > 2 and values[-1] - values[0] == timedelta(days=len(values) - 1):
        return f"de {day(values[0])}, a {day(values[-1])}"
    return " ou ".join(day(value) for value in values)


_PART_NAMES = {window: name for name, window in PARTS.items()}


def hours(value: Hours) -> str:
    if value.starts:
        return "às " + " ou ".join(f"{start:%H:%M}" for start in value.starts)
    pick = {"first": "no primeiro horário", "last": "no último horário", "": ""}[value.pick]
    ends = f"terminando até as {value.ends_by:%H:%M}" if value.ends_by else ""
    return " ".join(filter(None, (_window(value), ends, pick)))


def _window(value: Hours) -> str:
    whole = Hours()
    if (value.earliest, value.latest) in _PART_NAMES:
        return _PART_NAMES[value.earliest, value.latest]
    if value.latest == whole.latest:
        return f"a partir das {value.earliest:%H:%M}" if value.earliest != whole.earliest else ""
    if value.earliest == whole.earliest:
        return f"até as {value.latest:%H:%M}"
    return f"entre {value.earliest:%H:%M} e {value.latest:%H:%M}"


def names(offers: Iterable[Offer]) -> str:
    """ "Corte masculino + Barba" """
    return " + ".join(one.name for one in offers)


def wish(form: Form, catalogue: Catalogue) -> str:
    """ "Corte feminino com Ana Souza, quinta-feira, 03/12/2026, à tarde"; "" if nothing is known.

    Of a move only what is new is told.
    """
    services = "" if form.act == Act.MOVE else names(catalogue.chosen(form.services))
    person = catalogue.person(form.person)
    who = f"com {person.name}" if person else "com qualquer profissional" if form.anyone else ""
    when = hours(form.hours) if form.hours else ""
    what = " ".join(filter(None, (services, who)))
    return ", ".join(filter(None, (what, days(form.days) if form.days else "", when)))


def settled(form: Form, later: Sequence[Form], catalogue: Catalogue, visit: Visit | None = None) -> str:
    """The lines that say what is known so far; "" if nothing is."""
    words = wish(form, catalogue)
    if visit is not None:
        lines = [f"Vamos mudar: {visit_line(visit)}.", f"Para: {words}." if words else ""]
    else:
        lines = [f"Então seria: {words}." if words else ""]
    return "\n".join(filter(None, [*lines, afterwards(later, catalogue)]))


def afterwards(later: Sequence[Form], catalogue: Catalogue) -> str:
    """The line that says what comes after this; "" if nothing."""
    told = [_later(form, catalogue) for form in later]
    return f"Depois vemos: {listed(told, 'e')}." if told else ""


def _later(form: Form, catalogue: Catalogue) -> str:
    verb = {Act.CANCEL: "cancelar ", Act.MOVE: "remarcar "}.get(form.act, "")
    return f"{verb}{wish(form, catalogue) or 'o outro horário'}"


def visit_line(visit: Visit) -> str:
    """ "Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30" """
    services = listed([one.name for one in visit.services], "e")
    return f"{services} com {visit.professional.name}, {moment(visit.starts_at)}"


# Services, prices, people


def about(offer: Offer) -> str:
    """ "60 min, R$ 120,00" """
    return f"{offer.minutes} min, {portuguese.price(offer.price_cents)}"


def with_team(offer: Offer) -> str:
    team = listed([person.name for person in offer.professionals])
    return f"- {offer.name}: {about(offer)}" + (f", com {team}" if team else "")


def cost(offers: Sequence[Offer]) -> str:
    """How long it takes and what it costs, where all prices are known."""
    minutes = sum(one.minutes for one in offers)
    cents = [one.price_cents for one in offers]
    total = "" if len(offers) == 1 else " ao todo"
    if None in cents:
        return f"São {minutes} min{total}, preço sob consulta."
    return f"São {minutes} min{total}, {portuguese.price(sum(filter(None, cents)))}."


def listed(words: Sequence[str], joint: str = "ou") -> str:
    """ "Ana, Bia ou Caio" """
    return f" {joint} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def missed(what: Sequence[str]) -> str:
    """That there is no such service here; "" where none is missed."""
    return f"{listed(what, 'e')} eu não encontrei por aqui. 😕" if what else ""


def one_by_one(wished: Sequence[Offer], first: Sequence[Offer]) -> str:
    """That not all of it can be done in one visit, and with what we begin."""
    everything, beginning = (listed([one.name for one in part], "e") for part in (wished, first))
    return f"{everything} são com profissionais diferentes. Vemos um de cada vez, começando por {beginning}."


# The business and the talk


def hello(now: datetime, name: str) -> str:
    greeting = "Bom dia" if 4 <= now.hour < 12 else "Boa tarde" if 12 <= now.hour < 18 else "Boa noite"
    first = first_name(name)
    return f"{greeting}{f', {first}' if first else ''}! 😊"


def first_name(name: str) -> str:
    """A first name to greet with; "" for what does not look like one."""
    first = name.split()[0] if name.split() else ""
    return first if first.isalpha() and 2 <= len(first) <= 20 else ""


_VERBS = (("agendar", "marcar"), ("remarcar", "mudar"), ("cancelar", "cancelar"))


def abilities(tools: Iterable[str]) -> str:
    """What can be done with these tools, as the end of a sentence that begins "posso"."""
    verbs = [verb for tool, verb in _VERBS if tool in tools]
    able = [
        "mostrar os serviços e preços" if "buscar_servicos" in tools else "",
        f"{listed(verbs)} um horário" if verbs else "",
        "chamar uma pessoa da equipe" if "chamar_atendente" in tools else "",
    ]
    return listed([words for words in able if words], "e")


def welcome(business: str, tools: Iterable[str]) -> str:
    can = abilities(tools)
    who = f"Aqui é o assistente virtual – {business}." if business else "Aqui é o assistente virtual."
    return " ".join(filter(None, (who, f"Posso {can}." if can else "", HOW_TO_HELP)))


def full(value: Full) -> str:
    """ "quinta-feira, 03/12/2026, de manhã" """
    return ", ".join(filter(None, (day(value.day), PERIOD_WORDS.get(value.period or "", ""))))


def waiting(fact: Waiting) -> str:
    """A place on the list, told to who has it."""
    part = PERIOD_WORDS.get(fact.period or "", "")
    who = f"com {fact.professional.name}" if fact.professional else ""
    return ", ".join(filter(None, (fact.service.name, day(fact.day), part, who)))


def notice(minutes: int) -> str:
    """Until when one may cancel or move."""
    return f"Dá para cancelar ou remarcar por aqui até {portuguese.length(minutes)} antes do horário. 😊"


def contact_unknown(what: str) -> str:
    """Of "o site" and the like."""
    return f"{what[:1].upper()}{what[1:]} {UNKNOWN_HERE}"


def done(facts: Iterable[Fact]) -> str:
    """What was written, told to the customer."""
    return "\n\n".join(filter(None, map(_done, facts)))


def _done(fact: Fact) -> str:
    match fact:
        case Booked(visit, already):
            return f"{'Já estava agendado' if already else '✅ Agendado'}: {visit_line(visit)}."
        case Moved(visit):
            return f"✅ Remarcado: {visit_line(visit)}."
        case Cancelled(visit, already):
            return f"{'Já estava cancelado' if already else '✅ Cancelado'}: {visit_line(visit)}."
        case Waiting(already=already, window=window):
            told = "Você já estava" if already else "✅ Você está"
            hint = " A mensagem só chega se você tiver escrito aqui nas últimas 24 horas." if window else ""
            return f"{told} na lista de espera: {waiting(fact)}. {WORD_COMES}{hint}"
    return ""
