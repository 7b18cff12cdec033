"""The waiting list: for a day on which nothing is free."""

from dataclasses import replace

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.times import PARTS, Hours
from bot.llm.rule_based.policy.book import booking, look_up, next_offer
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.search import PERIOD_WORDS
from bot.llm.rule_based.policy.steps import Call, Talk, Value
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.slots import recalled
from bot.llm.rule_based.state.tracker import Asked, Full, remembered, wait_proposal
from bot.llm.rule_based.state.wish import Wish
from bot.llm.rule_based.tool_results import waiting_in

_PERIODS = {words: name for name, words in PERIOD_WORDS.items()}


def waiting(turn: Turn) -> Talk:
    """Propose to wait for the full day; where none is known yet, look first. Without the tool a person."""
    if not turn.can("lista_de_espera"):
        return nlg.or_staff(nlg.NOT_HERE)
    if turn.memory.full and not turn.reading.has_facts:
        return wait_proposal(turn.memory.names, turn.memory.full, turn.memory.later)
    if waits := _waits(turn):
        return nlg.already_waits([waiting_in(line) for line in waits])
    text = yield from booking(turn)
    found = remembered(text)
    if found.full:
        return wait_proposal(found.names, found.full, found.later)
    return f"{nlg.NO_NEED_TO_WAIT}\n\n{text}" if found.asked in (Asked.BOOK, Asked.TIME) else text


def _waits(turn: Turn) -> list[str]:
    """What the customer waits for already, on the day that is said; nothing while a visit is arranged."""
    said = turn.reading.days.wanted
    days = [f"{day:%d/%m/%Y}" for day in said.dates] if said else [""]
    lines = () if turn.memory.booking else turn.transcript.waits
    return [line for line in lines if any(day in line for day in days)]


def joined(turn: Turn) -> Talk:
    """The customer said yes to waiting. What has become free meanwhile is offered instead."""
    full = turn.memory.full
    catalogue = yield from catalogue_for(turn)
    wish = recalled(turn.memory, catalogue)
    if full is None or not wish.services:
        return nlg.NO_SUCH_SERVICE
    (result,) = yield (_call(wish, full),)
    if result.kind == "ok":
        return "\n\n".join(filter(None, (nlg.waiting(waiting_in(result.text)), next_offer(wish))))
    if "não receber avisos" in result.text:
        return nlg.NO_NOTICES
    return (yield from look_up(replace(wish, hours=_hours(full)), turn.now))


def _call(wish: Wish, full: Full) -> Call:
    arguments: list[tuple[str, Value]] = [
        ("servico_id", wish.services[0].id),
        ("data", full.day.isoformat()),
    ]
    if wish.person:
        arguments.append(("profissional_id", wish.person.id))
    if full.part:
        arguments.append(("periodo", _PERIODS[full.part]))
    return Call("lista_de_espera", tuple(arguments))


def _hours(full: Full) -> Hours | None:
    if not full.part:
        return None
    earliest, latest = PARTS[full.part]
    return Hours(earliest=earliest, latest=latest)
