"""A small shop in memory with the tools' texts, and a chat with the offline model in it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from bot.llm.base import Block, ChatMessage, ModelReply, ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules
from bot.llm.rule_based import OfflineModel
from tools.portuguese import WEEKDAYS

# Wednesday, as the utterance table of the reader wants it.
NOW = datetime(2026, 12, 2, 10, 20)  # the shop's own wall clock
HOLIDAYS = (date(2026, 12, 25), date(2027, 1, 1))
PERIOD_WORDS = {None: "", "manha": ", de manhã", "tarde": ", à tarde", "noite": ", à noite"}
PERIODS = {"manha": (0, 12), "tarde": (12, 18), "noite": (18, 24)}
NAMES = (
    "buscar_servicos",
    "buscar_horarios",
    "agendar",
    "meus_agendamentos",
    "remarcar",
    "cancelar",
    "lista_de_espera",
    "chamar_atendente",
)


def in_words(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]}, {day:%d/%m/%Y}"


class Refusal(Exception):
    """A tool's no; its text is the result."""


@dataclass
class Offer:
    id: int
    name: str
    minutes: int
    price: str
    team: tuple[int, ...]


@dataclass
class Visit:
    id: int
    services: tuple[int, ...]
    person: int
    start: datetime
    end: datetime


@dataclass
class Shop:
    """Open Monday to Friday 09:00–19:00, Saturday 09:00–14:00. `broken` tools fail as an outage would."""

    people: Mapping[int, str]
    offers: Iterable[Offer]
    now: datetime = NOW
    name: str = "Studio Bela"
    zone: str = "America/Sao_Paulo"
    customer: str = "Maria"
    system: str = ""
    visits: list[Visit] = field(default_factory=list)
    taken: list[tuple[int, datetime]] = field(default_factory=list)
    step: timedelta = timedelta(minutes=30)
    broken: frozenset[str] = frozenset()
    waiting: list[tuple[int, str, int | None, str | None]] = field(default_factory=list)
    refusing: dict[str, str] = field(default_factory=dict)
    asked_for_person: list[str] = field(default_factory=list)

    def run(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """The text of a result, and whether it is an error."""
        if name in self.broken:
            return (
                "O sistema está indisponível no momento. Não tente de novo; uma pessoa vai continuar.",
                True,
            )
        if name in self.refusing:
            return self.refusing[name], True
        try:
            return getattr(self, name)(**arguments), False
        except Refusal as refusal:
            return str(refusal), True

    # The tools

    def buscar_servicos(self, termo: str = "") -> str:
        return "\n".join([f"Serviços de {self.name}:", *(self._offer_line(offer) for offer in self.offers)])

    def _offer_line(self, offer: Offer) -> str:
        team = ", ".join(f"{self.people[key]} (profissional_id {key})" for key in offer.team)
        return f"- {offer.name} (servico_id {offer.id}): {offer.minutes} min, {offer.price}. Com: {team}."

    def buscar_horarios(
        self,
        data: str,
        dia_semana: str,
        servico_id: int | None = None,
        servico_ids: list[int] | None = None,
        profissional_id: int | None = None,
        periodo: str | None = None,
    ) -> str:
        day = self._day(data, dia_semana)
        offers = [self._offer(key) for key in servico_ids or [servico_id or 0]]
        able = [one for one in offers[0].team if all(one in offer.team for offer in offers)]
        people = [profissional_id] if profissional_id else able
        lines = [line for one in people if (line := self._free_line(one, day, offers, periodo))]
        what = " e ".join(f"{offer.name} (servico_id {offer.id})" for offer in offers)
        heading = f"{what} {'no' if day.weekday() > 4 else 'na'} {in_words(day)}"
        if lines:
            return "\n".join([f"Horários livres para {heading}:", *lines])
        why = f"o {self.name} não abre nesse dia" if not self._open(day) else "a agenda já está cheia"
        return "\n".join(
            [
                f"Não há horário livre para {heading}{PERIOD_WORDS[periodo]}: {why}.",
                *self._nearest(people, day, offers),
            ]
        )

    def agendar(
        self,
        profissional_id: int,
        data: str,
        hora: str,
        dia_semana: str,
        servico_id: int | None = None,
        servico_ids: list[int] | None = None,
        nome_cliente: str | None = None,
    ) -> str:
        offers = [self._offer(key) for key in servico_ids or [servico_id or 0]]
        start = datetime.combine(self._day(data, dia_semana), time.fromisoformat(hora))
        same = (tuple(offer.id for offer in offers), profissional_id, start)
        for visit in self.visits:
            if (visit.services, visit.person, visit.start) == same:
                return f"Já estava agendado {self._booked(visit)}"
        self._check(profissional_id, start, offers, "Não agendei")
        self.customer = self.customer or nome_cliente or ""
        visit = Visit(7 + len(self.visits), same[0], profissional_id, start, start + self._length(offers))
        self.visits.append(visit)
        return f"Agendado {self._booked(visit)}"

    def meus_agendamentos(self) -> str:
        lines = [f"- {line}" for line in self.appointment_lines()]
        return (
            "\n".join([f"Agendamentos de {self.customer}:", *lines])
            if lines
            else "Nenhum agendamento futuro."
        )

    def remarcar(
        self, agendamento_id: int, data: str, hora: str, dia_semana: str, profissional_id: int | None = None
    ) -> str:
        visit = next(visit for visit in self.visits if visit.id == agendamento_id)
        before = f"{in_words(visit.start)}, às {visit.start:%H:%M}"
        start = datetime.combine(self._day(data, dia_semana), time.fromisoformat(hora))
        offers = [self._offer(key) for key in visit.services]
        self.visits.remove(visit)
        try:
            self._check(profissional_id or visit.person, start, offers, "Não remarquei")
        except Refusal:
            self.visits.append(visit)
            raise
        visit.person, visit.start, visit.end = (
            profissional_id or visit.person,
            start,
            start + self._length(offers),
        )
        self.visits.append(visit)
        after = f"{in_words(start)}, às {start:%H:%M}"
        return f"Remarcado (agendamento_id {visit.id}): {self._what(visit)}, de {before}, para {after}."

    def cancelar(self, agendamento_id: int, motivo: str = "") -> str:
        visit = next(visit for visit in self.visits if visit.id == agendamento_id)
        self.visits.remove(visit)
        when = f"{in_words(visit.start)}, às {visit.start:%H:%M}"
        return f"Cancelado (agendamento_id {visit.id}): {self._what(visit)}, {when}."

    def lista_de_espera(
        self, servico_id: int, data: str, profissional_id: int | None = None, periodo: str | None = None
    ) -> str:
        day, offer = date.fromisoformat(data), self._offer(servico_id)
        people = [profissional_id] if profissional_id else list(offer.team)
        if any(self._free_line(one, day, [offer], periodo) for one in people):
            raise Refusal("Não coloquei o cliente na lista de espera, porque há horários livres.")
        self.waiting.append((servico_id, data, profissional_id, periodo))
        who = f", com {self.people[profissional_id]}" if profissional_id else ""
        told = (
            "Se abrir um horário, o cliente recebe uma mensagem e tem um tempo limitado para responder. A "
            "mensagem só chega se o cliente tiver escrito aqui nas últimas 24 horas; diga isso a ele."
        )
        what = f"{offer.name} (servico_id {servico_id}), {in_words(day)}{PERIOD_WORDS[periodo]}{who}"
        return f"Na lista de espera: {what}. {told}"

    def chamar_atendente(self, motivo: str) -> str:
        self.asked_for_person.append(motivo)
        return "Pedido registrado: uma pessoa da equipe vai continuar esta conversa."

    # The agenda

    def free(self, person: int, day: date, length: timedelta) -> list[datetime]:
        opens, closes = self._open(day) or (0, 0)
        start, end = (datetime.combine(day, time()) + timedelta(hours=hour) for hour in (opens, closes))
        starts = []
        while start + length <= end:
            if start >= self.now and not self._busy(person, start, start + length):
                starts.append(start)
            start += self.step
        return starts

    def appointment_lines(self) -> list[str]:
        return [
            f"agendamento_id {v.id}: {self._what(v)} (profissional_id {v.person}), "
            f"{in_words(v.start)}, às {v.start:%H:%M}."
            for v in sorted(self.visits, key=lambda visit: visit.start)
        ]

    def _open(self, day: date) -> tuple[int, int] | None:
        if day in HOLIDAYS or day > self.now.date() + timedelta(days=60) or day.weekday() == 6:
            return None
        return (9, 14) if day.weekday() == 5 else (9, 19)

    def _busy(self, person: int, start: datetime, end: datetime) -> bool:
        mine = [(v.start, v.end) for v in self.visits if v.person == person]
        others = [(begun, begun + timedelta(hours=1)) for one, begun in self.taken if one == person]
        return any(begun < end and start < over for begun, over in mine + others)

    def _free_line(self, person: int, day: date, offers: list[Offer], period: str | None) -> str:
        first, last = PERIODS.get(period or "", (0, 24))
        starts = [s for s in self.free(person, day, self._length(offers)) if first <= s.hour < last]
        shown = (
            starts if len(starts) <= 12 else [starts[round(n * (len(starts) - 1) / 11)] for n in range(12)]
        )
        more = f" e mais {len(starts) - 12}" if len(starts) > 12 else ""
        times = ", ".join(f"{s:%H:%M}" for s in shown)
        return f"- {self.people[person]} (profissional_id {person}): {times}{more}" if starts else ""

    def _check(self, person: int, start: datetime, offers: list[Offer], headline: str) -> None:
        if start in self.free(person, start.date(), self._length(offers)):
            return
        why = f"a agenda de {self.people[person]} já está ocupada"
        what = " e ".join(offer.name for offer in offers)
        lines = self._nearest([person], start.date(), offers)
        raise Refusal("\n".join([f"{headline} {what} com {self.people[person]}: {why}.", *lines]))

    def _nearest(self, people: list[int], day: date, offers: list[Offer]) -> list[str]:
        found = [
            (start, person)
            for ahead in range(8)
            for person in people
            for start in self.free(person, max(day, self.now.date()) + timedelta(ahead), self._length(offers))
        ]
        lines = [
            f"- {in_words(start)}, às {start:%H:%M}, com {self.people[person]} (profissional_id {person})"
            for start, person in sorted(found)[:3]
        ]
        return ["Horários mais próximos:", *lines] if lines else []

    def _day(self, data: str, dia_semana: str) -> date:
        day = date.fromisoformat(data)
        names = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
        assert names[day.weekday()] == dia_semana, "the weekday belongs to the date"
        return day

    def _offer(self, key: int) -> Offer:
        return next(offer for offer in self.offers if offer.id == key)

    def _length(self, offers: list[Offer]) -> timedelta:
        return timedelta(minutes=sum(offer.minutes for offer in offers))

    def _names(self, visit: Visit) -> str:
        return " e ".join(self._offer(key).name for key in visit.services)

    def _what(self, visit: Visit) -> str:
        return f"{self._names(visit)} com {self.people[visit.person]}"

    def _booked(self, visit: Visit) -> str:
        when = f"{in_words(visit.start)}, às {visit.start:%H:%M}"
        minutes = (visit.end - visit.start).seconds // 60
        return f"(agendamento_id {visit.id}): {self._what(visit)}, {when} ({minutes} min, R$ 120,00)."


def salon(**changed: Any) -> Shop:
    """Two haircuts' worth of a salon: Ana and Bia, who do not do the same."""
    offers = (
        Offer(1, "Corte feminino", 60, "R$ 120,00", (1, 2)),
        Offer(2, "Escova", 45, "R$ 80,00", (1,)),
        Offer(3, "Manicure", 30, "preço sob consulta", (3,)),
    )
    return Shop({1: "Ana Souza", 2: "Bia Lima", 3: "Carla Dias"}, offers, **changed)


def barber(**changed: Any) -> Shop:
    """A barber's with homonyms and no combined service."""
    offers = (
        Offer(1, "Corte masculino", 30, "R$ 50,00", (1, 2)),
        Offer(2, "Corte infantil", 30, "R$ 40,00", (2,)),
        Offer(3, "Barba", 30, "R$ 35,00", (1, 2)),
    )
    people = {1: "João Batista", 2: "João D'Ávila"}
    return Shop(people, offers, name="Barbearia Rio Negro", **changed)


def context(shop: Shop, *written: str) -> str:
    days = [shop.now.date() + timedelta(days=n) for n in range(14)]
    nicknames = dict(enumerate((" (hoje)", " (amanhã)")))
    listed = ", ".join(
        f"{WEEKDAYS[day.weekday()]} {day.isoformat()}{nicknames.get(n, '')}" for n, day in enumerate(days)
    )
    mine = [f"- {line}" for line in shop.appointment_lines()]
    return "\n".join(
        [
            "<contexto>",
            f"Agora: {WEEKDAYS[shop.now.weekday()]}, {shop.now:%Y-%m-%d, %H:%M} ({shop.zone}).",
            f"Próximos dias: {listed}.",
            f"Cliente: {shop.customer or 'nome desconhecido'}.",
            "Agendamentos futuros do cliente:" + ("" if mine else " nenhum."),
            *mine,
            *written,
            "</contexto>",
        ]
    )


def specs(names: Iterable[str] = NAMES) -> tuple[ToolSpec, ...]:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return tuple(ToolSpec(name, "faz algo", schema) for name in names)


@dataclass
class Chat:
    """A customer and the model in a shop. `pairs`: whether earlier calls and results stay in the history."""

    shop: Shop
    pairs: bool = True
    tools: tuple[str, ...] = NAMES
    history: list[ChatMessage] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    written: tuple[str, ...] = ()

    def say(self, *lines: str) -> str:
        """Send lines in one burst; the text that comes back. `calls` holds the calls of this turn."""
        words = {"type": "text", "text": "\n".join(lines)}
        messages = [*self.history, user({"type": "text", "text": context(self.shop, *self.written)}, words)]
        turn: list[ChatMessage] = []
        self.calls = []
        for _ in range(4):
            reply = self._reply(messages)
            if reply.stop_reason == "end_turn":
                return self._ended(words, turn, reply)
            step = [{"role": "assistant", "content": reply.content}, user(*self._results(reply.content))]
            messages, turn = messages + step, turn + step
        raise AssertionError("more than three rounds of calls")

    def staff_says(self, text: str) -> None:
        self.history.append(user({"type": "text", "text": f"[Mensagem da equipe enviada ao cliente] {text}"}))

    def automatic(self, text: str, line: str) -> None:
        """The product writes by itself; from then on the line stands in the context."""
        self.history.append(
            user({"type": "text", "text": f"[Mensagem automática enviada ao cliente] {text}"})
        )
        self.written = (*self.written, line)

    def _reply(self, messages: list[ChatMessage]) -> ModelReply:
        system = self.shop.system or f"Você é o assistente virtual de {self.shop.name} no WhatsApp."
        request = ModelRequest(system, messages, specs(self.tools))
        assert broken_rules(request) == []
        reply = OfflineModel().complete(request, seconds=1)
        assert reply == OfflineModel().complete(request, seconds=1), "the same request, the same answer"
        return reply

    def _results(self, content: list[Block]) -> list[Block]:
        results = []
        for block in content:
            call = (block["name"], block["input"])
            assert block["name"] in self.tools
            assert call not in self.calls, "the same call twice"
            self.calls.append(call)
            text, is_error = self.shop.run(*call)
            result = {"type": "tool_result", "tool_use_id": block["id"], "content": text}
            results.append(result | ({"is_error": True} if is_error else {}))
        return results

    def _ended(self, words: Block, turn: list[ChatMessage], reply: ModelReply) -> str:
        [block] = reply.content
        self.history += [
            user(words),
            *(turn if self.pairs else []),
            {"role": "assistant", "content": [block]},
        ]
        return str(block["text"])

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self.calls]


def user(*blocks: Block) -> ChatMessage:
    return {"role": "user", "content": list(blocks)}
