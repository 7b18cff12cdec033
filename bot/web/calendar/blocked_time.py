"""/agenda/bloquear: keep time free, of one professional or of the whole business; and give it back."""

from dataclasses import dataclass
from datetime import date, timedelta

from flask import Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from bot.web.calendar import day_grid, shared, visit
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models import availability, block
from models.acts.visit_acts import Reception
from models.block import Stretch
from models.catalog import Closure, TimeOff
from models.errors import NotFound, Refusal
from models.pages import calendar_page
from models.pages.calendar_page import Visit

ROUTE = "/bloqueio/<any(folga, fechamento):kind>/<int(max=2147483647):block_id>"
KINDS: dict[str, type[TimeOff] | type[Closure]] = {"folga": TimeOff, "fechamento": Closure}
EVERYBODY = "todos"
MAX_REASON = 120
MOST_DAYS = 370


@dataclass(frozen=True)
class Wish:
    """What the form says. `who` is EVERYBODY or a professional's id, as text."""

    who: str
    first: date | None
    last: date | None
    whole: bool
    start: int | None
    end: int | None
    reason: str

    @classmethod
    def of(cls, values: MultiDict[str, str]) -> "Wish":
        first = shared.day_of(values.get("dia", ""))
        return cls(
            who=values.get("prof", "")[:12],
            first=first,
            last=shared.day_of(values.get("ate", "")) or first,
            whole="dia_todo" in values,
            start=shared.minute_of(values.get("de", "")),
            end=_end(values.get("fim", "")),
            reason=shared.line(values.get("motivo", ""), MAX_REASON),
        )

    def problem(self) -> str:
        """What is wrong with it; empty if nothing is."""
        if self.who != EVERYBODY and shared.id_of(self.who) is None:
            return "Escolha quem fica bloqueado."
        if self.first is None or self.last is None or not shared.is_bookable(self.first):
            return "Escolha o dia."
        if not self.first <= self.last <= self.first + timedelta(days=MOST_DAYS):
            return "O último dia vem antes do primeiro, ou está longe demais."
        if not self.whole and (self.start is None or self.end is None):
            return "Escreva de que hora a que hora, ou marque o dia inteiro."
        if not self.whole and self.start is not None and self.end is not None and self.end <= self.start:
            return "A hora final precisa ser depois da inicial."
        return ""

    def stretch(self) -> Stretch:
        assert self.first is not None
        assert self.last is not None
        start, end = (0, availability.MINUTES_OF_DAY) if self.whole else (self.start, self.end)
        assert start is not None
        assert end is not None
        who = None if self.who == EVERYBODY else shared.id_of(self.who)
        return Stretch(who, self.first, self.last, start, end, self.reason)


def _end(text: str) -> int | None:
    """Midnight at the end of a day is written as 00:00 in a form."""
    minute = shared.minute_of(text)
    return availability.MINUTES_OF_DAY if minute == 0 else minute


@blueprint.get("/bloquear")
def block_form() -> ResponseReturnValue:
    return _page(Wish.of(request.args))


@blueprint.post("/bloquear")
def add() -> ResponseReturnValue:
    wish = Wish.of(request.form)
    problem = wish.problem()
    if problem:
        return _page(wish, problem=problem, status=422)
    anyway = "mesmo_assim" in request.form

    def act(desk: Reception) -> list[int]:
        return block.add(desk.session, desk.now, desk.tenant, desk.staff_id, wish.stretch(), anyway=anyway)

    try:
        under = shared.receive(act)
    except Refusal as refused:
        keys = refused.detail["appointments"]
        assert isinstance(keys, list)
        with request_context.services().db.reading() as session:
            found = calendar_page.some(session, request_context.tenant_id(), keys)
        return _page(wish, under=found, status=409)
    except NotFound:
        return _page(wish, problem="Este profissional não existe mais.", status=422)
    flash(_done(len(under)))
    return redirect(url_for("agenda.day", dia=wish.first), 303)


def _done(under: int) -> str:
    if not under:
        return "Horário bloqueado."
    many = "1 horário marcado ali precisa" if under == 1 else f"{under} horários marcados ali precisam"
    return f"Horário bloqueado. {many} de atenção."


def _page(wish: Wish, *, problem: str = "", under: list[Visit] | None = None, status: int = 200) -> Response:
    with request_context.services().db.reading() as session:
        people = calendar_page.professionals(session, request_context.tenant_id())
    found = sorted(under or [], key=lambda each: (each.starts_at, each.id))
    page = render_template(
        "staff/calendar/block.html",
        tenant=request_context.current_tenant(),
        problem=problem,
        wish=wish,
        first=wish.first or shared.today(),
        starts=day_grid.words_of(wish.start) if wish.start is not None else "",
        ends=day_grid.words_of(wish.end % availability.MINUTES_OF_DAY) if wish.end is not None else "",
        people=people,
        everybody=EVERYBODY,
        under=visit.listed(found),
        max_reason=MAX_REASON,
    )
    return make_response(page, status)


@blueprint.get(ROUTE)
def show_block(kind: str, block_id: int) -> ResponseReturnValue:
    found = _find(kind, block_id)
    with request_context.services().db.reading() as session:
        people = calendar_page.professionals(session, request_context.tenant_id())
    return render_template(
        "staff/calendar/blocked.html",
        tenant=request_context.current_tenant(),
        kind=kind,
        block=found,
        id=block_id,
        who="Todos"
        if found.professional_id is None
        else people.get(found.professional_id, "Ex-profissional"),
        when=_when(found),
    )


@blueprint.post(f"{ROUTE}/remover")
def remove(kind: str, block_id: int) -> ResponseReturnValue:
    found = _find(kind, block_id)
    shared.receive(
        lambda desk: block.remove(desk.session, desk.now, desk.tenant, desk.staff_id, KINDS[kind], block_id)
    )
    flash("Bloqueio removido.")
    return redirect(url_for("agenda.day", dia=found.first), 303)


def _find(kind: str, block_id: int) -> Stretch:
    """What staff have blocked. Raises NotFound("block")."""
    with request_context.services().db.reading() as session:
        return block.find(session, request_context.tenant_id(), KINDS[kind], block_id)


def _when(found: Stretch) -> str:
    days = labels.long_day(found.first, shared.today())
    if found.last != found.first:
        days = f"de {days} a {labels.long_day(found.last, shared.today())}"
    if (found.start, found.end) == (0, availability.MINUTES_OF_DAY):
        return f"{days}, o dia inteiro"
    return f"{days}, das {day_grid.words_of(found.start)} às {day_grid.words_of(found.end)}"
