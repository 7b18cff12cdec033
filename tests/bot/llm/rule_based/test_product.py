"""The offline model in the whole product: real webhook, loop, tools, database and outbox."""

from datetime import UTC, datetime

import pytest

from bot.llm.rule_based import OfflineModel
from models.appointment import AppointmentStatus
from models.conversation import Holder
from models.db import Database
from models.handoff import Reason
from models.run import Outcome
from tests.conversations.test_waiting_list import FullDay
from tests.fakes.days import ANA, local
from tests.stage import BARBER, JOAO, Stage


@pytest.fixture
def stage(sqlite_db: Database, now: datetime) -> Stage:
    return Stage(sqlite_db, now)


def test_booked_moved_and_cancelled_by_chatting(stage: Stage) -> None:
    """One appointment through its life, each step only after its yes; the loop's checks let all pass."""
    [answer] = stage.say("tem horário amanhã às 10 com a Ana pra corte?")
    assert "Posso confirmar: Corte feminino com Ana Souza, quinta-feira, 03/12/2026, às 10:00?" in answer
    assert stage.appointments == []
    assert "Agendado: Corte feminino com Ana Souza" in stage.say("pode marcar")[0]
    [visit] = stage.appointments
    assert visit.starts_at == datetime(2026, 12, 3, 13, tzinfo=UTC)
    assert "Corte feminino com Ana Souza, quinta-feira" in stage.say("que horas é o meu msm?")[0]
    assert stage.say("dá pra remarcar pra sexta no msm horário?")[0].startswith("Posso remarcar: ")
    assert "Remarcado: Corte feminino com Ana Souza" in stage.say("👍")[0]
    assert stage.say("não vou mais, pode cancelar")[0].startswith("Posso cancelar: ")
    assert "Cancelado: Corte feminino com Ana Souza" in stage.say("sim")[0]
    [visit] = stage.appointments
    assert (visit.status, visit.starts_at) == (
        AppointmentStatus.CANCELLED,
        datetime(2026, 12, 4, 13, tzinfo=UTC),
    )
    assert {run.outcome for run in stage.runs} == {Outcome.ANSWERED}
    assert stage.handoffs == []


def test_step_by_step_with_a_closed_day(stage: Stage) -> None:
    """Refusals and alternatives of the real tools are understood."""
    stage.say("oi, bom dia")
    stage.say("quero fazer corte e escova")
    stage.say("tanto faz")
    [answer] = stage.say("domingo")
    assert "não abre nesse dia" in answer
    assert "servico_id" not in answer
    assert "1. seg, 07/12 às 09:00, com Ana Souza" in answer
    stage.say("1")
    assert (
        "Corte feminino e Escova com Ana Souza, segunda-feira, 07/12/2026, às 09:00" in stage.say("isso")[0]
    )
    [visit] = stage.appointments
    assert visit.starts_at == datetime(2026, 12, 7, 12, tzinfo=UTC)


def test_two_services_on_a_short_day(stage: Stage) -> None:
    """Ana goes at 13:00 on Saturday: what is shown for a cut and a blow-dry can be booked for both."""
    [answer] = stage.say("corte e escova sábado de manhã com a Ana")
    assert answer.endswith("1. 09:00\n2. 09:30\n3. 10:00\n4. 10:30\n5. 11:00")
    stage.say("11h")
    assert "Agendado: Corte feminino e Escova com Ana Souza" in stage.say("sim")[0]
    assert [visit.starts_at for visit in stage.appointments] == [local(5, 11)]


def test_two_services_of_a_barber_until_midnight(stage: Stage) -> None:
    """João does not do the combination, but both parts; 55 minutes end at midnight at the latest."""
    [answer] = stage.say("corte e barba com o João sexta, no último horário", JOAO, BARBER)
    assert "Corte masculino + Barba com João Batista, sexta-feira, 04/12/2026, às 23:00?" in answer
    assert "Agendado: Corte masculino e Barba" in stage.say("sim", JOAO, BARBER)[0]


def test_a_free_time_that_the_list_leaves_out(stage: Stage) -> None:
    """Thursday afternoon has sixteen starts in quarters of an hour, of which twelve are shown."""
    for start in ("14:30", "15:30", "16:30", "17:30"):
        [answer] = stage.say(f"barba com o João quinta {start}", JOAO, BARBER)
        assert f"Barba com João Batista, quinta-feira, 03/12/2026, às {start}?" in answer
    assert "Agendado: Barba com João Batista" in stage.say("sim", JOAO, BARBER)[0]
    assert stage.handoffs == []


def test_another_business_in_its_own_zone(stage: Stage) -> None:
    """Ten o'clock is ten in Manaus."""
    stage.say("barba amanhã às 10", JOAO, BARBER)
    stage.say("s", JOAO, BARBER)
    [visit] = stage.appointments
    assert visit.starts_at == datetime(2026, 12, 3, 14, tzinfo=UTC)


def test_a_burst_is_answered_once_with_the_correction(stage: Stage) -> None:
    stage.deliver("quero marcar uma escova com a Bia")
    stage.deliver("amanhã 15h")
    [answer] = stage.say("na verdade 16h")
    assert "Escova com Bia Lima, quinta-feira, 03/12/2026, às 16:00?" in answer


def test_a_person_is_called(stage: Stage) -> None:
    """In one short sentence: the product's own adds nothing while people are there."""
    assert stage.say("quero falar com uma pessoa") == ["Claro, já chamei uma pessoa da nossa equipe! 😊"]
    [episode] = stage.handoffs
    assert episode.reason == Reason.PEDIDO_DO_CLIENTE
    [talk] = stage.conversations
    assert talk.holder == Holder.QUEUE


def test_waiting_for_a_full_day_until_a_time_opens(sqlite_db: Database) -> None:
    """Onto the list by chatting, offered what opens, and a "quero" books exactly that."""
    days = FullDay(sqlite_db)
    days.stage.model = OfflineModel()
    assert "lista de espera de sexta-feira, 04/12/2026." in days.stage.say("corte sexta com a Ana")[0]
    assert days.stage.say("nenhum, me avisa se abrir")[0].startswith(
        "Posso colocar você na lista de espera: "
    )
    assert days.stage.say("pode")[0].startswith("✅ Você está na lista de espera: Corte feminino")
    assert days.states() == ["waiting"]
    days.frees(ANA, 14, 30)
    days.stage.clock.forward(minutes=5)
    assert len(days.offer()) == 1
    days.stage.clock.forward(minutes=5)
    assert (
        "Agendado: Corte feminino com Ana Souza, sexta-feira, 04/12/2026, às 14:30"
        in days.stage.say("quero")[0]
    )
    assert local(4, 14, 30) in [
        one.starts_at for one in days.stage.appointments if one.customer_id != days.filler
    ]
