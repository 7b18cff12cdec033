"""All calls of one model answer → one result each, in their order, and never an exception.

What goes wrong is one of a few classes, each with its own words for the model and its own log level. The
model never reads an exception's text.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from models.errors import LeaseLost
from tools import argument_errors, idempotency, portuguese
from tools.argument_errors import InvalidInput
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Fact

log = structlog.get_logger()

# The database or the way to it; anything else that a tool raises is a bug.
INFRASTRUCTURE = (OperationalError, InterfaceError, PoolTimeout, ConnectionError, TimeoutError)


class ErrorClass(StrEnum):
    """Why a call has no good result."""

    invalid_input = "invalid_input"
    domain_rule = "domain_rule"
    unknown_tool = "unknown_tool"
    infrastructure = "infrastructure"
    bug = "bug"
    repeated = "repeated"
    not_executed = "not_executed"


LEVELS: Mapping[ErrorClass, str] = {
    ErrorClass.domain_rule: "info",
    ErrorClass.not_executed: "info",
    ErrorClass.invalid_input: "warning",
    ErrorClass.unknown_tool: "warning",
    ErrorClass.repeated: "warning",
    ErrorClass.infrastructure: "error",
    ErrorClass.bug: "error",
}

UNAVAILABLE = (
    "O sistema está indisponível no momento. Não tente de novo e não afirme que algo foi feito; diga ao "
    "cliente que uma pessoa vai continuar."
)
BROKEN = (
    "Houve um erro interno e nada foi feito. Não tente de novo e não afirme que algo foi feito; diga ao "
    "cliente que uma pessoa vai continuar."
)
UNCERTAIN = (
    "O sistema falhou e não dá para saber se o pedido foi concluído. Não tente de novo, não afirme que foi "
    "feito nem que não foi; diga ao cliente que uma pessoa vai conferir e continuar."
)
REPEATED = (
    "Esta chamada já foi feita com os mesmos argumentos, e repetir não muda o resultado. Use a resposta que "
    "já recebeu, mude os argumentos, ou responda ao cliente."
)
SEE_FIRST = "Nada foi feito: veja primeiro os horários e confirme com o cliente, depois chame {name}."
UNKNOWN = "A ferramenta “{name}” não existe. As ferramentas são: {names}."


@dataclass(frozen=True)
class Call:
    """One call of a model answer; `input` is whatever came, an object or not."""

    id: str
    name: str
    input: object


@dataclass(frozen=True)
class Result:
    """What is said back to one call, and what it rests on. `text` is never empty and of bounded size."""

    call: Call
    text: str
    is_error: bool = False
    error_class: ErrorClass | None = None
    milliseconds: int = 0
    facts: tuple[Fact, ...] = ()


class Toolbox:
    """The tools of one run, and what was called in it so far. For one thread."""

    def __init__(
        self,
        tools: Sequence[Tool],
        context: ToolContext,
        *,
        max_identical: int,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in tools}
        self._context = context
        self._max_identical = max_identical
        self._timer = timer
        self._seen: Counter[tuple[str, str]] = Counter()

    def execute(
        self, calls: Sequence[Call], on_result: Callable[[Result], None], *, beside: Collection[str] = ()
    ) -> list[Result]:
        """Reads first, then writes; `on_result` is told of each as it happens.

        One result per call, in the order of the calls. `beside` names other calls of the same answer that
        were executed before a crash. Raises only what `on_result` raises, and LeaseLost.
        """
        names = {*beside, *(call.name for call in calls)}
        results: dict[int, Result] = {}
        for position in sorted(range(len(calls)), key=lambda n: self._writes(calls[n])):
            results[position] = self._timed(calls[position], names)
            on_result(results[position])
        return [results[position] for position in range(len(calls))]

    def remember(self, call: Call, is_error: bool) -> None:
        """Count a call that was executed before a crash, as if it had been executed here."""
        self._seen[self._identity(call)] += 1
        if not is_error and self._writes(call):
            self._forget_reads()

    def not_executed(self, calls: Sequence[Call], text: str) -> list[Result]:
        """The results of calls that must not run."""
        return [self._failed(call, ErrorClass.not_executed, text) for call in calls]

    def _writes(self, call: Call) -> bool:
        tool = self._by_name.get(call.name)
        return tool is not None and tool.writes

    def _identity(self, call: Call) -> tuple[str, str]:
        """Of a tool that does not exist only the name counts: no arguments make it exist."""
        if call.name not in self._by_name:
            return call.name, ""
        return call.name, json.dumps(argument_errors.cleaned(call.input), sort_keys=True, default=repr)

    def _forget_reads(self) -> None:
        for name, arguments in list(self._seen):
            tool = self._by_name.get(name)
            if tool and not tool.writes:
                del self._seen[name, arguments]

    def _timed(self, call: Call, names: set[str]) -> Result:
        began = self._timer()
        result = self._safely(call, names)
        milliseconds = round((self._timer() - began) * 1000)
        return replace(result, text=portuguese.bounded(result.text), milliseconds=milliseconds)

    def _safely(self, call: Call, names: set[str]) -> Result:
        try:
            return self._checked(call, names)
        except LeaseLost:
            raise  # the conversation is in other hands: nobody waits for this result
        except Exception as error:  # noqa: BLE001 - every call gets an answer
            return self._failed(call, ErrorClass.bug, BROKEN, error=error)

    def _checked(self, call: Call, names: set[str]) -> Result:
        identity = self._identity(call)
        self._seen[identity] += 1
        tool = self._by_name.get(call.name)
        if tool is None:
            return self._unknown(call, repeated=self._seen[identity] > 1)
        if self._seen[identity] > self._max_identical:
            return self._failed(call, ErrorClass.repeated, REPEATED)
        if names & tool.not_with:
            return self._failed(call, ErrorClass.domain_rule, SEE_FIRST.format(name=tool.name))
        try:
            arguments = argument_errors.parsed(tool.arguments, argument_errors.cleaned(call.input))
        except InvalidInput as error:
            return self._failed(call, ErrorClass.invalid_input, str(error))
        return self._run(tool, call, arguments)

    def _unknown(self, call: Call, *, repeated: bool) -> Result:
        names = ", ".join(tool.name for tool in self.tools)
        text = UNKNOWN.format(name=portuguese.shortened(str(argument_errors.cleaned(call.name))), names=names)
        return self._failed(call, ErrorClass.repeated if repeated else ErrorClass.unknown_tool, text)

    def _run(self, tool: Tool, call: Call, arguments: Arguments) -> Result:
        try:
            outcome = tool.run(self._context, arguments)
        except LeaseLost:
            raise
        except ToolRefusal as refusal:
            failed = self._failed(call, ErrorClass.domain_rule, refusal.text, code=refusal.code)
            return replace(failed, facts=refusal.facts)
        except INFRASTRUCTURE as error:
            return self._lost(tool, call, arguments, ErrorClass.infrastructure, UNAVAILABLE, error)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises beyond the above is a bug
            return self._lost(tool, call, arguments, ErrorClass.bug, BROKEN, error)
        return self._done(tool, call, outcome)

    def _done(self, tool: Tool, call: Call, outcome: ToolOutcome) -> Result:
        if tool.writes:
            self._forget_reads()
        log.info("tool_done", tool=tool.name, **self._ids())
        return Result(call, outcome.text, facts=outcome.facts)

    def _lost(
        self, tool: Tool, call: Call, arguments: Arguments, kind: ErrorClass, text: str, error: Exception
    ) -> Result:
        """A write that failed may have been committed: the model is told what the database says of it."""
        if not tool.writes:
            return self._failed(call, kind, text, error=error)
        try:
            earlier = idempotency.earlier(self._context, tool.name, arguments)
        except Exception:  # noqa: BLE001 - the look-up failed as well
            return self._failed(call, kind, UNCERTAIN, error=error)
        failed = self._failed(call, kind, text, error=error)
        return failed if earlier is None else self._done(tool, call, earlier)

    def _failed(
        self,
        call: Call,
        kind: ErrorClass,
        text: str,
        *,
        code: str | None = None,
        error: Exception | None = None,
    ) -> Result:
        known = call.name if call.name in self._by_name else None
        # The trace of a bug is worth its size; of an outage the type says all.
        getattr(log, LEVELS[kind])(
            "tool_failed",
            tool=known,
            error_class=kind.value,
            code=code,
            error=type(error).__name__ if error else None,
            exc_info=error if kind is ErrorClass.bug else None,
            **self._ids(),
        )
        return Result(call, text, is_error=True, error_class=kind)

    def _ids(self) -> dict[str, int]:
        return {"tenant_id": self._context.tenant_id, "conversation_id": self._context.conversation_id}
