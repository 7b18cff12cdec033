"""All calls of one answer: one result each, in order, whatever happens."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from structlog.testing import capture_logs

from models.db import Database
from tests.fakes.visits import BOOKED
from tools import toolbox
from tools.argument_errors import InvalidInput
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Fact, PersonCalled, Refused
from tools.toolbox import Call, ErrorClass, Result, Toolbox

SECRET = "senha-do-banco 10.0.0.7 select * from customer"


class Echo(Arguments):
    """One text."""

    texto: str = ""


class Clock:
    """Goes on by a quarter of a second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.25
        return self.now


class Kit:
    """Tools that do as the test says, and what was run."""

    def __init__(self, db: Database) -> None:
        self.ran: list[str] = []
        self.context = ToolContext(
            db=db,
            tenant_id=1,
            customer_id=1,
            conversation_id=1,
            turn_key="t",
            now=datetime(2026, 12, 2, tzinfo=UTC),
        )

    def tool(
        self,
        name: str,
        fail: Exception | None = None,
        *,
        writes: bool = False,
        not_with: tuple[str, ...] = (),
        facts: tuple[Fact, ...] = (),
    ) -> Tool:
        def run(_context: ToolContext, wish: Echo) -> ToolOutcome:
            self.ran.append(name)
            if fail:
                raise fail
            return ToolOutcome(f"{name}: {wish.texto}", facts)

        return Tool(name, "…", Echo, run, writes=writes, not_with=frozenset(not_with))

    def box(self, *tools: Tool, max_identical: int = 2) -> Toolbox:
        return Toolbox(tools, self.context, max_identical=max_identical, timer=Clock())


@pytest.fixture
def kit(sqlite_db: Database) -> Kit:
    return Kit(sqlite_db)


def ignore(_result: Result) -> None:
    """Nobody records."""


def run(box: Toolbox, *names: str, **arguments: Any) -> list[Result]:
    calls = [Call(f"toolu_{n}", name, dict(arguments)) for n, name in enumerate(names)]
    return box.execute(calls, ignore)


def test_three_calls_one_failing(kit: Kit) -> None:
    """Three results in the order of the calls, each with its own class."""
    box = kit.box(kit.tool("a"), kit.tool("b", ToolRefusal(Refused("NAO"), "Não dá.")), kit.tool("c"))
    results = run(box, "a", "b", "c", texto="oi")
    assert [(r.call.id, r.text, r.error_class) for r in results] == [
        ("toolu_0", "a: oi", None),
        ("toolu_1", "Não dá.", ErrorClass.domain_rule),
        ("toolu_2", "c: oi", None),
    ]
    assert [r.is_error for r in results] == [False, True, False]
    assert [r.milliseconds for r in results] == [250, 250, 250]


def test_reads_run_before_writes_and_are_told_as_they_happen(kit: Kit) -> None:
    box = kit.box(kit.tool("read"), kit.tool("write", writes=True))
    told: list[str] = []
    calls = [Call(str(n), name, {}) for n, name in enumerate(("write", "read", "nope"))]

    def on_result(result: Result) -> None:
        told.append(result.call.name)
        assert len(kit.ran) == len([name for name in told if name != "nope"])

    results = box.execute(calls, on_result)
    assert told == ["read", "nope", "write"]
    assert [r.call.name for r in results] == ["write", "read", "nope"]


def test_only_what_the_recorder_raises_comes_out(kit: Kit) -> None:
    class LeaseLost(Exception):
        pass

    def lost(_result: Result) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        kit.box(kit.tool("a"), kit.tool("b")).execute([Call("1", "a", {}), Call("2", "b", {})], lost)
    assert kit.ran == ["a"]


INFRASTRUCTURE = [
    OperationalError("select", {}, Exception(SECRET)),
    InterfaceError("select", {}, Exception(SECRET)),
    PoolTimeout(SECRET),
    ConnectionResetError(SECRET),
    TimeoutError(SECRET),
]


@pytest.mark.parametrize("error", INFRASTRUCTURE, ids=lambda error: type(error).__name__)
def test_infrastructure(kit: Kit, error: Exception) -> None:
    [result] = run(kit.box(kit.tool("a", error)), "a")
    assert (result.error_class, result.text) == (ErrorClass.infrastructure, toolbox.UNAVAILABLE)


def test_failing_read_asks_the_failing_database_nothing_more(kit: Kit, tmp_path: Path) -> None:
    """There is nothing to look up, so nothing is uncertain."""
    empty = Database(f"sqlite:///{tmp_path}/empty.db")
    kit.context = replace(kit.context, db=empty)
    [result] = run(kit.box(kit.tool("a", INFRASTRUCTURE[0])), "a")
    empty.dispose()
    assert result.text == toolbox.UNAVAILABLE


@pytest.mark.parametrize(
    "error",
    [ValueError(SECRET), KeyError(SECRET), RecursionError(), AssertionError(SECRET), InvalidInput(SECRET)],
)
def test_bug(kit: Kit, error: Exception) -> None:
    [result] = run(kit.box(kit.tool("a", error)), "a")
    assert (result.error_class, result.text) == (ErrorClass.bug, toolbox.BROKEN)


def test_domain_rule(kit: Kit) -> None:
    [result] = run(kit.box(kit.tool("a", ToolRefusal(Refused("OCUPADO"), "Está ocupado."))), "a")
    assert (result.error_class, result.text) == (ErrorClass.domain_rule, "Está ocupado.")


def test_invalid_input(kit: Kit) -> None:
    box = kit.box(kit.tool("a"))
    results = box.execute([Call("1", "a", {"texto": 5}), Call("2", "a", None)], ignore)
    assert [r.error_class for r in results] == [ErrorClass.invalid_input] * 2
    assert "- `texto`: deve ser um texto" in results[0].text
    assert kit.ran == []


def test_unknown_tool_is_told_the_real_names_and_refused_the_second_time(kit: Kit) -> None:
    """R19: whatever its arguments."""
    box = kit.box(kit.tool("a"), kit.tool("b"))
    first, second = run(box, "nope", x=1)[0], run(box, "nope", x=2)[0]
    assert first.text == "A ferramenta “nope” não existe. As ferramentas são: a, b."
    assert (first.error_class, second.error_class) == (ErrorClass.unknown_tool, ErrorClass.repeated)
    assert "a, b" in second.text


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\ud83d\x00", "A", "functions.a"])
def test_strange_tool_names(kit: Kit, name: str) -> None:
    [result] = run(kit.box(kit.tool("a")), name)
    assert result.error_class == ErrorClass.unknown_tool
    assert len(result.text.encode()) < 400


def test_not_executed(kit: Kit) -> None:
    box = kit.box(kit.tool("a"))
    results = box.not_executed([Call("1", "a", {}), Call("2", "b", None)], "Não executado.")
    assert [(r.call.id, r.text, r.error_class, r.is_error) for r in results] == [
        ("1", "Não executado.", ErrorClass.not_executed, True),
        ("2", "Não executado.", ErrorClass.not_executed, True),
    ]
    assert kit.ran == []


CAUSES: dict[ErrorClass, tuple[str, Callable[[Kit], list[Result]]]] = {
    ErrorClass.domain_rule: (
        "info",
        lambda kit: run(kit.box(kit.tool("a", ToolRefusal(Refused("X"), "y"))), "a"),
    ),
    ErrorClass.not_executed: (
        "info",
        lambda kit: kit.box(kit.tool("a")).not_executed([Call("1", "a", {})], "x"),
    ),
    ErrorClass.invalid_input: ("warning", lambda kit: run(kit.box(kit.tool("a")), "a", x=SECRET)),
    ErrorClass.unknown_tool: ("warning", lambda kit: run(kit.box(), SECRET)),
    ErrorClass.repeated: ("warning", lambda kit: run(kit.box(kit.tool("a"), max_identical=0), "a")),
    ErrorClass.infrastructure: ("error", lambda kit: run(kit.box(kit.tool("a", INFRASTRUCTURE[0])), "a")),
    ErrorClass.bug: ("error", lambda kit: run(kit.box(kit.tool("a", ValueError("x"))), "a")),
}


@pytest.mark.parametrize("kind", list(ErrorClass))
def test_log_line_of_each_class(kit: Kit, kind: ErrorClass) -> None:
    """A level for each; only a bug leaves a trace; nothing of the arguments or of the model's words."""
    level, cause = CAUSES[kind]
    with capture_logs() as lines:
        [result] = cause(kit)
    assert result.error_class == kind
    [line] = lines
    assert (line["event"], line["log_level"], line["error_class"]) == ("tool_failed", level, kind.value)
    assert (line["exc_info"] is not None) == (kind is ErrorClass.bug)
    assert SECRET not in repr({key: value for key, value in line.items() if key != "exc_info"})


def test_identical_call_is_refused(kit: Kit) -> None:
    """R12: the third time, also in other words for the same arguments; other arguments are another call."""
    box = kit.box(kit.tool("a"))
    first = box.execute([Call("1", "a", {"texto": "João"})], ignore)[0]
    second = box.execute([Call("2", "a", {"texto": "Joa\u0303o"})], ignore)[0]
    third = box.execute([Call("3", "a", {"texto": "João"})], ignore)[0]
    assert [r.error_class for r in (first, second, third)] == [None, None, ErrorClass.repeated]
    assert third.text == toolbox.REPEATED
    assert run(box, "a", texto="Maria")[0].error_class is None
    assert len(kit.ran) == 3


def test_order_of_keys_makes_no_difference(kit: Kit) -> None:
    class Two(Arguments):
        a: int
        b: int

    box = kit.box(Tool("t", "…", Two, lambda _c, _w: ToolOutcome("ok")), max_identical=1)
    first, second = box.execute([Call("1", "t", {"a": 1, "b": 2}), Call("2", "t", {"b": 2, "a": 1})], ignore)
    assert (first.error_class, second.error_class) == (None, ErrorClass.repeated)


def test_identical_calls_in_one_answer_count(kit: Kit) -> None:
    results = run(kit.box(kit.tool("a")), "a", "a", "a")
    assert [r.error_class for r in results] == [None, None, ErrorClass.repeated]


def test_invalid_call_repeated(kit: Kit) -> None:
    """A model that sends the same mistake again and again is stopped as well."""
    box = kit.box(kit.tool("a"))
    kinds = [box.execute([Call("1", "a", None)], ignore)[0].error_class for _ in range(3)]
    assert kinds == [ErrorClass.invalid_input, ErrorClass.invalid_input, ErrorClass.repeated]


def test_successful_write_lets_reads_be_repeated(kit: Kit) -> None:
    """A list after a booking is a new question; a refused write changes nothing."""
    refused = kit.tool("refused", ToolRefusal(Refused("X"), "Não."), writes=True)
    box = kit.box(kit.tool("read"), kit.tool("write", writes=True), refused)
    run(box, "read")
    run(box, "read")
    run(box, "refused")
    assert run(box, "read")[0].error_class == ErrorClass.repeated
    run(box, "write")
    assert run(box, "read")[0].error_class is None
    run(box, "write")
    assert run(box, "write")[0].error_class == ErrorClass.repeated


def test_resumed_run_remembers(kit: Kit) -> None:
    box = kit.box(kit.tool("read"), kit.tool("write", writes=True))
    for _ in range(2):
        box.remember(Call("x", "read", {"texto": "a"}), is_error=False)
    box.remember(Call("x", "nope", {}), is_error=True)
    assert run(box, "read", texto="a")[0].error_class == ErrorClass.repeated
    assert run(box, "nope")[0].error_class == ErrorClass.repeated
    box.remember(Call("y", "write", {}), is_error=True)
    assert run(box, "read", texto="a")[0].error_class == ErrorClass.repeated
    box.remember(Call("y", "write", {"texto": "b"}), is_error=False)
    assert run(box, "read", texto="a")[0].error_class is None


def test_write_that_needs_a_list_first(kit: Kit) -> None:
    """The customer has not seen what is listed in the same answer."""
    box = kit.box(kit.tool("list"), kit.tool("book", writes=True, not_with=("list",)))
    book, listed = run(box, "book", "list")
    assert (book.error_class, listed.error_class) == (ErrorClass.domain_rule, None)
    assert (
        book.text == "Nada foi feito: veja primeiro os horários e confirme com o cliente, depois chame book."
    )
    assert kit.ran == ["list"]
    assert run(box, "book")[0].error_class is None


def test_facts_are_passed_on(kit: Kit) -> None:
    called, no = PersonCalled("quer falar"), ToolRefusal(Refused("NAO", "Não dá."), "Não dá.", (BOOKED,))
    results = run(kit.box(kit.tool("person", facts=(called,)), kit.tool("no", no)), "person", "no")
    assert [result.facts for result in results] == [(called,), (Refused("NAO", "Não dá."), BOOKED)]


def test_long_results_are_cut(kit: Kit) -> None:
    class Long(Arguments):
        pass

    text = "título\n" + "\n".join(f"- linha {n}" for n in range(2000))
    box = kit.box(Tool("t", "…", Long, lambda _c, _w: ToolOutcome(text)))
    [result] = run(box, "t")
    assert len(result.text) <= 4000
    assert result.text.splitlines()[-1].startswith("e mais ")


def test_endlessly_nested_input(kit: Kit) -> None:
    """Not even this raises."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    [result] = kit.box(kit.tool("a")).execute([Call("1", "a", {"texto": deep})], ignore)
    assert result.is_error
