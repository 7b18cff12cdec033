"""What to answer: one decision after the other, the more pressing first."""

import re
from collections.abc import Callable
from dataclasses import replace

from bot.intents.choices import Choice
from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu import about
from bot.llm.rule_based.nlu.customer_name import introduced, third_person
from bot.llm.rule_based.nlu.entities import heard_in, is_of_team
from bot.llm.rule_based.nlu.normalise import normalise, words_of
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.policy import info, own_visits
from bot.llm.rule_based.policy.ask import ask, confirm, or_staff, see_times, standing, with_open
from bot.llm.rule_based.policy.book import booking, coming_days
from bot.llm.rule_based.policy.carry_out import carried_out
from bot.llm.rule_based.policy.catalogue import with_catalogue
from bot.llm.rule_based.policy.closing import CALLED
from bot.llm.rule_based.policy.fill import filled
from bot.llm.rule_based.policy.join_waitlist import proposed, waiting
from bot.llm.rule_based.policy.steps import Call, Reply, Talk
from bot.llm.rule_based.policy.turn import Turn, local, one_of
from bot.llm.rule_based.request import Request
from bot.llm.rule_based.state.slots import STAFF, Act, Asked, Form, State
from tools import portuguese

_BOOKING_TOPICS = (
    Topic.BOOK,
    Topic.WHEN_FREE,
    Topic.ANYONE,
    Topic.OTHER_DAY,
    Topic.OTHER_TIME,
    Topic.OTHER_PERSON,
    Topic.OTHER_SERVICE,
)
_ASKS_FOR_FACTS = (Asked.SERVICE, Asked.PERSON, Asked.DAY, Asked.WHICH_DAY, Asked.TIME, Asked.CHECK_HOUR)
_TO_PEOPLE = (Topic.PERSON, *(topic for topic, _ in CALLED))
_MEDIA = {
    "audio": "um áudio",
    "image": "uma imagem",
    "video": "um vídeo",
    "document": "um documento",
    "sticker": "uma figurinha",
    "location": "uma localização",
    "contact": "um contato",
}


def conversation(told: Request) -> Talk:
    """The reply that answers this turn, after the calls that it needs."""
    if told.context is None:  # nobody who does not know the day can talk about days
        yield (Call("chamar_atendente", (("motivo", "O assistente não recebeu a data e a hora."),)),)
        return Reply(nlg.STAFF_CALLED)
    turn = Turn(told, told.context, _with_offer(told), told.context.lines)
    reply = yield from _answered(turn)
    if turn.about(Topic.GREETING) and not told.spoken:
        return reply.after(nlg.hello(turn.now, told.context.customer or reply.state.name))
    return reply


def _with_offer(told: Request) -> State:
    """The state, where a time that the waiting list keeps for the customer is as good as proposed: it is the
    last that they read.
    """
    held, state = told.held, told.state
    if held is None or state.asked != Asked.NOTHING or told.reminded is not None:
        return state
    form = Form(services=(held.service.id,)).at(held.professional.id, local(held.starts_at))
    what = f"{held.service.name} com {held.professional.name}"
    words = f"Posso confirmar: {what}, {nlg.moment(local(held.starts_at))}?"
    return replace(state, asked=Asked.CONFIRM, form=form, words=words)


def _answered(turn: Turn) -> Talk:
    for fits, answer in _PRESSING:
        if fits(turn):
            return (yield from answer(turn))
    turn = yield from with_catalogue(turn)
    turn = _introduced(turn)
    answer = next((answer for fits, answer in _DECISIONS if fits(turn)), _unknown)
    return (yield from answer(turn))


def _introduced(turn: Turn) -> Turn:
    """The turn without the name that the customer gives in it, unless that is one of this business's; and
    with that of the person for whom it is.
    """
    whose = third_person(turn.lines)
    if whose is not None:
        form = replace(turn.form, whose=whose.name) if whose.name else turn.form
        return replace(turn.with_state(replace(turn.state, form=form)), lines=whose.lines)
    known = bool(turn.context.customer)
    given = introduced(turn.lines, answering=not known and turn.state.asked == Asked.CONFIRM)
    if given is None:
        return turn
    if heard_in(normalise(given.name), turn.catalogue).service or is_of_team(given.name, turn.catalogue):
        return turn
    return replace(turn, lines=given.lines, name="" if known else given.name)


# What is pressing


def _agreed_to_person(turn: Turn) -> bool:
    chosen = turn.choice.kind if turn.choice else ""
    return chosen == "staff" or (turn.state.asked == Asked.PERSON_OF_STAFF and chosen == "yes")


def _call_person(turn: Turn) -> Talk:
    if not turn.can("chamar_atendente"):
        can = nlg.abilities(turn.request.tools)
        return Reply(f"{nlg.NOT_HERE} Por aqui posso {can}." if can else nlg.NOT_HERE, turn.state)
    yield (Call("chamar_atendente", (("motivo", _motive(turn)),)),)
    words = next((words for topic, words in CALLED if turn.about(topic)), nlg.STAFF_CALLED)
    return Reply(words, turn.state.afresh)


_MOTIVES = {
    Topic.EMERGENCY: "Pode ser uma emergência",
    Topic.UPSET: "Está insatisfeito",
    Topic.HEALTH: "Pergunta sobre saúde",
    Topic.LATE: "Avisa que vai se atrasar",
    Topic.AT_THE_DOOR: "Avisa que chegou",
    Topic.PERSON: "Pediu para falar com uma pessoa",
}


def _motive(turn: Turn) -> str:
    """For staff: the request in the customer's own words, and the visit that it is about."""
    what = next(
        (words for topic, words in _MOTIVES.items() if turn.about(topic)), "Aceitou falar com uma pessoa"
    )
    said = portuguese.shortened(" ".join(turn.lines), 120)
    next_visit = turn.visits[0] if turn.visits and turn.about(Topic.LATE, Topic.AT_THE_DOOR) else None
    about_visit = f" (horário: {nlg.visit_line(next_visit)})" if next_visit else ""
    open_words = turn.state.words.partition("\n")[0]
    arranging = f" (combinava: {open_words})" if turn.form.begun and open_words and not about_visit else ""
    return f"{what}: “{said}”{about_visit}{arranging}"


def _about(*topics: Topic) -> Callable[[Turn], bool]:
    return lambda turn: turn.about(*topics)


def _said(text: str) -> Callable[[Turn], Talk]:
    def answer(turn: Turn) -> Talk:
        yield from ()
        return Reply(text, turn.state.afresh)

    return answer


def _keeping(text: Callable[[Turn], str]) -> Callable[[Turn], Talk]:
    """A few words before the question that is open."""

    def answer(turn: Turn) -> Talk:
        yield from ()
        return with_open(turn, text(turn))

    return answer


def _offering_staff(text: str) -> Callable[[Turn], Talk]:
    def answer(turn: Turn) -> Talk:
        yield from ()
        return with_open(turn, text, otherwise=or_staff(turn, ""))

    return answer


def _chose(kind: str, asked: Asked | None = None) -> Callable[[Turn], bool]:
    return lambda turn: (
        turn.choice is not None and turn.choice.kind == kind and asked in (None, turn.state.asked)
    )


def _only_media(turn: Turn) -> bool:
    return bool(turn.context.media) and not turn.lines


def _told_media(turn: Turn) -> Talk:
    yield from ()
    what = _MEDIA.get(turn.context.media[0], "uma mensagem")
    return with_open(turn, nlg.NOT_TEXT.format(what=what), otherwise=or_staff(turn, ""))


def _confirms(turn: Turn) -> bool:
    """A yes to what stands proposed, or to waiting, and nothing else."""
    return _chose("yes", Asked.CONFIRM)(turn) and len(turn.lines) <= 1 and not third_person(turn.lines)


# Decisions that need a look at several things


def _declines(turn: Turn) -> bool:
    if turn.answer == "no":
        return not turn.wants_none_of_them
    unwanted = re.search(r"\bnao (?:quero|vou querer|preciso|precisa)\b[^,]*$", turn.reading.text)
    return turn.state.asked == Asked.SEE_TIMES and bool(unwanted) and not turn.reading.has_facts


_GIVES_UP = re.compile(
    r"\bdesist\w+|\besque[cç]\w*\b|\bnao (?:quero|posso|vou|da|rola) mais\b(?! nada)|\bnao vou\b"
)
_BARE_NO = {"nao", "negativo", "nope", "ainda", "👎", ","}


def _declined(turn: Turn) -> Talk:
    """A plain "não" to a proposal asks what to change; "não quero mais" ends it; to a person goes on without.

    Where nothing is open, who gives up means the visit that is booked.
    """
    state, form = turn.state, turn.form
    open_draft = form.begun and form.act in (Act.BOOK, Act.MOVE)
    if not open_draft and state.asked in (Asked.NOTHING, Asked.SEE_TIMES) and turn.visits and _gives_up(turn):
        return (yield from own_visits.cancelling(turn.with_state(state.afresh)))
    if state.asked == Asked.PERSON_OF_STAFF and open_draft and form.act == Act.BOOK:
        return (yield from booking(replace(turn, lines=()), nlg.NO_PROBLEM))
    bare = set(turn.reading.rest.split()) <= _BARE_NO
    if state.asked == Asked.CONFIRM and open_draft and bare and not turn.request.held:
        return ask(turn, Asked.CHANGES, form, state.later).after(nlg.NO_PROBLEM)
    if state.asked == Asked.CHECK_HOUR and bare:
        return ask(turn, Asked.TIME, replace(form, hours=None), state.later)
    if state.asked == Asked.NOTHING and _gives_up(turn) and not turn.visits and not form.begun:
        return see_times(turn).after(nlg.NO_VISITS)
    return Reply(nlg.NEVER_MIND, state.afresh)


def _gives_up(turn: Turn) -> bool:
    return bool(_GIVES_UP.search(turn.reading.text)) or turn.about(Topic.UNABLE)


def _will_see(turn: Turn) -> bool:
    begun = turn.state.asked != Asked.NOTHING
    return turn.answer == "later" and (begun or not (turn.reading.has_facts or turn.about(Topic.UNABLE)))


def _would_wait(turn: Turn) -> bool:
    """Asks for the waiting list, or takes none of the times around a full day."""
    if turn.about(Topic.WAITLIST) or _chose("wait")(turn) or turn.takes_waiting:
        return True
    bare_no = turn.answer == "no" and set(turn.reading.rest.split()) <= _BARE_NO
    none_of_them = bare_no or (turn.about(Topic.NONE_FITS) and not turn.reading.has_facts)
    return none_of_them and turn.state.full is not None and turn.state.asked in (Asked.TIME, Asked.DAY)


def _wait(turn: Turn) -> Talk:
    """ "Pode colocar" says yes to what was offered beside the question: it is done at once."""
    full = turn.state.full
    if full and turn.takes_waiting:
        reply = proposed(turn, turn.form, full)
        return (yield from carried_out(turn.with_state(reply.state)))
    return (yield from waiting(turn))


def _mistaken(turn: Turn) -> bool:
    """Whether somebody wrote to the wrong place; "errei, quero sexta" goes on."""
    return turn.about(Topic.MISTAKE) and not turn.about(*_BOOKING_TOPICS) and not turn.reading.has_facts


def _language(turn: Turn) -> Talk:
    yield from ()
    return with_open(turn, nlg.LANGUAGE, otherwise=see_times(turn))


def _usual(turn: Turn) -> Talk:
    return booking(turn, nlg.PAST_VISITS)


def _cancels(turn: Turn) -> bool:
    if _chose("cancel")(turn) or turn.wishes[0].reading.topics & {Topic.CANCEL}:
        return True
    elsewhere = turn.about(Topic.BOOK_NEW, Topic.MOVE, Topic.CHANGE)
    return (
        turn.form.act == Act.CANCEL
        and turn.state.asked == Asked.VISIT
        and _says_which(turn)
        and not elsewhere
    )


def _cancel(turn: Turn) -> Talk:
    """With nothing booked, "cancela" means the visit that is being arranged."""
    yield from ()
    if turn.choice and turn.choice.key and turn.choice.kind == "cancel":
        return confirm(turn, Form(Act.CANCEL, visit=turn.choice.key), ())
    if turn.form.act == Act.BOOK and turn.form.begun and not turn.visits:
        return Reply(nlg.NEVER_MIND, turn.state.afresh)
    return (yield from own_visits.cancelling(turn))


def _says_which(turn: Turn) -> bool:
    reading = turn.reading
    chosen = turn.choice is not None and turn.choice.kind == "visit"
    return chosen or reading.has_facts or reading.ordinal is not None or own_visits.names_one(turn)


def _moves(turn: Turn) -> bool:
    """Wishes for a new time. While a visit is being arranged, "muda para as 16h" is about that one."""
    if turn.thinks_again or _chose("move")(turn):
        return True
    booking_now = turn.form.act == Act.BOOK and turn.form.begun
    moved = turn.wishes[0].reading.topics & {Topic.MOVE, Topic.CHANGE_OWN}
    if booking_now:
        own = moved or (turn.about(Topic.CHANGE) and _names_own(turn))
        return bool(own) and bool(turn.visits)
    if moved or (own_visits.cannot_come(turn) and own_visits.names_new_time(turn)):
        return True
    if turn.form.act == Act.MOVE and turn.state.asked != Asked.NOTHING:
        return _goes_on_moving(turn)
    changes = turn.about(Topic.CHANGE) or turn.reading.hours.shift is not None
    return bool(turn.visits) and changes and not turn.about(*info.TOPICS)


def _goes_on_moving(turn: Turn) -> bool:
    if turn.answer == "no" and not turn.wants_none_of_them:
        return False
    elsewhere = turn.about(*info.TOPICS, Topic.THANKS) and not turn.reading.has_facts
    return not elsewhere and (
        turn.choice is not None
        or _says_which(turn)
        or turn.reading.number is not None
        or turn.leaves_choice
        or turn.heard.people != ()
        or turn.about(Topic.CHANGE, *_BOOKING_TOPICS)
    )


def _names_own(turn: Turn) -> bool:
    """Whether what is booked is named, and not what is being arranged: "muda o corte"."""
    theirs = {service.id for one in turn.visits for service in one.services}
    return bool({one.id for one in turn.heard.services} & theirs - set(turn.form.services))


def _move(turn: Turn) -> Talk:
    """A step of the move, or the new visit that is wished for instead of it."""
    if turn.choice and turn.choice.kind == "move" and turn.choice.key:
        return (
            yield from own_visits.moving(
                turn.with_state(replace(turn.state, form=Form(Act.MOVE, visit=turn.choice.key)))
            )
        )
    if turn.thinks_again:
        form = Form(Act.MOVE, visit=turn.state.done)
        return (
            yield from own_visits.moving(
                turn.with_state(replace(turn.state.afresh, form=form, done=form.visit))
            )
        )
    if turn.about(Topic.BOOK_NEW) and not turn.about(Topic.MOVE, Topic.CHANGE) and _is_new(turn):
        return (yield from booking(turn.with_state(turn.state.afresh)))
    return (yield from own_visits.moving(turn))


def _is_new(turn: Turn) -> bool:
    """Whether "quero marcar" is no new time of the visit that is being moved: another one or service."""
    another = re.search(r"\b(?:outr[oa]|nov[oa]|mais uma?|tambem)\b(?! (?:dia|data|hora))", turn.reading.text)
    visit = one_of(turn.visits, turn.form.visit)
    if visit is None or another:
        return True
    theirs = {service.id for service in visit.services}
    said = {one.id for one in [*turn.heard.services, *(o for doubt in turn.heard.doubts for o in doubt)]}
    return bool(said) and not said & theirs


def _move_or_cancel(turn: Turn) -> Talk:
    yield from ()
    choices = (Choice("move", "Remarcar"), Choice("cancel", "Cancelar"))
    lead = "\n".join(f"- {nlg.visit_line(one)}" for one in own_visits.meant(turn, Act.CANCEL))
    words = nlg.QUESTIONS[Asked.MOVE_OR_CANCEL]
    return Reply(lead, standing(turn, Asked.MOVE_OR_CANCEL, Form(), (), words, choices))


def _cannot_come(turn: Turn) -> bool:
    return own_visits.cannot_come(turn) and not (turn.form.act == Act.BOOK and turn.form.begun)


def _unable(turn: Turn) -> Talk:
    """ "Não vou mais" names the visit and asks; "não vou conseguir ir amanhã" may want another time."""
    if _GIVES_UP.search(turn.reading.text) and not re.search(
        r"\b(?:conseguir|poder ir)\b", turn.reading.text
    ):
        return (yield from own_visits.cancelling(turn.with_state(turn.state.afresh)))
    return (yield from _move_or_cancel(turn))


def _own(turn: Turn) -> Talk:
    yield from ()
    return own_visits.told_own(turn)


def _has_nothing_to_miss(turn: Turn) -> bool:
    return turn.about(Topic.UNABLE) and not turn.visits and not turn.form.begun


def _one_more(turn: Turn) -> bool:
    """Another visit beside the one that is being arranged."""
    open_draft = turn.form.act == Act.BOOK and bool(turn.form.services) and bool(turn.form.days)
    return open_draft and turn.about(Topic.ONE_MORE) and turn.reading.has_facts


def _queue(turn: Turn) -> Talk:
    """It comes after the one in hand, whose question stays open."""
    yield from ()
    alone = turn.with_state(turn.state.afresh)
    more = filled(alone, Form()).form
    more = replace(more, services=more.services or turn.form.services)
    later = (*turn.state.later, more)
    if turn.state.asked == Asked.CONFIRM:
        return confirm(turn, turn.form, later).after(nlg.ONE_AT_A_TIME)
    return ask(turn, turn.state.asked, turn.form, later, choices=turn.state.choices).after(nlg.ONE_AT_A_TIME)


def _informs(turn: Turn) -> bool:
    return turn.about(*info.TOPICS) or turn.asks_on


def _inform(turn: Turn) -> Talk:
    """What was asked, and behind it the open question, or the wish that was told as well."""
    told = yield from info.information(turn)
    wishes = turn.about(*_BOOKING_TOPICS) or turn.reading.has_facts
    if wishes and not turn.about(Topic.OPENING, Topic.CONTACT) and not turn.about(Topic.ROBOT):
        return (yield from booking(turn)).after(told)
    if turn.about(Topic.OPENING) and turn.about(Topic.BOOK_NEW) | turn.heard.service:
        return (yield from booking(turn)).after(told)
    if turn.form.begun and turn.state.words and turn.state.asked != Asked.SEE_TIMES:
        return Reply(told, turn.state)
    return info.invitation(turn, told).after(told)


def _says_goodbye(turn: Turn) -> bool:
    return turn.about(Topic.GOODBYE) and not turn.about(*_BOOKING_TOPICS)


def _books(turn: Turn) -> bool:
    """A wish for a visit, or what was asked for on the way to one."""
    if turn.about(*_BOOKING_TOPICS, Topic.USUAL) or turn.reading.has_facts or turn.heard.anything:
        return True
    asked = turn.state.asked
    chosen = turn.choice is not None and turn.choice.kind not in ("no", "other", "staff", "move", "cancel")
    if chosen or turn.leaves_choice:
        return True
    number = turn.reading.number is not None or turn.reading.ordinal is not None
    answers = asked in (*_ASKS_FOR_FACTS, Asked.CONFIRM, Asked.CHANGES)
    return (number and answers) or (asked in _ASKS_FOR_FACTS and turn.about(Topic.NONE_FITS))


def _book(turn: Turn) -> Talk:
    """A step of the booking; a cancellation that was asked about is left."""
    left = turn.form.act in (Act.CANCEL, Act.MOVE, Act.WAIT)
    if turn.choice and turn.choice.kind == "wait":
        return (yield from _wait(turn))
    lead = f"Prazer, {nlg.first_name(turn.name)}! 😊" if turn.name and turn.lines == () else ""
    return (yield from booking(turn.with_state(turn.state.afresh) if left else turn, lead))


def _other_time(turn: Turn) -> Talk:
    """ "Outro horário" to a proposal: the times of that day, or of the move."""
    form = replace(turn.form, hours=None)
    fresh = replace(turn.with_state(replace(turn.state.quietly(), form=form)), lines=())
    return (yield from own_visits.moving(fresh) if form.act == Act.MOVE else booking(fresh))


def _only_introduced(turn: Turn) -> bool:
    return bool(turn.name or turn.form.whose != turn.request.state.form.whose) and not turn.lines


def _meet(turn: Turn) -> Talk:
    """Only a name was said: what is open goes on, with it."""
    yield from ()
    name = nlg.first_name(turn.name or turn.form.whose)
    hello = f"Prazer, {name}! 😊" if turn.name else "Anotado! 😊"
    state = turn.state if turn.form.whose else replace(turn.state, name=turn.name)
    if turn.state.asked == Asked.CONFIRM and turn.form.act == Act.BOOK:
        return confirm(turn.with_state(state), turn.form, turn.state.later).after(hello)
    return with_open(turn.with_state(state), hello, otherwise=Reply(nlg.HOW_TO_HELP, state))


# Small talk, and what is not understood


_SMALL_TALK = words_of(
    "oi oie ola opa alo hello hey eae salve e ai bom dia boa tarde noite tudo bem como vai voce voces "
    "esta estao beleza joia certo pessoal gente moca moco querida querido amiga amigo com k ah por "
    "favor a o"
)


def _content(turn: Turn) -> list[str]:
    """Words beside greetings and small talk."""
    return [word for word in turn.reading.rest.split() if word.isalnum() and word not in _SMALL_TALK]


def _only_greets(turn: Turn) -> bool:
    return turn.about(Topic.GREETING) and not _content(turn) and not turn.reading.has_facts


def _greet(turn: Turn) -> Talk:
    yield from ()
    if turn.state.words and not turn.about(Topic.RESTART):
        return Reply(nlg.HERE, turn.state)
    if turn.request.spoken and not turn.about(Topic.RESTART, Topic.MENU):
        return Reply(f"{nlg.HERE} {nlg.HOW_TO_HELP}", turn.state.afresh)
    return Reply(nlg.welcome(turn.context.business, turn.request.tools), turn.state.afresh)


def _thanks(turn: Turn) -> Talk:
    yield from ()
    if turn.state.asked == Asked.SEE_TIMES:
        return Reply(nlg.YOU_ARE_WELCOME, turn.state.afresh)
    return with_open(turn, nlg.YOU_ARE_WELCOME)


def _nods(turn: Turn) -> bool:
    return turn.answer == "yes"


def _nodded(turn: Turn) -> Talk:
    """A yes to nothing that could be done with a yes: what is open is asked again, what is booked is told."""
    yield from ()
    reminded = one_of(turn.visits, turn.request.reminded)
    if reminded:
        told = f"Combinado! 😊 O seu horário: {nlg.visit_line(reminded)}."
        return Reply(told, _reopened(turn))
    if turn.state.unclear > 1 and turn.can("chamar_atendente"):
        return (yield from _give_up(turn))
    if turn.state.choices or turn.state.asked in _ASKS_FOR_FACTS:
        return _unclear(turn, nlg.WHICH_ONE if turn.state.numbered else nlg.PUZZLED)
    if turn.state.words:
        return Reply("", _reopened(turn))
    if turn.visits:
        return Reply(
            f"Combinado! 😊 O seu próximo horário: {nlg.visit_line(turn.visits[0])}.", turn.state.afresh
        )
    return (yield from _greet(turn))


def _reopened(turn: Turn) -> State:
    """The question that was interrupted, open again: only its next yes counts."""
    return turn.request.before if turn.state.words and turn.state.asked == Asked.NOTHING else turn.state


def _unclear(turn: Turn, lead: str) -> Reply:
    """Not understood: the open question once more; at the second time with the two ways that always work, a
    number and a person.
    """
    state, staff = turn.state, turn.can("chamar_atendente")
    if not state.unclear:
        hint = nlg.WORD_FOR_PERSON if staff and not state.numbered else ""
        return Reply(" ".join(filter(None, (lead, hint))), replace(state, unclear=1))
    choices = state.choices if state.numbered else tuple(_ways_on(turn))
    people = (STAFF,) if staff and STAFF not in choices else ()
    asked = state.asked if state.numbered or state.asked == Asked.DAY else Asked.HELP
    words = state.words if asked != Asked.HELP else ""
    return Reply(
        nlg.STILL_PUZZLED, replace(state, asked=asked, words=words, choices=(*choices, *people), unclear=2)
    )


def _ways_on(turn: Turn) -> list[Choice]:
    """What can be chosen where the open question has no choices of its own."""
    if turn.state.asked == Asked.DAY:
        return coming_days(turn)
    ways = [
        ("agendar", Choice("book", "Marcar um horário")),
        ("meus_agendamentos", Choice("own", "Ver meus horários")),
    ]
    return [choice for tool, choice in ways if turn.can(tool)]


def _give_up(turn: Turn) -> Talk:
    """Three times nothing was understood: nobody is to turn in circles."""
    motive = f"Não entendi o que a pessoa quer: “{portuguese.shortened(' '.join(turn.lines), 120)}”"
    yield (Call("chamar_atendente", (("motivo", motive),)),)
    return Reply(nlg.STAFF_CALLED, turn.state.afresh)


_ASKS = re.compile(
    r"^(?:e |oi , )?(?:tem|pode|posso|aceita\w*|voces? (?:tem|fazem|aceita\w*|vende\w*)|precisa|"
    r"preciso levar) "
)


def _unknown(turn: Turn) -> Talk:
    """Nothing was recognised: the business's own words perhaps; else say so, and offer a person."""
    if not _content(turn) and turn.reading.number is None:
        return (yield from _greet(turn))
    if lines := about.lines_on(turn.context.about, turn.reading.rest):
        return with_open(turn, "\n".join(lines))
    if turn.about(Topic.GREETING) and not turn.state.words and not turn.state.unclear:
        return (yield from _greet(turn))
    if turn.state.unclear > 1 and turn.can("chamar_atendente"):
        return (yield from _give_up(turn))
    if _ASKS.search(turn.reading.text) and not turn.state.unclear:
        return with_open(turn, nlg.NOT_KNOWN, otherwise=or_staff(turn, ""))
    if turn.state.words or turn.state.unclear:
        return _unclear(turn, nlg.PUZZLED)
    can = nlg.abilities(turn.request.tools)
    told = " ".join(filter(None, (nlg.PUZZLED, f"Por aqui posso {can}." if can else "")))
    reply = or_staff(turn, told)
    return Reply(reply.lead, replace(reply.state, unclear=1))


_Decision = tuple[Callable[[Turn], bool], Callable[[Turn], Talk]]
_PRESSING: tuple[_Decision, ...] = (
    (_only_media, _told_media),
    (lambda turn: turn.about(*_TO_PEOPLE), _call_person),
    (_agreed_to_person, _call_person),
    (_confirms, carried_out),
)
_DECISIONS: tuple[_Decision, ...] = (
    (_only_introduced, _meet),
    (_chose("yes", Asked.CONFIRM), carried_out),
    (_chose("other"), _other_time),
    (_chose("own"), _own),
    (_will_see, _said(nlg.TAKE_YOUR_TIME)),
    (_would_wait, _wait),
    (_declines, _declined),
    (_about(Topic.RESTART, Topic.MENU), _greet),
    (_about(Topic.STOP_MESSAGES), _keeping(lambda _turn: nlg.WHAT_TO_STOP)),
    (_about(Topic.ON_THE_WAY), _keeping(lambda _turn: nlg.SEE_YOU_SOON)),
    (_about(Topic.LANGUAGE), _language),
    (_mistaken, _said(nlg.MISTAKEN)),
    (_about(Topic.PAUSE), _keeping(lambda _turn: nlg.NO_HURRY)),
    (
        lambda turn: turn.about(Topic.NOTICE) and turn.context.cancel_minutes > 0,
        _keeping(lambda turn: nlg.notice(turn.context.cancel_minutes)),
    ),
    (_about(Topic.AS_SHOWN), _offering_staff(nlg.NOT_KNOWN)),
    (_about(Topic.DISCOUNT), _offering_staff(nlg.NOT_KNOWN)),
    (_about(Topic.USUAL), _usual),
    (_one_more, _queue),
    (_cancels, _cancel),
    (_moves, _move),
    (_cannot_come, _unable),
    (_has_nothing_to_miss, _own),
    (_about(Topic.MINE), _own),
    (_informs, _inform),
    (_says_goodbye, _said(nlg.GOODBYE)),
    (_books, _book),
    (_only_greets, _greet),
    (_about(Topic.THANKS), _thanks),
    (_nods, _nodded),
)
