"""What the pages read: the right rows, in an order that does not jump, and nobody else's."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlmodel import Session

from models import handoff, message
from models.acts import conversation_acts
from models.appointment import Appointment, AppointmentService
from models.conversation import Conversation
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from models.pages import conversation_page, inbox_list
from models.pages.inbox_list import Cause, Counts, Entry, Position, Tab, Today, Wanted
from tests.fakes.talk import GRACE, Talk


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


def listed(talk: Talk, tab: Tab, *, staff_id: int | None = None, **more: Any) -> list[Entry]:
    page = {name: more.pop(name) for name in ("after", "limit") if name in more}
    wanted = Wanted(tab, **more)
    with talk.db.reading() as session:
        return inbox_list.entries(session, talk.now, talk.tenant, staff_id or talk.ana, wanted, **page)


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
                session,
                talk.now,
                talk.tenant,
                ids["Ana"],
                message.Line(author=Author.SYSTEM, text="…", status=status),
            )
    assert names(listed(talk, Tab.WAITING)) == ["Ana", "Beto", "Caio"]


def test_tabs_and_their_counts_agree(talk: Talk) -> None:
    ids = arrive(talk, "fila", "minha", "dele", "bot")
    flag(talk, ids["fila"])
    with talk.db.writing() as session:
        conversation_acts.take(session, talk.now, talk.tenant, ids["minha"], talk.ana)
        conversation_acts.take(session, talk.now, talk.tenant, ids["dele"], talk.bruno)
    with talk.db.reading() as session:
        assert inbox_list.counts(session, talk.tenant, talk.ana) == Counts(
            waiting=1, mine=1, all=6, resolved=0
        )
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
    assert (entry.cause, entry.assignee_name, entry.preview) == (Reason.ERRO_INTERNO, "Bruno Reis", "Oi")
    assert (entry.unread, entry.waiting_since, entry.last_message_at) == (1, talk.now, talk.now)


def test_a_closed_episode_is_no_reason(talk: Talk) -> None:
    talk.flag()
    talk.give_back(talk.ana)
    assert [entry.cause for entry in listed(talk, Tab.ALL) if entry.conversation_id == talk.id] == [None]


def test_among_ones_own_those_who_wait_come_first(talk: Talk) -> None:
    ids = arrive(talk, "respondida", "espera", "espera mais")
    with talk.db.writing() as session:
        for conversation_id in ids.values():
            conversation_acts.take(session, talk.now, talk.tenant, conversation_id, talk.ana)
        for name in ("respondida", "espera mais"):
            conversation_acts.reply(
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
    talk.says("voltei", phone="+5511910000002")
    assert names(listed(talk, Tab.MINE)) == ["espera", "espera mais", "respondida"]


@pytest.mark.parametrize("tab", Tab)
def test_pages_show_everybody_once(talk: Talk, tab: Tab) -> None:
    """Also those who came at the same moment: the sort key ends in the id."""
    ids = arrive(talk, *"abcdefg", minutes=0)
    if tab == Tab.WAITING:
        flag(talk, *ids.values())
    if tab in (Tab.MINE, Tab.RESOLVED):
        with talk.db.writing() as session:
            for conversation_id in ids.values():
                conversation_acts.take(session, talk.now, talk.tenant, conversation_id, talk.ana)
                if tab == Tab.RESOLVED:
                    conversation_acts.resolve(
                        session, talk.now, talk.tenant, conversation_id, talk.ana, grace=GRACE
                    )
    whole = listed(talk, tab, limit=100)
    paged, after = [], None
    while page := listed(talk, tab, after=after, limit=2):
        paged += page
        after = Position.parse(str(page[-1].position))
    assert paged == whole
    assert set(ids) <= set(names(whole))


@given(
    st.integers(0, 1),
    st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.integers(1, 2**31 - 1),
)
def test_a_position_survives_the_address_bar(rank: int, at: datetime, conversation_id: int) -> None:
    position = Position(rank, at, conversation_id)
    assert Position.parse(str(position)) == position


@given(st.text(alphabet="0123456789-x² ", max_size=60))
def test_any_other_text_is_no_position_or_one(text: str) -> None:
    position = Position.parse(text)
    assert position is None or Position.parse(str(position)) == position


# Putting aside, settling, narrowing down


def test_what_is_put_aside_comes_last_until_its_time(talk: Talk) -> None:
    ids = arrive(talk, "adiada", "espera")
    with talk.db.writing() as session:
        for conversation_id in ids.values():
            conversation_acts.take(session, talk.now, talk.tenant, conversation_id, talk.ana)
        until = talk.now + timedelta(hours=1)
        conversation_acts.snooze(session, talk.now, talk.tenant, ids["adiada"], talk.ana, until=until)
    assert names(listed(talk, Tab.MINE)) == ["espera", "adiada"]
    talk.now = until
    assert names(listed(talk, Tab.MINE)) == ["adiada", "espera"]


def test_what_is_settled_says_why_it_was_and_comes_newest_first(talk: Talk) -> None:
    ids = arrive(talk, "primeira", "segunda")
    flag(talk, *ids.values())
    for name in ids:
        talk.now += timedelta(minutes=1)
        with talk.db.writing() as session:
            conversation_acts.resolve(session, talk.now, talk.tenant, ids[name], talk.ana, grace=GRACE)
    assert names(listed(talk, Tab.RESOLVED)) == ["segunda", "primeira"]
    assert {entry.cause for entry in listed(talk, Tab.RESOLVED)} == {Reason.PEDIDO_DO_CLIENTE}
    flag(talk, ids["primeira"])
    assert names(listed(talk, Tab.RESOLVED)) == ["segunda"], "it is with people again"
    with talk.db.reading() as session:
        assert inbox_list.counts(session, talk.tenant, talk.ana).resolved == 1


def test_by_reason(talk: Talk) -> None:
    ids = arrive(talk, "pediu", "caiu", "equipe", "voltou")
    flag(talk, ids["pediu"])
    with talk.db.writing() as session:
        handoff.flag(session, talk.now, talk.tenant, ids["caiu"], Reason.MODELO_INDISPONIVEL)
        conversation_acts.take(session, talk.now, talk.tenant, ids["equipe"], talk.ana)
        place = (session, talk.now, talk.tenant, ids["voltou"], talk.ana)
        conversation_acts.reply(*place, text="oi", last_seen_seq=1, client_key="k")
        conversation_acts.resolve(*place, grace=GRACE)
    talk.says("e mais", phone="+5511910000003")
    everything = {
        Reason.PEDIDO_DO_CLIENTE: ["pediu"],
        Reason.MODELO_INDISPONIVEL: ["caiu"],
        Cause.STAFF: ["equipe"],
        Cause.REOPENED: ["voltou"],
    }
    for cause, found in everything.items():
        entries = listed(talk, Tab.ALL, reason=cause)
        assert (names(entries), {entry.cause for entry in entries}) == (found, {cause})
    assert listed(talk, Tab.WAITING, reason=Cause.STAFF) == []


def test_by_person(talk: Talk) -> None:
    ids = arrive(talk, "ana", "bruno", "encerrada")
    with talk.db.writing() as session:
        conversation_acts.take(session, talk.now, talk.tenant, ids["ana"], talk.ana)
        conversation_acts.take(session, talk.now, talk.tenant, ids["bruno"], talk.bruno)
        conversation_acts.take(session, talk.now, talk.tenant, ids["encerrada"], talk.bruno)
        conversation_acts.resolve(session, talk.now, talk.tenant, ids["encerrada"], talk.bruno, grace=GRACE)
    assert names(listed(talk, Tab.ALL, person=talk.bruno)) == ["bruno"]
    assert names(listed(talk, Tab.RESOLVED, person=talk.bruno)) == ["encerrada"]
    assert listed(talk, Tab.RESOLVED, person=talk.ana) == []
    assert listed(talk, Tab.ALL, person=talk.carla) == []


# Searching


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("joao", {"João Müller"}),
        ("JOÃO MÜ", {"João Müller"}),
        ("conceicao", {"Conceição"}),
        ("98765", {"João Müller"}),
        ("+55 11 91234-0002", {"Conceição"}),
        ("química", {"João Müller"}),
        ("quimica", {"João Müller"}),
        ("100%", {"Conceição"}),
        ("a_b", {"Conceição"}),
        ("a.b", set()),
        ("[x]", {"Conceição"}),
        ("50*2", {"Conceição"}),
        ("c:\\d^e", {"Conceição"}),
        ("???", set()),
        ("nunca dito", set()),
    ],
)
def test_words_are_found_in_name_phone_and_text(talk: Talk, words: str, found: set[str]) -> None:
    """Case and accents do not matter; nothing that is typed is a wildcard."""
    talk.says("Fiz química no cabelo", phone="+5511912340001", name="João Müller")
    talk.says("Fiz química no cabelo", phone="+5511912340001", name="João Müller")
    talk.says("é 100% seguro? a_b [x] 50*2 c:\\d^e", phone="+5511912340002", name="Conceição")
    with talk.db.writing() as session:
        session.execute(
            text(
                "update customer_address set address = 'whatsapp:+5511987654321' where customer_id ="
                " (select customer_id from conversation where preview like 'Fiz%')"
            )
        )
    assert set(names(listed(talk, Tab.ALL, words=words))) == found


def test_nothing_of_another_business_is_found(talk: Talk) -> None:
    """Neither by name nor by phone nor by text."""
    with talk.db.reading() as session:
        for words in ("Maria", "999990001", "segredo"):
            wanted = Wanted(Tab.ALL, words=words)
            ours = inbox_list.entries(session, talk.now, talk.tenant, talk.ana, wanted)
            assert talk.other.conversation not in [entry.conversation_id for entry in ours]


def test_the_search_looks_at_no_conversation_twice(sqlite_db: Database, now: datetime) -> None:
    """Those of a customer who is found are looked up, not searched for among all."""
    talk, asked = Talk(sqlite_db, now), list[tuple[str, Any]]()
    event.listen(sqlite_db.engine, "before_cursor_execute", lambda *call: asked.append((call[2], call[3])))
    listed(talk, Tab.ALL, words="maria")
    [(statement, values)] = [each for each in asked if "GLOB" in each[0]]
    with sqlite_db.reading() as session:
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
    steps = [row[-1] for row in plan]
    assert any(step.startswith("SEARCH talk ") for step in steps)
    assert not [step for step in steps if step.startswith(("SCAN talk", "SCAN customer", "SCAN message"))]


def test_the_search_is_bounded(sqlite_db: Database, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the newest lines are searched: an old word costs nothing, and finds nothing."""
    talk = Talk(sqlite_db, now)
    talk.says("palavra antiga")
    for number in range(5):
        talk.bot_says(f"linha {number}")
    assert names(listed(talk, Tab.ALL, words="palavra")) == ["Maria"]
    monkeypatch.setattr(inbox_list, "SEARCHED_LINES", 5)
    assert listed(talk, Tab.ALL, words="palavra") == []


# Today


def test_visits_of_today_by_customer(talk: Talk) -> None:
    begins, ends = talk.now, talk.now + timedelta(days=1)
    with talk.db.writing() as session:
        customer_id = session.get_one(Conversation, talk.id).customer_id
        visit(session, talk, begins, "Corte", "Escova")
        visit(session, talk, begins + timedelta(hours=3), "Barba", status="cancelled")
        visit(session, talk, ends, "depois")
    with talk.db.reading() as session:
        found = inbox_list.visits_of(session, talk.tenant, [customer_id, 987], begins, ends)
        foreign = inbox_list.visits_of(session, talk.other.tenant, [customer_id], begins, ends)
        assert inbox_list.visits_of(session, talk.tenant, [], begins, ends) == {}
    assert found == {customer_id: [Today(begins, ("Corte", "Escova"))]}
    assert foreign == {}


# Between businesses


def test_nothing_of_another_business_is_listed_or_marked(talk: Talk) -> None:
    talk.flag()
    with talk.db.writing() as session:
        counts = inbox_list.counts(session, talk.other.tenant, talk.ana)
        listed_there = inbox_list.entries(session, talk.now, talk.other.tenant, talk.ana, Wanted(Tab.ALL))
        conversation_page.seen(session, talk.other.tenant, talk.id, 99)
    assert counts == Counts(waiting=0, mine=0, all=1, resolved=0)
    assert [entry.conversation_id for entry in listed_there] == [talk.other.conversation]
    assert talk.row.unread == 1


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


def test_a_line_that_did_not_arrive_is_told_until_something_is_said(talk: Talk) -> None:
    """Whoever has the conversation waits for nobody then: the customer does."""
    talk.reply(talk.ana, "às 15h")
    with talk.db.writing() as session:
        session.merge(talk.lines[-1]).status = Status.FAILED
        assert not handoff.flag(session, talk.now, talk.tenant, talk.id, Reason.FALHA_NO_ENVIO)
    [entry] = listed(talk, Tab.MINE)
    assert (entry.undelivered, entry.waiting_since, entry.unread) == (True, talk.now, 1)
    talk.reply(talk.ana, "às 15h", key="again")
    [entry] = listed(talk, Tab.MINE)
    assert (entry.undelivered, entry.waiting_since, entry.unread) == (False, None, 0)
