"""A run step by step, in words: what the model was given, what it answered, what the tools said. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from bot.core.masking import mask
from bot.web.shared import labels
from bot.web.shared.number_format import decimal, number
from models.handoff import Reason
from models.message import Direction, Message
from models.run import Outcome, Run, RunStep, StepKind


@dataclass(frozen=True)
class Call:
    name: str
    words: str
    input: str


@dataclass(frozen=True)
class StepView:
    """One step of a run. `code` is what the program calls it: a stop reason, an error class, a reason.

    Phones and document numbers are masked in all of it.
    """

    kind: str
    title: str
    code: str = ""
    note: str = ""
    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    bad: bool = False
    given: str = ""  # of a result: what the tool was called with
    took: str = ""
    model: str = ""
    tokens: tuple[tuple[str, str], ...] = ()
    thoughts: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunView:
    """One run, from the message that began it to what became of its answer."""

    id: int
    asked: str
    outcome: str
    state: str
    model: str
    clock: str
    seconds: str
    tokens: str
    reason: str
    reason_code: str
    steps: tuple[StepView, ...]
    deliveries: tuple[str, ...]


OUTCOMES = {
    Outcome.ANSWERED: "Respondida",
    Outcome.HANDED_OFF: "Passada para a equipe",
    Outcome.SUPERSEDED: "Descartada: uma pessoa assumiu",
    Outcome.CRASHED: "Interrompida",
}
STOP_REASONS = {
    "end_turn": "O modelo respondeu",
    "stop_sequence": "O modelo respondeu",
    "tool_use": "O modelo pediu uma ferramenta",
    "pause_turn": "O modelo fez uma pausa",
    "max_tokens": "Resposta cortada no limite de tamanho",
    "model_context_window_exceeded": "Resposta cortada: conversa longa demais",
    "refusal": "O modelo recusou",
}


def view(found: Run, steps: Sequence[RunStep], messages: Sequence[Message], zone: ZoneInfo) -> RunView:
    """One run, with the lines of its conversation around it."""
    assert found.id is not None
    outcome = Outcome(found.outcome) if found.outcome else None
    return RunView(
        id=found.id,
        asked=_asked(messages, found),
        outcome=OUTCOMES[outcome] if outcome else "Em andamento",
        state=outcome or "going",
        model=found.model or found.provider,
        clock=labels.clock(found.started_at, zone),
        seconds=_seconds(found),
        tokens=_run_tokens(found),
        reason=labels.reason(Reason(found.handoff_reason)).words if found.handoff_reason else "",
        reason_code=found.handoff_reason or "",
        steps=tuple(_step(step) for step in steps),
        deliveries=tuple(_deliveries(messages, found.id)),
    )


def _asked(messages: Sequence[Message], found: Run) -> str:
    """What the customer said that the run answers; of what is no text, its kind."""
    inbound = (line for line in messages if line.direction == Direction.IN)
    said = [line for line in inbound if found.from_seq < line.seq <= found.through_seq]
    return " · ".join(mask(line.text) if line.kind == "text" else labels.kind(line.kind) for line in said)


def _seconds(found: Run) -> str:
    if found.finished_at is None:
        return ""
    seconds = (found.finished_at - found.started_at).total_seconds()
    return _took(round(seconds * 1000))


def _run_tokens(found: Run) -> str:
    asked = found.input_tokens + found.cache_read_tokens + found.cache_write_tokens
    return _tokens(asked, found.cache_read_tokens, found.output_tokens)


def _tokens(asked: int, cached: int, answered: int) -> str:
    if not asked and not answered:
        return "nenhum token"
    from_cache = f" ({number(cached)} do cache)" if cached else ""
    return f"{number(asked)} tokens lidos{from_cache}, {number(answered)} escritos"


def _deliveries(messages: Sequence[Message], run_id: int) -> Iterator[str]:
    for line in messages:
        sign = labels.delivery(line)
        if line.run_id == run_id and sign:
            yield sign.words


def _step(step: RunStep) -> StepView:
    if step.kind == StepKind.RESULT:
        return _result(step)
    if step.kind == StepKind.INPUT:
        return StepView("input", "O que o modelo recebeu", texts=_texts(step.content))
    if step.kind == StepKind.NUDGE:
        return _nudge(step)
    return _answer(step)


def _nudge(step: RunStep) -> StepView:
    """What we wrote to the model to have an answer corrected."""
    content = step.content if isinstance(step.content, dict) else {}
    return StepView(
        "nudge",
        "Pedimos que corrigisse",
        code=str(content.get("kind", "")),
        texts=(mask(str(content["text"])),) if "text" in content else _texts(step.content),
    )


def _answer(step: RunStep) -> StepView:
    usage = step.usage or {}
    cached, stored = usage.get("cache_read_tokens", 0), usage.get("cache_write_tokens", 0)
    asked, written = usage.get("input_tokens", 0) + cached + stored, usage.get("output_tokens", 0)
    code = step.stop_reason or "sem stop_reason"
    forced = step.kind == StepKind.FINAL
    return StepView(
        "answer",
        "Resposta final, sem ferramentas" if forced else STOP_REASONS.get(code, "Resposta inesperada"),
        code=code,
        note=f"{_tokens(asked, cached, written)}, {step.milliseconds} ms",
        texts=_texts(step.content),
        calls=tuple(_calls(step.content)),
        bad=not step.kept and not forced,
        took=_took(step.milliseconds),
        model=step.model or "",
        tokens=_counted(asked, cached, stored, written),
        thoughts=_thoughts(step.content),
    )


def _counted(asked: int, cached: int, stored: int, written: int) -> tuple[tuple[str, str], ...]:
    """Tokens by kind; a kind that there are none of is left out."""
    kinds = (("lidos", asked), ("do cache", cached), ("guardados no cache", stored), ("escritos", written))
    return tuple((name, number(count)) for name, count in kinds if count)


def _result(step: RunStep) -> StepView:
    content = step.content
    name = labels.TOOLS.get(content["name"], content["name"])
    return StepView(
        "result",
        f"{'Recusa' if step.is_error else 'Resultado'}: {name}",
        code=step.error_class or "",
        note=labels.ERROR_CLASSES.get(step.error_class or "", ""),
        texts=(mask(content["text"]),),
        bad=step.is_error,
        given=_plain(content.get("input")),
        took=_took(step.milliseconds),
    )


def _took(milliseconds: int) -> str:
    return f"{decimal(milliseconds / 1000)} s" if milliseconds >= 1000 else f"{milliseconds} ms"


def _plain(value: object) -> str:
    return mask(json.dumps(value, ensure_ascii=False, indent=2))


def _texts(content: object) -> tuple[str, ...]:
    return tuple(mask(str(block.get("text"))) for block in _blocks(content) if block.get("type") == "text")


def _thoughts(content: object) -> tuple[str, ...]:
    found = (block.get("thinking") for block in _blocks(content) if block.get("type") == "thinking")
    return tuple(mask(str(thought)) for thought in found if thought)


def _calls(content: object) -> Iterator[Call]:
    for block in _blocks(content):
        if block.get("type") == "tool_use":
            name = str(block.get("name"))
            yield Call(name, labels.TOOLS.get(name, name), _plain(block.get("input")))


def _blocks(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
