"""Whose turn it is: one worker at a time, and only while nobody else has taken the conversation."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session

from models import conversation, handoff
from models.acts import conversation_acts
from models.conversation import Claim, Conversation, Holder
from models.db import Database
from models.errors import LeaseLost, NotFound
from models.handoff import Reason
from tests.models.rows import CUSTOMER, DEBOUNCE, add_staff, add_tenant, says

LEASE = timedelta(seconds=30)


@pytest.fixture
def tenant(db: Database, now: datetime) -> int:
    return add_tenant(db, now)


def claim(db: Database, at: datetime) -> Claim | None:
    with db.writing() as session:
        return conversation.claim(session, at, LEASE)


def claimed(db: Database, at: datetime) -> Claim:
    found = claim(db, at)
    assert found is not None
    return found


def row(db: Database, conversation_id: int = 1) -> Conversation:
    with db.reading() as session:
        return session.get_one(Conversation, conversation_id)


def finish(db: Database, mine: Claim, answered_seq: int | None = None) -> None:
    with db.writing() as session:
        conversation.finish(session, mine, answered_seq=answered_seq or mine.through_seq)


# Claims


def test_a_conversation_is_due_after_the_quiet_time(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1", "quero marcar")
    assert claim(db, now + DEBOUNCE - timedelta(milliseconds=1)) is None
    mine = claimed(db, now + DEBOUNCE)
    assert (mine.tenant_id, mine.address, mine.answered_seq, mine.through_seq) == (tenant, CUSTOMER, 0, 1)
    assert (mine.epoch, mine.attempts) == (0, 1)


def test_each_message_of_a_burst_moves_the_quiet_time(db: Database, now: datetime, tenant: int) -> None:
    """B05, B06: one turn for all of them."""
    for second in range(3):
        says(db, now + timedelta(seconds=second), tenant, f"SM{second}")
    last = now + timedelta(seconds=2)
    assert claim(db, last) is None
    assert claimed(db, last + DEBOUNCE).through_seq == 3
    assert claim(db, last + DEBOUNCE) is None


def test_who_waits_longest_comes_first(db: Database, now: datetime, tenant: int) -> None:
    for number in (3, 1, 2):
        at = now + timedelta(seconds=number)
        says(db, at, tenant, f"SM{number}", addresses=(f"whatsapp:+551191111222{number}",))
    later = now + timedelta(minutes=1)
    assert [claimed(db, later).address[-1] for _ in range(3)] == ["1", "2", "3"]


def test_many_workers_claim_each_conversation_once(db: Database, now: datetime, tenant: int) -> None:
    for number in range(12):
        says(db, now, tenant, f"SM{number}", addresses=(f"whatsapp:+55119111122{number:02}",))
    later = now + timedelta(minutes=1)

    def work(_: int) -> list[int]:
        mine = []
        while (found := claim(db, later)) is not None:
            mine.append(found.conversation_id)
        return mine

    with ThreadPoolExecutor(6) as pool:
        found = [one for mine in pool.map(work, range(6)) for one in mine]
    # On PostgreSQL a worker passes over a row that another has locked at that moment, and may stop early.
    found += work(0)
    assert sorted(found) == list(range(1, 13))


def test_a_claim_is_not_given_twice_until_its_lease_ends(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    start = now + DEBOUNCE
    first = claimed(db, start)
    assert claim(db, start + LEASE - timedelta(milliseconds=1)) is None
    second = claimed(db, start + LEASE)
    assert (second.attempts, second.through_seq) == (2, 1)
    assert second.token != first.token
    with pytest.raises(LeaseLost):
        finish(db, first)
    finish(db, second)
    assert row(db).answered_seq == 1


def test_a_renewed_lease_lasts(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    start = now + DEBOUNCE
    mine = claimed(db, start)
    with db.writing() as session:
        assert conversation.renew(session, [mine.token, "not-mine"], start + 2 * LEASE) == 1
        assert conversation.renew(session, [], start + 9 * LEASE) == 0
    assert claim(db, start + LEASE) is None
    assert claim(db, start + 2 * LEASE) is not None


def test_when_the_next_one_is_due(db: Database, now: datetime, tenant: int) -> None:
    def due() -> datetime | None:
        with db.reading() as session:
            return conversation.next_due(session)

    assert due() is None
    says(db, now, tenant, "SM1")
    assert due() == now + DEBOUNCE
    mine = claimed(db, now + DEBOUNCE)
    assert due() == now + DEBOUNCE + LEASE
    finish(db, mine)
    assert due() is None


# The end of a claim


def test_finished_it_rests_until_the_customer_writes(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    finish(db, claimed(db, now + DEBOUNCE))
    found = row(db)
    assert (found.answered_seq, found.attempts, found.due_at, found.lease_until) == (1, 0, None, None)
    assert found.waiting_since is None
    assert claim(db, now + timedelta(days=1)) is None


def test_what_comes_during_a_run_makes_it_due_again(db: Database, now: datetime, tenant: int) -> None:
    """B07: nothing is dropped; and who wrote meanwhile is waiting."""
    says(db, now, tenant, "SM1")
    mine = claimed(db, now + DEBOUNCE)
    during = now + timedelta(seconds=10)
    says(db, during, tenant, "SM2", "tem alguém aí?")
    finish(db, mine)
    assert row(db).waiting_since == during
    again = claimed(db, during + DEBOUNCE)
    assert (again.answered_seq, again.through_seq) == (1, 2)


def test_it_waits_since_the_first_unanswered_message(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    says(db, now + timedelta(minutes=5), tenant, "SM2")
    assert row(db).waiting_since == now


def test_a_handover_puts_it_into_the_queue(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    mine = claimed(db, now + DEBOUNCE)
    with db.writing() as session:
        assert conversation.hand_over(session, mine, answered_seq=1) == 1
    found = row(db)
    assert (found.holder, found.epoch, found.unread, found.due_at) == (Holder.QUEUE, 1, 1, None)
    assert found.waiting_since == now
    says(db, now + timedelta(minutes=1), tenant, "SM2")
    assert claim(db, now + timedelta(hours=1)) is None
    assert row(db).unread == 2


def test_a_released_claim_is_taken_up_again_then(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    start = now + DEBOUNCE
    mine = claimed(db, start)
    with db.writing() as session:
        conversation.release(session, mine, start + timedelta(seconds=2))
    assert claim(db, start + timedelta(seconds=1)) is None
    assert claimed(db, start + timedelta(seconds=2)).attempts == 2


def test_a_stopping_worker_gives_back_all_it_holds(db: Database, now: datetime, tenant: int) -> None:
    """Another one goes on at once, and the stop counts as no attempt."""
    for number in (1, 2, 3):
        says(db, now, tenant, f"SM{number}", addresses=(f"whatsapp:+551191111222{number}",))
    start = now + DEBOUNCE
    mine, others = [claimed(db, start), claimed(db, start)], claimed(db, start)
    with db.writing() as session:
        assert conversation.release_all(session, [one.token for one in mine], start) == 2
        assert conversation.release_all(session, [], start) == 0
    again = {claimed(db, start).conversation_id, claimed(db, start).conversation_id}
    assert again == {one.conversation_id for one in mine}
    assert claim(db, start) is None
    finish(db, others)


# One voice at a time


def lease_ended(session: Session, mine: Claim, now: datetime) -> None:
    conversation.claim(session, now + LEASE + timedelta(minutes=1), LEASE)


def staff_took_it(session: Session, mine: Claim, now: datetime) -> None:
    conversation_acts.take(session, now, mine.tenant_id, mine.conversation_id, 1)


def it_was_flagged(session: Session, mine: Claim, now: datetime) -> None:
    handoff.flag(session, now, mine.tenant_id, mine.conversation_id, Reason.FALHA_NO_ENVIO)


def it_went_there_and_back(session: Session, mine: Claim, now: datetime) -> None:
    staff_took_it(session, mine, now)
    conversation_acts.give_back(session, now, mine.tenant_id, mine.conversation_id, 1)


LOSSES = [lease_ended, staff_took_it, it_was_flagged, it_went_there_and_back]


@pytest.mark.parametrize("loss", LOSSES)
def test_whoever_lost_the_conversation_writes_nothing_more(
    db: Database, now: datetime, tenant: int, loss: Callable[[Session, Claim, datetime], None]
) -> None:
    add_staff(db, now, tenant)
    says(db, now, tenant, "SM1")
    mine = claimed(db, now + DEBOUNCE)
    with db.writing() as session:
        loss(session, mine, now + DEBOUNCE)
    before = row(db)
    for write in (
        lambda session: conversation.hold(session, mine),
        lambda session: conversation.finish(session, mine, answered_seq=1),
        lambda session: conversation.hand_over(session, mine, answered_seq=1),
    ):
        with pytest.raises(LeaseLost), db.writing() as session:
            write(session)
    with db.writing() as session:
        conversation.release(session, mine, now)
        conversation.release_all(session, [mine.token], now)
    assert row(db) == before


def test_a_claim_that_stands_may_write(db: Database, now: datetime, tenant: int) -> None:
    says(db, now, tenant, "SM1")
    mine = claimed(db, now + DEBOUNCE)
    with db.writing() as session:
        conversation.hold(session, mine)
    finish(db, mine)


def test_the_bot_and_a_person_cannot_both_have_it(db: Database, now: datetime, tenant: int) -> None:
    """The answer's commit and a person's click at the same moment: one of them is first, and both know it."""
    staff_id = add_staff(db, now, tenant)
    for number in range(8):
        says(db, now, tenant, f"SM{number}", addresses=(f"whatsapp:+551191111222{number}",))
    claims = [claimed(db, now + DEBOUNCE) for _ in range(8)]

    def commit(mine: Claim) -> bool:
        try:
            finish(db, mine)
        except LeaseLost:
            return False
        return True

    def take(mine: Claim) -> None:
        with db.writing() as session:
            conversation_acts.take(session, now, tenant, mine.conversation_id, staff_id)

    with ThreadPoolExecutor(8) as pool:
        commits = [pool.submit(commit, mine) for mine in claims]
        takes = [pool.submit(take, mine) for mine in claims]
        for one in takes:
            one.result()
    for mine, commit_done in zip(claims, commits, strict=True):
        found = row(db, mine.conversation_id)
        assert (found.holder, found.epoch) == (Holder.STAFF, 1)
        assert found.answered_seq == (1 if commit_done.result() else 0)


# Looking


def test_a_foreign_conversation_is_a_missing_one(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    says(db, now, tenant, "SM1")
    with db.writing() as session:
        assert conversation.find(session, tenant, 1).tenant_id == tenant
        for look in (conversation.find, conversation.lock):
            for tenant_id, conversation_id in ((other, 1), (tenant, 99)):
                with pytest.raises(NotFound):
                    look(session, tenant_id, conversation_id)


@pytest.mark.parametrize(
    ("seconds", "is_open"), [(0, True), (24 * 3600 - 1, True), (24 * 3600, False), (25 * 3600, False)]
)
def test_whatsapps_window(db: Database, now: datetime, tenant: int, seconds: int, is_open: bool) -> None:
    """24 hours after the last inbound message, exclusive; before the first one it is shut."""
    says(db, now, tenant, "SM1")
    found = row(db)
    assert conversation.window_open(found, now + timedelta(seconds=seconds)) == is_open
    found.last_inbound_at = None
    assert not conversation.window_open(found, now)
