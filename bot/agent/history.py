"""Rows → messages of the model.

A conversation is cut into turns, each of which begins with a message of the user and is whole in itself
(every call with its result). Windowing takes whole turns from the newest back, so no cut can part a pair.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from bot.agent.prompt import describe
from bot.llm import image_blocks
from bot.llm.base import Block, ChatMessage
from bot.llm.blocks import STATE, TALK_STATE, wire_message
from models.handoff import Handoff, Reason
from models.message import Author, Direction, Message, Status
from models.run import Outcome, Run, RunStep, StepKind

CHARACTERS_A_TOKEN = 3
REFUSED = "[Mensagem que o assistente não pôde tratar; foi encaminhada à equipe.]"
STAFF = "[Mensagem da equipe enviada ao cliente]"
AUTOMATIC = "[Mensagem automática enviada ao cliente]"
NOT_EXECUTED = "Não executada: a conversa foi interrompida antes."

# A crashed run has a fixed text of ours behind it.
ANSWERED = (Outcome.ANSWERED, Outcome.HANDED_OFF, Outcome.CRASHED)

Turn = list[ChatMessage]


@dataclass(frozen=True)
class Past:
    """What was said and done before: lines in order of seq, runs with their steps, closed episodes."""

    messages: Sequence[Message]
    runs: Sequence[Run]
    steps: dict[int, list[RunStep]]
    episodes: Sequence[Handoff]
    zone: ZoneInfo


def window(past: Past, *, max_turns: int, max_tokens: int) -> list[ChatMessage]:
    """The newest whole turns that fit both limits, oldest first, same-role neighbours joined."""
    kept: list[Turn] = []
    tokens = 0
    for turn in reversed(turns(past)):
        if not kept and estimate(turn) > max_tokens:
            turn = _words_only(turn)  # however large: without it, "sim" would answer nothing
        tokens += estimate(turn)
        if len(kept) == max_turns or (kept and tokens > max_tokens):
            break
        kept.append(turn)
    return joined(message for turn in reversed(kept) for message in turn)


def _words_only(turn: Turn) -> Turn:
    """The turn without its calls and results."""
    texts = [
        message
        | {"content": [block for block in message["content"] if block["type"] in ("text", TALK_STATE)]}
        for message in turn
    ]
    return [message for message in texts if message["content"]]


def estimate(messages: Iterable[ChatMessage]) -> int:
    """Roughly how many tokens these messages cost; on the safe side."""
    said, shown = image_blocks.weighed(map(wire_message, messages))
    return sum(len(json.dumps(message, ensure_ascii=False)) for message in said) // CHARACTERS_A_TOKEN + shown


def joined(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Neighbours of one role become one message."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1]["role"] == message["role"]:
            result[-1] = {
                "role": message["role"],
                "content": [*result[-1]["content"], *message["content"]],
            }
        else:
            result.append(message)
    return result


def turns(past: Past) -> list[Turn]:
    """Every turn, oldest first: the runs that ended with an answer, and what was said outside of them."""
    ended = [run for run in past.runs if run.outcome in ANSWERED]
    by_input = {seq: run for run in ended for seq in range(run.from_seq + 1, run.through_seq + 1)}
    closed = {episode.closed_seq: episode for episode in past.episodes if episode.closed_seq is not None}
    result: list[Turn] = []
    begun: set[int] = set()
    readable = True  # whether the customer's last message before was one that could be read
    for message in past.messages:
        run = by_input.get(message.seq) if message.direction == Direction.IN else None
        if run is not None and run.id is not None:
            if run.id not in begun:
                begun.add(run.id)
                result.append(_run_turn(run, past))
        elif message.run_id is None:
            line = _outside_line(message)
            if line:
                result.append([_user(line, _speaker(message, readable))])
        if message.direction == Direction.IN:
            readable = message.kind == "text"
        if message.seq in closed:
            result.append([_user(_end_marker(closed[message.seq], past.zone), "staff")])
    return result


def _speaker(message: Message, readable: bool) -> str:
    """Who wrote a line outside of all runs, "" for the customer; that something could not be read is a word
    of the product's that asks nothing new.
    """
    if message.direction == Direction.IN:
        return ""
    return "staff" if message.author == Author.STAFF else "product" if readable else "notice"


def _run_turn(run: Run, past: Past) -> Turn:
    lines = [
        describe(message)
        for message in past.messages
        if message.direction == Direction.IN and run.from_seq < message.seq <= run.through_seq
    ]
    answer = "\n\n".join(
        message.text
        for message in past.messages
        if message.run_id == run.id and message.status != Status.DROPPED and message.text.strip()
    )
    if run.handoff_reason == Reason.REFUSAL:
        # What was refused once is refused again, as long as any of it stands in the history.
        turn = [_user(REFUSED)]
    else:
        words = "\n".join(line for line in lines if line)
        turn = [_user(words or "[Mensagem vazia.]"), *_exchanges(past.steps.get(run.id or 0, []))]
    kept = _kept_state(past.steps.get(run.id or 0, []))
    return [*turn, _assistant(answer, kept)] if answer else turn


def _kept_state(steps: Sequence[RunStep]) -> list[Block]:
    """What the last answer keeps for the model that gave it."""
    answers = [step.content for step in steps if step.kind in (StepKind.ANSWER, StepKind.FINAL)]
    return [block for block in answers[-1] or [] if block.get("type") == TALK_STATE] if answers else []


def _exchanges(steps: Sequence[RunStep]) -> list[ChatMessage]:
    """The calls of a run and their results, in complete pairs, without thinking and without other words; with
    what the server wants back beside its calls for good.

    Ids get the run's number: servers that count anew in each run would repeat them, which the API refuses.
    """
    messages: list[ChatMessage] = []
    results = {
        step.content["tool_use_id"]: step for step in steps if step.kind == StepKind.RESULT and step.content
    }
    for step in steps:
        calls = _calls(step) if step.kind == StepKind.ANSWER and step.kept else []
        if calls:
            pairs = [_result(call, results.get(call["id"])) for call in calls]
            state = [block for block in step.content if block.get("type") == STATE]
            renamed = [_renamed(call, "id", step) for call in calls]
            messages.append({"role": "assistant", "content": [*state, *renamed]})
            messages.append(
                {"role": "user", "content": [_renamed(pair, "tool_use_id", step) for pair in pairs]}
            )
    return messages


def _renamed(block: Block, key: str, step: RunStep) -> Block:
    return block | {key: f"r{step.run_id}-{block[key]}"}


def _calls(step: RunStep) -> list[Block]:
    return [block for block in step.content or [] if block.get("type") == "tool_use"]


def _result(call: Block, step: RunStep | None) -> Block:
    if step is None:
        return result_block(call["id"], NOT_EXECUTED, is_error=True)
    content = step.content
    return result_block(call["id"], content["text"], is_error=step.is_error, facts=content.get("facts"))


def result_block(call_id: str, text: str, *, is_error: bool = False, facts: list[Any] | None = None) -> Block:
    """A result for the model; `facts` as they are stored stand beside it, for who reads no prose."""
    block: Block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    failed: Block = {"is_error": True} if is_error else {}
    return block | failed | ({"facts": facts} if facts else {})


def _outside_line(message: Message) -> str:
    """A line that no run answered or wrote: of the human stretch, or a fixed text."""
    if message.status in (Status.NOTE, Status.DROPPED):
        return ""
    if message.direction == Direction.IN:
        return describe(message)
    label = STAFF if message.author == Author.STAFF else AUTOMATIC
    return f"{label} {message.text}"


def _end_marker(episode: Handoff, zone: ZoneInfo) -> str:
    assert episode.closed_at is not None
    at = episode.closed_at.astimezone(zone)
    return f"[Fim do atendimento humano às {at:%H:%M} de {at:%d/%m/%Y}. O assistente voltou a atender.]"


def _user(text: str, speaker: str = "") -> ChatMessage:
    block: Block = {"type": "text", "text": text}
    return {"role": "user", "content": [block | ({"from": speaker} if speaker else {})]}


def _assistant(text: str, kept: Sequence[Block] = ()) -> ChatMessage:
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *kept]}
