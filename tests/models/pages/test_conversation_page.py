"""What the page of one conversation reads: the right rows in order, and nobody else's."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session

from models import message, run
from models.appointment import Appointment, AppointmentService
from models.conversation import Conversation
from models.db import Database
from models.errors import NotFound
from models.handoff import CloseReason, Reason
from models.message import Status
from models.pages import conversation_page
from models.run import Outcome, Run, RunStep, StepKind
from tests.fakes.talk import Talk


@pytest.fixture
def talk(db: Database, now: datetime) -> Talk:
    return Talk(db, now)


# One conversation


def test_the_card_holds_what_is_open(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.ana)
    with talk.db.reading() as session:
        card = conversation_page.card(session, talk.tenant, talk.id)
    assert (card.conversation.id, card.customer.name, card.assignee_name) == (talk.id, "Maria", "Ana Souza")
    assert card.handoff is not None
    assert card.handoff.reason == Reason.PEDIDO_DO_CLIENTE
    talk.give_back(talk.ana)
    with talk.db.reading() as session:
        card = conversation_page.card(session, talk.tenant, talk.id)
    assert (card.handoff, card.assignee_name) == (None, None)


def test_lines_between_two_seqs_with_their_writers(talk: Talk) -> None:
    talk.reply(talk.ana, "a", key="a")
    talk.bot_says("b")
    talk.reply(talk.ana, "c", key="c")

    def seqs(**limits: int) -> list[int]:
        with talk.db.reading() as session:
            return [
                line.message.seq for line in conversation_page.lines(session, talk.tenant, talk.id, **limits)
            ]

    assert seqs() == [1, 2, 3, 4]
    assert seqs(after=1, before=4) == [2, 3]
    assert seqs(limit=2) == [3, 4], "the newest ones, oldest first"
    assert seqs(before=3, limit=1) == [2]
    with talk.db.reading() as session:
        writers = [line.staff_name for line in conversation_page.lines(session, talk.tenant, talk.id)]
    assert writers == [None, "Ana Souza", None, "Ana Souza"]


def test_a_later_line_with_an_earlier_clock_is_missed_by_nobody(talk: Talk) -> None:
    """What is new is told by seq, never by time."""
    talk.now -= timedelta(minutes=3)
    talk.says("relógio atrasado")
    with talk.db.reading() as session:
        new = conversation_page.lines(session, talk.tenant, talk.id, after=1)
    assert [line.message.text for line in new] == ["relógio atrasado"]


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
        result = {"name": name, "input": {}, "text": "", "tool_use_id": name}
        for place, kind, content in (
            (2 * position, StepKind.ANSWER, [{"type": "text", "text": "…"}]),
            (2 * position + 1, StepKind.RESULT, result),
        ):
            session.add(
                RunStep(
                    tenant_id=talk.tenant,
                    run_id=run_id,
                    position=place,
                    kind=kind,
                    content=content,
                    at=talk.now,
                )
            )


def test_acts_are_runs_with_their_tool_results_in_order(talk: Talk) -> None:
    with talk.db.writing() as session:
        worked(session, talk, 1, "buscar_servicos", "buscar_horarios")
        worked(session, talk, 2)
        worked(session, talk, 3, "agendar")
    with talk.db.reading() as session:
        acts = conversation_page.acts(session, talk.tenant, talk.id, from_seq=2)
        everything = conversation_page.acts(session, talk.tenant, talk.id, from_seq=0)
        bounded = conversation_page.acts(session, talk.tenant, talk.id, from_seq=2, before=3)
    assert [[step.content["name"] for step in done.results] for done in acts] == [[], ["agendar"]]
    assert [done.run.through_seq for done in bounded] == [2]
    assert [step.content["name"] for step in everything[0].results] == ["buscar_servicos", "buscar_horarios"]


def _deliver(talk: Talk) -> None:
    with talk.db.writing() as session:
        message.transcript(session, talk.tenant, talk.id)[-1].status = Status.DELIVERED


def _finish(talk: Talk) -> None:
    with talk.db.writing() as session:
        (done, *_rest) = conversation_page.acts(session, talk.tenant, talk.id, from_seq=0)
        assert done.run.id is not None
        run.end(session, done.run.id, talk.now, Outcome.CRASHED)


CHANGES: dict[str, Callable[[Talk], object]] = {
    "a line": lambda talk: talk.says(),
    "a delivery": _deliver,
    "a claim": lambda talk: talk.take(talk.ana),
    "a flag": lambda talk: talk.flag(),
    "a note": lambda talk: talk.note(talk.bruno),
    "a snooze": lambda talk: talk.snooze(talk.ana, talk.now + timedelta(hours=1)),
    "a run's end": _finish,
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_pulse_differs_after(talk: Talk, change: str) -> None:
    talk.bot_says()
    with talk.db.writing() as session:
        worked(session, talk, 1)

    def pulse() -> conversation_page.Pulse:
        with talk.db.reading() as session:
            return conversation_page.pulse(session, talk.tenant, talk.id)

    before = pulse()
    assert pulse() == before
    CHANGES[change](talk)
    assert pulse().mark != before.mark


def test_seen_clears_unless_something_newer_came(talk: Talk) -> None:
    talk.flag()
    talk.says("mais uma")

    def see(through_seq: int) -> int:
        with talk.db.writing() as session:
            conversation_page.seen(session, talk.tenant, talk.id, through_seq)
        return talk.row.unread

    assert see(1) == 2
    assert see(2) == 0


# What staff did


def events(talk: Talk, **between: datetime) -> list[tuple[str, str | None, str | None]]:
    with talk.db.reading() as session:
        found = conversation_page.events(session, talk.tenant, talk.id, **{"since": None, **between})
    return [(each.act, each.name, each.other) for each in found]


def test_events_tell_who_and_whom(talk: Talk) -> None:
    talk.take(talk.ana)
    talk.pass_on(talk.ana, talk.bruno)
    talk.now += timedelta(minutes=1)
    talk.take_over(talk.ana, holder_id=talk.bruno)
    talk.resolve(talk.ana)
    assert events(talk) == [
        ("take", "Ana Souza", None),
        ("pass_on", "Ana Souza", "Bruno Reis"),
        ("take_over", "Ana Souza", "Bruno Reis"),
        ("resolve", "Ana Souza", None),
    ]
    assert [act for act, _name, _other in events(talk, since=talk.now)] == ["take_over", "resolve"]
    before = talk.now - timedelta(seconds=1)
    assert [act for act, _name, _other in events(talk, until=before)] == ["take", "pass_on"]


# What was before


def visit(talk: Talk, days: int, *services: str, status: str = "done") -> None:
    starts_at = talk.now + timedelta(days=days)
    ends_at = starts_at + timedelta(hours=1)
    with talk.db.writing() as session:
        row = Appointment(
            tenant_id=talk.tenant,
            professional_id=talk.ids.ana,
            customer_id=session.get_one(Conversation, talk.id).customer_id,
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


def past(talk: Talk, tenant: int | None = None) -> conversation_page.Past:
    with talk.db.reading() as session:
        customer_id = session.get_one(Conversation, talk.id).customer_id
        return conversation_page.past(session, tenant or talk.tenant, customer_id, talk.id, talk.now)


def test_the_past_is_short_newest_first_and_counts_who_did_not_come(talk: Talk) -> None:
    for days in range(-8, 0):
        visit(talk, days, "Corte", "Escova", status="no_show" if days in (-8, -1) else "done")
    visit(talk, 1, "Barba", status="booked")
    talk.flag(Reason.LIMITE_TEMPO)
    talk.take(talk.bruno)
    talk.give_back(talk.bruno, note="ok")
    talk.flag()
    found = past(talk)
    assert [each.status for each in found.visits] == ["no_show", "done", "done", "done", "done"]
    assert (found.visits[0].services, found.visits[0].professional) == (("Corte", "Escova"), "Ana Souza")
    assert found.no_shows == 2
    (episode,) = found.episodes
    assert (episode.handoff.reason, episode.handoff.close_reason, episode.closed_by) == (
        Reason.LIMITE_TEMPO,
        CloseReason.RETURNED_TO_BOT,
        "Bruno Reis",
    )
    foreign = past(talk, talk.other.tenant)
    assert (foreign.visits, foreign.no_shows, foreign.episodes) == ([], 0, [])


# Between businesses


READS: dict[str, Callable[[Session, int, int], object]] = {
    "card": conversation_page.card,
    "pulse": conversation_page.pulse,
    "lines": conversation_page.lines,
    "events": lambda session, tenant, conversation: conversation_page.events(
        session, tenant, conversation, since=None
    ),
    "acts": lambda session, tenant, conversation: conversation_page.acts(
        session, tenant, conversation, from_seq=0
    ),
}


@pytest.mark.parametrize("read", READS)
def test_a_foreign_conversation_reads_as_a_missing_one(talk: Talk, read: str) -> None:
    with talk.db.writing() as session:
        worked(session, talk, 1, "agendar")
    talk.take(talk.ana)

    def found(conversation_id: int) -> object:
        with talk.db.reading() as session:
            try:
                return READS[read](session, talk.other.tenant, conversation_id)
            except NotFound as missing:
                return str(missing)

    assert found(talk.id) == found(987654)
    assert found(talk.id) in ([], "conversation")
