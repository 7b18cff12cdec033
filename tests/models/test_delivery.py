"""Every line goes out in its turn, and its delivery only moves forward."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from models import conversation, delivery, message
from models.db import Database
from models.delivery import RANK, EarlyStatus, Outgoing, Progress
from models.message import Author, Message, Status
from tests.models.rows import CUSTOMER, add_tenant, says


@pytest.fixture
def tenant(db: Database, now: datetime) -> int:
    """A business with one customer who has written."""
    tenant_id = add_tenant(db, now)
    says(db, now, tenant_id, "SM0")
    return tenant_id


def lines(db: Database, tenant_id: int, conversation_id: int = 1) -> list[Message]:
    with db.reading() as session:
        return message.transcript(session, tenant_id, conversation_id)


def queue(db: Database, now: datetime, tenant_id: int, text: str = "Olá!", conversation_id: int = 1) -> int:
    with db.writing() as session:
        return message.add(
            session, now, tenant_id, conversation_id, message.Line(author=Author.BOT, text=text)
        )


def claim(db: Database, now: datetime) -> Outgoing:
    with db.writing() as session:
        found = delivery.claim_outgoing(session, now)
    assert found is not None
    return found


def report(
    db: Database, now: datetime, tenant_id: int, status: Status, sid: str = "SM9", **more: int
) -> Progress | None:
    with db.writing() as session:
        return delivery.apply_status(session, now, tenant_id, sid=sid, status=status, **more)


def sent(db: Database, now: datetime, tenant_id: int, sid: str = "SM9") -> Outgoing:
    """A line that the provider has accepted."""
    queue(db, now, tenant_id)
    line = claim(db, now)
    with db.writing() as session:
        delivery.mark_accepted(session, now, line, sid, Status.ACCEPTED)
    return line


def test_a_claimed_line_tells_all_that_sending_needs(db: Database, now: datetime, tenant: int) -> None:
    queue(db, now, tenant)
    later = now + timedelta(seconds=1)
    assert claim(db, later) == Outgoing(
        id=2,
        tenant_id=tenant,
        conversation_id=1,
        run_id=None,
        address=CUSTOMER,
        text="Olá!",
        attempts=1,
        due_at=now,
        sending_since=later,
    )
    with db.writing() as session:
        assert delivery.claim_outgoing(session, later) is None


@pytest.mark.parametrize("held", [Status.QUEUED, Status.SENDING, Status.IN_DOUBT])
def test_a_line_waits_while_the_one_before_it_is_open(
    db: Database, now: datetime, tenant: int, held: Status
) -> None:
    queue(db, now, tenant, "primeira")
    queue(db, now, tenant, "segunda")
    line = claim(db, now)
    with db.writing() as session:
        if held == Status.QUEUED:
            delivery.requeue(session, line, now + timedelta(seconds=6))
        elif held == Status.IN_DOUBT:
            delivery.mark_in_doubt(session, line)
        assert delivery.claim_outgoing(session, now) is None


def test_only_what_is_old_enough_is_looked_up(db: Database, now: datetime, tenant: int) -> None:
    def doubtful(sending: float, in_doubt: float) -> bool:
        with db.writing() as session:
            found = delivery.claim_doubtful(
                session,
                now,
                sending_before=now - timedelta(seconds=sending),
                in_doubt_before=now - timedelta(seconds=in_doubt),
            )
            session.rollback()
            return found is not None

    queue(db, now - timedelta(seconds=90), tenant)
    line = claim(db, now - timedelta(seconds=90))
    assert doubtful(90, 1000)
    assert not doubtful(91, 0)
    with db.writing() as session:
        delivery.mark_in_doubt(session, line)
    assert doubtful(1000, 90)
    assert not doubtful(0, 91)


def test_looking_up_counts_as_no_attempt(db: Database, now: datetime, tenant: int) -> None:
    queue(db, now, tenant)
    line = claim(db, now)
    later = now + timedelta(minutes=2)
    with db.writing() as session:
        found = delivery.claim_doubtful(session, later, sending_before=now, in_doubt_before=now)
    assert found == replace(line, sending_since=later)
    assert lines(db, tenant)[1].status == Status.IN_DOUBT


def test_an_attempt_ends_only_its_own(db: Database, now: datetime, tenant: int) -> None:
    """Whoever has lost the line to another attempt, or to a callback, changes nothing."""
    queue(db, now, tenant)
    line = claim(db, now)
    other = replace(line, sending_since=now + timedelta(seconds=1))
    with db.writing() as session:
        for end in (delivery.mark_in_doubt, lambda s, one: delivery.mark_failed(s, one, 1)):
            assert not end(session, other)
        assert delivery.mark_in_doubt(session, line)
        assert delivery.mark_failed(session, line, 63016)
        assert not delivery.requeue(session, line, now)
    assert (lines(db, tenant)[1].status, lines(db, tenant)[1].error_code) == (Status.FAILED, 63016)


# Reports

REPORTS = (Status.ACCEPTED, Status.SENT, Status.FAILED, Status.DELIVERED, Status.READ)


def test_the_order_of_reports_does_not_matter(db: Database, now: datetime, tenant: int) -> None:
    """Every subset of the reports in every order, some of them twice, ends at the one that tells most."""
    for number, some in enumerate(
        order for size in (2, 3) for order in itertools.permutations(REPORTS, size)
    ):
        sid = f"SM{number + 10}"
        line = sent(db, now, tenant, sid)
        for status in (*some, some[0]):
            report(db, now, tenant, status, sid)
        with db.reading() as session:
            assert session.get_one(Message, line.id).status == max(some, key=RANK.__getitem__), some


def test_a_failure_tells_its_code_once(db: Database, now: datetime, tenant: int) -> None:
    sent(db, now, tenant)
    first = report(db, now, tenant, Status.FAILED, error_code=63003)
    again = report(db, now, tenant, Status.FAILED, error_code=63003)
    assert first is not None
    assert again is not None
    assert (first.changed, first.status, first.error_code) == (True, Status.FAILED, 63003)
    assert not again.changed


def test_what_arrived_after_all_has_no_error(db: Database, now: datetime, tenant: int) -> None:
    sent(db, now, tenant)
    report(db, now, tenant, Status.FAILED, error_code=63003)
    report(db, now, tenant, Status.DELIVERED)
    line = lines(db, tenant)[1]
    assert (line.status, line.error_code) == (Status.DELIVERED, None)


def test_our_id_tells_the_line_before_its_sid_is_known(db: Database, now: datetime, tenant: int) -> None:
    """Our request's answer was lost; the callback brings the sid, and a late answer changes nothing."""
    queue(db, now, tenant)
    line = claim(db, now)
    progress = report(db, now, tenant, Status.SENT, message_id=line.id)
    assert progress is not None
    assert (progress.changed, progress.message_id) == (True, line.id)
    found = lines(db, tenant)[1]
    assert (found.status, found.provider_sid, found.sent_at) == (Status.SENT, "SM9", now)
    with db.writing() as session:
        assert not delivery.mark_in_doubt(session, line)
        assert not delivery.mark_accepted(session, now, line, "SM9", Status.ACCEPTED).changed
    assert lines(db, tenant)[1].status == Status.SENT


def test_an_unknown_sid_is_kept_at_its_furthest(db: Database, now: datetime, tenant: int) -> None:
    for status, code in ((Status.SENT, None), (Status.FAILED, 63003), (Status.SENT, None)):
        assert report(db, now, tenant, status, "SM7", **({"error_code": code} if code else {})) is None
    with db.reading() as session:
        kept = session.get_one(EarlyStatus, (tenant, "SM7"))
    assert (kept.status, kept.error_code) == (Status.FAILED, 63003)
    with db.writing() as session:
        queue_line = message.add(session, now, tenant, 1, message.Line(author=Author.BOT, text="Olá!"))
        assert queue_line == 2
    line = claim(db, now)
    with db.writing() as session:
        progress = delivery.mark_accepted(session, now, line, "SM7", Status.ACCEPTED)
    assert (progress.changed, progress.status, progress.error_code) == (True, Status.FAILED, 63003)
    with db.reading() as session:
        assert session.get(EarlyStatus, (tenant, "SM7")) is None


def test_reports_of_an_unknown_sid_at_once(db: Database, now: datetime, tenant: int) -> None:
    with ThreadPoolExecutor(6) as pool:
        words = (Status.SENT, Status.DELIVERED, Status.READ) * 4
        list(pool.map(lambda status: report(db, now, tenant, status, "SM7"), words))
    with db.reading() as session:
        assert session.get_one(EarlyStatus, (tenant, "SM7")).status == Status.READ


def test_reports_of_one_line_at_once(db: Database, now: datetime, tenant: int) -> None:
    """Exactly one of the repeated ones is told that it changed something."""
    sent(db, now, tenant)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: report(db, now, tenant, Status.FAILED, error_code=1), range(6)))
    assert sorted(one.changed for one in found if one is not None) == [False] * 5 + [True]


def test_another_business_reports_nothing_of_it(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    line = sent(db, now, tenant)
    assert report(db, now, other, Status.FAILED, message_id=line.id) is None
    assert report(db, now, other, Status.FAILED) is None
    with db.writing() as session:
        assert delivery.apply_late(session, now) == []
    assert lines(db, tenant)[1].status == Status.ACCEPTED


def test_another_business_cannot_report_ahead(db: Database, now: datetime, tenant: int) -> None:
    """Not even for a sid that is to come, and without standing in the way of the true report."""
    other = add_tenant(db, now, 2)
    assert report(db, now, other, Status.FAILED, "SM9") is None
    assert report(db, now, tenant, Status.SENT, "SM9") is None
    sent(db, now, tenant)
    assert lines(db, tenant)[1].status == Status.SENT


def test_a_line_that_goes_out_anew_is_a_new_one_to_the_provider(
    db: Database, now: datetime, tenant: int
) -> None:
    line = sent(db, now, tenant)
    failed = report(db, now, tenant, Status.FAILED, error_code=63018)
    assert failed is not None
    with db.writing() as session:
        delivery.send_anew(session, failed, now + timedelta(seconds=6))
    for more in ({}, {"message_id": line.id}):
        report(db, now, tenant, Status.DELIVERED, **more)
    found = lines(db, tenant)[1]
    assert (found.status, found.provider_sid, found.error_code, found.sent_at) == (
        Status.QUEUED,
        None,
        None,
        None,
    )
    again = claim(db, now + timedelta(seconds=6))
    assert (again.id, again.attempts) == (line.id, 2)


def test_a_sid_is_one_lines(db: Database, now: datetime, tenant: int) -> None:
    sent(db, now, tenant)
    with db.reading() as session:
        assert delivery.sid_is_known(session, "SM9")
        assert not delivery.sid_is_known(session, "SM8")


def test_a_dropped_line_stays_dropped(db: Database, now: datetime, tenant: int) -> None:
    with db.writing() as session:
        seq = message.add(
            session, now, tenant, 1, message.Line(author=Author.BOT, text="x", status=Status.DROPPED)
        )
        assert conversation.find(session, tenant, 1).last_seq == seq
    report(db, now, tenant, Status.READ, message_id=2)
    assert lines(db, tenant)[1].status == Status.DROPPED
