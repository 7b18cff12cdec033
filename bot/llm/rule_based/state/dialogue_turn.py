"""One turn: what the request tells, what the last answer left open, and what the customer's words mean."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading, read
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.nlu.yes_no import Answer, answer_in
from bot.llm.rule_based.request import Transcript
from bot.llm.rule_based.state.tracker import Asked, Memory, remembered
from bot.llm.rule_based.state.wish import day_told
from bot.llm.rule_based.tool_results import Catalogue, Held

_AGREEING = {
    Asked.BOOK: "marcar marca marque agendar agenda agende reservar reserva reserve"
    " ficar fico fecha fechar fecho fechou",
    Asked.CANCEL: "cancelar cancela cancele cancelamento desmarcar desmarca desmarque",
    Asked.MOVE: "remarcar remarca remarque mudar muda mude trocar troca troque alterar altera marcar marca",
    Asked.WAIT: "coloca colocar coloque poe por bota avisa avisar avise lista espera esperar entrar entro",
    Asked.STAFF: "chama chamar chame passa",
    Asked.WANT: "ver mostra mostrar mostre marcar agendar",
}
_REFUSING = {
    Asked.BOOK: "cancela cancelar",
    Asked.MOVE: "cancela cancelar",
    Asked.CANCEL: "mantem manter mantenha",
}
_PROPOSED = (Asked.BOOK, Asked.MOVE, Asked.CANCEL, Asked.WAIT)
_TO_CHOOSE = (Asked.PERSON, Asked.WHICH_DAY, Asked.TIME, Asked.SLOT)
_CHANGED = {
    Topic.OTHER_SERVICE: {"servico", "servicos"},
    Topic.OTHER_PERSON: {"profissional", "pessoa", "quem"},
    Topic.OTHER_DAY: {"dia", "data"},
    Topic.OTHER_TIME: {"horario", "hora"},
}


@dataclass(frozen=True)
class Turn:
    """A transcript at work. `now` is local to the business. `caller`: the name that the customer gave now."""

    transcript: Transcript
    now: datetime
    caller: str = ""

    @cached_property
    def memory(self) -> Memory:
        if held := self._held:
            person = f"{held.service} com {held.person.name}"
            return remembered(f"{Asked.BOOK.value}{person}, {day_told(held.day)}, às {held.time:%H:%M}?")
        memory = remembered(self.transcript.said)
        if self.transcript.written_on and memory.asked in _PROPOSED:
            return replace(memory, asked=Asked.CHANGES)  # a yes to "Pode escrever!" is none to the proposal
        return memory

    @property
    def afresh(self) -> "Turn":
        """The same words where nothing had been asked before."""
        return Turn(replace(self.transcript, said=""), self.now, self.caller)

    @property
    def is_held(self) -> bool:
        """Whether what stands proposed is an offer of the waiting list."""
        return self._held is not None

    @property
    def _held(self) -> Held | None:
        """The time that the waiting list offered, if that is the last thing that the customer read: then
        it is as good as proposed.
        """
        held, read = self.transcript.held, self.transcript.automatic
        is_last = held is not None and all(
            one in read for one in (f"{held.day:%d/%m/%Y}", f"{held.time:%H:%M}")
        )
        return held if is_last else None

    @property
    def customer(self) -> str:
        """The customer's name as far as it is known only from this talk."""
        return "" if self.transcript.customer else self.caller or self.memory.customer

    @cached_property
    def reading(self) -> Reading:
        """The customer's words without knowledge of this business's names."""
        return read(self.transcript.lines, self.now)

    def reading_with(self, catalogue: Catalogue) -> Reading:
        """The customer's words, names of services and people kept apart from days and hours."""
        names = [service.name for service in catalogue.services] + [one.name for one in catalogue.team]
        return read(self.transcript.lines, self.now, tuple(normalise(name) for name in names))

    def can(self, tool: str) -> bool:
        return tool in self.transcript.tools

    @property
    def asks_on(self) -> bool:
        """Whether "e a manicure?" asks of another service what was just told of one."""
        more = re.match(r"e (?:a|o|as|os|quanto|para)? ?(?:\w+ ){1,3}\?", f"{self.reading.text} ")
        other = self.reading.topics - {Topic.ALSO, Topic.GREETING}
        return bool(more) and not other and self.memory.asked == Asked.WANT and not self.reading.has_facts

    @cached_property
    def topics(self) -> frozenset[Topic]:
        """What the words are about; "o horário" where it was asked what is to be changed is another hour."""
        asked = self.memory.asked
        if self.asks_on:
            return self.reading.topics - {Topic.ALSO} | {Topic.PRICE}
        if self.wants_none_of_them:
            return self.reading.topics | {Topic.OTHER_DAY}
        if asked != Asked.CHANGES:
            return self.reading.topics
        words = set(self.reading.rest.split())
        return self.reading.topics | {topic for topic, named in _CHANGED.items() if words & named}

    @property
    def wants_none_of_them(self) -> bool:
        """Whether none of the times that were shown will do."""
        bare_no = set(self.reading.rest.split()) - {","} == {"nao"}
        shown = self.memory.asked in (Asked.SLOT, Asked.TIME)
        return shown and (bare_no or Topic.NONE_FITS in self.reading.topics)

    def about(self, *topics: Topic) -> bool:
        return bool(self.topics & set(topics))

    @cached_property
    def answer(self) -> Answer:
        """Yes or no to what was asked last. Facts beside a yes must be those that were asked about."""
        memory, reading = self.memory, self.reading
        answer = answer_in(
            reading.rest,
            agreeing=frozenset(_AGREEING.get(memory.asked, "").split()),
            refusing=frozenset(_REFUSING.get(memory.asked, "").split()),
            repeating=frozenset(normalise(memory.names).split()),
        )
        if answer == "yes":
            return "yes" if self._facts_agree() else ""
        return "" if answer == "no" and reading.has_facts else answer

    @property
    def leaves_choice(self) -> bool:
        """Whether any of what was offered will do. "Pode ser" names no day where none was offered."""
        asked = self.memory.asked
        if asked == Asked.DAY:
            return self.reading.whichever and self.answer != "yes"
        return asked in _TO_CHOOSE and (self.reading.whichever or self._says_to_book)

    @property
    def _says_to_book(self) -> bool:
        """Whether "pode marcar" is all that is said, to a list of which none is named."""
        agreeing = frozenset(_AGREEING[Asked.BOOK].split()) - {"1"}
        told = not self.reading.has_facts and bool(agreeing & set(self.reading.rest.split()))
        return told and self.memory.full is None and answer_in(self.reading.rest, agreeing=agreeing) == "yes"

    @property
    def takes_waiting(self) -> bool:
        """Whether it is a yes to waiting, which was mentioned beside the question: "pode colocar"."""
        memory, words = self.memory, frozenset(_AGREEING[Asked.WAIT].split()) - {"por"}
        if memory.full is None or memory.asked not in (Asked.SLOT, Asked.DAY) or self.reading.has_facts:
            return False
        said = set(self.reading.rest.split()) & words
        return bool(said) and answer_in(self.reading.rest, agreeing=words) == "yes"

    def _facts_agree(self) -> bool:
        """Whether the days and hours said beside a yes are the proposed ones, and nothing else is said."""
        days, hours, reading = self.memory.days, self.memory.hours, self.reading
        if reading.hours.shift or reading.hours.compare or reading.days.refused:
            return False
        said_days, said_hours = reading.days.wanted, reading.hours.wanted
        same_day = said_days is None or (days is not None and set(days.dates) <= set(said_days.dates))
        starts = set(hours.starts) if hours else set()
        return same_day and (said_hours is None or (bool(starts) and starts <= set(said_hours.starts)))
