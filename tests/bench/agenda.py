"""CPU of free times, of a booking and of the agenda's pages, with 200 professionals, at two sizes."""

import dataclasses
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event, insert

from bot.core.services import Services
from bot.web.app import create_app
from models import schema
from models.appointment import Appointment
from models.catalog import Professional, ProfessionalService
from models.db import Database, table
from tests.bot.edge import settings
from tests.bot.web.office import no_model, no_sender, post, token
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.fakes.talk import PASSWORD, hire
from tools import agendar, buscar_horarios
from tools.agendar import Agendar
from tools.buscar_horarios import BuscarHorarios

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)
PROFESSIONALS = 200
SIZES = (10_000, 100_000)  # appointments; the day that is asked for is equally full in both
ROUNDS = 60


def filled(db: Database, size: int) -> tuple[Ids, list[int]]:
    """Four visits a day with each professional, from a week ahead back into the past."""
    with db.writing() as session:
        ids = agenda.studio(session, NOW, max_open_appointments=10**9)
        people = [ids.ana, ids.bia]
        while len(people) < PROFESSIONALS:
            who = Professional(tenant_id=ids.tenant, name=f"Profissional {len(people)}")
            session.add(who)
            session.flush()
            assert who.id is not None
            session.add(
                ProfessionalService(tenant_id=ids.tenant, professional_id=who.id, service_id=ids.corte)
            )
            for weekday in range(5):
                agenda.work(session, ids.tenant, who.id, weekday, "09:00-12:00", "13:00-18:00")
            people.append(who.id)
        # A customer each: nobody has a hundred thousand visits.
        customers = [agenda.customer(session, NOW, ids.tenant, phone=f"+55119{n:08d}") for n in range(1_000)]
        for first in range(0, size, 5_000):
            rows = [_visit(ids, people, customers, n) for n in range(first, min(first + 5_000, size))]
            session.execute(insert(table(Appointment)), rows)
    return ids, people


def _visit(ids: Ids, people: list[int], customers: list[int], number: int) -> dict[str, Any]:
    who = people[number % PROFESSIONALS]
    turn = number // PROFESSIONALS
    day = date(2026, 12, 11) - timedelta(days=turn // 4)
    start = datetime(day.year, day.month, day.day, (12, 13, 17, 19)[turn % 4], tzinfo=UTC)
    end = start + timedelta(hours=1)
    return {
        "tenant_id": ids.tenant,
        "professional_id": who,
        "customer_id": customers[number % len(customers)],
        "starts_at": start,
        "ends_at": end,
        "busy_from": start,
        "busy_until": end,
        "status": "booked",
        "squeeze_in": False,
        "created_by": "bot",
        "created_at": NOW,
        "cancel_reason": "",
    }


def measured(db: Database, step: Callable[[int], object]) -> tuple[float, int]:
    """Median CPU in milliseconds, and statements of one step."""
    statements: list[str] = []
    event.listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    step(0)
    count = sum(not statement.startswith("BEGIN") for statement in statements)
    spent = []
    for number in range(1, ROUNDS):
        began = time.process_time()
        step(number)
        spent.append((time.process_time() - began) * 1000)
    return statistics.median(spent), count


def figures(size: int) -> dict[str, tuple[float, int]]:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'bench.db'}")
        schema.migrate(db)
        ids, people = filled(db, size)
        context = agenda.context(db, ids, NOW)
        anybody = BuscarHorarios.model_validate({"data": "2026-12-04", "servico_id": ids.corte})
        bia = BuscarHorarios.model_validate({"data": "2026-12-04", "profissional_id": ids.bia})

        def book(number: int) -> None:
            wish = {"servico_id": ids.corte, "data": "2026-12-04", "hora": "15:00"}
            agendar.run(
                dataclasses.replace(context, turn_key=f"turn-{number}"),
                Agendar.model_validate({**wish, "profissional_id": people[number]}),
            )

        found = {
            "free times, any of 200 professionals": measured(
                db, lambda _n: buscar_horarios.run(context, anybody)
            ),
            "free times, one professional": measured(db, lambda _n: buscar_horarios.run(context, bia)),
            "a booking": measured(db, book),
            **pages(db, ids, people),
        }
        db.dispose()
    return found


def pages(db: Database, ids: Ids, people: list[int]) -> dict[str, tuple[float, int]]:
    """What staff wait for: the whole request, login and template included."""
    office = Counter(db, ids)
    day, week = "/agenda?dia=2026-12-04", f"/agenda?dia=2026-12-04&ver=semana&prof={ids.ana}"
    return {
        "the page of a day, 200 professionals": measured(db, lambda _n: office.get(day)),
        "the page of a day, one professional": measured(db, lambda _n: office.get(f"{day}&prof={ids.ana}")),
        "the page of a week": measured(db, lambda _n: office.get(week)),
        "the form with a search": measured(db, lambda _n: office.get("/agenda/novo?busca=silva")),
        "a booking by staff": measured(db, lambda number: office.book(people[number])),
    }


class Counter:
    """The desk of the business, with somebody logged in."""

    def __init__(self, db: Database, ids: Ids) -> None:
        with db.writing() as session:
            hire(session, NOW, ids.tenant, "rita@bela.test", "Rita")
        values = {"public_url": None, "secret_key": "a-secret-that-is-long-enough-for-a-bench"}
        app = create_app(
            Services(settings(**values), db, model=no_model, sender_for=no_sender, now=lambda: NOW)
        )
        self.client = app.test_client()
        self.ids = ids
        post(self.client, "/entrar", page="/entrar", email="rita@bela.test", password=PASSWORD)
        self.token = token(self.client)

    def get(self, path: str) -> None:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.status_code

    def book(self, who: int) -> None:
        form = {"servico": self.ids.corte, "dia": "2026-12-07", "horario": f"{who} 15:00"}
        answer = self.client.post(
            "/agenda/novo", data={**form, "cliente": self.ids.customer, "csrf_token": self.token}
        )
        assert answer.status_code == 303, answer.text


def main() -> None:
    small, large = (figures(size) for size in SIZES)
    for name, (milliseconds, statements) in large.items():
        ratio = milliseconds / small[name][0]
        print(f"{name:38} {milliseconds:6.2f} ms CPU  {statements:2} statements  {ratio:.2f} x {SIZES[0]:,}")


if __name__ == "__main__":
    main()
