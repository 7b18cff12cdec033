"""The waiting list: for a day on which nothing is free."""

from dataclasses import replace

from bot.llm.rule_based import nlg
from bot.llm.rule_based.policy.ask import or_staff, standing
from bot.llm.rule_based.policy.book import booking
from bot.llm.rule_based.policy.steps import Reply, Talk
from bot.llm.rule_based.policy.turn import Turn
from bot.llm.rule_based.state.slots import NO, YES, Act, Asked, Form, Full, hours_of
from tools.facts import Waiting


def waiting(turn: Turn) -> Talk:
    """Propose to wait for the full day; where none is known yet, look first. Without the tool a person."""
    if not turn.can("lista_de_espera"):
        return or_staff(turn, nlg.NOT_HERE)
    if turn.state.full and not turn.reading.has_facts:
        return proposed(turn, turn.form, turn.state.full)
    if waits := _waits(turn):
        lines = "\n".join(f"- {nlg.waiting(one)}" for one in waits)
        told = f"Você está na lista de espera:\n{lines}\n\n{nlg.WORD_COMES}"
        return Reply(told, turn.state.afresh)
    found = yield from booking(turn)
    if found.state.full:
        return proposed(turn.with_state(found.state), found.state.form, found.state.full)
    free = found.state.asked in (Asked.CONFIRM, Asked.TIME)
    return found.after(nlg.NO_NEED_TO_WAIT) if free else found


def proposed(turn: Turn, form: Form, full: Full) -> Reply:
    """The place on the list, to be answered with a yes."""
    waited = replace(form, act=Act.WAIT, days=(full.day,), hours=hours_of(full.period))
    services, person = turn.catalogue.chosen(form.services), turn.catalogue.person(form.person)
    who = f"com {person.name}" if person else "com qualquer profissional" if form.anyone else ""
    what = " ".join(filter(None, (nlg.names(services), who)))
    asked = f"Posso colocar você na lista de espera: {', '.join(filter(None, (what, nlg.full(full))))}?"
    words = "\n".join(filter(None, (asked, nlg.afterwards(turn.state.later, turn.catalogue))))
    return Reply("", standing(turn, Asked.CONFIRM, waited, turn.state.later, words, (YES, NO)))


def _waits(turn: Turn) -> list[Waiting]:
    """What the customer waits for already, on the day that is said; nothing while a visit is arranged."""
    said = turn.reading.days.wanted
    if turn.form.act == Act.BOOK and turn.form.begun:
        return []
    return [one for one in turn.request.waits if said is None or one.day in said.dates]
