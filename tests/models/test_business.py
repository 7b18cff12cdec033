"""The businesses as an operator sees them: at a glance, by month, and gone without a trace."""

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import func, select
from sqlmodel import Session, SQLModel

from models import business, monthly_usage, usage
from models.db import Database
from models.errors import Conflict
from models.message import Author, Direction, Message, Status
from models.monthly_usage import Month
from models.run import Run
from models.staff import StaffSession
from models.tenant import Tenant
from models.usage import Limit, Over, Scope
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.models import rows

MANY = Limit(1000)


def ran(session: Session, ids: Ids, at: datetime, cost: int | None = 1_500_000) -> None:
    values = {
        "provider": "p",
        "model": "m",
        "prompt_version": "v",
        "from_seq": 0,
        "through_seq": 1,
        "epoch": 0,
    }
    tokens = {"input_tokens": 100, "cache_read_tokens": 20, "cache_write_tokens": 3, "output_tokens": 7}
    session.add(
        Run(
            tenant_id=ids.tenant,
            conversation_id=ids.conversation,
            started_at=at,
            cost_microdollars=cost,
            **values,
            **tokens,
        )
    )


def says(session: Session, ids: Ids, at: datetime, seq: int, direction: Direction, status: Status) -> None:
    session.add(
        Message(
            tenant_id=ids.tenant,
            conversation_id=ids.conversation,
            seq=seq,
            direction=direction,
            author=Author.BOT,
            text="oi",
            status=status,
            created_at=at,
        )
    )


def test_a_month_is_the_businesss_own(db: Database, now: datetime) -> None:
    """In São Paulo the month begins at three o'clock UTC. What was never sent is no message."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        other = agenda.studio(session, now, slug="outra", whatsapp="+551130002000")
        ran(session, ids, datetime(2026, 12, 1, 2, 59, tzinfo=UTC))
        ran(session, ids, datetime(2026, 12, 1, 3, 0, tzinfo=UTC))
        ran(session, ids, now, cost=None)
        ran(session, other, now)
        says(session, ids, now, 50, Direction.IN, Status.RECEIVED)
        says(session, ids, now, 51, Direction.OUT, Status.READ)
        says(session, ids, now, 52, Direction.OUT, Status.DROPPED)
        tenant = session.get_one(Tenant, ids.tenant)
        october, november, december = monthly_usage.months(session, now, tenant, 3)
    assert october == Month(date(2026, 10, 1), 0, 0, 0, 0, 0, 0, 0)
    assert november == Month(date(2026, 11, 1), 1, 123, 7, 1_500_000, 0, 0, 0)
    assert december == Month(date(2026, 12, 1), 2, 246, 14, 1_500_000, 1, 1, 1)


@pytest.mark.parametrize(
    ("own", "at", "scope"),
    [
        ({"limit_monthly_budget_cents": 150}, "now", Scope.BUDGET),
        ({"limit_monthly_budget_cents": 151}, "now", None),
        ({"limit_monthly_budget_cents": 150}, "last month", None),
        ({"limit_runs_per_day": 1}, "now", Scope.TENANT),
        ({"limit_customer_input_tokens_per_day": 123}, "now", Scope.CUSTOMER),
    ],
)
def test_a_business_has_limits_of_its_own(
    db: Database, now: datetime, own: dict[str, int], at: str, scope: Scope | None
) -> None:
    """What its file says goes before the settings."""
    with db.writing() as session:
        ids = agenda.studio(session, now, **own)
        ran(session, ids, now if at == "now" else datetime(2026, 11, 30, 12, tzinfo=UTC))
        session.flush()
        tenant = session.get_one(Tenant, ids.tenant)
        over = usage.over(session, now, tenant, ids.conversation, customer=MANY, business=MANY)
    assert (over.scope if isinstance(over, Over) else None) == scope


def test_one_business_is_deleted_and_the_other_stays(db: Database, now: datetime) -> None:
    with db.writing() as session:
        bela = agenda.studio(session, now)
        outra = agenda.studio(session, now, slug="outra", whatsapp="+551130002000")
        for ids in (bela, outra):
            ran(session, ids, now)
    for ids in (bela, outra):
        staff = rows.add_staff(db, now, ids.tenant)
        with db.writing() as session:
            session.add(
                StaffSession(
                    staff_id=staff, token_hash=f"{staff}", agent="", created_at=now, last_seen_at=now
                )
            )
    with pytest.raises(Conflict), db.writing() as session:
        business.remove(session, bela.tenant)
    before = _count(db)
    with db.writing() as session:
        business.disable(session, now, bela.tenant, silently=False)
        session.flush()
        business.remove(session, bela.tenant)
    after = _count(db)
    assert {name: count * 2 for name, count in after.items()} == before
    with db.reading() as session:
        assert [each.slug for each in business.standings(session)] == ["outra"]


def _count(db: Database) -> dict[str, int]:
    with db.reading() as session:
        counts = {
            each.name: session.execute(select(func.count()).select_from(each)).scalar_one()
            for each in SQLModel.metadata.sorted_tables
        }
    return {name: count for name, count in counts.items() if count}
