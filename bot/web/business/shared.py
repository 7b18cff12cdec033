"""What all pages of the settings share: the business as its file says it, and one way to change it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from bot.web import login
from bot.web.business import change_view
from bot.web.calendar.shared import id_of
from bot.web.shared import labels, request_context
from models import business_file
from models.business_file import (
    BusinessFile,
    BusinessFileErrors,
    Code,
    Edit,
    Ids,
    Plan,
    Source,
    document,
    of_document,
    versions,
)
from models.business_file.versions import BusinessVersion
from models.staff import Staff

PARTS = ("settings", "rules", "templates", "waits", "retention", "assistant")
PROBLEMS: Mapping[Code, str] = {
    Code.NOTICE: "A antecedência mínima passa dos dias da agenda aberta: nada poderia ser marcado.",
    Code.NAME_TWICE: "Este nome já existe. Nomes precisam diferir em mais do que maiúsculas e acentos.",
    Code.NAME_TAKEN: "Este nome é de um cadastro fora de uso. Reative-o, ou escolha outro nome.",
    Code.NUMBER_TAKEN: "Este número de WhatsApp já é de outra empresa.",
    Code.OVERLAP: "Um horário passa por cima do outro.",
    Code.TIME_TWICE: "A mesma data está duas vezes.",
    Code.BACKWARDS: "O fim vem antes do início.",
    Code.OTHER: "Não foi possível guardar: confira os valores.",
}

blueprint = Blueprint("business", __name__, url_prefix="/ajustes")
blueprint.before_request(login.require_role("manager"))


class Unusable(Exception):
    """The business cannot become so; `problem` says why, in Portuguese."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True)
class Opened:
    """The business as a page shows it; `version` is the newest change, 0 before the first."""

    file: BusinessFile
    version: int


def opened() -> Opened:
    """The business as it stands."""
    tenant = request_context.current_tenant()
    with request_context.services().db.reading() as session:
        newest = versions.latest(session, request_context.tenant_id())
        return Opened(business_file.current(session, tenant.slug), _id(newest))


def _id(version: BusinessVersion | None) -> int:
    return version.id or 0 if version else 0


def value_of(file: BusinessFile) -> Callable[[str], Any]:
    """The value of a column by its name, from whichever part of the file holds it."""
    parts = [getattr(file, part) for part in PARTS]
    return lambda name: next(getattr(part, name) for part in parts if hasattr(part, name))


def with_values(file: BusinessFile, given: Mapping[str, Any]) -> BusinessFile:
    """The file with these columns; every part takes those that it has."""
    for name in PARTS:
        part = getattr(file, name)
        own = {each.name: given[each.name] for each in fields(part) if each.name in given}
        file = replace(file, **{name: replace(part, **own)})
    return file


@dataclass(frozen=True)
class Change:
    """One form: how the file becomes, which rows its names mean, where to go afterwards, what to say."""

    to: Callable[[BusinessFile], BusinessFile]
    home: str
    said: str = "Guardado. Vale a partir da próxima resposta do assistente."
    ids: Ids = field(default_factory=Ids)


def save(change: Change) -> ResponseReturnValue:
    """Carry out a change; what it would do to others, or undo of a colleague's, is shown first.

    Raises Unusable.
    """
    now, tenant = request_context.now(), request_context.current_tenant()
    with request_context.services().db.writing() as session:
        business_file.lock(session, tenant.slug)
        wanted = _checked(change.to(business_file.current(session, tenant.slug)))
        newest = versions.latest(session, request_context.tenant_id())
        late = newest if _id(newest) > (id_of(request.form.get("versao", "")) or 0) else None
        make = business_file.plan if late else business_file.apply
        try:
            plan = make(session, wanted, now, edit=_edit(change.ids))
        except BusinessFileErrors as errors:
            raise Unusable(PROBLEMS[errors.errors[0].code]) from None
        who = session.get(Staff, late.staff_id) if late and late.staff_id else None
    if plan.changes and not plan.applied:
        return _confirm(plan, _id(newest), change.home, late, who.name if who else "")
    flash(change.said if plan.changes else "Nada mudou.")
    return redirect(change.home, 303)


def _checked(file: BusinessFile) -> BusinessFile:
    """By every rule of an import. Raises Unusable."""
    try:
        return of_document(document(file))
    except BusinessFileErrors as errors:
        raise Unusable(PROBLEMS[errors.errors[0].code]) from None


def _edit(ids: Ids) -> Edit:
    """What the person has accepted on the page that showed it."""
    kept = {key for text in request.form.getlist("manter") if (key := id_of(text)) is not None}
    return Edit(
        source=Source.PAGE,
        staff_id=request_context.staff_id(),
        ids=ids,
        keeps=frozenset(kept),
        forgets=id_of(request.form.get("esquecer", "")) or 0,
    )


def _confirm(plan: Plan, version: int, home: str, late: BusinessVersion | None, who: str) -> Response:
    """What would change and whom it would strand; the form is sent again with what was accepted."""
    now, zone = request_context.now(), request_context.current_tenant().zone
    again = [(key, each) for key, values in request.form.lists() for each in values if key not in _OWN]
    page = render_template(
        "staff/business/confirm.html",
        tenant=request_context.current_tenant(),
        changes=[change_view.shown(change) for change in plan.changes],
        stranded=[change_view.stranded(each, now) for each in plan.stranded],
        forgotten=plan.forgotten,
        late={"who": who or "A importação do arquivo", "at": labels.moment(late.made_at, now, zone)}
        if late
        else None,
        version=version,
        again=again,
        home=home,
    )
    return make_response(page, 409)


_OWN = frozenset({"csrf_token", "versao", "manter", "esquecer"})
