"""The loop alone: a scripted Claude behind the real client, tools in memory, no database."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from anthropic.types import StopReason

from bot.agent import nudges as texts
from bot.agent.guardrails.evidence import Evidence
from bot.agent.loop import MAX_CALLS, Answered, HandedOff, Limits, Loop, Outcome
from bot.agent.state import Progress
from bot.agent.stop_reasons import STEPS, Step, step_after
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelReply, ToolSpec, Usage
from models.db import Database
from models.handoff import Reason
from tests.fakes import claude
from tests.fakes.claude import FakeClaude, answer, refusal, text, tool_use
from tests.fakes.visits import BOOKED
from tools.contract import ToolContext
from tools.facts import PersonCalled
from tools.toolbox import Call, ErrorClass, Result, Toolbox

LIMITS = Limits(
    max_iterations=8,
    max_input_tokens=60_000,
    max_tokens=1000,
    retry_max_tokens=4000,
    seconds=90,
    call_seconds=45,
)
SPECS = tuple(
    ToolSpec(name, f"Ferramenta {name}.", {"type": "object", "properties": {}, "additionalProperties": False})
    for name in ("ver", "marcar", "chamar")
)


CONTEXT = ToolContext(
    db=Database("postgresql://never-opened/none"),
    tenant_id=1,
    customer_id=1,
    conversation_id=1,
    turn_key="1:0",
    now=datetime(2026, 12, 2, 13, 20, tzinfo=UTC),
)


class MemoryToolbox(Toolbox):
    """Tools that answer with their name; `fail` names those whose result is an error."""

    def __init__(self, fail: Sequence[str] = (), failure: ErrorClass = ErrorClass.domain_rule) -> None:
        super().__init__((), CONTEXT, max_identical=2)
        self.fail = fail
        self.failure = failure
        self.executed: list[Call] = []

    def execute(
        self, calls: Sequence[Call], on_result: Callable[[Result], None], *, beside: Collection[str] = ()
    ) -> list[Result]:
        results = [self._result(call) for call in calls]
        for result in results:
            on_result(result)
        return results

    def _result(self, call: Call) -> Result:
        self.executed.append(call)
        if call.name in self.fail:
            return Result(call, "não deu", is_error=True, error_class=self.failure)
        if call.name == "chamar":
            return Result(call, "Pedido registrado.", facts=(PersonCalled("quer uma pessoa"),))
        return Result(call, f"{call.name} ok", facts=(BOOKED,) if call.name == "marcar" else ())


@dataclass
class MemoryRecorder:
    """Keeps what it is told; stands where the database would."""

    kept: list[bool] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    nudges: list[str] = field(default_factory=list)
    finals: list[Reason] = field(default_factory=list)

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None:
        self.kept.append(kept)

    def result(self, result: Result) -> None:
        self.results.append(result)

    def nudge(self, kind: str, text: str) -> None:
        self.nudges.append(kind)

    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None:
        self.finals.append(reason)


@dataclass
class Played:
    """What one run did."""

    outcome: Outcome
    fake: FakeClaude
    toolbox: MemoryToolbox
    recorder: MemoryRecorder

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.fake.requests

    @property
    def executed(self) -> list[str]:
        return [call.name for call in self.toolbox.executed]


def play(
    script: Any,
    *,
    limits: Limits = LIMITS,
    fail: Sequence[str] = (),
    failure: ErrorClass = ErrorClass.domain_rule,
    clock: Callable[[], float] = lambda: 0.0,
) -> Played:
    """Run the loop over the script; no request of it may break a rule of the API."""
    fake = FakeClaude(script)
    toolbox, recorder = MemoryToolbox(fail, failure), MemoryRecorder()
    loop = loop_over(fake, toolbox, recorder, limits=limits, clock=clock)
    played = Played(loop.run(), fake, toolbox, recorder)
    assert fake.refusals == []
    return played


def loop_over(
    fake: FakeClaude,
    toolbox: MemoryToolbox,
    recorder: MemoryRecorder,
    *,
    limits: Limits = LIMITS,
    clock: Callable[[], float] = lambda: 0.0,
) -> Loop:
    """A loop at its beginning, behind the real client."""
    start = [{"role": "user", "content": [{"type": "text", "text": "Oi, quero marcar"}]}]
    return Loop(
        model=AnthropicClient(fake.client(), key="k", model="claude-haiku-5-5", sleep=lambda seconds: None),
        toolbox=toolbox,
        system="Você é o assistente.",
        specs=SPECS,
        limits=limits,
        recorder=recorder,
        progress=Progress(messages=start),
        evidence=Evidence(),
        clock=clock,
    )


# The table of stop reasons


def test_steps_cover_the_apis_type() -> None:
    """Every documented stop reason has exactly one step of its own, and the table knows no others."""
    assert set(STEPS) == set(get_args(StopReason))
    assert Step.UNKNOWN not in STEPS.values()


@pytest.mark.parametrize("reason", ["end_turn", "stop_sequence"])
def test_text_is_the_answer(reason: str) -> None:
    played = play([answer(text("Olá!"), stop_reason=reason)])
    assert played.outcome == Answered("Olá!")
    assert len(played.requests) == 1


def test_tool_use_runs_all_and_answers_all_in_one_message() -> None:
    """Three parallel calls, one failing: three results in order, first in one user message."""
    calls = [tool_use("ver", id="a"), tool_use("marcar", id="b"), tool_use("ver", {"x": 1}, id="c")]
    played = play([answer(*calls), answer(text("Pronto."))], fail=["marcar"])
    assert played.outcome == Answered("Pronto.")
    results = played.requests[1]["messages"][-1]["content"]
    assert [block["tool_use_id"] for block in results] == ["a", "b", "c"]
    assert [block.get("is_error", False) for block in results] == [False, True, False]
    assert played.requests[1]["messages"][-2]["role"] == "assistant"


def test_a_flood_of_calls_runs_only_the_first() -> None:
    """All sixty are answered, in order; those over the limit are told that they did not run."""
    calls = [tool_use("ver", {"n": n}, id=f"call{n}") for n in range(60)]
    played = play([answer(*calls), answer(text("Pronto."))])
    assert played.outcome == Answered("Pronto.")
    assert [call.id for call in played.toolbox.executed] == [f"call{n}" for n in range(MAX_CALLS)]
    results = played.requests[1]["messages"][-1]["content"]
    assert [block["tool_use_id"] for block in results] == [f"call{n}" for n in range(60)]
    kinds = [result.error_class for result in played.recorder.results]
    assert kinds == [None] * MAX_CALLS + [ErrorClass.not_executed] * (60 - MAX_CALLS)
    assert "no máximo 12 chamadas" in results[-1]["content"]


def test_a_flood_that_was_broken_off_goes_on_to_the_same_limit() -> None:
    """After a crash in the middle no more of them run than would have."""
    fake = FakeClaude([answer(text("Pronto."))])
    toolbox, recorder = MemoryToolbox(), MemoryRecorder()
    loop = loop_over(fake, toolbox, recorder)
    content = [tool_use("ver", {"n": n}, id=f"call{n}") for n in range(20)]
    reply = ModelReply(content, "tool_use", Usage(900, 40), "claude-haiku-5-5")
    loop.progress.take_answer(reply, Step.RUN_TOOLS)
    for call in loop.progress.open_calls[:5]:
        loop.progress.take_result(Result(call, "ver ok"))
    assert loop.run() == Answered("Pronto.")
    assert [call.id for call in toolbox.executed] == [f"call{n}" for n in range(5, MAX_CALLS)]


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_truncated_call_never_runs_and_is_asked_once_more(reason: str) -> None:
    """The cut answer leaves no trace; the same request goes out once more with more room."""
    cut = answer(tool_use("marcar", {}), stop_reason=reason, usage=(900, 1000))
    played = play([cut, answer(tool_use("marcar", {"hora": "10:00"})), answer(text("Marcado? Confira."))])
    assert isinstance(played.outcome, Answered)
    assert [call.input for call in played.toolbox.executed] == [{"hora": "10:00"}]
    first, second, _ = played.requests
    assert first["messages"] == second["messages"]
    assert (first["max_tokens"], second["max_tokens"]) == (1000, 4000)
    assert played.recorder.kept == [False, True, True]


def test_call_truncated_twice_is_handed_over() -> None:
    """Nothing runs; the forced answer says what can be said."""
    cut = answer(tool_use("marcar", {}), stop_reason="max_tokens")
    played = play([cut, cut, answer(text("Uma pessoa vai continuar."))])
    assert played.outcome == HandedOff(Reason.TOOL_USE_TRUNCADO, "Uma pessoa vai continuar.")
    assert played.executed == []


def test_whole_call_before_a_cut_one_does_not_run_either() -> None:
    whole, cut = tool_use("marcar", {"hora": "10:00"}), tool_use("marcar", {})
    script = [answer(whole, cut, stop_reason="max_tokens")] * 2 + [answer(text("Alguém continua."))]
    assert play(script).executed == []


@pytest.mark.parametrize("label", ["tool_use", "end_turn"])
def test_answer_that_used_up_its_tokens_was_cut(label: str) -> None:
    """A server may label a cut answer as whole."""
    cut = answer(tool_use("marcar", {}), stop_reason=label, usage=(900, 1000))
    played = play([cut, answer(text("Para que horas?"))])
    assert played.outcome == Answered("Para que horas?")
    assert played.executed == []


def test_long_answer_at_the_second_try_is_whole() -> None:
    """The second try may be longer than the first limit."""
    cut = answer(text("Temos"), stop_reason="max_tokens")
    played = play([cut, answer(text("Temos horário."), usage=(900, 2000))])
    assert played.outcome == Answered("Temos horário.")


def test_text_truncated_twice_sends_whole_sentences_only() -> None:
    cut = answer(text("Temos às 10h. Seu horário ficou para terça às"), stop_reason="max_tokens")
    played = play([cut, cut])
    assert played.outcome == HandedOff(Reason.RESPOSTA_TRUNCADA, "Temos às 10h.")


def test_text_truncated_without_a_whole_sentence_is_not_sent() -> None:
    cut = answer(text("Seu horário ficou para terça às"), stop_reason="max_tokens")
    assert play([cut, cut]).outcome == HandedOff(Reason.RESPOSTA_TRUNCADA, None)


def test_refusal_is_not_asked_again() -> None:
    """No second request of the same body, nothing of the refused answer is sent."""
    played = play([refusal("bio")])
    assert isinstance(played.outcome, HandedOff)
    assert (played.outcome.reason, played.outcome.text) == (Reason.REFUSAL, None)
    assert len(played.requests) == 1
    assert played.recorder.kept == [False]


def test_refusal_with_partial_content_sends_and_runs_nothing() -> None:
    partial = answer(text("Claro, para"), tool_use("marcar", {}), stop_reason="refusal")
    played = play([partial])
    assert isinstance(played.outcome, HandedOff)
    assert played.outcome.text is None
    assert played.executed == []


def test_pause_goes_on_and_is_no_answer() -> None:
    played = play([answer(text("Um momento"), stop_reason="pause_turn"), answer(text("Temos às 10h."))])
    assert played.outcome == Answered("Temos às 10h.")
    assert {"type": "text", "text": "Um momento"}.items() <= (
        played.requests[1]["messages"][1]["content"][0].items()
    )


def test_endless_pause_is_bounded() -> None:
    pause = answer(text("Um momento"), stop_reason="pause_turn")
    played = play([pause, pause, pause, answer(text("Uma pessoa continua."))])
    assert isinstance(played.outcome, HandedOff)
    assert played.outcome.text == "Uma pessoa continua."
    assert played.requests[-1]["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("reason", ["compaction", "error", "", None, 7])
def test_unknown_reason_runs_and_sends_nothing(reason: Any) -> None:
    played = play([answer(text("Olá"), tool_use("marcar", {}), stop_reason=reason or None)])
    assert isinstance(played.outcome, HandedOff)
    assert (played.outcome.reason, played.outcome.text) == (Reason.STOP_REASON_DESCONHECIDO, None)
    assert played.executed == []


# Odd answers


@pytest.mark.parametrize(
    "blank",
    [
        answer(stop_reason="end_turn"),
        answer(text("  \n"), stop_reason="end_turn"),
        answer(claude.thinking("hm"), stop_reason="end_turn"),
        answer(stop_reason="tool_use"),
        answer(text("Vou ver"), stop_reason="tool_use"),
    ],
    ids=["empty", "white space", "thinking only", "no call at all", "text without a call"],
)
def test_blank_answer_is_asked_for_once_more(blank: dict[str, Any]) -> None:
    assert play([blank, answer(text("Olá!"))]).outcome == Answered("Olá!")
    assert play([blank, blank]).outcome == HandedOff(Reason.RESPOSTA_VAZIA, None)


def test_blank_answer_after_results_is_not_kept() -> None:
    """The empty message would be refused on replay; the nudge is a new word of the user."""
    played = play([answer(tool_use("ver")), answer(stop_reason="end_turn"), answer(text("Temos às 10h."))])
    assert played.outcome == Answered("Temos às 10h.")
    assert [message["role"] for message in played.requests[-1]["messages"]] == ["user", "assistant", "user"]


def test_calls_in_a_finished_answer_are_refused_not_run() -> None:
    """`end_turn` with a call: answered as not executed; the model may call again."""
    played = play(
        [
            answer(text("Marcando"), tool_use("marcar", {"a": 1}), stop_reason="end_turn"),
            answer(tool_use("marcar", {"a": 1})),
            answer(text("Feito, confira.")),
        ]
    )
    assert len(played.toolbox.executed) == 1
    assert [result.error_class for result in played.recorder.results] == [ErrorClass.not_executed, None]


def test_text_behind_a_call_is_moved_before_it() -> None:
    """Text after a call breaks the pairing on replay."""
    odd = answer(tool_use("ver"), text("Um momento"))
    played = play([odd, answer(text("Temos às 10h."))])
    kinds = [block["type"] for block in played.requests[1]["messages"][1]["content"]]
    assert kinds == ["text", "tool_use"]
    assert played.outcome == Answered("Temos às 10h.")


def test_blank_text_beside_a_call_is_dropped() -> None:
    played = play([answer(text(""), tool_use("ver")), answer(text("Temos."))])
    assert [block["type"] for block in played.requests[1]["messages"][1]["content"]] == ["tool_use"]


def test_thinking_goes_back_untouched_within_the_run() -> None:
    played = play(
        [
            answer(claude.thinking("hm"), tool_use("ver")),
            answer(tool_use("ver", {"x": 1})),
            answer(text("Oi.")),
        ]
    )
    blocks = played.requests[2]["messages"][1]["content"]
    assert blocks[0]["type"] == "thinking"
    assert blocks[0]["signature"]


def test_repeated_ids_are_told_apart() -> None:
    """A model that numbers its calls anew each time must not make the request invalid."""
    again = [answer(tool_use("ver", {"n": n}, id="toolu_1")) for n in range(3)]
    played = play([*again, answer(text("Oi."))])
    ids = [
        block["id"]
        for message in played.requests[-1]["messages"]
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert len(set(ids)) == 3


# Brakes and the forced final answer


def forced(played: Played) -> dict[str, Any]:
    """The last request, which must be the forced one: same system and tools, no tool allowed."""
    first, last = played.requests[0], played.requests[-1]
    assert last["tool_choice"] == {"type": "none"}
    assert strip(last["system"]) == strip(first["system"])
    assert strip(last["tools"]) == strip(first["tools"])
    assert sum(request["tool_choice"] == {"type": "none"} for request in played.requests) == 1
    return last


def strip(blocks: Any) -> Any:
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]


def endless(body: dict[str, Any]) -> dict[str, Any]:
    """A model that calls tools for ever, each time another call; text only where tools are forbidden."""
    if body["tool_choice"]["type"] == "none":
        return answer(text("Uma pessoa vai continuar."))
    return answer(tool_use("ver", {"n": len(body["messages"])}))


def test_iterations_end_in_a_forced_answer() -> None:
    """Eight calls, the forced one not counted; the last results stand before it."""
    played = play(endless)
    assert played.outcome == HandedOff(Reason.LIMITE_ITERACOES, "Uma pessoa vai continuar.")
    assert len(played.requests) == 9
    last = forced(played)["messages"][-1]["content"][-1]
    assert last["type"] == "tool_result"
    assert texts.final_instruction(Reason.LIMITE_ITERACOES) in str(last["content"])


def test_tokens_end_the_run_with_room_for_the_final_answer() -> None:
    """All three usage fields count, and the sum with the final answer stays below the limit."""

    def hungry(body: dict[str, Any]) -> dict[str, Any]:
        reply = endless(body)
        reply["usage"] |= {"input_tokens": 100, "cache_read_input_tokens": 8000}
        reply["usage"] |= {"cache_creation_input_tokens": 1900}
        return reply

    played = play(hungry)
    assert isinstance(played.outcome, HandedOff)
    assert played.outcome.reason == Reason.LIMITE_TOKENS
    forced(played)
    assert 40_000 <= len(played.requests) * 10_000 <= 60_000


def test_wall_clock_ends_the_run() -> None:
    seconds = iter(range(0, 10_000, 20))
    played = play(endless, clock=lambda: float(next(seconds)))
    assert isinstance(played.outcome, HandedOff)
    assert played.outcome.reason == Reason.LIMITE_TEMPO
    forced(played)


@pytest.mark.parametrize(
    "last",
    [
        answer(tool_use("ver")),
        answer(stop_reason="end_turn"),
        answer(text("<tool_call>{}</tool_call>")),
        answer(text("Cortada no"), stop_reason="max_tokens"),
        claude.error(529),
    ],
    ids=["ignores none", "empty", "leaks", "cut", "fails"],
)
def test_bad_final_answer_gives_the_fixed_text(last: Any) -> None:
    """Never a second forced call, nothing of the bad one is sent or run."""

    def script(body: dict[str, Any]) -> Any:
        return last if body["tool_choice"]["type"] == "none" else endless(body)

    played = play(script)
    assert played.outcome == HandedOff(Reason.LIMITE_ITERACOES, None)
    assert len(played.executed) == 8


def test_brake_after_a_write_still_tells_it() -> None:
    """What was done in the run reaches the customer, whoever words it."""

    def script(body: dict[str, Any]) -> Any:
        if body["tool_choice"]["type"] == "none":
            return claude.error(500)
        return answer(tool_use("marcar", {"n": len(body["messages"])}))

    outcome = play(script).outcome
    assert isinstance(outcome, HandedOff)
    assert outcome.writes == ("marcar ok",) * 8


def test_call_for_a_person_ends_the_run_with_its_motive() -> None:
    played = play([answer(tool_use("chamar", {"motivo": "x"})), answer(text("Já chamei alguém."))])
    assert played.outcome == HandedOff(
        Reason.PEDIDO_DO_CLIENTE, "Já chamei alguém.", detail="quer uma pessoa"
    )
    forced(played)


@pytest.mark.parametrize("failure", [ErrorClass.infrastructure, ErrorClass.bug])
def test_tool_that_failed_by_our_fault_ends_at_people(failure: ErrorClass) -> None:
    """The model was told to say that a person continues: it may, and a person does."""
    said = "Tive um problema aqui. Uma pessoa da equipe vai continuar."
    played = play([answer(tool_use("ver")), answer(text(said))], fail=["ver"], failure=failure)
    assert played.outcome == HandedOff(Reason.ERRO_INTERNO, said)
    assert played.recorder.nudges == []


def test_long_answer_counts_for_the_next_call() -> None:
    """What the model itself just said is input of the next call: the brake sees it coming."""
    long = answer(text("x" * 90_000), tool_use("ver"), usage=(900, 900))
    played = play([long, answer(text("Uma pessoa continua."))])
    assert isinstance(played.outcome, HandedOff)
    assert played.outcome.reason == Reason.LIMITE_TOKENS


# The model does not answer


@pytest.mark.parametrize(
    "failure",
    [
        claude.error(529, "overloaded_error"),
        claude.error(500),
        claude.error(401, "authentication_error"),
        claude.error(404, "not_found_error"),
    ],
)
def test_model_without_an_answer_is_handed_over(failure: Any) -> None:
    outcome = play(lambda body: failure).outcome
    assert isinstance(outcome, HandedOff)
    assert (outcome.reason, outcome.text) == (Reason.MODELO_INDISPONIVEL, None)


def test_short_outage_is_bridged_by_the_transport() -> None:
    played = play([claude.error(529), claude.error(500), answer(text("Olá!"))])
    assert played.outcome == Answered("Olá!")


def test_cache_marks_stay_within_the_limit_at_the_eighth_call() -> None:
    """The stand-in refuses a fifth mark; some are there, or caching would be off."""
    played = play(endless)
    assert "cache_control" in str(played.requests[-1])


def test_step_after_is_total() -> None:
    for reason in [*STEPS, "new_reason", None]:
        assert isinstance(step_after(ModelReply([], reason, Usage()), 10), Step)
