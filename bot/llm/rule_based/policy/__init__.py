"""What to answer: one decision after the other, the more pressing first."""

import re
from collections.abc import Callable, Generator
from dataclasses import replace

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.customer_name import introduced
from bot.llm.rule_based.nlu.entities import Named, is_of_team, services_in
from bot.llm.rule_based.nlu.normalise import normalise, words_of
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.policy import info, join_waitlist, own_visits
from bot.llm.rule_based.policy.book import booking, confirmed
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.steps import Call, Talk
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.slots import heard_in
from bot.llm.rule_based.state.tracker import PUZZLED, Asked, in_name, remembered
from bot.llm.rule_based.state.wish import appointment_told
from bot.llm.rule_based.tool_results import Result
from tools.portuguese import shortened

_ASKS_FOR_FACTS = (
    Asked.SERVICE,
    Asked.PERSON,
    Asked.DAY,
    Asked.WHICH_DAY,
    Asked.TIME,
    Asked.ONE_OCLOCK,
    Asked.SLOT,
)
_BOOKING_TOPICS = (
    Topic.BOOK,
    Topic.WHEN_FREE,
    Topic.ANYONE,
    Topic.OTHER_DAY,
    Topic.OTHER_TIME,
    Topic.OTHER_PERSON,
    Topic.OTHER_SERVICE,
)


def converse(turn: Turn) -> Talk:
    """The text that answers this turn, after the calls that it needs."""
    turn = yield from _introduced(turn)
    answer = next((answer for fits, answer in _DECISIONS if fits(turn)), _unknown)
    text = _named(turn, (yield from answer(turn)))
    if turn.about(Topic.GREETING) and not turn.transcript.said:
        return f"{_hello(turn)}\n\n{text}"
    return text


def _introduced(turn: Turn) -> Generator[tuple[Call, ...], tuple[Result, ...], Turn]:
    """The turn without the name that the customer gives in it, unless that is one of this business's.

    Who is known keeps their own name: "em nome de Paula Lima" is still no wish for Bia Lima.
    """
    known = bool(turn.transcript.customer)
    given = introduced(turn.transcript.lines, answering=not known and turn.memory.asked == Asked.BOOK)
    if given is None or not turn.can("buscar_servicos"):
        return turn
    catalogue = yield from catalogue_for(turn)
    if services_in(normalise(given.name), catalogue.services) != Named() or is_of_team(given.name, catalogue):
        return turn
    return Turn(replace(turn.transcript, lines=given.lines), turn.now, "" if known else given.name)


def _named(turn: Turn, text: str) -> str:
    """A proposal to book with the customer's name in it; where it is not known, it is asked for, once."""
    proposed = remembered(text)
    if proposed.asked != Asked.BOOK or proposed.customer or turn.transcript.customer:
        return text
    if turn.customer:
        return "\n".join([text.removesuffix(f"\n{nlg.YOUR_NAME}"), in_name(turn.customer)])
    first = not turn.transcript.appointments and nlg.YOUR_NAME not in turn.transcript.earlier
    return f"{text}\n{nlg.YOUR_NAME}" if first else text


def _only_introduced(turn: Turn) -> bool:
    return bool(turn.caller) and not turn.transcript.lines


def _hello(turn: Turn) -> str:
    name = nlg.first_name(turn.transcript.customer or turn.caller)
    return f"{nlg.hello(turn.now)}{f', {name}' if name else ''}! 😊"


# --- what is pressing --------------------------------------------------------------------------------------


def _wants_person(turn: Turn) -> bool:
    agreed = turn.memory.asked == Asked.STAFF and turn.answer == "yes"
    return agreed or turn.about(Topic.PERSON, Topic.UPSET)


def _call_person(turn: Turn) -> Talk:
    if not turn.can("chamar_atendente"):
        return f"{nlg.NOT_HERE} {nlg.puzzled(turn.transcript.tools)}"
    yield (Call("chamar_atendente", (("motivo", _motive(turn)),)),)
    return nlg.UPSET if turn.about(Topic.UPSET) else nlg.STAFF_CALLED


def _motive(turn: Turn) -> str:
    """For staff: the request in the customer's own words; where they only said yes, in those before."""
    told = turn.transcript
    asked = turn.about(Topic.PERSON, Topic.UPSET)
    said = " ".join(told.lines) if asked else told.wrote
    what = "Está insatisfeito" if turn.about(Topic.UPSET) else "Pediu para falar com uma pessoa"
    what = what if asked else "Aceitou falar com uma pessoa; tinha escrito"
    quoted = f"{what}: “{shortened(said, 120)}”" if said else f"{what}."
    return f"{quoted} (combinava {turn.memory.names})" if turn.memory.names else quoted


def _said(text: str) -> Callable[[Turn], Talk]:
    def answer(_turn: Turn) -> Talk:
        yield from ()
        return text

    return answer


def _about(*topics: Topic) -> Callable[[Turn], bool]:
    return lambda turn: turn.about(*topics)


def _answers(asked: Asked, answer: str) -> Callable[[Turn], bool]:
    return lambda turn: turn.memory.asked == asked and turn.answer == answer


# --- decisions that need a look at several things ----------------------------------------------------------


def _only_media(turn: Turn) -> bool:
    return bool(turn.transcript.media) and not turn.transcript.lines


def _told_media(turn: Turn) -> Talk:
    yield from ()
    what = turn.transcript.media[0].partition(",")[0]
    return _with_open(turn, nlg.NOT_TEXT.format(what=what), otherwise=Asked.STAFF.value)


def _will_see(turn: Turn) -> bool:
    begun = turn.memory.asked != Asked.NOTHING
    return turn.answer == "later" and (begun or not (turn.reading.has_facts or turn.about(Topic.UNABLE)))


def _declines(turn: Turn) -> bool:
    if turn.answer == "no":
        return not turn.wants_none_of_them
    wants_none = re.search(r"\bnao (?:quero|vou querer|preciso|precisa)\b[^,]*$", turn.reading.text)
    return turn.memory.asked == Asked.WANT and bool(wants_none) and not turn.reading.has_facts


def _declined(turn: Turn) -> Talk:
    """A plain "não" to a proposal asks for another; "não quero mais" ends it; to a person goes on without.

    Where nothing is open, who gives up means the visit that is booked.
    """
    memory = turn.memory
    idle = memory.asked in (Asked.NOTHING, Asked.WANT) and not memory.booking
    if idle and turn.transcript.appointments and _GIVES_UP.search(turn.reading.text):
        return (yield from _move_or_cancel(turn))
    if memory.asked == Asked.STAFF and memory.booking:
        return (yield from booking(turn, nlg.NO_PROBLEM))
    proposed = memory.asked in (Asked.BOOK, Asked.MOVE) and not turn.is_held
    if proposed and set(turn.reading.rest.split()) <= _BARE_NO:
        return f"{nlg.NO_PROBLEM}\n\n{memory.settled_words}\n{Asked.CHANGES.value}"
    return nlg.NEVER_MIND


_GIVES_UP = re.compile(
    r"\bdesist\w+|\besque[cç]\w*\b|\bnao (?:quero|posso|vou|da|rola) mais\b(?! nada)|\bnao vou\b"
)
_BARE_NO = {"nao", "negativo", "nope", "ainda", "👎", "2", ","}


def _would_wait(turn: Turn) -> bool:
    """Asks for the waiting list, or takes none of the times around a full day."""
    if turn.about(Topic.WAITLIST):
        return True
    bare_no = turn.answer == "no" and set(turn.reading.rest.split()) <= _BARE_NO
    none_of_them = bare_no or (turn.about(Topic.NONE_FITS) and not turn.reading.has_facts)
    return none_of_them and turn.memory.full is not None and turn.memory.asked in (Asked.SLOT, Asked.DAY)


def _paused(turn: Turn) -> Talk:
    yield from ()
    return _with_open(turn, nlg.NO_HURRY, otherwise="")


def _notice(turn: Turn) -> Talk:
    yield from ()
    return _with_open(turn, nlg.notice(turn.transcript.notice), otherwise="")


def _mistaken(turn: Turn) -> bool:
    """Whether somebody wrote to the wrong place; "errei, quero sexta" goes on."""
    return turn.about(Topic.MISTAKE) and not turn.about(*_BOOKING_TOPICS) and not turn.reading.has_facts


def _language(turn: Turn) -> Talk:
    yield from ()
    return _with_open(turn, nlg.LANGUAGE, otherwise=f"{Asked.WANT.value}?")


def _usual(turn: Turn) -> Talk:
    return booking(turn, nlg.PAST_VISITS)


def _cancels(turn: Turn) -> bool:
    if turn.about(Topic.CANCEL):
        return True
    elsewhere = turn.about(Topic.BOOK_NEW, Topic.MOVE, Topic.CHANGE)
    says_which = _chooses(turn) or own_visits.names_one(turn)
    return turn.memory.asked == Asked.WHICH_CANCEL and says_which and not elsewhere


def _cancel(turn: Turn) -> Talk:
    """With nothing booked, "cancela" means the visit that is being arranged."""
    if turn.memory.booking and not turn.transcript.appointments:
        return _said(nlg.NEVER_MIND)(turn)
    return own_visits.cancelling(turn)


def _moves(turn: Turn) -> bool:
    """Wishes for a new time. While a visit is being arranged, "muda para as 16h" is about that one."""
    memory = turn.memory
    if _thinks_again(turn):
        return True
    if memory.booking:
        own_one = turn.about(Topic.MOVE, Topic.CHANGE_OWN) or (turn.about(Topic.CHANGE) and _names_own(turn))
        return own_one and bool(turn.transcript.appointments)
    if turn.about(Topic.MOVE) or (_cannot_come(turn) and _names_new_time(turn)):
        return True
    if memory.asked == Asked.WHICH_MOVE and own_visits.names_one(turn):
        return True
    if memory.moving and memory.asked != Asked.CANCEL:
        return _chooses(turn) or turn.about(Topic.CHANGE, *_BOOKING_TOPICS) or _agrees_to_one_o_clock(turn)
    return bool(turn.transcript.appointments) and (
        turn.about(Topic.CHANGE) or turn.reading.hours.shift is not None
    )


def _names_new_time(turn: Turn) -> bool:
    """Whether another time is told beside "não vou conseguir ir amanhã"."""
    days, taken = turn.reading.days, {one.day for one in turn.transcript.appointments}
    other_day = days.wanted is not None and not taken & set(days.wanted.dates)
    return other_day or days.target is not None or turn.reading.hours.target is not None


def _names_own(turn: Turn) -> bool:
    """Whether what is booked is named, and not what is being arranged: "muda o corte"."""
    told = " ".join(one.service for one in turn.transcript.appointments)
    theirs = set(normalise(told).split()) - set(normalise(turn.memory.names).split())
    return any(len(word) > 3 for word in theirs & set(turn.reading.rest.split()))


def _move(turn: Turn) -> Talk:
    """A step of the move, or the new visit that is wished for instead of it."""
    if turn.about(Topic.BOOK_NEW) and not turn.about(Topic.MOVE, Topic.CHANGE) and (yield from _is_new(turn)):
        return (yield from booking(turn.afresh))
    return (yield from own_visits.moving(turn))


def _is_new(turn: Turn) -> Generator[tuple[Call, ...], tuple[Result, ...], bool]:
    """Whether "quero marcar" is no new time of the visit that is being moved: another one or service."""
    another = re.search(r"\b(?:outr[oa]|nov[oa]|mais uma?|tambem)\b(?! (?:dia|data|hora))", turn.reading.text)
    if turn.memory.asked == Asked.WHICH_MOVE or another:
        return True
    catalogue = yield from catalogue_for(turn)
    named = heard_in(turn, catalogue).named
    moving = turn.memory.visit
    what = moving.what if moving else ""
    said = [*named.sure, *(service for doubt in named.doubts for service in doubt)]
    return bool(said) and not any(service.name in what for service in said)


def _thinks_again(turn: Turn) -> bool:
    """Right after a booking, "na verdade quero sexta" is about that one."""
    just_booked = "✅ Agendado: " in turn.transcript.said and bool(turn.transcript.appointments)
    again = re.search(r"\b(?:na verdade|pensando bem|mudei de ideia|alias|melhor)\b", turn.reading.text)
    return bool(just_booked and again and turn.reading.has_facts)


def _chooses(turn: Turn) -> bool:
    reading = turn.reading
    picked = turn.transcript.picked is not None or turn.leaves_choice
    return picked or reading.has_facts or reading.number is not None or reading.ordinal is not None


def _agrees_to_one_o_clock(turn: Turn) -> bool:
    return _answers(Asked.ONE_OCLOCK, "yes")(turn)


def _cannot_come(turn: Turn) -> bool:
    return turn.about(Topic.UNABLE) and bool(turn.transcript.appointments) and not turn.memory.booking


def _has_nothing_to_miss(turn: Turn) -> bool:
    return (
        turn.about(Topic.UNABLE) and turn.memory.asked == Asked.NOTHING and not turn.about(*_BOOKING_TOPICS)
    )


def _move_or_cancel(turn: Turn) -> Talk:
    yield from ()
    lines = "\n".join(f"- {appointment_told(one)}" for one in turn.transcript.appointments)
    return f"{nlg.NO_PROBLEM} O que tenho no seu nome:\n{lines}\n\n{Asked.MOVE_OR_CANCEL.value}"


def _inform(turn: Turn) -> Talk:
    """The answer, and then what was open, what was asked for beside it, or an invitation."""
    answer = yield from info.information(turn)
    if turn.memory.asked == Asked.SERVICE and answer.startswith(nlg.OUR_SERVICES):
        return _with_open(turn, nlg.PRICES_HERE, otherwise="")  # the open question lists them again
    if _books(turn) and answer.startswith(nlg.OUR_SERVICES):
        text = yield from booking(turn)
        lead = nlg.PRICES_HERE if text.endswith(Asked.SERVICE.value) else answer
        return f"{lead}\n\n{text}"
    if _books(turn) and not (info.settles(turn, answer) and not (yield from _names_something(turn))):
        return (yield from booking(turn, answer))
    invitation = yield from info.invitation(turn)
    asked = turn.memory.asked
    if asked == Asked.WANT and turn.memory.names and " para " not in invitation:
        return _with_open(turn, answer, otherwise="")
    if asked == Asked.WANT or (asked == Asked.SERVICE and not turn.memory.booking and " para " in invitation):
        return f"{answer}\n\n{invitation}"  # who asks of one service has chosen more than the open question
    return _with_open(turn, answer, otherwise=invitation)


def _names_something(turn: Turn) -> Generator[tuple[Call, ...], tuple[Result, ...], bool]:
    """Whether a visit is wished for beside the question."""
    if turn.about(*_BOOKING_TOPICS) or turn.memory.booking:
        return True
    return heard_in(turn, (yield from catalogue_for(turn))).anything


def _books(turn: Turn) -> bool:
    asked = turn.memory.asked
    if turn.about(*_BOOKING_TOPICS) or turn.reading.has_facts or turn.transcript.picked:
        return True
    if asked == Asked.WANT:
        return turn.answer == "yes" or turn.about(Topic.RIGHT_AFTER)
    return (asked in _ASKS_FOR_FACTS and _chooses(turn)) or _agrees_to_one_o_clock(turn)


def _book(turn: Turn) -> Talk:
    """ "Quero marcar" leaves the question of which visit is to be cancelled, and its choices."""
    left = turn.memory.asked in (Asked.CANCEL, Asked.WHICH_CANCEL)
    return booking(turn.afresh if left else turn)


def _says_goodbye(turn: Turn) -> bool:
    return turn.about(Topic.GOODBYE) and not turn.about(*_BOOKING_TOPICS)


def _only_greets(turn: Turn) -> bool:
    return turn.about(Topic.GREETING) and not _content(turn)


def _greet(turn: Turn) -> Talk:
    yield from ()
    if (
        turn.transcript.said
        and not turn.caller
        and not turn.memory.open_words
        and not turn.about(Topic.RESTART)
    ):
        return f"{nlg.HERE} {nlg.HOW_TO_HELP}"
    here = f"Prazer, {nlg.first_name(turn.caller)}! 😊" if turn.caller else nlg.HERE
    return _with_open(turn, here, otherwise="") if turn.memory.open_words else _welcome(turn)


def _welcome(turn: Turn) -> str:
    return nlg.welcome(turn.transcript.business, turn.transcript.tools)


def _content(turn: Turn) -> list[str]:
    """Words beside greetings and small talk."""
    return [word for word in turn.reading.rest.split() if word.isalnum() and word not in _SMALL_TALK]


_SMALL_TALK = words_of(
    "oi oie ola opa alo hello hey eae salve e ai bom dia boa tarde noite tudo bem como vai voce voces "
    "esta estao beleza joia certo pessoal gente moca moco querida querido amiga amigo com k ah por "
    "favor a o"
)


def _thanks(turn: Turn) -> Talk:
    yield from ()
    if turn.memory.asked == Asked.WANT:
        return nlg.YOU_ARE_WELCOME
    return _with_open(turn, nlg.YOU_ARE_WELCOME, otherwise="")


def _nods(turn: Turn) -> bool:
    return turn.answer == "yes"


def _nodded(turn: Turn) -> Talk:
    """A yes to nothing that could be done with a yes: what is open is asked again, what is booked is told."""
    yield from ()
    appointments = turn.transcript.appointments
    if turn.memory.asked in nlg.SAY_WHICH:
        return _which(turn)
    if turn.memory.open_words:
        return turn.memory.open_words
    reminded = next((one for one in appointments if one.id == turn.transcript.reminded), None)
    if reminded:
        still_open = remembered(turn.transcript.interrupted).open_words
        told = f"{nlg.AGREED} O seu horário: {appointment_told(reminded)}."
        return "\n\n".join(filter(None, (told, still_open)))
    if appointments:
        return f"{nlg.AGREED} O seu próximo horário: {appointment_told(appointments[0])}."
    return f"{nlg.HERE} {nlg.HOW_TO_HELP}" if turn.transcript.said else _welcome(turn)


def _which(turn: Turn) -> str:
    """A yes to a choice: asked again in other words; at the second time a person is offered."""
    if turn.memory.puzzled and turn.can("chamar_atendente"):
        return _still_puzzled(turn)
    return f"{PUZZLED} {nlg.SAY_WHICH[turn.memory.asked]}\n\n{turn.memory.open_words}"


def _still_puzzled(turn: Turn) -> str:
    open_person = "\n".join(filter(None, (turn.memory.settled_words, Asked.STAFF.value)))
    return f"{nlg.STILL_PUZZLED}\n\n{open_person}"


def _give_up(turn: Turn) -> Talk:
    """Three times nothing was understood: nobody is to turn in circles."""
    motive = f"Não entendi o que a pessoa quer: “{shortened(' '.join(turn.transcript.lines), 120)}”"
    yield (Call("chamar_atendente", (("motivo", motive),)),)
    return nlg.STAFF_CALLED


def _with_open(turn: Turn, text: str, otherwise: str) -> str:
    """A text before the question that is open, which must not be lost."""
    return "\n\n".join(filter(None, (text, _open(turn) or otherwise)))


def _open(turn: Turn) -> str:
    """The open paragraph. A person who was offered and not wanted is not offered again."""
    memory = turn.memory
    return memory.settled_words and memory.open_words if memory.asked == Asked.STAFF else memory.open_words


def _unknown(turn: Turn) -> Talk:
    """Nothing was recognised: a service or a name perhaps; else say so, and offer a person."""
    if not _content(turn):
        return (yield from _greet(turn))
    if turn.can("buscar_servicos"):
        catalogue = yield from catalogue_for(turn)
        if heard_in(turn, catalogue).anything:
            return (yield from own_visits.moving(turn) if _moving_on(turn) else booking(turn))
    if lines := info.about_lines(turn):
        return _with_open(turn, "\n".join(lines), otherwise="")
    if turn.about(Topic.GREETING) and not turn.memory.open_words:
        return _welcome(turn)
    if turn.transcript.said.startswith(nlg.STILL_PUZZLED) and turn.can("chamar_atendente"):
        return (yield from _give_up(turn))
    if turn.memory.puzzled:
        return _still_puzzled(turn)
    if _asks(turn):
        return _with_open(turn, nlg.NOT_KNOWN, otherwise=Asked.STAFF.value)
    if turn.memory.open_words:
        return f"{PUZZLED} bem. {_word_for_person(turn)}".strip() + f"\n\n{turn.memory.open_words}"
    told = nlg.puzzled(turn.transcript.tools)
    return nlg.or_staff(told) if turn.can("chamar_atendente") else told


def _asks(turn: Turn) -> bool:
    """Whether it is a question about the place, which is understood well enough to be unanswerable."""
    verbs = r"tem|pode|posso|aceita\w*|voces? (?:tem|fazem|aceita\w*|vende\w*)|precisa|preciso levar"
    question = rf"^(?:e |oi , )?(?:{verbs}) "
    return bool(re.search(question, turn.reading.text)) and turn.can("chamar_atendente")


def _word_for_person(turn: Turn) -> str:
    return nlg.WORD_FOR_PERSON if turn.can("chamar_atendente") else ""


def _moving_on(turn: Turn) -> bool:
    return turn.memory.visit is not None and turn.memory.asked != Asked.CANCEL


_Decision = tuple[Callable[[Turn], bool], Callable[[Turn], Talk]]
_DECISIONS: tuple[_Decision, ...] = (
    (_only_media, _told_media),
    (_only_introduced, _greet),
    (_wants_person, _call_person),
    (_answers(Asked.BOOK, "yes"), confirmed),
    (_answers(Asked.MOVE, "yes"), own_visits.moved),
    (_answers(Asked.CANCEL, "yes"), own_visits.cancelled),
    (_answers(Asked.WAIT, "yes"), join_waitlist.joined),
    (lambda turn: turn.takes_waiting, join_waitlist.joined),
    (_will_see, _said(nlg.TAKE_YOUR_TIME)),
    (_would_wait, join_waitlist.waiting),
    (_declines, _declined),
    (_about(Topic.RESTART), _greet),
    (_about(Topic.STOP_MESSAGES), _said(nlg.or_staff(nlg.STOP_MESSAGES))),
    (_about(Topic.LATE), _said(nlg.or_staff(nlg.RUNNING_LATE))),
    (_about(Topic.LANGUAGE), _language),
    (_mistaken, _said(nlg.MISTAKEN)),
    (_about(Topic.PAUSE), _paused),
    (lambda turn: turn.about(Topic.NOTICE) and turn.transcript.notice > 0, _notice),
    (_about(Topic.USUAL), _usual),
    (_cancels, _cancel),
    (_moves, _move),
    (_cannot_come, _move_or_cancel),
    (_has_nothing_to_miss, own_visits.told_own),
    (_about(Topic.MINE), own_visits.told_own),
    (lambda turn: turn.about(*info.TOPICS) or turn.asks_on, _inform),
    (_says_goodbye, _said(nlg.GOODBYE)),
    (_books, _book),
    (_only_greets, _greet),
    (_about(Topic.THANKS), _thanks),
    (_nods, _nodded),
)
