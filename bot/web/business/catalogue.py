"""Services and professionals: what can be booked, by whom and when."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from flask import Response, abort, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import select

from bot.web.business import change_view
from bot.web.business import fields as f
from bot.web.business.fields import Field
from bot.web.business.shared import Change, Opened, Unusable, blueprint, opened, save
from bot.web.shared import request_context
from models.business_file import BusinessFile, Ids
from models.business_file.shape import Offer, Worker
from models.business_file.values import fold
from models.catalog import Professional, Service

KEY = "<int(max=2147483647):{}_id>"
SERVICE, PROFESSIONAL = KEY.format("service"), KEY.format("professional")


class Listed(NamedTuple):
    """One row: `about` is a line on it, empty for one that is out of use."""

    id: int
    name: str
    about: str


@dataclass(frozen=True)
class Sheet:
    """The page of one row, or of a new one. `said` are its values by the names of its fields."""

    title: str
    fields: Sequence[Field]
    said: dict[str, Any]
    back: str
    remove: str = ""  # where to put it out of use


def _rows(model: type[Service] | type[Professional]) -> dict[int, tuple[str, bool]]:
    """(name, whether in use) by id."""
    with request_context.services().db.reading() as session:
        query = select(model.id, model.name, model.active)
        query = query.where(model.tenant_id == request_context.tenant_id()).order_by(model.id)  # type: ignore[arg-type]  # a column
        return {key or 0: (name, active) for key, name, active in session.exec(query)}


def _name_of(model: type[Service] | type[Professional], key: int, *, active: bool = True) -> str:
    """The name of a row of this business that is (not) in use; 404 without one."""
    name, is_active = _rows(model).get(key, ("", None))
    return name if is_active is active else abort(404)


# Services


@blueprint.get("/servicos")
def services() -> ResponseReturnValue:
    offers = {fold(each.name): each for each in opened().file.services}
    found = [
        Listed(key, name, _told(offers[fold(name)]) if active else "")
        for key, (name, active) in _rows(Service).items()
    ]
    return _list("services", found)


def _told(offer: Offer) -> str:
    price = "sob consulta" if offer.price_cents is None else change_view.money(offer.price_cents)
    return f"{offer.duration_minutes} min · {price}"


@blueprint.get("/servicos/novo")
def service_form() -> ResponseReturnValue:
    found = opened()
    return _page(found, _service_sheet(found.file, None))


@blueprint.post("/servicos/novo")
def add_service() -> ResponseReturnValue:
    return _save_service(None)


@blueprint.route(f"/servicos/{SERVICE}", methods=["GET", "POST"])
def service(service_id: int) -> ResponseReturnValue:
    name = _name_of(Service, service_id)
    if request.method == "POST":
        return _save_service(name, service_id)
    found = opened()
    return _page(found, _service_sheet(found.file, name, service_id))


@blueprint.post(f"/servicos/{SERVICE}/tirar")
def remove_service(service_id: int) -> ResponseReturnValue:
    name = _name_of(Service, service_id)

    def without(file: BusinessFile) -> BusinessFile:
        offers = tuple(each for each in file.services if each.name != name)
        return replace(file, services=offers, professionals=_offering(file, name, frozenset(), ""))

    return _only(Change(without, url_for("business.services"), f"{name}: fora de uso."))


@blueprint.post(f"/servicos/{KEY.format('retired_service')}/voltar")
def revive_service(retired_service_id: int) -> ResponseReturnValue:
    name = _name_of(Service, retired_service_id, active=False)
    with request_context.services().db.reading() as session:
        row = session.get_one(Service, retired_service_id)
    offer = Offer(row.name, row.duration_minutes, row.buffer_minutes, row.price_cents, row.on_holidays)
    return _only(
        Change(
            lambda file: replace(file, services=(*file.services, offer)),
            url_for("business.service", service_id=retired_service_id),
            f"{name} voltou. Escolha quem faz.",
        )
    )


def _service_sheet(file: BusinessFile, name: str | None, key: int = 0) -> Sheet:
    offer = next((each for each in file.services if each.name == name), Offer("", 30, 0, None))
    people = [(each.name, each.name) for each in file.professionals]
    return Sheet(
        title=name or "Novo serviço",
        fields=(
            f.line("name", "Nome", 120),
            f.number("duration_minutes", "Duração", unit="minutos"),
            f.number("buffer_minutes", "Intervalo livre depois", unit="minutos"),
            f.price("price_cents", "Preço em reais", "Vazio: sob consulta."),
            f.check("on_holidays", "Também nos feriados"),
            f.several("people", "Quem faz", people),
        ),
        said=asdict(offer)
        | {"people": [each.name for each in file.professionals if name and name in each.services]},
        back=url_for("business.services"),
        remove=url_for("business.remove_service", service_id=key) if key else "",
    )


def _save_service(name: str | None, key: int = 0) -> ResponseReturnValue:
    found = opened()
    sheet = _service_sheet(found.file, name, key)
    values, wrong = f.read(sheet.fields, request.form)
    if wrong:
        return _page(found, sheet, wrong=wrong)
    who = frozenset(values.pop("people"))
    offer = Offer(**values)

    def to(file: BusinessFile) -> BusinessFile:
        if name is None:
            offers = (*file.services, offer)
        else:
            offers = tuple(offer if each.name == name else each for each in file.services)
        return replace(file, services=offers, professionals=_offering(file, name or "", who, offer.name))

    ids = Ids(services={fold(offer.name): key} if key else {})
    return _saved(Change(to, sheet.back, ids=ids), found, sheet)


def _offering(file: BusinessFile, old: str, who: frozenset[str], new: str) -> tuple[Worker, ...]:
    """The professionals, of whom those in `who` offer `new` in place of `old`, and nobody else."""

    def offered(worker: Worker) -> tuple[str, ...]:
        kept = tuple(each for each in worker.services if each != old)
        return (*kept, new) if worker.name in who else kept

    return tuple(replace(each, services=offered(each)) for each in file.professionals)


# Professionals


@blueprint.get("/profissionais")
def professionals() -> ResponseReturnValue:
    people = {fold(each.name): each for each in opened().file.professionals}
    found = [
        Listed(key, name, change_view.hours(people[fold(name)].hours) or "sem horário" if active else "")
        for key, (name, active) in _rows(Professional).items()
    ]
    return _list("professionals", found)


@blueprint.get("/profissionais/novo")
def professional_form() -> ResponseReturnValue:
    found = opened()
    return _page(found, _person_sheet(found.file, None))


@blueprint.post("/profissionais/novo")
def add_professional() -> ResponseReturnValue:
    return _save_person(None)


@blueprint.route(f"/profissionais/{PROFESSIONAL}", methods=["GET", "POST"])
def professional(professional_id: int) -> ResponseReturnValue:
    name = _name_of(Professional, professional_id)
    if request.method == "POST":
        return _save_person(name, professional_id)
    found = opened()
    return _page(found, _person_sheet(found.file, name, professional_id))


@blueprint.post(f"/profissionais/{PROFESSIONAL}/tirar")
def remove_professional(professional_id: int) -> ResponseReturnValue:
    name = _name_of(Professional, professional_id)

    def without(file: BusinessFile) -> BusinessFile:
        return replace(file, professionals=tuple(each for each in file.professionals if each.name != name))

    return _only(Change(without, url_for("business.professionals"), f"{name}: fora de uso."))


@blueprint.post(f"/profissionais/{KEY.format('retired_professional')}/voltar")
def revive_professional(retired_professional_id: int) -> ResponseReturnValue:
    name = _name_of(Professional, retired_professional_id, active=False)
    return _only(
        Change(
            lambda file: replace(file, professionals=(*file.professionals, Worker(name, (), (), ()))),
            url_for("business.professional", professional_id=retired_professional_id),
            f"{name} voltou. Preencha os serviços e o horário.",
        )
    )


def _person_sheet(file: BusinessFile, name: str | None, key: int = 0) -> Sheet:
    worker = next((each for each in file.professionals if each.name == name), Worker("", (), (), ()))
    return Sheet(
        title=name or "Novo profissional",
        fields=(
            f.line("name", "Nome", 120),
            f.several("services", "Serviços", [(each.name, each.name) for each in file.services]),
            f.hours("hours", "Horário de trabalho", "Deixe vazio o dia em que não trabalha."),
            f.time_off("time_off", "Folgas e férias", "Para remover uma folga, apague o primeiro dia."),
        ),
        said={field: getattr(worker, field) for field in ("name", "services", "hours", "time_off")},
        back=url_for("business.professionals"),
        remove=url_for("business.remove_professional", professional_id=key) if key else "",
    )


def _save_person(name: str | None, key: int = 0) -> ResponseReturnValue:
    found = opened()
    sheet = _person_sheet(found.file, name, key)
    values, wrong = f.read(sheet.fields, request.form)
    if wrong:
        return _page(found, sheet, wrong=wrong)
    worker = Worker(**values)

    def to(file: BusinessFile) -> BusinessFile:
        if name is None:
            return replace(file, professionals=(*file.professionals, worker))
        people = tuple(worker if each.name == name else each for each in file.professionals)
        return replace(file, professionals=people)

    ids = Ids(professionals={fold(worker.name): key} if key else {})
    return _saved(Change(to, sheet.back, ids=ids), found, sheet)


# Pages


def _saved(change: Change, found: Opened, sheet: Sheet) -> ResponseReturnValue:
    try:
        return save(change)
    except Unusable as problem:
        return _page(found, sheet, problem=problem.problem)


def _only(change: Change) -> ResponseReturnValue:
    """A change by a single button."""
    try:
        return save(change)
    except Unusable as problem:
        flash(problem.problem, "problem")
        return redirect(change.home, 303)


def _list(kind: str, found: Sequence[Listed]) -> ResponseReturnValue:
    return render_template(
        "staff/business/catalogue.html",
        tenant=request_context.current_tenant(),
        kind=kind,
        used=[each for each in found if each.about],
        unused=[each for each in found if not each.about],
        version=opened().version,
    )


def _page(found: Opened, sheet: Sheet, *, wrong: dict[str, str] | None = None, problem: str = "") -> Response:
    again = bool(wrong or problem)
    page = render_template(
        "staff/business/sheet.html",
        tenant=request_context.current_tenant(),
        sheet=sheet,
        typed=request.form.to_dict() if again else f.filled(sheet.fields, sheet.said.__getitem__),
        wrong=wrong or {},
        problem=problem,
        version=request.form.get("versao", "") if again else found.version,
    )
    return make_response(page, 422 if again else 200)
