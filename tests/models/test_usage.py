"""Limits of a day: counted from the runs, by customer and business, between the business's midnights."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event
from sqlmodel import Session

from models import usage
from models.conversation import Conversation
from models.db import Database
from models.handoff import CloseReason, Handoff, Reason
from models.run import Run
from models.tenant import Tenant
from models.usage import Limit, Over, Scope, Used
from tests.fakes import agenda

NO_LIMIT = Limit(1000)


def ran(session: Session, tenant_id: int, conversation_id: int, at: datetime, tokens: int = 0) -> None:
    """One run; its input tokens are spread over the three kinds."""
    session.add(
        Run(
            tenant_id=tenant_id,
            conversation_id=conversation_id,
            from_seq=0,
            through_seq=1,
            epoch=0,
            provider="offline",
            model="offline",
            prompt_version="x",
            started_at=at,
            input_tokens=tokens - 2 * (tokens // 3),
            cache_read_tokens=tokens // 3,
            cache_write_tokens=tokens // 3,
        )
    )


def second_conversation(session: Session, now: datetime, tenant_id: int) -> int:
    who = agenda.customer(session, now, tenant_id, phone="+5511999990009")
    row = Conversation(tenant_id=tenant_id, customer_id=who, address="x", last_message_at=now, created_at=now)
    session.add(row)
    session.flush()
    assert row.id is not None
    return row.id


@pytest.mark.parametrize(("runs", "reached"), [(2, False), (3, True), (4, True)])
def test_customers_limit_at_its_boundary(db: Database, now: datetime, runs: int, reached: bool) -> None:
    """With a limit of three the fourth run is refused, and no more rows than three are read."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        for _ in range(runs):
            ran(session, ids.tenant, ids.conversation, now, tokens=10)
        tenant = session.get_one(Tenant, ids.tenant)
        found = usage.over(session, now, tenant, ids.conversation, customer=Limit(3), business=NO_LIMIT)
    assert found == (Over(Scope.CUSTOMER, Used(3, 30)) if reached else None)


@pytest.mark.parametrize(("tokens", "reached"), [(99, False), (100, True)])
def test_tokens_of_all_kinds_count(db: Database, now: datetime, tokens: int, reached: bool) -> None:
    with db.writing() as session:
        ids = agenda.studio(session, now)
        ran(session, ids.tenant, ids.conversation, now, tokens=tokens)
        tenant = session.get_one(Tenant, ids.tenant)
        limit = Limit(50, input_tokens=100)
        found = usage.over(session, now, tenant, ids.conversation, customer=limit, business=NO_LIMIT)
        business = usage.over(session, now, tenant, ids.conversation, customer=NO_LIMIT, business=limit)
    assert (found is not None) is reached
    assert (business is not None) is reached


def test_businesses_limit_counts_all_of_its_customers(db: Database, now: datetime) -> None:
    """And nobody else's: another business's runs do not count."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        other = agenda.studio(session, now, slug="outra", whatsapp="+551130002000")
        second = second_conversation(session, now, ids.tenant)
        ran(session, ids.tenant, ids.conversation, now)
        ran(session, ids.tenant, second, now)
        tenant, stranger = (session.get_one(Tenant, key) for key in (ids.tenant, other.tenant))
        limits = {"customer": Limit(2), "business": Limit(2)}
        assert usage.over(session, now, tenant, ids.conversation, **limits) == Over(Scope.TENANT, Used(2, 0))
        assert usage.over(session, now, stranger, other.conversation, **limits) is None


@pytest.mark.parametrize(
    ("timezone", "last_of_yesterday"),
    [
        ("America/Sao_Paulo", datetime(2026, 12, 2, 2, 59, 59, tzinfo=UTC)),
        ("America/Manaus", datetime(2026, 12, 2, 3, 59, 59, tzinfo=UTC)),
        ("America/Noronha", datetime(2026, 12, 2, 1, 59, 59, tzinfo=UTC)),
    ],
)
def test_day_is_the_businesss_own(
    db: Database, now: datetime, timezone: str, last_of_yesterday: datetime
) -> None:
    """What was used at 23:59:59 does not count after midnight; what was used at midnight does."""
    with db.writing() as session:
        ids = agenda.studio(session, now, timezone=timezone)
        tenant = session.get_one(Tenant, ids.tenant)
        limits = {"customer": Limit(1), "business": Limit(1)}
        ran(session, ids.tenant, ids.conversation, last_of_yesterday)
        today = last_of_yesterday + timedelta(seconds=1)
        assert usage.over(session, last_of_yesterday, tenant, ids.conversation, **limits)
        assert usage.over(session, today, tenant, ids.conversation, **limits) is None
        ran(session, ids.tenant, ids.conversation, today)
        assert usage.over(session, today + timedelta(hours=23), tenant, ids.conversation, **limits)


@pytest.mark.parametrize(
    ("reason", "anew"),
    [(Reason.LIMITE_DE_USO, True), (Reason.PEDIDO_DO_CLIENTE, False), (Reason.LIMITE_TOKENS, False)],
)
def test_customers_count_begins_anew_when_people_give_back(
    db: Database, now: datetime, reason: Reason, anew: bool
) -> None:
    """Only after an episode that the limit opened; and the business's count never does."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        tenant = session.get_one(Tenant, ids.tenant)
        ran(session, ids.tenant, ids.conversation, now)
        session.add(
            Handoff(
                tenant_id=ids.tenant,
                conversation_id=ids.conversation,
                reason=reason,
                trigger_seq=1,
                opened_at=now,
                closed_at=now + timedelta(minutes=5),
                close_reason=CloseReason.RETURNED_TO_BOT,
            )
        )
        later = now + timedelta(minutes=6)
        own = usage.over(session, later, tenant, ids.conversation, customer=Limit(1), business=NO_LIMIT)
        assert (own is None) is anew
        everybodys = usage.over(
            session, later, tenant, ids.conversation, customer=NO_LIMIT, business=Limit(1)
        )
        assert everybodys == Over(Scope.TENANT, Used(1, 0))


def test_counting_reads_an_index_of_the_day(sqlite_db: Database, now: datetime) -> None:
    """However many runs there ever were, only today's are looked at."""
    statements: list[tuple[str, object]] = []

    def listen(connection: object, cursor: object, statement: str, parameters: object, *_: object) -> None:
        statements.append((statement, parameters))

    with sqlite_db.writing() as session:
        ids = agenda.studio(session, now)
        tenant = session.get_one(Tenant, ids.tenant)
        event.listen(sqlite_db.engine, "before_cursor_execute", listen)
        ran(session, ids.tenant, ids.conversation, now, tokens=1)
        session.flush()
        statements.clear()
        spent = Limit(1000, input_tokens=1)
        usage.over(session, now, tenant, ids.conversation, customer=spent, business=NO_LIMIT)
        usage.over(session, now, tenant, ids.conversation, customer=NO_LIMIT, business=NO_LIMIT)
        event.remove(sqlite_db.engine, "before_cursor_execute", listen)
        plans = [
            str(session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
            for statement, parameters in statements
        ]
    customers, businesss = "ix_run_conversation_day", "ix_run_tenant_day"
    for plan, index in zip(plans, (customers, "ix_handoff_tenant", customers, businesss), strict=True):
        assert index in plan
