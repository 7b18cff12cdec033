"""The model is away: for a moment, for long, with another one behind it, and with none."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest

from bot.agent import guardrails
from bot.agent.guardrails.evidence import Evidence
from bot.llm.base import ModelReply, ModelRequest, Usage
from bot.llm.simplified_mode import NOTICE, HonestClient
from bot.process import bootstrap
from models.db import Database
from models.handoff import Reason
from models.run import Outcome
from tests.bot.llm.stopwatch import Stopwatch
from tests.fakes.claude import FakeClaude, answer, error, text, thinking, tool_use
from tests.fakes.openai import FakeOpenAI, completion
from tests.fakes.scripted import Step
from tests.stage import JOAO, MARIA, Stage

DOWN = error(529, "overloaded_error")
TIMEOUT = 45.0
PEOPLE = [f"whatsapp:+55119{number:08d}" for number in range(9)]


class Outage:
    """A stage whose models are the settings' own, behind one network and one clock of the test's.

    `waited` is how long each customer's answer took, in seconds of that clock.
    """

    def __init__(self, db: Database, now: datetime, **settings: object) -> None:
        self.watch = Stopwatch()
        self.claude: Step | Callable[[dict[str, Any]], Step] = answer(text("Oi, aqui é o Claude."))
        self.other: Step = completion("Oi, aqui é o outro.")
        self.stage = Stage(db, now, [], anthropic_api_key="k", **settings)
        self.claudes = FakeClaude(lambda body: self.claude)
        self.others = FakeOpenAI(lambda body: self.other)
        network = httpx.Client(transport=httpx.MockTransport(self._route))
        time = bootstrap.Time(self.watch, self.watch.sleep)
        self.stage.model = bootstrap.model_client(self.stage.settings, network, time)

    def _route(self, request: httpx.Request) -> httpx.Response:
        self.patience = request.extensions["timeout"]["read"]
        return self.claudes(request) if request.url.host == "api.anthropic.com" else self.others(request)

    def silent(self, body: dict[str, Any]) -> Step:
        """Claude takes the connection and says nothing, for as long as it is listened to."""
        self.watch.now += self.patience
        return httpx.ReadTimeout("silence")

    def say(self, sender: str = MARIA, words: str = "oi") -> tuple[str, float]:
        """One customer's answer, and how long it took."""
        began = self.watch.now
        [said] = self.stage.say(words, sender)
        return said, self.watch.now - began


@pytest.fixture
def outage(sqlite_db: Database, now: datetime) -> Callable[..., Outage]:
    return lambda **settings: Outage(sqlite_db, now, **settings)


def test_short_outage_is_waited_out(outage: Callable[..., Outage]) -> None:
    """Two errors, then an answer: the transport tries again, and nobody is handed over."""
    here = outage()
    steps = iter([DOWN, DOWN, answer(text("Oi!"))])
    here.claude = lambda body: next(steps)
    said, waited = here.say()
    assert said == "Oi!"
    assert waited < 3
    assert here.stage.handoffs == []


def test_long_outage_is_not_waited_for_by_everybody(outage: Callable[..., Outage]) -> None:
    """Three customers pay the time-out; those after them are answered at once, by people."""
    here = outage(llm_timeout_seconds=TIMEOUT)
    here.claude = here.silent
    waits = []
    for sender in PEOPLE:
        said, waited = here.say(sender)
        assert "Uma pessoa da equipe" in said
        waits.append(waited)
    assert waits == [TIMEOUT] * 3 + [0.0] * 6
    assert len(here.claudes.requests) == 3
    assert {episode.reason for episode in here.stage.handoffs} == {Reason.MODELO_INDISPONIVEL}


def test_after_the_outage_one_tries_and_all_go_on(outage: Callable[..., Outage]) -> None:
    """Half a minute later a single call finds the model back."""
    here = outage(llm_timeout_seconds=TIMEOUT)
    here.claude = here.silent
    for sender in PEOPLE[:4]:
        here.say(sender)
    here.claude = answer(text("Voltei!"))
    assert "Uma pessoa da equipe" in here.say(PEOPLE[4])[0]
    here.watch.now += 31
    for sender in PEOPLE[5:8]:
        assert here.say(sender) == ("Voltei!", 0.0)


def test_second_provider_answers(outage: Callable[..., Outage]) -> None:
    """It is named on the run, and what the first one's silence costs is paid by three customers alone."""
    here = outage(
        llm_fallback="openai", openai_api_key="k", openai_model="local", llm_timeout_seconds=TIMEOUT
    )
    here.claude = here.silent
    waits = []
    for sender in PEOPLE:
        said, waited = here.say(sender)
        assert said == "Oi, aqui é o outro."
        waits.append(waited)
    assert waits == [TIMEOUT * 2 / 3] * 3 + [0.0] * 6
    assert here.stage.handoffs == []
    assert {(run.provider, run.model) for run in here.stage.runs} == {("openai", "local-model")}
    assert here.others.refusals == []


def test_good_first_provider_is_alone(outage: Callable[..., Outage]) -> None:
    here = outage(llm_fallback="openai", openai_api_key="k", openai_model="local")
    assert here.say()[0] == "Oi, aqui é o Claude."
    assert here.others.requests == []
    assert here.stage.runs[0].provider == "anthropic"


def test_wrong_key_falls_back_too(outage: Callable[..., Outage]) -> None:
    """Somebody must act, but no customer has to wait for it."""
    here = outage(llm_fallback="openai", openai_api_key="k", openai_model="local")
    here.claude = error(401, "authentication_error")
    assert here.say()[0] == "Oi, aqui é o outro."


def test_all_down_is_for_people(outage: Callable[..., Outage]) -> None:
    here = outage(llm_fallback="openai", openai_api_key="k", openai_model="local")
    here.claude, here.other = DOWN, error(503)
    assert "Uma pessoa da equipe" in here.say()[0]
    assert [episode.reason for episode in here.stage.handoffs] == [Reason.MODELO_INDISPONIVEL]
    assert len(here.others.requests) == 3


def test_built_in_model_says_what_it_is(outage: Callable[..., Outage]) -> None:
    """One honest sentence before each run's answer, no hand-over, and a visit can be booked to its end."""
    here = outage(llm_fallback="offline")
    here.claude = DOWN
    said = [
        here.say(words=words)[0]
        for words in ("oi", "quero marcar corte feminino com a Ana", "amanhã às 10h", "sim")
    ]
    for each in said:
        assert each.startswith(f"{NOTICE}\n\n")
        assert each.count(NOTICE) == 1
    [visit] = here.stage.appointments
    assert visit.starts_at.isoformat() == "2026-12-03T13:00:00+00:00"
    assert here.stage.handoffs == []
    assert {run.outcome for run in here.stage.runs} == {Outcome.ANSWERED}
    assert {(run.provider, run.cost_microdollars) for run in here.stage.runs} == {("offline", 0)}


def test_built_in_model_alone_has_nothing_to_announce(sqlite_db: Database, now: datetime) -> None:
    """As the chosen provider it is no stand-in for anything."""
    stage = Stage(sqlite_db, now, [], llm_provider="offline", llm_fallback="offline")
    stage.model = bootstrap.model_client(stage.settings, httpx.Client())
    assert NOTICE not in stage.say("oi", JOAO)[0]


def test_outage_within_a_run(outage: Callable[..., Outage]) -> None:
    """The first call is answered by one, the next by the other: still one valid run."""
    here = outage(llm_fallback="openai", openai_api_key="k", openai_model="local")
    steps = iter([answer(thinking("hm"), tool_use("buscar_servicos")), *[DOWN] * 3])
    here.claude = lambda body: next(steps)
    assert here.say()[0] == "Oi, aqui é o outro."
    [run] = here.stage.runs
    assert (run.provider, run.iterations) == ("openai", 2)
    assert [step.model for step in here.stage.steps if step.kind == "answer"] == [
        "claude-haiku-5-5",
        "local-model",
    ]


# The notice


class Echo:
    provider = model = "offline"

    def __init__(self, *content: dict[str, Any]) -> None:
        self.content = list(content)
        self.heard: list[Any] = []

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        self.heard = request.messages
        return ModelReply(self.content, "end_turn", Usage(1, 1))


def ask(client: Echo, *messages: dict[str, Any]) -> ModelReply:
    return HonestClient(client).complete(ModelRequest("s", list(messages), ()), seconds=1)


def test_notice_may_reach_a_customer() -> None:
    """No check takes it for a leak, a claim or a promise."""
    assert guardrails.fault(f"{NOTICE}\n\nPosso confirmar?", Evidence(appointments=())) is None


def test_notice_is_for_answers_alone() -> None:
    """Words beside a call reach nobody; an answer without words stays without."""
    call = {"type": "tool_use", "id": "a", "name": "x", "input": {}}
    assert ask(Echo(text("Vejo já."), call)).content == [text("Vejo já."), call]
    assert ask(Echo()).content == []


def test_the_notice_stands_also_where_an_answer_is_shown_with_buttons() -> None:
    offers = {"body": "Que dia?", "choices": [], "button": "Ver"}
    reply = ask(Echo(text("Que dia?") | {"offers": offers}))
    assert reply.content[0]["offers"]["body"] == f"{NOTICE}\n\nQue dia?"
