"""A conversation as it is shown: everything once, in the order in which it happened."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.web.inbox import thread
from bot.web.inbox.thread import Day, Done, Item, Said, Work
from models.message import Author, Direction, Message, Status
from models.pages.conversation_page import Acts, Event, Line
from models.run import Outcome, Run, RunStep, StepKind
from tests.conftest import NOW

SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def line(seq: int, *, run_id: int | None = None, author: Author = Author.BOT, minutes: int = 0) -> Line:
    customer = author == Author.CUSTOMER
    return Line(
        Message(
            tenant_id=1,
            conversation_id=1,
            seq=seq,
            direction=Direction.IN if customer else Direction.OUT,
            author=author,
            text=f"linha {seq}",
            status=Status.RECEIVED if customer else Status.SENT,
            run_id=run_id,
            created_at=NOW + timedelta(minutes=minutes),
        ),
        None,
    )


def acts(run_id: int, through_seq: int, outcome: Outcome | None = Outcome.ANSWERED, tools: int = 0) -> Acts:
    run = Run(
        id=run_id,
        tenant_id=1,
        conversation_id=1,
        from_seq=0,
        through_seq=through_seq,
        epoch=0,
        provider="offline",
        model="offline",
        prompt_version="1",
        started_at=NOW,
        outcome=outcome,
    )
    steps = [
        RunStep(
            tenant_id=1,
            run_id=run_id,
            position=number,
            kind=StepKind.RESULT,
            content={"tool_use_id": "t", "name": "agendar", "input": {}, "text": "ok"},
            at=NOW,
        )
        for number in range(tools)
    ]
    return Acts(run, steps)


def shown(lines: list[Line], done: list[Acts]) -> list[str]:
    return [
        _name(item) for item in thread.build(lines, done, [], NOW, SAO_PAULO) if not isinstance(item, Day)
    ]


def _name(item: Item) -> str:
    assert isinstance(item, Said | Work)
    return item.key


def test_a_run_stands_before_the_first_line_that_came_of_it() -> None:
    lines = [line(1, author=Author.CUSTOMER), line(2, run_id=7), line(3, run_id=7)]
    assert shown(lines, [acts(7, 1, tools=2)]) == ["line-1", "run-7", "line-2", "line-3"]


def test_a_run_that_said_nothing_stands_where_it_happened() -> None:
    """A person took over: the dropped run comes before what was said after it."""
    lines = [line(1, author=Author.CUSTOMER), line(2, author=Author.STAFF), line(3, run_id=8)]
    done = [acts(7, 1, Outcome.SUPERSEDED), acts(8, 2, tools=1)]
    assert shown(lines, done) == ["line-1", "run-7", "line-2", "run-8", "line-3"]


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.HANDED_OFF])
def test_no_old_run_sinks_to_the_end(outcome: Outcome) -> None:
    """What a run left behind may be a fixed text that does not name it."""
    lines = [line(1, author=Author.CUSTOMER), line(2, author=Author.SYSTEM), line(3, author=Author.CUSTOMER)]
    assert shown(lines, [acts(7, 1, outcome)]) == ["line-1", "run-7", "line-2", "line-3"]


def test_a_run_that_still_works_stands_at_the_end() -> None:
    assert shown([line(1, author=Author.CUSTOMER)], [acts(7, 1, None, tools=1)]) == ["line-1", "run-7"]


def test_a_run_with_nothing_to_tell_is_left_out() -> None:
    """It answered without a tool, or has only begun."""
    lines = [line(1, author=Author.CUSTOMER), line(2, run_id=7)]
    assert shown(lines, [acts(7, 1), acts(8, 2, None)]) == ["line-1", "line-2"]


def test_a_new_day_begins_at_the_business_s_midnight() -> None:
    lines = [line(1), line(2, minutes=13 * 60 + 39), line(3, minutes=13 * 60 + 40)]
    items = thread.build(lines, [], [], NOW, SAO_PAULO)
    assert [item.label for item in items if isinstance(item, Day)] == ["hoje", "amanhã"]
    assert isinstance(items[3], Day)


def test_lines_above_what_was_seen_are_marked() -> None:
    items = thread.build([line(1), line(2), line(3)], [], [], NOW, SAO_PAULO, fresh_after=2)
    assert [item.fresh for item in items if isinstance(item, Said)] == [False, False, True]


def test_a_recording_is_read_as_it_was_heard() -> None:
    voice = line(1, author=Author.CUSTOMER)
    voice.message.text, voice.message.kind = "", "audio"
    voice.message.extra = {"transcript": "quero um corte"}
    [_, said] = thread.build([voice], [], [], NOW, SAO_PAULO)
    assert isinstance(said, Said)
    assert said.text == "quero um corte"


def did(number: int, act: str, minutes: int, **detail: object) -> Event:
    return Event(number, NOW + timedelta(minutes=minutes), act, "Ana", detail, "Bruno")


def test_what_staff_did_stands_where_it_was_done() -> None:
    """Before the line of the same moment: who answers takes the conversation with that very answer."""
    lines = [line(1, author=Author.CUSTOMER), line(2, author=Author.STAFF, minutes=5), line(3, minutes=9)]
    events = [did(7, "take", 5), did(8, "resolve", 6), did(9, "release", 20, why="no_reply")]
    items = thread.build(lines, [], events, NOW, SAO_PAULO)
    assert [item.key for item in items[1:]] == ["line-1", "event-7", "line-2", "event-8", "line-3", "event-9"]


@pytest.mark.parametrize(
    ("act", "detail", "words"),
    [
        ("take", {}, "Ana assumiu a conversa"),
        ("take_over", {}, "Ana assumiu no lugar de Bruno"),
        ("pass_on", {}, "Ana passou a conversa para Bruno"),
        ("release", {}, "Ana devolveu para a fila"),
        ("release", {"why": "no_reply"}, "Voltou para a fila: Bruno não respondeu a tempo"),
        ("release", {"why": "disabled"}, "Voltou para a fila: o acesso de Bruno foi desativado"),
        ("snooze", {"until": (NOW + timedelta(days=1)).isoformat()}, "Ana adiou até amanhã, 10:20"),
        ("wake", {}, "Ana retomou a conversa"),
        ("resolve", {}, "Ana encerrou o atendimento"),
        ("give_back", {}, "Ana devolveu ao assistente"),
    ],
)
def test_what_staff_did_in_words(act: str, detail: dict[str, object], words: str) -> None:
    [_day, item] = thread.build([], [], [did(1, act, 0, **detail)], NOW, SAO_PAULO)
    assert isinstance(item, Done)
    assert item.words == words
