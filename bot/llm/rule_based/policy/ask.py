"""Questions: how what is settled, what is asked and what may be chosen become the state after an answer."""

from collections.abc import Sequence
from dataclasses import replace

from bot.intents.choices import Choice
from bot.llm.rule_based import nlg
from bot.llm.rule_based.policy.steps import Reply
from bot.llm.rule_based.policy.turn import Turn, local, one_of
from bot.llm.rule_based.state.slots import NO, OTHER, YES, Act, Asked, Form, Full, State
from tools.facts import Offer, Visit


def ask(
    turn: Turn,
    asked: Asked,
    form: Form,
    later: tuple[Form, ...] = (),
    *,
    choices: Sequence[Choice] = (),
    hint: str = "",
    full: Full | None = None,
) -> Reply:
    """The question, after what is settled; what one may wait for is one of its choices."""
    moved = one_of(turn.visits, form.visit) if form.act == Act.MOVE else None
    wait = f"Também posso colocar você na lista de espera de {nlg.full(full)}." if full else ""
    settled = nlg.settled(form, later, turn.catalogue, moved)
    words = "\n".join(filter(None, (settled, wait, hint, nlg.QUESTIONS[asked])))
    if full and choices:
        choices = (*choices, Choice("wait", "Lista de espera", nlg.full(full)))
    return Reply("", standing(turn, asked, form, later, words, choices, full))


def standing(
    turn: Turn,
    asked: Asked,
    form: Form,
    later: tuple[Form, ...],
    words: str,
    choices: Sequence[Choice],
    full: Full | None = None,
) -> State:
    """Where the talk stands with this question open."""
    state = replace(turn.state.afresh, name=turn.known_name)
    return replace(
        state,
        asked=asked,
        form=form,
        later=later,
        words=words,
        choices=tuple(choices),
        full=full,
        shown=form.days,
    )


def confirm(turn: Turn, form: Form, later: tuple[Form, ...]) -> Reply:
    """The proposal of exactly this, to be answered with a yes."""
    visit = one_of(turn.visits, form.visit)
    words, choices = (
        _proposal(turn, form, visit),
        (YES, NO) if form.act in (Act.CANCEL, Act.WAIT) else (YES, NO, OTHER),
    )
    name, asks = _name_lines(turn, form)
    after = nlg.afterwards(later, turn.catalogue)
    told = "\n".join(filter(None, (words, after, name)))
    state = standing(turn, Asked.CONFIRM, form, later, told, choices)
    return Reply("", replace(state, name_asked=turn.state.name_asked or asks))


def _proposal(turn: Turn, form: Form, visit: Visit | None) -> str:
    services = turn.catalogue.chosen(form.services)
    person = turn.catalogue.person(form.person)
    who = f" com {person.name}" if person else ""
    start = form.start
    if form.act == Act.CANCEL and visit:
        return f"Posso cancelar: {nlg.visit_line(visit)}?"
    if form.act == Act.MOVE and visit and start:
        other = person if person and person.id != visit.professional.id else None
        new = f"{nlg.moment(start)}, com {other.name}" if other else nlg.moment(start)
        what = nlg.listed([one.name for one in visit.services], "e")
        old = nlg.moment(local(visit.starts_at))
        return f"Posso remarcar: {what} com {visit.professional.name}, de {old}, para {new}?"
    when = nlg.moment(start) if start else ""
    return f"Posso confirmar: {nlg.names(services)}{who}, {when}? {nlg.cost(services)}"


def _name_lines(turn: Turn, form: Form) -> tuple[str, bool]:
    """In whose name a booking is; where it is not known, it is asked for, once."""
    if form.act != Act.BOOK:
        return "", False
    if form.whose or turn.known_name:
        return f"Em nome de {form.whose or turn.known_name}.", False
    asks = not (turn.context.customer or turn.state.name_asked or turn.visits)
    return (nlg.YOUR_NAME if asks else ""), asks


def or_staff(turn: Turn, sentence: str) -> Reply:
    """A sentence, and the offer to call a person, to be answered with yes or no."""
    if not turn.can("chamar_atendente"):
        return Reply(sentence, turn.state)
    return Reply(
        sentence,
        standing(turn, Asked.PERSON_OF_STAFF, turn.form, turn.state.later, staff_words(turn), (YES, NO)),
    )


def staff_words(turn: Turn) -> str:
    """The offer, after what is settled: it is not lost by it."""
    settled = nlg.settled(turn.form, turn.state.later, turn.catalogue) if turn.form.act == Act.BOOK else ""
    return "\n".join(filter(None, (settled, nlg.QUESTIONS[Asked.PERSON_OF_STAFF])))


def with_open(turn: Turn, text: str, otherwise: Reply | None = None) -> Reply:
    """A text before the question that is open, which must not be lost. A person who was offered and not
    wanted is not offered again.
    """
    if turn.state.words and turn.state.asked != Asked.PERSON_OF_STAFF:
        return Reply(text, turn.state)
    return otherwise.after(text) if otherwise else Reply(text, turn.state.afresh)


def see_times(turn: Turn, services: Sequence[Offer] = ()) -> Reply:
    """The offer to look for times, of these services if any are named."""
    what = f" para {nlg.names(services)}" if services else ""
    form = Form(services=tuple(one.id for one in services))
    words = f"Quer ver os horários{what}?"
    return Reply("", standing(turn, Asked.SEE_TIMES, form, (), words, (YES, NO)))
