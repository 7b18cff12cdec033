"""What the pages read: the right rows, in an order that does not jump, and nobody else's."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session

from models import agenda, desk, handoff, message, queue, run
from models.appointment import Appointment, AppointmentService
from models.conversation import Conversation
from models.db import Database
from models.errors import NotFound
from models.handoff import Reason
from models.message import Author, Status
from models.queue import Counts, Entry, Position, Tab
from models.run import NewStep, Outcome, Run, RunStep, StepKind
from tests.fakes.talk import Talk


@pytest.fixture
def talk(db: Database, now: datetime) -> Talk:
    return Talk(db, now)


def arrive(talk: Talk, *names: str, minutes: int = 1) -> dict[str, int]:
    """New customers, one after the other, some minutes apart; gives their conversations."""
    found = {}
    for number, name in enumerate(names):
        talk.now += timedelta(minutes=minutes)
        found[name] = talk.says(f"sou {name}", phone=f"+5511910{number:06d}", name=name)
    return found


def flag(talk: Talk, *conversation_ids: int) -> None:
    with talk.db.writing() as session:
        for conversation_id in conversation_ids:
            handoff.flag(session, talk.now, talk.tenant, conversation_id, Reason.PEDIDO_DO_CLIENTE)


def listed(talk: Talk, tab: Tab, *, staff_id: int | None = None, **more: object) -> list[Entry]:
    with talk.db.reading() as session:
        return queue.entries(session, talk.tenant, staff_id or talk.ana, tab, **more)  # type: ignore[arg-type]


def names(entries: list[Entry]) -> list[str]:
    return [entry.customer_name for entry in entries]


# The list


def test_longest_wait_comes_first_whatever_happens_later(talk: Talk) -> None:
    """Neither a new message of one who waits, nor a note, nor our own line moves anybody (only an answer)."""
    ids = arrive(talk, "Ana", "Beto", "Caio")
    flag(talk, ids["Caio"], ids["Ana"], ids["Beto"])
    assert names(listed(talk, Tab.WAITING)) == ["Ana", "Beto", "Caio"]
    talk.now += timedelta(minutes=5)
    talk.says("ainda aí?", phone="+5511910000000")
    with talk.db.writing() as session:
        for status in (Status.NOTE, Status.QUEUED):
            message.add(
                session, talk.now, talk.tenant, ids["Ana"], author=Author.SYSTEM, text="…", status=status
            )
    assert names(listed(talk, Tab.WAITING)) == ["Ana", "Beto", "Caio"]


def test_tabs_and_their_counts_agree(talk: Talk) -> None:
    ids = arrive(talk, "fila", "minha", "dele", "bot")
    flag(talk, ids["fila"])
    with talk.db.writing() as session:
        desk.take(session, talk.now, talk.tenant, ids["minha"], talk.ana)
        desk.take(session, talk.now, talk.tenant, ids["dele"], talk.bruno)
    with talk.db.reading() as session:
        assert queue.counts(session, talk.tenant, talk.ana) == Counts(waiting=1, mine=1, all=6)
    assert names(listed(talk, Tab.WAITING)) == ["fila"]
    assert names(listed(talk, Tab.MINE)) == ["minha"]
    assert len(listed(talk, Tab.ALL)) == 6
    assert names(listed(talk, Tab.MINE, staff_id=talk.bruno)) == ["dele"]


def test_an_entry_tells_why_and_with_whom(talk: Talk) -> None:
    talk.flag(Reason.ERRO_INTERNO)
    talk.take(talk.bruno)
    (entry,) = listed(talk, Tab.MINE, staff_id=talk.bruno)
    assert (entry.conversation_id, entry.customer_name, entry.address) == (
        talk.id,
        "Maria",
        "whatsapp:+5511900000001",
    )
    assert (entry.reason, entry.assignee_name, entry.preview) == (Reason.ERRO_INTERNO, "Bruno Reis", "Oi")
    assert (entry.unread, entry.waiting_since, entry.last_message_at) == (1, talk.now, talk.now)


def test_a_closed_episode_is_no_reason(talk: Talk) -> None:
    talk.flag()
    talk.give_back(talk.ana)
    assert [entry.reason for entry in listed(talk, Tab.ALL) if entry.conversation_id == talk.id] == [None]


def test_among_ones_own_those_who_wait_come_first(talk: Talk) -> None:
    ids = arrive(talk, "respondida", "espera", "espera mais")
    with talk.db.writing() as session:
        for conversation_id in ids.values():
            desk.take(session, talk.now, talk.tenant, conversation_id, talk.ana)
        for name in ("respondida", "espera mais"):
            desk.reply(
                session,
                talk.now,
                talk.tenant,
                ids[name],
                talk.ana,
                text="oi",
                last_seen_seq=1,
                client_key="k",
            )
    assert names(listed(talk, Tab.MINE)) == ["espera", "respondida", "espera mais"]
    talk.now += timedelta(minutes=1)
    talk.says("voltei", phone="+5511910000000")
    assert names(listed(talk, Tab.MINE)) == ["espera", "respondida", "espera mais"]


@pytest.mark.parametrize("tab", Tab)
def test_pages_show_everybody_once(talk: Talk, tab: Tab) -> None:
    """Also those who came at the same moment: the sort key ends in the id."""
    ids = arrive(talk, *"abcdefg", minutes=0)
    if tab == Tab.WAITING:
        flag(talk, *ids.values())
    if tab == Tab.MINE:
        with talk.db.writing() as session:
            for conversation_id in ids.values():
                desk.take(session, talk.now, talk.tenant, conversation_id, talk.ana)
    whole = listed(talk, tab, limit=100)
    paged, after = [], None
    while page := listed(talk, tab, after=after, limit=2):
        paged += page
        after = Position.parse(str(page[-1].position))
    assert paged == whole
    assert set(ids) <= set(names(whole))


@given(
    st.integers(0, 1),
    st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(1, 2**31 - 1),
)
def test_a_position_survives_the_address_bar(rank: int, at: datetime, conversation_id: int) -> None:
    position = Position(rank, at, conversation_id)
    assert Position.parse(str(position)) == position


@given(st.text(alphabet="0123456789-x² ", max_size=60))
def test_any_other_text_is_no_position_or_one(text: str) -> None:
    position = Position.parse(text)
    assert position is None or Position.parse(str(position)) == position


# One conversation


def test_the_card_holds_what_is_open(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.ana)
    with talk.db.reading() as session:
        card = queue.card(session, talk.tenant, talk.id)
    assert (card.conversation.id, card.customer.name, card.assignee_name) == (talk.id, "Maria", "Ana Souza")
    assert card.handoff is not None
    assert card.handoff.reason == Reason.PEDIDO_DO_CLIENTE
    talk.give_back(talk.ana)
    with talk.db.reading() as session:
        card = queue.card(session, talk.tenant, talk.id)
    assert (card.handoff, card.assignee_name) == (None, None)


def test_lines_between_two_seqs_with_their_writers(talk: Talk) -> None:
    talk.reply(talk.ana, "a", key="a")
    talk.bot_says("b")
    talk.reply(talk.ana, "c", key="c")

    def seqs(**limits: int) -> list[int]:
        with talk.db.reading() as session:
            return [line.message.seq for line in queue.lines(session, talk.tenant, talk.id, **limits)]

    assert seqs() == [1, 2, 3, 4]
    assert seqs(after=1, before=4) == [2, 3]
    assert seqs(limit=2) == [3, 4], "the newest ones, oldest first"
    assert seqs(before=3, limit=1) == [2]
    with talk.db.reading() as session:
        writers = [line.staff_name for line in queue.lines(session, talk.tenant, talk.id)]
    assert writers == [None, "Ana Souza", None, "Ana Souza"]


def test_a_later_line_with_an_earlier_clock_is_missed_by_nobody(talk: Talk) -> None:
    """What is new is told by seq, never by time."""
    talk.now -= timedelta(minutes=3)
    talk.says("relógio atrasado")
    with talk.db.reading() as session:
        new = queue.lines(session, talk.tenant, talk.id, after=1)
    assert [line.message.text for line in new] == ["relógio atrasado"]


def _add(session: Session, talk: Talk, run_id: int, position: int, step: NewStep) -> None:
    place = {"tenant_id": talk.tenant, "run_id": run_id, "position": position}
    session.add(RunStep(**place, at=talk.now, **vars(step)))


def worked(session: Session, talk: Talk, through_seq: int, *tools: str) -> None:
    run_id = run.start(
        session,
        Run(
            tenant_id=talk.tenant,
            conversation_id=talk.id,
            from_seq=0,
            through_seq=through_seq,
            epoch=0,
            provider="offline",
            model="offline",
            prompt_version="1",
            started_at=talk.now,
        ),
    )
    for position, name in enumerate(tools):
        step = NewStep(StepKind.RESULT, {"name": name, "input": {}, "text": "", "tool_use_id": name})
        _add(session, talk, run_id, 2 * position + 1, step)
        answer = NewStep(StepKind.ANSWER, [{"type": "text", "text": "…"}])
        _add(session, talk, run_id, 2 * position, answer)


def test_acts_are_runs_with_their_tool_results_in_order(talk: Talk) -> None:
    with talk.db.writing() as session:
        worked(session, talk, 1, "buscar_servicos", "buscar_horarios")
        worked(session, talk, 2)
        worked(session, talk, 3, "agendar")
    with talk.db.reading() as session:
        acts = queue.acts(session, talk.tenant, talk.id, from_seq=2)
        everything = queue.acts(session, talk.tenant, talk.id, from_seq=0)
        bounded = queue.acts(session, talk.tenant, talk.id, from_seq=2, before=3)
    assert [[step.content["name"] for step in done.results] for done in acts] == [[], ["agendar"]]
    assert [done.run.through_seq for done in bounded] == [2]
    assert [step.content["name"] for step in everything[0].results] == ["buscar_servicos", "buscar_horarios"]


def _deliver(talk: Talk) -> None:
    with talk.db.writing() as session:
        message.transcript(session, talk.tenant, talk.id)[-1].status = Status.DELIVERED


def _finish(talk: Talk) -> None:
    with talk.db.writing() as session:
        (done, *_rest) = queue.acts(session, talk.tenant, talk.id, from_seq=0)
        assert done.run.id is not None
        run.end(session, done.run.id, talk.now, Outcome.CRASHED)


CHANGES: dict[str, Callable[[Talk], object]] = {
    "a line": lambda talk: talk.says(),
    "a delivery": _deliver,
    "a claim": lambda talk: talk.take(talk.ana),
    "a flag": lambda talk: talk.flag(),
    "a run's end": _finish,
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_pulse_differs_after(talk: Talk, change: str) -> None:
    talk.bot_says()
    with talk.db.writing() as session:
        worked(session, talk, 1)

    def pulse() -> queue.Pulse:
        with talk.db.reading() as session:
            return queue.pulse(session, talk.tenant, talk.id)

    before = pulse()
    assert pulse() == before
    CHANGES[change](talk)
    assert pulse().mark != before.mark


def test_seen_clears_unless_something_newer_came(talk: Talk) -> None:
    talk.flag()
    talk.says("mais uma")

    def see(through_seq: int) -> int:
        with talk.db.writing() as session:
            queue.seen(session, talk.tenant, talk.id, through_seq)
        return talk.row.unread

    assert see(1) == 2
    assert see(2) == 0


# Between businesses


READS: dict[str, Callable[[Session, int, int], object]] = {
    "card": queue.card,
    "pulse": queue.pulse,
    "lines": queue.lines,
    "acts": lambda session, tenant, conversation: queue.acts(session, tenant, conversation, from_seq=0),
}


@pytest.mark.parametrize("read", READS)
def test_a_foreign_conversation_reads_as_a_missing_one(talk: Talk, read: str) -> None:
    with talk.db.writing() as session:
        worked(session, talk, 1, "agendar")

    def found(conversation_id: int) -> object:
        with talk.db.reading() as session:
            try:
                return READS[read](session, talk.other.tenant, conversation_id)
            except NotFound as missing:
                return str(missing)

    assert found(talk.id) == found(987654)
    assert found(talk.id) in ([], "conversation")


def test_nothing_of_another_business_is_listed_or_marked(talk: Talk) -> None:
    talk.flag()
    with talk.db.writing() as session:
        counts = queue.counts(session, talk.other.tenant, talk.ana)
        listed_there = queue.entries(session, talk.other.tenant, talk.ana, Tab.ALL)
        queue.seen(session, talk.other.tenant, talk.id, 99)
    assert counts == Counts(waiting=0, mine=0, all=1)
    assert [entry.conversation_id for entry in listed_there] == [talk.other.conversation]
    assert talk.row.unread == 1


# The agenda


def visit(session: Session, talk: Talk, starts_at: datetime, *services: str, status: str = "booked") -> int:
    customer_id = session.get_one(Conversation, talk.id).customer_id
    ends_at = starts_at + timedelta(hours=1)
    row = Appointment(
        tenant_id=talk.tenant,
        professional_id=talk.ids.ana,
        customer_id=customer_id,
        starts_at=starts_at,
        ends_at=ends_at,
        busy_from=starts_at,
        busy_until=ends_at,
        status=status,
        created_at=talk.now,
    )
    session.add(row)
    session.flush()
    assert row.id is not None
    for position, name in enumerate(services):
        session.add(
            AppointmentService(
                tenant_id=talk.tenant,
                appointment_id=row.id,
                position=position,
                service_id=talk.ids.corte,
                name=name,
                duration_minutes=30,
            )
        )
    return row.id


def test_a_day_holds_what_touches_it(talk: Talk) -> None:
    """Half-open: who ends at midnight is not in the next day. Cancelled visits are there, and say so."""
    begins, ends = talk.now, talk.now + timedelta(days=1)
    with talk.db.writing() as session:
        visit(session, talk, begins - timedelta(hours=1), "antes")
        first = visit(session, talk, begins, "Corte", "Escova", status="cancelled")
        second = visit(session, talk, ends - timedelta(hours=2), "Barba")
        visit(session, talk, ends, "depois")
    with talk.db.reading() as session:
        found = agenda.visits(session, talk.tenant, begins, ends)
        foreign = agenda.visits(session, talk.other.tenant, begins, ends)
    assert [(each.id, each.services, each.status) for each in found] == [
        (first, ("Corte", "Escova"), "cancelled"),
        (second, ("Barba",), "booked"),
    ]
    assert (found[0].customer, found[0].professional) == ("Maria", "Ana Souza")
    assert foreign == []
