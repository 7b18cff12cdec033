"""What an operator decides of one business: whether it is served, by which model, for how much."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlmodel import select

from bot.core.call_stats import Calls
from bot.llm.base import ModelClient
from bot.outreach import reminders
from bot.process.own_models import OwnModels, own_settings
from models import business
from models.appointment import Appointment
from models.db import Database
from models.handoff import Reason
from models.reminder import Reminder, State
from models.tenant import Tenant
from tests.fakes.claude import answer, text
from tests.stage import BARBER, STUDIO, Stage


def talkative(body: dict[str, Any]) -> dict[str, Any]:
    return answer(text("Pois não?"), usage=(900, 10))


@pytest.fixture
def stage(sqlite_db: Database, now: datetime) -> Stage:
    return Stage(sqlite_db, now, talkative)


def change(stage: Stage, **columns: object) -> None:
    with stage.db.writing() as session:
        tenant = session.exec(select(Tenant).where(Tenant.slug == STUDIO)).one()
        for name, value in columns.items():
            setattr(tenant, name, value)
        session.add(tenant)


@pytest.mark.parametrize("silently", [False, True])
def test_a_disabled_business_costs_nothing(stage: Stage, silently: bool) -> None:
    """No model, no hand-over; a fixed text or nothing. Others are served, and so is it when it is enabled."""
    with stage.db.writing() as session:
        business.disable(session, stage.clock(), 1, silently=silently)
    said = stage.say("oi, quero marcar")
    assert said == (
        []
        if silently
        else [
            "Oi! No momento Studio Bela não está atendendo por este número. "
            "Por favor, fale com o estabelecimento por outro canal."
        ]
    )
    assert (stage.claude.requests, stage.handoffs, stage.runs) == ([], [], [])
    assert stage.say("oi", slug=BARBER) == ["Pois não?"]
    with stage.db.writing() as session:
        business.enable(session, stage.clock(), 1)
    assert stage.say("e agora?") == ["Pois não?"]


def test_a_disabled_business_reminds_nobody(stage: Stage) -> None:
    now = stage.clock()
    stage.say("oi")
    with stage.db.writing() as session:
        visit = Appointment(
            tenant_id=1,
            professional_id=1,
            customer_id=1,
            starts_at=now + timedelta(hours=2),
            ends_at=now + timedelta(hours=3),
            busy_from=now + timedelta(hours=2),
            busy_until=now + timedelta(hours=3),
            created_at=now,
        )
        session.add(visit)
        session.flush()
        assert visit.id is not None
        session.add(Reminder(tenant_id=1, appointment_id=visit.id, hours=2, version=0, due_at=now))
        business.disable(session, now, 1, silently=False)
    reminders.send_due(stage.services, now)
    with stage.db.reading() as session:
        [reminder] = session.exec(select(Reminder)).all()
    assert (reminder.state, reminder.reason) == (State.SKIPPED, "atendimento desligado")


def test_over_the_budget_people_take_over(stage: Stage) -> None:
    assert stage.say("oi") == ["Pois não?"]
    change(stage, limit_monthly_budget_cents=0)
    [said] = stage.say("oi")
    assert "pessoa da equipe" in said
    [episode] = stage.handoffs
    assert episode.reason == Reason.LIMITE_DE_USO
    assert episode.detail.startswith("O orçamento do mês para o assistente acabou")


def test_a_business_has_a_model_of_its_own(stage: Stage) -> None:
    """Made once, anew after another choice; with its own key, and with none rather than with ours."""
    change(stage, model_provider="anthropic", model_name="m-1", model_key_env="BELA_KEY")
    made: list[tuple[str, str | None]] = []

    def make(settings: Any, _calls: Calls) -> Callable[[], ModelClient]:
        made.append((settings.anthropic_model, settings.anthropic_api_key))
        return lambda: stage.model

    own = OwnModels(stage.settings, {"BELA_KEY": "k-1"}, Calls(), make)
    with stage.db.reading() as session:
        bela, barber = session.exec(select(Tenant).order_by(Tenant.id)).all()  # type: ignore[arg-type]  # a column
    assert own(barber) is None
    assert own(bela) is own(bela) is stage.model
    bela.model_name = "m-2"
    own(bela)
    assert made == [("m-1", "k-1"), ("m-2", "k-1")]
    assert own_settings(bela, {})["anthropic_api_key"] == ""
