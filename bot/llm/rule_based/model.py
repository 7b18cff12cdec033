"""The model itself: one request in, one reply out."""

import hashlib
import json
from dataclasses import asdict

from bot.llm.base import Block, ModelReply, ModelRequest, Usage
from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.topics import Topic, topics_in
from bot.llm.rule_based.policy import converse
from bot.llm.rule_based.policy.book import booked
from bot.llm.rule_based.policy.steps import Call, Talk
from bot.llm.rule_based.request import Transcript, transcript_of
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.tool_results import Result, waiting_in

MOST_ROUNDS = 3  # answers with calls in one turn
_WRITES = ("agendar ", "remarcar ", "cancelar ")
_WAIT = "lista_de_espera "
_PERSON = "chamar_atendente "
_CHARACTERS_A_TOKEN = 4


class OfflineModel:
    """A model made of rules, behind the same interface as a real one. It keeps nothing between two requests,
    so one instance serves any number of threads.
    """

    provider = "offline"
    model = "offline"

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:  # noqa: ARG002  # it needs no time
        """Answer at once. Never raises ModelError."""
        told = transcript_of(request)
        step = _closing(told) if told.text_only else _step(told)
        digest = _digest(request)
        content: list[Block] = (
            [{"type": "text", "text": step}] if isinstance(step, str) else _calls(step, digest)
        )
        return ModelReply(
            content=content,
            stop_reason="end_turn" if isinstance(step, str) else "tool_use",
            usage=_usage(request, content),
            model=self.model,
        )


def _step(told: Transcript) -> str | tuple[Call, ...]:
    """The next calls, or the text that ends the turn."""
    if any(result.kind == "failed" for result in told.results.values()):
        return _closing(told)
    return _next(converse(Turn(told, told.now)) if told.now else _without_clock(), told)


def _without_clock() -> Talk:
    """Nobody who does not know the day can talk about days."""
    yield (Call("chamar_atendente", (("motivo", "O assistente não recebeu a data e a hora."),)),)
    return nlg.STAFF_CALLED


def _next(talk: Talk, told: Transcript) -> str | tuple[Call, ...]:
    """Run the talk over the results that are there already, up to the first calls without one."""
    try:
        calls = next(talk)
        while not (open_calls := _open(calls, told.results)):
            calls = talk.send(tuple(told.results[call.key] for call in calls))
    except StopIteration as end:
        return str(end.value)
    talk.close()
    if any(call.name not in told.tools for call in open_calls):
        return nlg.or_staff(nlg.NOT_HERE) if _PERSON.strip() in told.tools else nlg.NOT_HERE
    return nlg.or_staff(nlg.UNFINISHED) if told.rounds >= MOST_ROUNDS else open_calls


def _open(calls: tuple[Call, ...], results: dict[str, Result]) -> tuple[Call, ...]:
    return tuple(call for call in dict.fromkeys(calls) if call.key not in results)


def _closing(told: Transcript) -> str:
    """The last words where no more calls are made: what was done, what was not, that a person goes on."""
    done = [
        booked(result.text)
        for key, result in told.results.items()
        if key.startswith(_WRITES) and result.kind == "ok"
    ]
    if done:
        return "\n\n".join([*done, nlg.STAFF_COMES])
    waits = [one.text for key, one in told.results.items() if key.startswith(_WAIT) and one.kind == "ok"]
    if waits:
        return f"{nlg.waiting(waiting_in(waits[0]))}\n\n{nlg.STAFF_COMES}"
    if any(key.startswith(_PERSON) and result.kind == "ok" for key, result in told.results.items()):
        upset = Topic.UPSET in topics_in(normalise(" ".join(told.lines)))
        return nlg.UPSET if upset else nlg.STAFF_CALLED
    failed = [(key, result) for key, result in told.results.items() if result.kind == "failed"]
    if any(key.startswith(_WRITES) and _unclear(result) for key, result in failed):
        return nlg.UNCLEAR_WRITE
    return nlg.FAILED if failed else f"{nlg.UNFINISHED} {nlg.STAFF_COMES}"


def _unclear(result: Result) -> bool:
    return not result.text or "não dá para saber" in result.text


def _digest(request: ModelRequest) -> str:
    return hashlib.sha256(json.dumps(request.messages, sort_keys=True, default=repr).encode()).hexdigest()


def _calls(calls: tuple[Call, ...], digest: str) -> list[Block]:
    """Ids follow from the request: the same request gets the same ones, another gets others."""
    return [
        {"type": "tool_use", "id": f"toolu_{digest[:20]}_{place}", "name": call.name, "input": call.input}
        for place, call in enumerate(calls, start=1)
    ]


def _usage(request: ModelRequest, content: list[Block]) -> Usage:
    """Plausible token counts, so that budgets and figures have something to count."""
    tools = [asdict(tool) for tool in request.tools]
    sent = json.dumps([request.system, tools, request.messages], ensure_ascii=False, default=repr)
    received = json.dumps(content, ensure_ascii=False)
    return Usage(len(sent) // _CHARACTERS_A_TOKEN, max(1, len(received) // _CHARACTERS_A_TOKEN))
