"""A yes to a proposal: exactly that is done, what became of it is told, and the next wish comes up."""

from collections.abc import Sequence
from dataclasses import replace

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.policy import own_visits
from bot.llm.rule_based.policy.ask import or_staff, see_times
from bot.llm.rule_based.policy.book import booking, look_up, pursue
from bot.llm.rule_based.policy.catalogue import with_catalogue
from bot.llm.rule_based.policy.fill import Filled
from bot.llm.rule_based.policy.search import WEEKDAYS, nearest_of, none_with, visit_argument
from bot.llm.rule_based.policy.steps import Call, Reply, Result, Talk, Value
from bot.llm.rule_based.policy.turn import Turn, one_of
from bot.llm.rule_based.state.slots import Act, Form, hours_of
from models.availability import Code
from tools.facts import Booked, Cancelled, Fact, Moved, Refused, Waiting


def carried_out(turn: Turn) -> Talk:
    """Do what stands proposed."""
    call = _call(turn, turn.form)
    if call is None:
        gone = nlg.NO_LONGER if turn.form.act in (Act.MOVE, Act.CANCEL) else ""
        if gone:
            return see_times(turn).after(gone)
        return (yield from booking((yield from with_catalogue(turn.with_state(turn.state.quietly())))))
    (result,) = yield (call,)
    if result.kind == "ok":
        return (yield from _done(turn, result))
    return (yield from _refused((yield from with_catalogue(turn)), result))


def _call(turn: Turn, form: Form) -> Call | None:
    """None where what it is about is no longer there."""
    match form.act:
        case Act.BOOK:
            return _book_call(turn, form) if form.services and form.person and form.start else None
        case Act.MOVE:
            return _move_call(turn, form)
        case Act.CANCEL:
            visit = one_of(turn.visits, form.visit)
            return Call("cancelar", (("agendamento_id", form.visit or 0),)) if visit else None
        case Act.WAIT:
            return _wait_call(form) if form.services and form.days else None


def _when(form: Form) -> list[tuple[str, Value]]:
    assert form.start is not None
    return [
        ("data", form.start.date().isoformat()),
        ("hora", f"{form.start:%H:%M}"),
        ("dia_semana", WEEKDAYS[form.start.weekday()]),
    ]


def _book_call(turn: Turn, form: Form) -> Call:
    arguments = [visit_argument(form.services), ("profissional_id", form.person or 0), *_when(form)]
    if turn.known_name:
        arguments.append(("nome_cliente", turn.known_name))
    if form.whose and turn.takes("agendar", "para_quem"):
        arguments.append(("para_quem", form.whose))
    return Call("agendar", tuple(arguments))


def _move_call(turn: Turn, form: Form) -> Call | None:
    visit = one_of(turn.visits, form.visit)
    if visit is None or form.start is None:
        return None
    arguments: list[tuple[str, Value]] = [("agendamento_id", form.visit or 0), *_when(form)]
    if form.person and form.person != visit.professional.id:
        arguments.append(("profissional_id", form.person))
    return Call("remarcar", tuple(arguments))


def _wait_call(form: Form) -> Call:
    arguments: list[tuple[str, Value]] = [
        ("servico_id", form.services[0]),
        ("data", form.days[0].isoformat()),
    ]
    if form.person:
        arguments.append(("profissional_id", form.person))
    if period := own_visits.period_of(form):
        arguments.append(("periodo", period))
    return Call("lista_de_espera", tuple(arguments))


# What became of it


def _done(turn: Turn, result: Result) -> Talk:
    """What was done, and the next wish if there is one."""
    visit = next((fact.visit for fact in result.facts if isinstance(fact, Booked | Moved)), None)
    state = replace(turn.state.afresh, name=turn.known_name, done=visit.id if visit else None)
    lead = nlg.done(result.facts)
    if not turn.state.later:
        return Reply("\n\n".join(filter(None, (lead, nlg.CLOSING))), state)
    form, *rest = turn.state.later
    start = turn.form.start
    if form.act == Act.BOOK and start and (form.pair or not form.days):
        hours = Hours(starts=(start.time(),)) if form.pair else form.hours  # both at the same time
        form = replace(form, days=(start.date(),), hours=hours, pair=False)
    gone = tuple(one for one in turn.visits if turn.form.act != Act.CANCEL or one.id != turn.form.visit)
    request = replace(turn.request, visits=gone)
    more = replace(turn, request=request, lines=(), state=replace(state, form=form, later=tuple(rest)))
    return (yield from _next(more)).after(lead)


def _next(turn: Turn) -> Talk:
    """The wish that comes next, by itself: nothing new was said of it."""
    turn = yield from with_catalogue(turn)
    now = Filled(turn.form, turn.state.later)
    if turn.form.act in (Act.MOVE, Act.CANCEL):
        return (yield from own_visits.pursued(turn, now))
    return (yield from pursue(turn, now))


def _refused(turn: Turn, result: Result) -> Talk:
    """Why not, and what is possible instead."""
    refusal = _refusal(result.facts)
    form = turn.form
    if form.act == Act.CANCEL:
        return or_staff(turn.with_state(turn.state.afresh), refusal.sentence or nlg.NOT_HERE)
    if form.act == Act.WAIT:
        return (yield from _not_waiting(turn, refusal))
    sentence = refusal.sentence or "Esse horário não está mais livre."
    left = replace(form, hours=None)
    return none_with(turn, left, turn.state.later, refusal.code, sentence, nearest_of(result.facts))


def _refusal(facts: Sequence[Fact]) -> Refused:
    return next((fact for fact in facts if isinstance(fact, Refused)), Refused(Code.OCUPADO))


def _not_waiting(turn: Turn, refusal: Refused) -> Talk:
    """What has become free meanwhile is offered instead."""
    if "opted_out" in refusal.code.lower() or "aviso" in refusal.code.lower():
        return Reply(nlg.NO_NOTICES, turn.state.afresh)
    form = replace(turn.form, act=Act.BOOK, hours=hours_of(own_visits.period_of(turn.form)))
    return (yield from look_up(turn, Filled(form, turn.state.later)))


def told_of_writes(facts: Sequence[Fact]) -> bool:
    """Whether any of these facts is something that was done."""
    return any(isinstance(fact, Booked | Moved | Cancelled | Waiting) for fact in facts)
