"""/registro: who did what, and when."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.web import login
from bot.web.shared import labels, request_context
from models import audit, staff
from models.audit import PAGE, Entry, Wanted
from models.availability import instant

blueprint = Blueprint("journal", __name__, url_prefix="/registro")
blueprint.before_request(login.require_role("manager"))

# What stands in the address: the words for it, and the nouns of the acts that it takes in.
KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "acessos": ("Acessos e equipe", ("staff",)),
    "conversas": ("Conversas", ("conversation",)),
    "agenda": ("Agenda", ("appointment", "block", "feed", "waitlist")),
    "clientes": ("Dados de clientes", ("customer",)),
    "respostas": ("Respostas prontas", ("canned",)),
    "empresa": ("Dados da empresa", ("business",)),
}
PROGRAM = "sistema"
MARKED = {"done": "veio", "no_show": "não veio"}
BY_ASSISTANT = ("appointment", "waitlist")  # whose acts the bot does in a talk, where nobody of the staff did


@blueprint.get("")
def show() -> ResponseReturnValue:
    asked = {key: request.args.get(key, "") for key in ("quem", "tipo", "de", "ate")}
    wrong = [key for key in ("de", "ate") if asked[key] and _day(asked[key]) is None]
    asked |= dict.fromkeys(wrong, "")
    with request_context.services().db.reading() as session:
        people = staff.list_of(session, request_context.tenant_id())
        found = audit.page(session, request_context.tenant_id(), _wanted(asked), before=_number("antes"))
    shown = found[:PAGE]
    return render_template(
        "staff/reports/audit_log.html",
        tenant=request_context.current_tenant(),
        entries=[_told(entry) for entry in shown],
        people=people,
        kinds=KINDS,
        asked=asked,
        problem="Não reconheci a data pedida, e ela não filtra nada." if wrong else "",
        filtered=any(asked.values()),
        same={key: value for key, value in asked.items() if value},
        more=shown[-1].id if len(found) > PAGE else None,
        paged="antes" in request.args,
    )


def _wanted(asked: Mapping[str, str]) -> Wanted:
    """What the filters say; one that makes no sense filters nothing."""
    zone = request_context.current_tenant().zone
    first, last = _day(asked["de"]), _day(asked["ate"])
    return Wanted(
        staff_id=_number("quem"),
        by_program=asked["quem"] == PROGRAM,
        nouns=KINDS.get(asked["tipo"], ("", ()))[1],
        begins=instant(zone, first, 0) if first else None,
        ends=instant(zone, last + timedelta(days=1), 0) if last else None,
    )


def _day(text: str) -> date | None:
    """A date in the address, not so far off that it cannot be reckoned with."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 2000 <= found.year < 2200 else None


def _number(key: str) -> int | None:
    text = request.args.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _told(entry: Entry) -> dict[str, object]:
    now, zone = request_context.now(), request_context.current_tenant().zone
    return {
        "at": labels.moment(entry.at, now, zone),
        "iso": entry.at.isoformat(),
        "who": entry.who or ("O assistente" if _noun(entry) in BY_ASSISTANT else "O sistema"),
        "what": labels.logged(entry.action, entry.other, entry.detail),
        "more": _more(entry),
        "link": _link(entry),
    }


def _more(entry: Entry) -> str:
    """What the act was about, where it is plain words."""
    detail = entry.detail
    match entry.action:
        case "customer.rename" if "after" in detail:
            return f"de “{detail.get('before', '')}” para “{detail.get('after', '')}”"
        case "customer.forget" if "after_days" in detail:
            return f"sem contato há mais de {detail['after_days']} dias"
        case "appointment.mark" if detail.get("status") in MARKED:
            return MARKED[str(detail["status"])]
        case "staff.set_role":
            return f"antes: {labels.ROLES.get(str(detail.get('before')), 'outro')}"
        case "conversation.snooze" if "until" in detail:
            until = datetime.fromisoformat(str(detail["until"]))
            return f"até {labels.moment(until, request_context.now(), request_context.current_tenant().zone)}"
        case "staff.invite" | "staff.withdraw" | "staff.add":
            known = (str(detail.get("name", "")), labels.ROLES.get(str(detail.get("role")), ""))
            return ", ".join(filter(None, known))
    return ""


def _link(entry: Entry) -> tuple[str, str] | None:
    """Where to see what the act was about: an address, and words for it."""
    if entry.subject_id is None:
        return None
    noun = _noun(entry)
    if noun == "conversation":
        return url_for("conversation.show", conversation_id=entry.subject_id), "ver a conversa"
    if noun == "appointment":
        return url_for("agenda.show", appointment_id=entry.subject_id), "ver o horário"
    return None


def _noun(entry: Entry) -> str:
    return entry.action.partition(".")[0]
