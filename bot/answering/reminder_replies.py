"""What a customer's messages answer: a reminder, or an offer of the waiting list."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.intents import leave_waitlist
from bot.intents.reminder_buttons import Action, tapped
from models import appointment, catalog, message, reminder, waitlist
from models.appointment import AppointmentStatus, Details
from models.errors import NotFound
from models.message import Author, Direction, Message, Status
from models.reminder import Reminder
from models.tenant import Tenant
from models.waitlist import State, WaitlistEntry
from tools import portuguese
from tools.facts import Fact, Held, LeftWaitlist, Named, Reminded, Waiting

# A question of ours that is younger than this may be what a "sim" answers.
QUESTION_STANDS = timedelta(hours=2)


@dataclass(frozen=True)
class Leaving:
    """The entries of the waiting list that the customer asks to leave, with what each was for.

    `only`: they ask for nothing else.
    """

    entries: tuple[int, ...] = ()
    waited_for: tuple[str, ...] = ()
    only: bool = False


@dataclass(frozen=True)
class Answering:
    """`visit` is ahead, and a reminder of it is answered; `confirms`: with nothing but a yes.

    `lines` tell the model what there is to answer, and `facts` the same as data.
    """

    visit: Details | None = None
    confirms: bool = False
    leaves: Leaving = Leaving()
    lines: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()


def read(
    session: Session, now: datetime, tenant: Tenant, customer_id: int, talk: Sequence[Message], first: int
) -> Answering:
    """What the messages from seq `first` on answer; `talk` is the conversation up to them, oldest first."""
    said = [line for line in talk if line.direction == Direction.IN and line.seq >= first]
    leaves, waits, facts = _waiting(session, now, tenant, customer_id, said)
    found = _reminded(session, talk, said) if said else None
    visit = _ahead(session, now, tenant, customer_id, found) if found else None
    if found is None or visit is None:
        return Answering(leaves=leaves, lines=waits, facts=facts)
    line = f"Lembrete enviado sobre agendamento_id {visit.id}: o cliente pode estar respondendo a ele."
    return Answering(visit, _confirms(said, found), leaves, (line, *waits), (Reminded(visit.id), *facts))


@dataclass(frozen=True)
class _Reminded:
    """The visit of a reminder. `version` None: the button named the visit itself.

    `surely`: by a button or a quote; else it was only the last thing that we said. `asked`: a question of
    ours from shortly before is open as well.
    """

    appointment_id: int
    version: int | None
    surely: bool
    asked: bool = False


def _reminded(session: Session, talk: Sequence[Message], said: Sequence[Message]) -> _Reminded | None:
    newest = said[-1]
    tap = tapped(newest)
    if tap is not None and tap.appointment_id is not None:
        return _Reminded(tap.appointment_id, None, surely=True)
    quoted = newest.extra.get("quoted_sid")
    if quoted and (line := message.by_sid(session, newest.conversation_id, quoted)) is not None:
        return _of_line(session, line, surely=True)
    ours = [line for line in talk if _is_ours(line) and line.seq < newest.seq]
    if ours and (found := _of_line(session, ours[-1], surely=False, asked=_is_open(ours))):
        return found
    if tap is None:
        return None
    last = reminder.last_sent(session, newest.tenant_id, newest.conversation_id)
    return _of_reminder(last, surely=True) if last is not None else None


def _is_ours(line: Message) -> bool:
    return line.direction == Direction.OUT and line.status not in (Status.NOTE, Status.DROPPED)


def _is_open(ours: Sequence[Message]) -> bool:
    """Whether a question stood there when the last line of ours came."""
    if len(ours) < 2:
        return False
    before, last = ours[-2:]
    asked = before.author in (Author.BOT, Author.STAFF) and "?" in before.text
    return asked and last.created_at - before.created_at < QUESTION_STANDS


def _of_line(session: Session, line: Message, *, surely: bool, asked: bool = False) -> _Reminded | None:
    assert line.id is not None
    row = reminder.of_message(session, line.tenant_id, line.id)
    return _of_reminder(row, surely=surely, asked=asked) if row is not None else None


def _of_reminder(row: Reminder, *, surely: bool, asked: bool = False) -> _Reminded:
    return _Reminded(row.appointment_id, row.version, surely, asked)


def _ahead(
    session: Session, now: datetime, tenant: Tenant, customer_id: int, found: _Reminded
) -> Details | None:
    """The customer's own visit, if it is still to come and at the time that the reminder said."""
    assert tenant.id is not None
    try:
        visit = appointment.own(session, tenant.id, customer_id, found.appointment_id)
    except NotFound:
        return None
    if visit.status != AppointmentStatus.BOOKED or visit.starts_at <= now:
        return None
    if found.version not in (None, visit.schedule_version):
        return None
    return appointment.details(session, tenant.id, found.appointment_id)


# Whether nothing is said but yes


def _confirms(said: Sequence[Message], found: _Reminded) -> bool:
    weak = found.surely or not found.asked
    return all(_confirms_alone(line, weak=weak) for line in said)


def _confirms_alone(line: Message, *, weak: bool) -> bool:
    tap = tapped(line)
    if tap is not None:
        return tap.action == Action.CONFIRM
    return line.kind == "text" and is_yes(line.text, weak=weak)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRONG = _words("confirmo confirmar confirmado confirmada confirma confirmamos")
_WEAK = _words(
    "sim ss ok okay okey blz beleza certo certinho combinado perfeito fechado positivo claro 👍 ✅ ✔ 👌"
)
_POLITE = _words(
    "oi ola bom boa dia tarde noite obrigado obrigada obg por favor pode com certeza tudo eu ja esta ta "
    "estarei estaremos la vou vamos minha meu a o presenca horario consulta valeu"
)
_NO = frozenset("👎❌🚫⛔🙅❎😢😭😞🤔❓")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def is_yes(text: str, *, weak: bool) -> bool:
    """Whether a text confirms and says nothing else; with `weak` a bare "sim" or a thumb is enough."""
    tokens = _TOKEN.findall(portuguese.folded(text))
    yes = _STRONG | _WEAK if weak else _STRONG
    if "?" in tokens or not yes.intersection(tokens):
        return False
    return all(token in _STRONG | _WEAK | _POLITE or _is_ornament(token) for token in tokens)


def _is_ornament(token: str) -> bool:
    """Stops and small pictures that do not say no."""
    return token not in _NO and all(unicodedata.category(c)[0] in "PS" for c in token)


# The waiting list


def _waiting(
    session: Session, now: datetime, tenant: Tenant, customer_id: int, said: Sequence[Message]
) -> tuple[Leaving, tuple[str, ...], tuple[Fact, ...]]:
    """What they ask to leave, and what the model is told, in words and as data."""
    assert tenant.id is not None
    entries = waitlist.of_customer(session, tenant.id, customer_id)
    wish = leave_waitlist.asked([line.said for line in said]) if entries else None
    left = [entry for entry in entries if wish is not None and wish.means(entry.date)]
    kept = [entry for entry in entries if entry not in left]
    lines = tuple(line for entry in kept if (line := _entry(session, now, tenant, entry)))
    facts = tuple(fact for entry in kept if (fact := _fact(session, now, tenant, entry)))
    if wish is None or not left:
        return Leaving(), lines, facts
    waited_for = tuple(_waited_for(session, entry) for entry in left)
    told = f"O cliente pediu para sair da lista de espera e já foi retirado dela: {'; '.join(waited_for)}."
    ids = tuple(entry.id for entry in left if entry.id is not None)
    only = wish.only and all(line.kind in ("text", "audio") for line in said)
    gone = tuple(LeftWaitlist(_service(session, entry), entry.date) for entry in left)
    return Leaving(ids, waited_for, only), (told, *lines), (*gone, *facts)


def _waited_for(session: Session, entry: WaitlistEntry) -> str:
    return f"{_service(session, entry)}, {portuguese.day(entry.date)}"


def _service(session: Session, entry: WaitlistEntry) -> str:
    services = catalog.chosen(session, entry.tenant_id, [entry.service_id])
    return services[0].name if services else "serviço"


def _fact(session: Session, now: datetime, tenant: Tenant, entry: WaitlistEntry) -> Fact | None:
    """A place on the list, or the time that it holds; None where what is offered has lapsed."""
    services = catalog.chosen(session, entry.tenant_id, [entry.service_id])
    if not services:
        return None
    service = Named(entry.service_id, services[0].name)
    if entry.state == State.WAITING:
        return Waiting(service, entry.date)
    who, start, until = entry.offered_professional_id, entry.offered_start, entry.offer_until
    if who is None or start is None or until is None or until <= now:
        return None
    name = catalog.professional_name(session, entry.tenant_id, who) or ""
    return Held(service, Named(who, name), start.astimezone(tenant.zone), until.astimezone(tenant.zone))


def _entry(session: Session, now: datetime, tenant: Tenant, entry: WaitlistEntry) -> str:
    services = catalog.chosen(session, entry.tenant_id, [entry.service_id])
    if not services:
        return ""
    what = portuguese.service(services[0])
    if entry.state == State.WAITING:
        return f"O cliente está na lista de espera: {what}, {portuguese.day(entry.date)}."
    who, start, until = entry.offered_professional_id, entry.offered_start, entry.offer_until
    if who is None or start is None or until is None or until <= now:
        return ""
    name = catalog.professional_name(session, entry.tenant_id, who) or ""
    local = start.astimezone(tenant.zone)
    return (
        f"Oferta da lista de espera: {what} com {portuguese.professional(who, name)}, "
        f"{portuguese.moment(start, tenant.zone)} (data {local:%Y-%m-%d}, hora {local:%H:%M}), guardada "
        f"para o cliente até as {until.astimezone(tenant.zone):%H:%M}. Se ele aceitar, chame agendar com "
        "exatamente isso; não precisa buscar de novo."
    )
