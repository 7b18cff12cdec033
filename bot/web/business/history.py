"""/ajustes/historico: each change of the settings, the way back to how they were, and the file of it all."""

from flask import Response, abort, make_response, render_template, url_for
from flask.typing import ResponseReturnValue

from bot.web.business import change_view
from bot.web.business.shared import Change, Unusable, blueprint, opened, save
from bot.web.shared import labels, request_context
from models import business_file, staff
from models.business_file import BusinessFileErrors, BusinessVersion, Edit, Source, of_document, versions

VERSION = "<int(max=2147483647):version_id>"


@blueprint.get("/historico")
def history() -> ResponseReturnValue:
    with request_context.services().db.reading() as session:
        found = versions.page(session, request_context.tenant_id())
        names = {each.id: each.name for each in staff.list_of(session, request_context.tenant_id())}
    return render_template(
        "staff/business/history.html",
        tenant=request_context.current_tenant(),
        versions=[_line(each, names) for each in found],
    )


def _line(version: BusinessVersion, names: dict[int | None, str]) -> dict[str, object]:
    now, zone = request_context.now(), request_context.current_tenant().zone
    by_file = version.source == Source.FILE
    return {
        "id": version.id,
        "at": labels.moment(version.made_at, now, zone),
        "who": "Arquivo importado" if by_file else names.get(version.staff_id, "Alguém da equipe"),
    }


@blueprint.get(f"/historico/{VERSION}")
def version(version_id: int) -> ResponseReturnValue:
    return _page(version_id)


@blueprint.post(f"/historico/{VERSION}/voltar")
def restore(version_id: int) -> ResponseReturnValue:
    if not request_context.may("owner"):
        abort(403)
    wanted = _found(version_id)
    file = of_document(wanted.document)
    home = url_for("business.history")
    try:
        return save(Change(lambda _now: file, home, "Os ajustes voltaram a ser como eram.", wanted.names))
    except Unusable as problem:
        return _page(version_id, problem.problem)


@blueprint.get("/arquivo.yaml")
def file() -> ResponseReturnValue:
    slug = request_context.current_tenant().slug
    with request_context.services().db.reading() as session:
        text = business_file.export(session, slug)
    answer = make_response(text)
    answer.headers["Content-Type"] = "application/yaml; charset=utf-8"
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}.yaml"'
    return answer


def _found(version_id: int) -> BusinessVersion:
    with request_context.services().db.reading() as session:
        return versions.find(session, request_context.tenant_id(), version_id)


def _page(version_id: int, problem: str = "") -> Response:
    """What would change if the settings became again as they were then."""
    wanted, now = _found(version_id), request_context.now()
    changes: list[change_view.Shown] = []
    try:
        with request_context.services().db.reading() as session:
            edit = Edit(source=Source.PAGE, ids=wanted.names)
            plan = business_file.plan(session, of_document(wanted.document), now, edit)
        changes = [change_view.shown(each) for each in plan.changes]
    except BusinessFileErrors:
        problem = problem or "Esta versão não pode voltar: um nome ou número dela já é de outro cadastro."
    page = render_template(
        "staff/business/version.html",
        tenant=request_context.current_tenant(),
        id=version_id,
        at=labels.moment(wanted.made_at, now, request_context.current_tenant().zone),
        changes=changes,
        problem=problem,
        version=opened().version,
    )
    return make_response(page, 422 if problem else 200)
