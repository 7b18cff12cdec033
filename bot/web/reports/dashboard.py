"""/painel: the figures of a business, for those who answer for it."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from bot.web import login
from bot.web.reports import report_csv, report_view
from bot.web.shared import labels, request_context, spreadsheet
from models.errors import NotFound
from models.handoff import Reason
from models.pages import report_cases, report_figures
from models.pages.report_cases import Case
from models.pages.report_figures import Report
from models.period import LONGEST, Period

blueprint = Blueprint("dashboard", __name__, url_prefix="/painel")
blueprint.before_request(login.require_role("manager"))

# What stands in the address: the words of the page, and how many days it is with today.
PERIODS = {"hoje": ("Hoje", 1), "7": ("7 dias", 7), "30": ("30 dias", 30), "90": ("90 dias", 90)}
USUAL, OWN = "7", "datas"
EARLIEST = date(2000, 1, 1)
TOO_LONG = f"São no máximo {LONGEST} dias de uma vez: aqui estão os últimos do período escolhido."


class Asked(NamedTuple):
    """The period in the address. `problem` says what is wrong with it: then it is the usual one.

    `note` says what was left out of it.
    """

    name: str
    first: date
    last: date
    problem: str = ""
    note: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The same again, for links."""
        if self.name != OWN:
            return {"periodo": self.name}
        return {"periodo": OWN, "de": self.first.isoformat(), "ate": self.last.isoformat()}


@blueprint.get("")
def show() -> ResponseReturnValue:
    asked = _asked()
    report = _report(asked)
    return render_template(
        "staff/reports/dashboard.html",
        tenant=request_context.current_tenant(),
        asked=asked,
        periods=PERIODS,
        today=_today(),
        title=report_view.title(report.period),
        panel=report_view.of(report, request_context.current_tenant()),
    )


@blueprint.get("/dias.csv")
def days() -> ResponseReturnValue:
    return _csv("dias", report_csv.days)


@blueprint.get("/resumo.csv")
def summary() -> ResponseReturnValue:
    return _csv("resumo", report_csv.summary)


@blueprint.get("/casos")
def show_cases() -> ResponseReturnValue:
    """The single cases behind one figure."""
    asked = _asked()
    period = _period(asked)
    which, what, found = _cases(period)
    zone, now, shown = (
        request_context.current_tenant().zone,
        request_context.now(),
        found[: report_cases.PAGE],
    )
    return render_template(
        "staff/reports/cases.html",
        tenant=request_context.current_tenant(),
        asked=asked,
        title=report_view.title(period),
        what=what,
        same=which | asked.query,
        cases=[report_view.case(each, now, zone) for each in shown],
        older=shown[-1].id if len(found) > len(shown) else None,
        paged="antes" in request.args,
    )


def _cases(period: Period) -> tuple[dict[str, str], labels.Sign, list[Case]]:
    """What was asked for, as it stands in the address and in words, and its cases."""
    before, tenant_id = _before(), request_context.tenant_id()
    reason, error = (request.args.get(key, "") for key in ("motivo", "erro"))
    with request_context.services().db.reading() as session:
        if error in labels.ERROR_CLASSES:
            found = report_cases.tool_errors(session, tenant_id, period, error, before=before)
            sign = labels.Sign("tools", f"Erros de ferramentas: {labels.ERROR_CLASSES[error]}")
            return {"erro": error}, sign, found
        if error or (reason and reason not in set(Reason)):
            raise NotFound
        wanted = Reason(reason) if reason else None
        found = report_cases.handed_over(session, tenant_id, period, wanted, before=before)
    if wanted is None:
        return {}, labels.Sign("people", "Passadas para a equipe"), found
    return {"motivo": reason}, labels.REASONS[wanted], found


def _before() -> int | None:
    text = request.args.get("antes", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _csv(what: str, rows: Callable[[Report], list[list[spreadsheet.Cell]]]) -> Response:
    report = _report(_asked())
    period = report.period
    return spreadsheet.download(f"horacerta-{what}-{period.first}-{period.last}", rows(report))


def _report(asked: Asked) -> Report:
    with request_context.services().db.reading() as session:
        return report_figures.report(
            session, request_context.now(), request_context.current_tenant(), _period(asked)
        )


def _period(asked: Asked) -> Period:
    return Period.of(request_context.current_tenant().zone, request_context.now(), asked.first, asked.last)


def _today() -> date:
    return request_context.now().astimezone(request_context.current_tenant().zone).date()


def _asked() -> Asked:
    name, today = request.args.get("periodo", USUAL), _today()
    if name in PERIODS:
        return Asked(name, today - timedelta(days=PERIODS[name][1] - 1), today)
    usual = Asked(USUAL, today - timedelta(days=PERIODS[USUAL][1] - 1), today)
    return _own(usual, today) if name == OWN else usual


def _own(usual: Asked, today: date) -> Asked:
    """Dates of one's own, as far as there can be figures for them."""
    try:
        first, last = sorted(date.fromisoformat(request.args.get(key, "")) for key in ("de", "ate"))
    except ValueError:
        return usual._replace(problem="Escolha a primeira e a última data.")
    if first > today:
        return usual._replace(problem="Estas datas ainda não chegaram.")
    if last < EARLIEST:
        return usual._replace(problem="Estas datas são antigas demais.")
    last = min(last, today)
    begins = max(first, last - timedelta(days=LONGEST - 1))
    return Asked(OWN, begins, last, note=TOO_LONG if begins > first else "")
