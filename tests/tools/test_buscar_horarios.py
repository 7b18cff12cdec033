"""Free times of a day, and what is said when there are none."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import event
from sqlmodel import col, delete, update

from models.catalog import Closure, Professional, ProfessionalService, Service, TimeOff, WorkingWindow
from models.db import Database
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model, close


def test_every_professional_on_a_line(model: Model) -> None:
    model.done("agendar", servico_id=1, profissional_id=1, data="2026-12-04", hora="09:00")
    assert model.done("buscar_horarios", servico_id=1, data="2026-12-04").splitlines() == [
        "Horários livres para Corte feminino (servico_id 1) na sexta-feira, 04/12/2026:",
        "- Ana Souza (profissional_id 1): "
        "10:00, 10:30, 11:00, 13:00, 13:30, 14:00, 14:30, 15:00, 15:30, 16:00, 16:30, 17:00",
        "- Bia Lima (profissional_id 2): "
        "09:00, 09:30, 10:00, 11:00, 13:00, 13:30, 14:00, 14:30, 15:00, 16:00, 16:30, 17:00 e mais 2",
    ]


def test_part_of_a_day_leaves_nothing_out(db: Database, ids: Ids, model: Model) -> None:
    """What a whole day cuts is there when its part is asked for."""
    with db.writing() as session:
        session.get_one(Tenant, ids.tenant).slot_step_minutes = 10
    asked = {"profissional_id": 2, "data": "2026-12-04"}
    assert "e mais" in model.done("buscar_horarios", **asked)
    text = model.done("buscar_horarios", **asked, periodo="tarde")
    times = re.findall(r"\d\d:\d\d", text.splitlines()[1])
    assert times == [f"{13 + n // 6}:{n % 6}0" for n in range(25)]
    assert "e mais" not in text


def test_one_professional(model: Model) -> None:
    """Bia offers one service only, so it need not be named."""
    text = model.done("buscar_horarios", profissional_id=2, data="2026-12-04")
    assert text.startswith("Horários livres para Corte feminino (servico_id 1) na sexta-feira, 04/12/2026:")
    assert "Ana" not in text


def test_who_is_full_is_left_out(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.add(
            TimeOff(
                tenant_id=ids.tenant,
                professional_id=ids.ana,
                first_date=date(2026, 12, 4),
                last_date=date(2026, 12, 4),
                reason="cirurgia",
            )
        )
    assert "Ana" not in model.done("buscar_horarios", servico_id=1, data="2026-12-04")
    alone = model.done("buscar_horarios", servico_id=1, profissional_id=1, data="2026-12-04")
    assert "Ana Souza estará de folga." in alone
    assert "cirurgia" not in alone


@pytest.mark.parametrize(
    ("period", "times"),
    [
        ("manha", "09:00, 09:30, 10:00, 10:30, 11:00"),
        ("Manhã", "09:00, 09:30, 10:00, 10:30, 11:00"),
        ("tarde", "13:00, 13:30, 14:00, 14:30, 15:00, 15:30, 16:00, 16:30, 17:00"),
    ],
)
def test_part_of_the_day(model: Model, period: str, times: str) -> None:
    text = model.done("buscar_horarios", profissional_id=2, data="2026-12-04", periodo=period)
    assert text.splitlines()[1:] == [f"- Bia Lima (profissional_id 2): {times}"]


NEAR = "Horários mais próximos:"


@pytest.mark.parametrize(
    ("case", "wish", "reason", "first"),
    [
        (
            "closed weekday",
            {"servico_id": 1, "data": "2026-12-06"},
            "no domingo, 06/12/2026: Studio Bela não abre nesse dia.",
            "- segunda-feira, 07/12/2026, às 09:00, com Ana Souza (profissional_id 1)",
        ),
        (
            "her closed weekday",
            {"profissional_id": 2, "data": "2026-12-05"},
            "no sábado, 05/12/2026: Bia Lima não atende nesse dia.",
            "- segunda-feira, 07/12/2026, às 09:00, com Bia Lima (profissional_id 2)",
        ),
        (
            "evening",
            {"profissional_id": 2, "data": "2026-12-04", "periodo": "noite"},
            "na sexta-feira, 04/12/2026, à noite: não cabe no expediente de Bia Lima nesse dia, que é das "
            "09:00 às 12:00 e das 13:00 às 18:00.",
            "- sexta-feira, 04/12/2026, às 16:00, com Bia Lima (profissional_id 2)",
        ),
        (
            "closure",
            {"servico_id": 1, "data": "2026-12-08"},
            "na terça-feira, 08/12/2026: o estabelecimento estará fechado (Reforma).",
            "- quarta-feira, 09/12/2026, às 09:00, com Ana Souza (profissional_id 1)",
        ),
        (
            "holiday",
            {"servico_id": 1, "data": "2026-12-25"},
            "na sexta-feira, 25/12/2026: é feriado (Natal) e não há atendimento.",
            "- sábado, 26/12/2026, às 09:00, com Ana Souza (profissional_id 1)",
        ),
        (
            "past",
            {"servico_id": 1, "data": "2026-12-01"},
            "na terça-feira, 01/12/2026: essa data ou hora já passou.",
            "- quarta-feira, 02/12/2026, às 13:00, com Ana Souza (profissional_id 1)",
        ),
        (
            "too far",
            {"servico_id": 1, "data": "2028-02-29"},
            "na terça-feira, 29/02/2028: a agenda está aberta só até domingo, 31/01/2027.",
            "- sábado, 30/01/2027, às 09:00, com Ana Souza (profissional_id 1)",
        ),
        (
            "the last day of all",
            {"servico_id": 1, "data": "9999-12-31"},
            "a agenda está aberta só até domingo, 31/01/2027.",
            "- sábado, 30/01/2027, às 09:00, com Ana Souza (profissional_id 1)",
        ),
    ],
)
def test_none_free(
    db: Database, ids: Ids, model: Model, case: str, wish: dict[str, object], reason: str, first: str
) -> None:
    """R15: the reason, and the nearest times instead."""
    with db.writing() as session:
        session.exec(update(Tenant).values(holidays_country="BR", holidays_closed=True))
    close(db, ids, date(2026, 12, 8), "Reforma")
    lines = model.done("buscar_horarios", **wish).splitlines()
    assert lines[0].startswith("Não há horário livre para Corte feminino (servico_id 1) n")
    assert lines[0].endswith(reason)
    assert lines[1:3] == [NEAR, first]
    assert len(lines) == 5


def test_holidays_stay_open_where_the_business_says_so(db: Database, model: Model) -> None:
    """S49."""
    with db.writing() as session:
        session.exec(update(Tenant).values(holidays_country="BR", holidays_closed=False))
    assert model.done("buscar_horarios", servico_id=1, data="2026-12-25").startswith("Horários livres")


def test_service_that_nobody_does_that_day(model: Model) -> None:
    """The business is open on Saturday, for other services."""
    text = model.done("buscar_horarios", profissional_id=2, servico_id=1, data="2026-12-05")
    assert "Bia Lima não atende nesse dia" in text


def test_who_is_off_does_not_speak_for_who_works(db: Database, ids: Ids, model: Model) -> None:
    """Bia is off on Saturdays; Ana's morning there has its own reason, and it is hers by name."""
    saturday = {"servico_id": 1, "data": "2026-12-05"}
    text = model.done("buscar_horarios", **saturday, periodo="noite")
    assert "não cabe no expediente de Ana Souza nesse dia, que é das 09:00 às 13:00" in text
    with db.writing() as session:
        session.exec(delete(WorkingWindow).where(col(WorkingWindow.professional_id) == ids.bia))
    morning = model.done(
        "buscar_horarios",
        servico_id=1,
        data="2026-12-02",
        periodo="manha",
        now=datetime(2026, 12, 2, 18, 0, tzinfo=UTC),
    )
    assert "ninguém faz" not in morning
    assert "já passou" in morning


def test_weekday_without_the_service(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Professional).where(col(Professional.id) == ids.bia).values(active=False))
        carla = Professional(tenant_id=ids.tenant, name="Carla")
        session.add(carla)
        session.flush()
        agenda.work(session, ids.tenant, carla.id or 0, 6, "09:00-12:00")
    assert "ninguém faz Escova nesse dia da semana" in model.done(
        "buscar_horarios", servico_id=2, data="2026-12-06"
    )


def test_nothing_free_at_all(db: Database, ids: Ids, model: Model) -> None:
    for n in range(61):
        close(db, ids, date(2026, 12, 2) + timedelta(days=n))
    text = model.done("buscar_horarios", servico_id=1, data="2026-12-04")
    assert text.splitlines()[1:] == ["Também não há nenhum outro horário na agenda aberta."]


def test_professional_with_several_services_must_be_asked_which(model: Model) -> None:
    assert model.refused("buscar_horarios", profissional_id=1, data="2026-12-04").splitlines() == [
        "Ana Souza faz mais de um serviço. Pergunte ao cliente qual e informe o servico_id:",
        "- Corte feminino (servico_id 1): 60 min, R$ 120,00.",
        "- Escova (servico_id 2): 45 min, preço sob consulta.",
        "- Barba (servico_id 3): 30 min, R$ 50,00.",
    ]


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ({"servico_id": 99}, "Não existe serviço com servico_id 99."),
        ({"profissional_id": 99}, "Não existe profissional com profissional_id 99."),
        ({"servico_id": 1, "profissional_id": 99}, "Não existe profissional com profissional_id 99."),
        (
            {"servico_id": 2, "profissional_id": 2},
            "Bia Lima não faz Escova. Quem faz Escova: Ana Souza (profissional_id 1).",
        ),
        (
            {"servico_id": 1, "dia_semana": "quinta"},
            "Nada foi feito: a data é sexta-feira, 04/12/2026, e não quinta. Confirme com o cliente",
        ),
    ],
)
def test_refused(model: Model, wish: dict[str, object], text: str) -> None:
    assert model.refused("buscar_horarios", data="2026-12-04", **wish).startswith(text)


def test_neither_service_nor_professional(model: Model) -> None:
    result = model("buscar_horarios", data="2026-12-04")
    assert result.error_class == "invalid_input"
    assert "informe `servico_id` ou `profissional_id`" in result.text


def test_nobody_offers_it(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Professional).values(active=False))
    assert (
        model.refused("buscar_horarios", servico_id=2, data="2026-12-04") == "Ninguém faz Escova no momento."
    )
    assert "Não existe profissional" in model.refused("buscar_horarios", profissional_id=2, data="2026-12-04")


def test_professional_without_services(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Service).values(active=False))
    text = model.refused("buscar_horarios", profissional_id=2, data="2026-12-04")
    assert text == "Bia Lima não faz nenhum serviço no momento."


def test_right_weekday_is_fine(model: Model) -> None:
    model.done("buscar_horarios", servico_id=1, data="2026-12-04", dia_semana="sexta-feira")


def test_today_begins_after_the_notice(model: Model) -> None:
    """S48: it is 15:20; with an hour's notice the next step is half past four."""
    text = model.done(
        "buscar_horarios", profissional_id=2, data="2026-12-02", now=datetime(2026, 12, 2, 18, 20, tzinfo=UTC)
    )
    assert text.splitlines()[1:] == ["- Bia Lima (profissional_id 2): 16:30, 17:00"]


# --- several services in one visit

TOGETHER = [[1, 2], [3, 1], [3, 3], [1, 2, 3]]


def listed(text: str) -> set[tuple[int, str]]:
    """Who and when, of the lines of free times."""
    lines = re.findall(r"^- .+ \(profissional_id (\d+)\): (\d\d:\d\d.*)$", text, re.MULTILINE)
    return {(int(who), start) for who, starts in lines for start in re.findall(r"\d\d:\d\d", starts)}


def bookable(model: Model, day: str, services: Sequence[int]) -> set[tuple[int, str]]:
    """Each half hour of the day that `agendar` takes, tried one by one."""
    taken = set()
    for who in (1, 2):
        for start in (f"{hour:02d}:{minute}" for hour in range(8, 19) for minute in ("00", "30")):
            wish = {"profissional_id": who, "data": day, "hora": start, "servico_ids": list(services)}
            result = model("agendar", **wish)
            if result.is_error:
                continue
            taken.add((who, start))
            key = re.search(r"agendamento_id (\d+)", result.text)
            assert key
            model.done("cancelar", agendamento_id=int(key[1]))
    return taken


@pytest.mark.parametrize("day", ["2026-12-04", "2026-12-05"])
@pytest.mark.parametrize("services", TOGETHER)
def test_what_is_listed_for_a_visit_is_what_can_be_booked(
    model: Model, services: list[int], day: str
) -> None:
    """No more and no less, with the time of all services and the rest after them counted."""
    model.done("agendar", servico_id=2, profissional_id=1, data="2026-12-04", hora="14:00")
    model.done("agendar", servico_id=3, profissional_id=1, data="2026-12-05", hora="10:30")
    shown = set()
    for part in ("manha", "tarde", "noite"):
        shown |= listed(model.done("buscar_horarios", servico_ids=services, data=day, periodo=part))
    assert shown == bookable(model, day, services)


def test_a_visit_needs_the_time_of_all(model: Model) -> None:
    """On Saturday Ana goes at 13:00: a cut alone may begin at 12:00, a cut and a blow-dry not after 11:00."""
    alone = listed(model.done("buscar_horarios", servico_id=1, data="2026-12-05"))
    text = model.done("buscar_horarios", servico_ids=[1, 2], data="2026-12-05")
    assert max(alone) == (1, "12:00")
    assert text.splitlines() == [
        "Horários livres para Corte feminino (servico_id 1) e Escova (servico_id 2) no sábado, 05/12/2026:",
        "- Ana Souza (profissional_id 1): 09:00, 09:30, 10:00, 10:30, 11:00",
    ]


def test_only_who_does_all_of_it(model: Model) -> None:
    """Bia does not blow-dry."""
    who = {who for who, _ in listed(model.done("buscar_horarios", servico_ids=[1, 2], data="2026-12-04"))}
    assert who == {1}


def test_no_room_for_the_whole_visit(model: Model) -> None:
    """The nearest times are for the whole visit too: each of them can be booked."""
    for hora in ("09:30", "11:30"):
        model.done("agendar", servico_id=3, profissional_id=1, data="2026-12-05", hora=hora)
    wish = {"servico_ids": [1, 2], "data": "2026-12-05"}
    first, heading, *near = model.done("buscar_horarios", **wish).splitlines()
    assert first == (
        "Não há horário livre para Corte feminino (servico_id 1) e Escova (servico_id 2) no sábado, "
        "05/12/2026: a agenda de Ana Souza já está ocupada."
    )
    assert (heading, len(near)) == (NEAR, 3)
    for line in near:
        book_the(model, line, [1, 2])


def test_alternatives_of_a_refusal_are_for_the_whole_visit(model: Model) -> None:
    """Half past eleven is too late for both on Saturday; what is offered instead is not."""
    wish = {"servico_ids": [1, 2], "profissional_id": 1, "data": "2026-12-05", "hora": "11:30"}
    _, heading, *near = model.refused("agendar", **wish).splitlines()
    assert (heading, len(near)) == (NEAR, 3)
    for line in near:
        book_the(model, line, [1, 2])


def book_the(model: Model, line: str, services: list[int]) -> None:
    """A line of the nearest times is booked, and cancelled again."""
    found = re.search(r"(\d\d)/(\d\d)/(\d{4}), às (\d\d:\d\d), com .*profissional_id (\d+)", line)
    assert found
    day, month, year, start, who = found.groups()
    text = model.done(
        "agendar",
        servico_ids=services,
        profissional_id=int(who),
        data=f"{year}-{month}-{day}",
        hora=start,
    )
    key = re.search(r"agendamento_id (\d+)", text)
    assert key
    model.done("cancelar", agendamento_id=int(key[1]))


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ({"servico_ids": [1, 99]}, "Não existe serviço com servico_id 99."),
        ({"servico_ids": [1, 2], "profissional_id": 99}, "Não existe profissional com profissional_id 99."),
        (
            {"servico_ids": [1, 2, 3], "profissional_id": 2},
            "Bia Lima não faz Escova e Barba. Quem faz Corte feminino, Escova e Barba: Ana Souza "
            "(profissional_id 1).",
        ),
    ],
)
def test_visit_refused(model: Model, wish: dict[str, object], text: str) -> None:
    assert model.refused("buscar_horarios", data="2026-12-04", **wish).startswith(text)


def test_nobody_does_both(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        manicure = Service(tenant_id=ids.tenant, name="Manicure", duration_minutes=30)
        session.add(manicure)
        session.flush()
        assert manicure.id is not None
        session.add(
            ProfessionalService(tenant_id=ids.tenant, professional_id=ids.bia, service_id=manicure.id)
        )
        both = [ids.escova, manicure.id]
    nobody = (
        "Nenhum profissional faz Escova e Manicure na mesma visita. Busque e agende um serviço de cada vez."
    )
    assert model.refused("buscar_horarios", servico_ids=both, data="2026-12-04") == nobody
    alone = model.refused("buscar_horarios", servico_ids=both, profissional_id=2, data="2026-12-04")
    assert alone == f"Bia Lima não faz Escova. {nobody}"


@pytest.mark.parametrize(
    ("wish", "rule"),
    [
        (
            {"servico_id": 1, "servico_ids": [1, 2]},
            "informe `servico_id` ou `servico_ids`, e só um dos dois",
        ),
        ({"servico_ids": []}, "`servico_ids` deve ter de um a cinco serviços"),
        ({"servico_ids": [], "profissional_id": 2}, "`servico_ids` deve ter de um a cinco serviços"),
        ({"servico_ids": [1] * 6}, "`servico_ids` deve ter de um a cinco serviços"),
        ({"servico_ids": 1}, "- `servico_ids`: deve ser"),
    ],
)
def test_services_named_as_in_agendar(model: Model, wish: dict[str, object], rule: str) -> None:
    result = model("buscar_horarios", data="2026-12-04", **wish)
    assert result.error_class == "invalid_input"
    assert rule in result.text


# --- a large business


@pytest.fixture
def crowd(db: Database, ids: Ids) -> list[int]:
    """Fifty more professionals for Corte, who work on Monday mornings."""
    with db.writing() as session:
        keys = []
        for n in range(50):
            who = Professional(tenant_id=ids.tenant, name=f"Profissional {n:02d}")
            session.add(who)
            session.flush()
            assert who.id is not None
            session.add(
                ProfessionalService(tenant_id=ids.tenant, professional_id=who.id, service_id=ids.corte)
            )
            agenda.work(session, ids.tenant, who.id, 0, "09:00-12:00")
            keys.append(who.id)
        return keys


def test_many_professionals(crowd: list[int], model: Model) -> None:
    lines = model.done("buscar_horarios", servico_id=1, data="2026-12-07").splitlines()
    assert len(lines) == 22
    assert lines[-1] == "e mais 32 profissionais fazem esse serviço."


def test_free_only_with_the_last_of_many(db: Database, ids: Ids, crowd: list[int], model: Model) -> None:
    """It is found although it is not among the first."""
    with db.writing() as session:
        for key in (ids.ana, ids.bia, *crowd[:-1]):
            session.add(
                TimeOff(
                    tenant_id=ids.tenant,
                    professional_id=key,
                    first_date=date(2026, 12, 7),
                    last_date=date(2026, 12, 7),
                )
            )
    lines = model.done("buscar_horarios", servico_id=1, data="2026-12-07").splitlines()
    assert lines[1].startswith(f"- Profissional 49 (profissional_id {crowd[-1]}): 09:00")


def test_number_of_statements_does_not_grow(db: Database, ids: Ids, model: Model, crowd: list[int]) -> None:
    """Ten for fifty professionals, as for one; no transaction but its own."""
    seen: list[str] = []
    event.listen(db.engine, "before_cursor_execute", lambda *args: seen.append(args[2]))
    model.done("buscar_horarios", servico_id=1, profissional_id=ids.bia, data="2026-12-07")
    alone = len(seen)
    seen.clear()
    model.done("buscar_horarios", servico_id=1, data="2026-12-07")
    assert alone == len(seen) <= 10


def test_closed_part_of_a_day(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.add(
            Closure(tenant_id=ids.tenant, date=date(2026, 12, 4), start_minute=13 * 60, reason="Eleição")
        )
    text = model.done("buscar_horarios", profissional_id=2, data="2026-12-04")
    assert text.endswith("09:00, 09:30, 10:00, 10:30, 11:00")


def test_many_professionals_for_several_services(crowd: list[int], model: Model) -> None:
    lines = model.done("buscar_horarios", servico_ids=[1, 1], data="2026-12-07").splitlines()
    assert lines[-1] == "e mais 32 profissionais fazem esses serviços."
