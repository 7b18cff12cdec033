"""One turn: what the request tells, where the talk stands, and what the customer's words mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from bot.llm.rule_based.nlu.entities import NOTHING_KNOWN, Catalogue, Heard
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading, read
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.nlu.wishes import Wish, heard_by, wishes_in
from bot.llm.rule_based.nlu.yes_no import Answer, answer_in
from bot.llm.rule_based.request import Request
from bot.llm.rule_based.state.slots import NO, OTHER, YES, YES_OR_NO, Act, Asked, Form, Meant, State, meant_by
from tools.facts import Context, Visit

_AGREEING = {
    Act.BOOK: "marcar marca marque agendar agenda agende reservar reserva reserve"
    " ficar fico fecha fechar fecho fechou",
    Act.CANCEL: "cancelar cancela cancele cancelamento desmarcar desmarca desmarque",
    Act.MOVE: "remarcar remarca remarque mudar muda mude trocar troca troque alterar altera marcar marca",
    Act.WAIT: "coloca colocar coloque poe por bota avisa avisar avise lista espera esperar entrar entro",
}
_ALSO_AGREEING = {
    Asked.PERSON_OF_STAFF: "chama chamar chame passa pessoa",
    Asked.SEE_TIMES: "ver mostra mostrar mostre marcar agendar",
}
_REFUSING = {Act.BOOK: "cancela cancelar", Act.MOVE: "cancela cancelar", Act.CANCEL: "mantem manter mantenha"}
_CHANGED = {
    Topic.OTHER_SERVICE: {"servico", "servicos"},
    Topic.OTHER_PERSON: {"profissional", "pessoa", "quem"},
    Topic.OTHER_DAY: {"dia", "data"},
    Topic.OTHER_TIME: {"horario", "hora"},
}
_TO_CHOOSE = (Asked.PERSON, Asked.WHICH_DAY, Asked.TIME)


@dataclass(frozen=True)
class Turn:
    """A request at work. `lines` is what the customer wrote, without a `name` that they gave in it."""

    request: Request
    context: Context
    state: State
    lines: tuple[str, ...]
    catalogue: Catalogue = NOTHING_KNOWN
    name: str = ""

    @property
    def now(self) -> datetime:
        """Local to the business, without its zone: as customers speak of time."""
        return self.context.now.replace(tzinfo=None)

    @property
    def form(self) -> Form:
        return self.state.form

    @property
    def visits(self) -> tuple[Visit, ...]:
        return self.request.visits

    @property
    def known_name(self) -> str:
        """The customer's name as far as it is known only from this talk."""
        return "" if self.context.customer else self.name or self.state.name

    def can(self, tool: str) -> bool:
        return self.request.can(tool)

    def takes(self, tool: str, argument: str) -> bool:
        """Whether the tool has this argument today."""
        spec = self.request.tools.get(tool)
        return spec is not None and argument in spec.input_schema.get("properties", {})

    def with_state(self, state: State) -> "Turn":
        return replace(self, state=state)

    # What was said

    @cached_property
    def reading(self) -> Reading:
        """All of the customer's words; names of this business are kept apart from days and hours."""
        named = [one.name for one in self.catalogue.offers] + [one.name for one in self.catalogue.team]
        return read(self.lines, self.now, tuple(normalise(name) for name in named))

    @cached_property
    def heard(self) -> Heard:
        return heard_by(self.reading, self.catalogue)

    @cached_property
    def wishes(self) -> tuple[Wish, ...]:
        """The wishes of this message, each with its own day and hour; one where nothing parts them."""
        return wishes_in(self.reading, self.heard, self.catalogue, self.now)

    @cached_property
    def topics(self) -> frozenset[Topic]:
        """What the words are about; "o horário" where it was asked what is to be changed is another hour."""
        topics = self.reading.topics
        if self.asks_on:
            return topics - {Topic.ALSO} | {Topic.PRICE}
        if self.wants_none_of_them:
            return topics | {Topic.OTHER_DAY}
        if self.state.asked != Asked.CHANGES:
            return topics
        words = set(self.reading.rest.split())
        return topics | {topic for topic, named in _CHANGED.items() if words & named}

    def about(self, *topics: Topic) -> bool:
        return bool(self.topics & set(topics))

    @property
    def asks_on(self) -> bool:
        """Whether "e a manicure?" asks of another service what was just told of one."""
        more = re.match(r"e (?:a|o|as|os|quanto|para)? ?(?:\w+ ){1,3}\?", f"{self.reading.text} ")
        other = self.reading.topics - {Topic.ALSO, Topic.GREETING}
        told = self.state.asked == Asked.SEE_TIMES
        return bool(more) and not other and told and not self.reading.has_facts

    @property
    def wants_none_of_them(self) -> bool:
        """Whether none of the times that were shown will do."""
        bare_no = set(self.reading.rest.split()) - {","} == {"nao"}
        return self.state.asked in (Asked.TIME, Asked.WHICH_DAY) and (
            bare_no or (Topic.NONE_FITS in self.reading.topics and not self.reading.has_facts)
        )

    @property
    def thinks_again(self) -> bool:
        """Whether what was just booked is corrected: "errei, era quinta"."""
        just = self.state.done is not None and any(one.id == self.state.done for one in self.visits)
        return just and self.about(Topic.SLIP) and self.reading.has_facts

    # Yes, no, and which one

    @cached_property
    def answer(self) -> Answer:
        """Yes or no to what was asked last. Facts beside a yes must be those that were asked about."""
        state, reading = self.state, self.reading
        confirms = state.asked == Asked.CONFIRM
        agreeing = _AGREEING[state.form.act] if confirms else _ALSO_AGREEING.get(state.asked, "")
        refusing = _REFUSING.get(state.form.act, "") if confirms else ""
        answer = answer_in(
            reading.rest,
            agreeing=frozenset(agreeing.split()),
            refusing=frozenset(refusing.split()),
            repeating=frozenset(normalise(state.words).split()) - {"?", "nao"},
        )
        if answer == "yes":
            return "yes" if self._facts_agree() else ""
        return "" if answer == "no" and reading.has_facts else answer

    def _facts_agree(self) -> bool:
        """Whether the days and hours said beside a yes are the proposed ones, and nothing else is said."""
        form, reading = self.form, self.reading
        if reading.hours.shift or reading.hours.compare or reading.days.refused or reading.hours.refused:
            return False
        said_days, said_hours = reading.days.wanted, reading.hours.wanted
        starts = set(form.hours.starts) if form.hours else set()
        same_day = said_days is None or (bool(form.days) and set(form.days) <= set(said_days.dates))
        return same_day and (said_hours is None or (bool(starts) and starts <= set(said_hours.starts)))

    @property
    def leaves_choice(self) -> bool:
        """Whether any of what was offered will do. "Pode ser" names no day where none was offered."""
        if self.state.asked == Asked.DAY:
            return self.reading.whichever and self.answer != "yes"
        return self.state.asked in _TO_CHOOSE and (self.reading.whichever or self._says_to_book)

    @property
    def _says_to_book(self) -> bool:
        """Whether "pode marcar" is all that is said, to a list of which none is named."""
        agreeing = frozenset(_AGREEING[Act.BOOK].split())
        told = not self.reading.has_facts and bool(agreeing & set(self.reading.rest.split()))
        return told and self.state.full is None and answer_in(self.reading.rest, agreeing=agreeing) == "yes"

    @property
    def takes_waiting(self) -> bool:
        """Whether it is a yes to waiting, which was mentioned beside the question: "pode colocar"."""
        words = frozenset(_AGREEING[Act.WAIT].split()) - {"por"}
        if (
            self.state.full is None
            or self.state.asked not in (Asked.TIME, Asked.DAY)
            or self.reading.has_facts
        ):
            return False
        said = set(self.reading.rest.split()) & words
        return bool(said) and answer_in(self.reading.rest, agreeing=words) == "yes"

    @cached_property
    def choice(self) -> Meant | None:
        """What of the offered was chosen: tapped, by its number or words, or as the only one that is left."""
        state = self.state
        tapped = meant_by(self.request.chosen) if self.request.chosen else None
        if tapped and (
            tapped.kind in ("slot", "move", "cancel", "confirm") or self._offers(self.request.chosen)
        ):
            return tapped
        if state.asked in YES_OR_NO:
            return self._yes_or_no()
        found = self._by_place() or self._by_title() or self._by_time()
        if found or not state.choices:
            return found
        left = [
            one
            for one in map(meant_by, (choice.id for choice in state.choices))
            if one and one.kind != "staff"
        ]
        if self.leaves_choice:
            return Meant("anyone") if state.asked == Asked.PERSON else next(iter(left), None)
        return (
            left[0]
            if self.answer == "yes" and len([one for one in left if one.kind != "wait"]) == 1
            else None
        )

    def _offers(self, choice_id: str) -> bool:
        return any(choice.id == choice_id for choice in self.state.choices)

    def _yes_or_no(self) -> Meant | None:
        said = {"yes": YES, "no": NO}.get(self.answer)
        if said is None and self.reading.text.strip(" ,") == normalise(OTHER.title):
            said = OTHER
        return meant_by(said.id) if said else None

    def _by_place(self) -> Meant | None:
        choices, reading = self.state.choices, self.reading
        place = reading.number if reading.number is not None else reading.ordinal
        if place is None or reading.number_minute or not self.state.numbered:
            return None
        if place == -1:
            return meant_by(choices[-1].id)
        return meant_by(choices[place - 1].id) if 1 <= place <= len(choices) else None

    def _by_title(self) -> Meant | None:
        said = self.reading.text.strip(" ,")
        named = [one.id for one in self.state.choices if said and said == normalise(one.title).strip(" ,")]
        return meant_by(named[0]) if len(named) == 1 else None

    def _by_time(self) -> Meant | None:
        """The dated choice that is what was said, its day or its hour, and nothing against it."""
        fitting = [one for choice in self.state.choices if (one := meant_by(choice.id)) and self._fits(one)]
        return fitting[0] if len(fitting) == 1 else None

    def _fits(self, one: Meant) -> bool:
        days, hours = self.reading.days.wanted, self.reading.hours.wanted
        day = one.start.date() if one.start else one.day
        if day is None or (self.heard.people and one.key not in {person.id for person in self.heard.people}):
            return False
        same_day = (
            days is None or day in days.dates or (days.loose and day.weekday() == days.dates[0].weekday())
        )
        if one.start is None:
            return (days is not None and same_day and hours is None) or day.day == self.reading.number
        starts = hours.starts if hours else ()
        return bool(days or starts) and same_day and (not starts or one.start.time() in starts)


def local(moment: datetime) -> datetime:
    """A fact's moment as customers speak of it: in the business's zone, without saying so."""
    return moment.replace(tzinfo=None)


def one_of(visits: Sequence[Visit], key: int | None) -> Visit | None:
    return next((one for one in visits if one.id == key), None)
