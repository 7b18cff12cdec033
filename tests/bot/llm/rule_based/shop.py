"""A small business in memory that answers calls with facts, and a customer who talks with the model."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.llm.base import Block, ChatMessage, ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules
from bot.llm.rule_based import OfflineModel
from models.availability import Code
from tools import facts
from tools.facts import Fact, FreeOf, FreeStarts, Named, NoneFree, Offer, Refused, Start, Visit

NOW = datetime(2026, 12, 7, 9, 30)  # a Monday
ZONE = ZoneInfo("America/Sao_Paulo")
NAMES = (
    *("buscar_servicos", "buscar_horarios", "agendar", "meus_agendamentos", "remarcar", "cancelar"),
    *("lista_de_espera", "chamar_atendente"),
)
PARTS = {"manha": (0, 12), "tarde": (12, 18), "noite": (18, 24)}
WEEKDAYS = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
ANA, BIA, CARLA = Named(1, "Ana Souza"), Named(2, "Bia Lima"), Named(3, "Carla Dias")
SALON = (
    Offer(1, "Corte feminino", 60, 12000, (ANA, BIA)),
    Offer(2, "Escova", 45, 8000, (ANA, BIA)),
    Offer(3, "Manicure", 30, None, (CARLA,)),
)
JOAO, DAVILA = Named(1, "João Batista"), Named(2, "João D'Ávila")
BARBER = (
    Offer(1, "Corte masculino", 30, 5000, (JOAO, DAVILA)),
    Offer(2, "Corte infantil", 30, 4000, (DAVILA,)),
    Offer(3, "Barba", 30, 3500, (JOAO, DAVILA)),
)
ABOUT = "Aberto de segunda a sábado das 9h às 19h.\nEstacionamento no local.\nInstagram: @flor"


@dataclass
class Shop:
    """Open 9-19 on weekdays and Saturdays. `taken`: hours that others have, by professional."""

    offers: tuple[Offer, ...] = SALON
    customer: str = "Maria"
    about: str = ABOUT
    taken: list[tuple[int, datetime]] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    broken: frozenset[str] = frozenset()
    limit: bool = False

    def run(self, name: str, arguments: dict[str, Any]) -> tuple[tuple[Fact, ...], bool]:
        """The facts of a call, and whether it failed or was refused."""
        if name in self.broken:
            return (), True
        found = getattr(self, name)(**arguments)
        return (found,), isinstance(found, Refused)

    # The tools

    def buscar_servicos(self, termo: str = "") -> Fact:
        return facts.Services(self.offers)

    def buscar_horarios(
        self,
        data: str,
        dia_semana: str,
        servico_id: int = 0,
        servico_ids: tuple[int, ...] = (),
        profissional_id: int | None = None,
        periodo: str | None = None,
    ) -> Fact:
        day = self._day(data, dia_semana)
        keys = tuple(servico_ids) or (servico_id,)
        people = [one for one in self._team(keys) if profissional_id in (None, one.id)]
        lines = [line for one in people if (line := self._line(one, day, keys, periodo))]
        if lines:
            return FreeStarts(day, self._named(keys), tuple(lines), periodo)
        code = Code.OCUPADO if self._opens(day) else Code.FECHADO
        return NoneFree(
            day, self._named(keys), code, "", f"Nada livre: {code}.", self._near(people, day, keys), periodo
        )

    def agendar(
        self,
        profissional_id: int,
        data: str,
        hora: str,
        dia_semana: str,
        servico_id: int = 0,
        servico_ids: tuple[int, ...] = (),
        nome_cliente: str = "",
    ) -> Fact:
        keys, who = tuple(servico_ids) or (servico_id,), self._person(profissional_id)
        start = self._start(data, hora, dia_semana)
        if self.limit:
            return Refused(Code.LIMITE_CLIENTE, "Você já chegou ao máximo de horários.")
        if start not in self._free(who, start.date(), keys):
            return Refused(
                Code.OCUPADO, f"{who.name} já está ocupada.", nearest=self._near([who], start.date(), keys)
            )
        self.customer = self.customer or nome_cliente
        visit = self.visit(start, who, keys)
        return facts.Booked(visit)

    def remarcar(
        self, agendamento_id: int, data: str, hora: str, dia_semana: str, profissional_id: int | None = None
    ) -> Fact:
        old = next(one for one in self.visits if one.id == agendamento_id)
        who, keys = (
            self._person(profissional_id or old.professional.id),
            tuple(one.id for one in old.services),
        )
        start = self._start(data, hora, dia_semana)
        self.visits.remove(old)
        if start not in self._free(who, start.date(), keys):
            self.visits.append(old)
            return Refused(
                Code.OCUPADO, f"{who.name} já está ocupada.", nearest=self._near([who], start.date(), keys)
            )
        return facts.Moved(self.visit(start, who, keys, old.id), old.starts_at, old.professional)

    def cancelar(self, agendamento_id: int) -> Fact:
        visit = next(one for one in self.visits if one.id == agendamento_id)
        self.visits.remove(visit)
        return facts.Cancelled(visit)

    def lista_de_espera(
        self, servico_id: int, data: str, profissional_id: int | None = None, periodo: str | None = None
    ) -> Fact:
        self.waiting.append(
            {"day": data, "service": servico_id, "person": profissional_id, "period": periodo}
        )
        who = self._person(profissional_id) if profissional_id else None
        return facts.Waiting(self._named((servico_id,))[0], date.fromisoformat(data), who, periodo)

    def chamar_atendente(self, motivo: str) -> Fact:
        self.called.append(motivo)
        return facts.PersonCalled(motivo)

    # The agenda

    def visit(
        self, start: datetime, who: Named = ANA, keys: tuple[int, ...] = (1,), key: int | None = None
    ) -> Visit:
        """Booked, as what is there already."""
        offers = [self._offer(one) for one in keys]
        minutes = sum(one.minutes for one in offers)
        local = start.replace(tzinfo=ZONE)
        visit = Visit(
            key or 7 + len(self.visits), self._named(keys), who, local, minutes, offers[0].price_cents
        )
        self.visits = sorted([*self.visits, visit], key=lambda one: one.starts_at)
        return visit

    @property
    def booked(self) -> list[tuple[str, str, str]]:
        return [
            (
                "+".join(s.name for s in one.services),
                one.professional.name.split()[0],
                f"{one.starts_at:%d/%m %H:%M}",
            )
            for one in self.visits
        ]

    def _offer(self, key: int) -> Offer:
        return next(one for one in self.offers if one.id == key)

    def _named(self, keys: tuple[int, ...]) -> tuple[Named, ...]:
        return tuple(Named(key, self._offer(key).name) for key in keys)

    def _team(self, keys: tuple[int, ...]) -> list[Named]:
        first, *others = (self._offer(key) for key in keys)
        return [one for one in first.professionals if all(one in other.professionals for other in others)]

    def _person(self, key: int) -> Named:
        return next(who for one in self.offers for who in one.professionals if who.id == key)

    def _day(self, data: str, dia_semana: str) -> date:
        day = date.fromisoformat(data)
        assert WEEKDAYS[day.weekday()] == dia_semana, "the weekday belongs to the date"
        return day

    def _start(self, data: str, hora: str, dia_semana: str) -> datetime:
        return datetime.combine(self._day(data, dia_semana), time.fromisoformat(hora))

    def _opens(self, day: date) -> bool:
        return day.weekday() != 6 and NOW.date() <= day <= NOW.date() + timedelta(days=60)

    def _free(self, who: Named, day: date, keys: tuple[int, ...]) -> list[datetime]:
        length = timedelta(minutes=sum(self._offer(key).minutes for key in keys))
        busy = [(start, start + timedelta(hours=1)) for one, start in self.taken if one == who.id]
        for one in (one for one in self.visits if one.professional == who):
            begins = one.starts_at.replace(tzinfo=None)
            busy.append((begins, begins + timedelta(minutes=one.minutes)))
        starts = [datetime.combine(day, time(9)) + timedelta(minutes=30 * n) for n in range(20)]
        return [
            start
            for start in starts
            if self._opens(day)
            and start > NOW
            and start + length <= datetime.combine(day, time(19))
            and not any(start < end and begin < start + length for begin, end in busy)
        ]

    def _line(self, who: Named, day: date, keys: tuple[int, ...], period: str | None) -> FreeOf | None:
        first, last = PARTS.get(period or "", (0, 24))
        starts = [one.time() for one in self._free(who, day, keys) if first <= one.hour < last]
        shown = starts if len(starts) <= 12 else [*starts[:11], starts[-1]]
        return FreeOf(who, tuple(shown), len(starts) - len(shown)) if starts else None

    def _near(self, people: Iterable[Named], day: date, keys: tuple[int, ...]) -> tuple[Start, ...]:
        days = [max(day, NOW.date()) + timedelta(days=ahead) for ahead in range(8)]
        found = [
            (start, who.id, who) for one in days for who in people for start in self._free(who, one, keys)
        ]
        return tuple(Start(who, start.replace(tzinfo=ZONE)) for start, _, who in sorted(found)[:3])


def specs(names: Iterable[str] = NAMES) -> tuple[ToolSpec, ...]:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return tuple(ToolSpec(name, "faz algo", schema) for name in names)


@dataclass
class Chat:
    """A customer and the model in a shop. `known`: facts of the turn beside the visits."""

    shop: Shop = field(default_factory=Shop)
    tools: tuple[str, ...] = NAMES
    known: tuple[Fact, ...] = ()
    history: list[ChatMessage] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    offers: list[dict[str, str]] = field(default_factory=list)

    def say(self, *lines: str, chosen: str = "", media: tuple[str, ...] = ()) -> str:
        """Send lines in one burst, or tap; the text that comes back. `calls` holds the calls of this turn,
        `offers` the choices that the product would show.
        """
        words = [line for text in lines for line in text.splitlines()]
        context = facts.Context(
            NOW.replace(tzinfo=ZONE), "Salão Flor", "Rua A, 1", self.shop.about, 60, self.shop.customer,
            tuple(words), media, chosen,
        )  # fmt: skip
        known = facts.dump([context, facts.Upcoming(tuple(self.shop.visits)), *self.known])
        opening: Block = {"type": "text", "text": "<contexto>", "facts": known}
        messages = [*self.history, user(opening, {"type": "text", "text": "\n".join(lines) or "-"})]
        self.calls = []
        for _ in range(8):
            request = ModelRequest("Você é o assistente virtual.", messages, specs(self.tools))
            assert broken_rules(request) == []
            reply = OfflineModel().complete(request, seconds=1)
            assert reply == OfflineModel().complete(request, seconds=1), "the same request, the same answer"
            if reply.stop_reason == "end_turn":
                return self._ended("\n".join(lines) or "-", reply.content)
            step: ChatMessage = {"role": "assistant", "content": reply.content}
            messages = [*messages, step, user(*self._results(reply.content))]
        raise AssertionError("more rounds of calls than a turn may have")

    def written(self, text: str, by: str) -> None:
        """A line that no run wrote: of `staff`, the `product`, or its `notice` of something unreadable."""
        self.history.append(user({"type": "text", "text": text, "from": by}))

    def tap(self, title: str) -> str:
        """What the customer taps comes back as its id and its title."""
        choice = next(one for one in self.offers if one["title"] == title)
        return self.say(title, chosen=choice["id"])

    def _results(self, content: list[Block]) -> list[Block]:
        results = []
        for block in content:
            call = (block["name"], block["input"])
            assert block["name"] in self.tools
            assert call not in self.calls, "the same call twice"
            self.calls.append(call)
            found, is_error = self.shop.run(*call)
            result: Block = {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": "texto que ninguém lê",
            }
            results.append(result | {"facts": facts.dump(found)} | ({"is_error": True} if is_error else {}))
        return results

    def _ended(self, words: str, content: list[Block]) -> str:
        text, state = content
        self.history += [
            user({"type": "text", "text": words}),
            {"role": "assistant", "content": [{"type": "text", "text": text["text"]}, state]},
        ]
        self.offers = text.get("offers", {}).get("choices", [])
        return str(text["text"])

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self.calls]


def user(*blocks: Block) -> ChatMessage:
    return {"role": "user", "content": list(blocks)}
