"""Every line said, in or out: inbox, outbox and transcript are three queries on one table."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import (
    JSON,
    ForeignKeyConstraint,
    Index,
    Integer,
    Select,
    UniqueConstraint,
    bindparam,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col
from typing_extensions import TypedDict, Unpack  # pydantic takes no other before Python 3.12

from models import conversation, customer, handoff
from models.conversation import Conversation, Holder, Place
from models.customer import Wish
from models.db import Database, UtcDateTime, table


class Direction(StrEnum):
    IN = "in"
    OUT = "out"


class Author(StrEnum):
    """Who speaks. `system` marks fixed texts and markers that no person and no model wrote."""

    CUSTOMER = "customer"
    BOT = "bot"
    STAFF = "staff"
    SYSTEM = "system"


class Status(StrEnum):
    """Delivery. Inbound rows are `received`; `note` rows are never sent (markers, staff notes)."""

    RECEIVED = "received"
    NOTE = "note"
    QUEUED = "queued"
    SENDING = "sending"
    IN_DOUBT = "in_doubt"  # the request may or may not have reached the provider
    ACCEPTED = "accepted"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    DROPPED = "dropped"  # a person took the conversation before it went out


@dataclass(frozen=True)
class Content:
    """A template at the provider: its sid ("HX…") and its variables ("1", "2", …), none empty.

    With `prefer_text` it only stands in for the line's text, where WhatsApp takes no text.
    """

    sid: str
    variables: dict[str, str]
    prefer_text: bool = False


class ChoiceData(TypedDict):
    """One answer that a line offers, as it is kept with the line."""

    id: str
    title: str
    description: str


class MenuData(TypedDict):
    """That a line goes out with its choices to tap: its words without them, and what opens the list."""

    body: str
    button: str


class Extra(TypedDict, total=False):
    """What a line keeps beside its words, as JSON.

    Of an inbound line what its form said, and what was found out of it: `transcript` (of a recording),
    `seen` (its picture was shown to the model), `chosen` (the choice that its words meant), `wish` and
    `only_wish` (on messages that we write first). Of ours: `choices` that it offers, `menu` where they can
    be tapped, `former_sids` of attempts that are over.
    """

    button_payload: str
    list_id: str
    quoted_sid: str
    interactive: Any
    latitude: float
    longitude: float
    address: str
    label: str
    forwarded: bool
    referral: dict[str, str]
    event: str
    gap: bool
    transcript: str
    seen: bool
    chosen: str
    wish: str
    only_wish: bool
    choices: list[ChoiceData]
    menu: MenuData
    former_sids: list[str]


WHEN = "2"  # the variable that says when, in every template: by it a line is found again at the provider


class Message(SQLModel, table=True):
    """One line. `seq` counts up within the conversation without gaps in order of commit.

    `kind` is "text", "image", "audio", "location", …; `media` lists {"url", "content_type"}; `extra` keeps
    what else the form said (button payload, location). `client_key` makes a repeated staff POST one message.
    With `content_sid` a template is sent (see `Content`), and `text` is what we know it to say. From
    `send_before` on it is not sent any more.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "seq"),
        UniqueConstraint("provider_sid"),
        UniqueConstraint("conversation_id", "client_key"),
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        Index("ix_message_tenant", "tenant_id", "id"),
        Index(
            "ix_message_failed",
            "tenant_id",
            "created_at",
            sqlite_where=text("status = 'failed'"),
            postgresql_where=text("status = 'failed'"),
        ),
        Index(
            "ix_message_outbox",
            "send_after",
            sqlite_where=text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=text("status in ('queued', 'sending', 'in_doubt')"),
        ),
        Index(
            "ix_message_unsent",
            "conversation_id",
            "seq",
            sqlite_where=text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=text("status in ('queued', 'sending', 'in_doubt')"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    conversation_id: int
    seq: int
    direction: str = Field(max_length=3)
    author: str = Field(max_length=10)
    kind: str = Field(default="text", max_length=20)
    text: str = Field(default="")
    media: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
    extra: Extra = Field(default_factory=Extra, sa_type=JSON)
    status: str = Field(max_length=10)
    error_code: int | None = None
    provider_sid: str | None = Field(default=None, max_length=64)
    client_key: str | None = Field(default=None, max_length=64)
    staff_id: int | None = None
    run_id: int | None = Field(default=None, foreign_key="run.id")
    epoch: int | None = None  # the conversation's epoch when a bot text was queued
    content_sid: str | None = Field(default=None, max_length=34)
    content_variables: dict[str, str] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    prefer_text: bool = False
    attempts: int = 0
    send_after: datetime | None = Field(default=None, sa_type=UtcDateTime)
    send_before: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sending_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    @property
    def said(self) -> str:
        """The words of it: what was written, or of a recording what was heard."""
        return self.text or str(self.extra.get("transcript", ""))


UNSENT = (Status.QUEUED, Status.SENDING, Status.IN_DOUBT)
_MESSAGE = table(Message)
_KNOWN = select(_MESSAGE.c.conversation_id).where(_MESSAGE.c.provider_sid == bindparam("sid"))
_INSERT = insert(_MESSAGE)
PREVIEW_LENGTH = 120


@dataclass(frozen=True)
class Incoming:
    """One inbound message, already cleaned. The first of `addresses` is the one that wrote, byte for byte.

    `wants_answer` is False for what nobody answers (reactions, unknown events): stored, nothing follows.
    `wish` is what it says of messages that we write first; with `only_wish` it asks for nothing else.
    `confirmation` is what they are told of it where people hold the conversation: those cannot see that it
    has been heeded. To all others the bot tells it.
    """

    tenant_id: int
    addresses: tuple[str, ...]
    provider_sid: str
    text: str = ""
    kind: str = "text"
    profile_name: str = ""
    media: tuple[dict[str, Any], ...] = ()
    extra: Extra = field(default_factory=Extra)
    wants_answer: bool = True
    wish: Wish | None = None
    only_wish: bool = False
    confirmation: str = ""


@dataclass(frozen=True)
class Received:
    """What became of an inbound message. `duplicate`: it was there already, nothing was changed.

    `told`: an answer to it is on its way, though the bot will give none.
    """

    conversation_id: int
    duplicate: bool
    due: bool
    told: bool = False


def receive(db: Database, incoming: Incoming, now: datetime, debounce: timedelta) -> Received:
    """Store an inbound message once, by its provider sid, and make its conversation due."""
    for attempt in range(RECEIVE_TRIES):
        try:
            with db.writing() as session:
                return _receive(session, incoming, now, debounce)
        except IntegrityError:
            # Two deliveries of one message, or two first messages of one person, at the same moment.
            if attempt == RECEIVE_TRIES - 1:
                raise
    raise AssertionError("unreachable")


RECEIVE_TRIES = 4


def _receive(session: Session, incoming: Incoming, now: datetime, debounce: timedelta) -> Received:
    known = session.execute(_KNOWN, {"sid": incoming.provider_sid}).scalar()
    if known is not None:
        return Received(known, duplicate=True, due=False)
    customer_id = customer.find_or_create(
        session, now, incoming.tenant_id, incoming.addresses, incoming.profile_name
    )
    place = conversation.arrive(
        session,
        now,
        incoming.tenant_id,
        customer_id,
        address=incoming.addresses[0],
        preview=_preview(incoming.text, incoming.kind),
        due_at=now + debounce if incoming.wants_answer else None,
    )
    wish, only = incoming.wish, incoming.only_wish
    heard = heeded(session, now, incoming.tenant_id, customer_id, wish, only=only)
    line = {
        "tenant_id": incoming.tenant_id,
        "conversation_id": place.conversation_id,
        "seq": place.seq,
        "direction": Direction.IN,
        "author": Author.CUSTOMER,
        "kind": incoming.kind,
        "text": incoming.text,
        "media": list(incoming.media),
        "extra": incoming.extra | heard,
        "status": Status.RECEIVED,
        "provider_sid": incoming.provider_sid,
        "prefer_text": False,
        "attempts": 0,
        "created_at": now,
    }
    session.execute(_INSERT, line)
    due = place.due or _returns(session, incoming, place, now, now + debounce)
    told = bool(heard) and _confirm(session, incoming, place, now)
    return Received(place.conversation_id, duplicate=False, due=due, told=told)


def _confirm(session: Session, incoming: Incoming, place: Place, now: datetime) -> bool:
    """Tell of a heeded wish where no bot will."""
    if place.holder == Holder.BOT or not incoming.confirmation:
        return False
    text, talk = incoming.confirmation, place.conversation_id
    add(session, now, incoming.tenant_id, talk, Line(Author.SYSTEM, text))
    return True


def _returns(session: Session, incoming: Incoming, place: Place, now: datetime, due_at: datetime) -> bool:
    """What a message may do that did not come to the bot; says whether the bot is to answer it after all."""
    if place.reopened:
        handoff.open_episode(
            session,
            now,
            incoming.tenant_id,
            place.conversation_id,
            reason=None,
            trigger_seq=place.seq,
            reopened=True,
        )
    if not incoming.wants_answer or place.holder == Holder.BOT or not handoff.is_way_back(incoming.text):
        return False
    handoff.cancel(session, now, incoming.tenant_id, place.conversation_id, due_at=due_at)
    return True


def heeded(
    session: Session, now: datetime, tenant_id: int, customer_id: int, wish: Wish | None, *, only: bool
) -> Extra:
    """Do at once as the customer wishes, whoever holds the conversation; what the line keeps of it."""
    if wish == Wish.STOP:
        customer.opt_out(session, now, tenant_id, customer_id)
        _hush(session, now, tenant_id, customer_id)
    elif wish == Wish.PROMOTION:
        pass  # nothing of the kind is ever sent
    elif wish is None or not customer.opt_in(session, tenant_id, customer_id):
        return {}  # who had not stopped means something else by "voltar"
    return {"wish": wish, "only_wish": only}


def _hush(session: Session, now: datetime, tenant_id: int, customer_id: int) -> None:
    """What we were about to write first (only that has a `send_before`) is not sent any more."""
    messages, talks = table(Message), table(Conversation)
    mine = select(talks.c.id).where(talks.c.tenant_id == tenant_id, talks.c.customer_id == customer_id)
    session.execute(
        update(messages)
        .where(messages.c.conversation_id.in_(mine), messages.c.status == Status.QUEUED)
        .where(messages.c.send_before > now)
        .values(send_before=now)
    )


def annotate(session: Session, line: Message, **extra: Unpack[Extra]) -> None:
    """Keep with a line what was found out of it (its transcript), in the row and in the object."""
    line.extra = line.extra | extra
    messages = table(Message)
    mine = (messages.c.tenant_id == line.tenant_id, messages.c.id == line.id)
    session.execute(update(messages).where(*mine).values(extra=line.extra))


def _preview(text: str, kind: str) -> str:
    words = " ".join(text.split())
    return words[:PREVIEW_LENGTH] or f"[{kind}]"


@dataclass(frozen=True)
class Line:
    """A line of ours. QUEUED lines go out by the outbox, NOTE lines stay inside.

    With `epoch` it is dropped unsent if staff hold the conversation at another epoch by then; without, it is
    sent whoever holds it. It is also dropped if it is still here at `send_before`.
    """

    author: Author
    text: str
    status: Status = Status.QUEUED
    epoch: int | None = None
    run_id: int | None = None
    staff_id: int | None = None
    client_key: str | None = None
    content: Content | None = None
    send_before: datetime | None = None
    extra: Extra = field(default_factory=Extra)


def add(session: Session, now: datetime, tenant_id: int, conversation_id: int, line: Line) -> int:
    """Append a line of ours to the conversation; gives its seq."""
    preview = None if line.status == Status.NOTE else _preview(line.text, "")
    seq = conversation.next_seq(session, now, tenant_id, conversation_id, preview=preview)
    place = {"tenant_id": tenant_id, "conversation_id": conversation_id, "seq": seq, "created_at": now}
    session.execute(_INSERT, _row(line, now) | place)
    return seq


def _row(line: Line, now: datetime) -> dict[str, object]:
    content = line.content
    return {
        "direction": Direction.OUT,
        "author": line.author,
        "kind": "text",
        "text": line.text,
        "media": [],
        "extra": line.extra,
        "status": line.status,
        "epoch": line.epoch,
        "run_id": line.run_id,
        "staff_id": line.staff_id,
        "client_key": line.client_key,
        "content_sid": content.sid if content else None,
        "content_variables": content.variables if content else None,
        "prefer_text": content.prefer_text if content else False,
        "attempts": 0,
        "send_after": now if line.status == Status.QUEUED else None,
        "send_before": line.send_before,
    }


def id_of(session: Session, conversation_id: int, seq: int) -> int:
    """The id of a line that is there."""
    messages = table(Message)
    query = select(messages.c.id).where(messages.c.conversation_id == conversation_id, messages.c.seq == seq)
    return int(session.execute(query).scalar_one())


def by_sid(session: Session, conversation_id: int, provider_sid: str) -> Message | None:
    """The line of this conversation that the provider knows by this sid."""
    query = select(Message).where(
        col(Message.conversation_id) == conversation_id, col(Message.provider_sid) == provider_sid
    )
    return session.scalar(query)


def at(session: Session, tenant_id: int, conversation_id: int, seq: int) -> Message | None:
    """One line of a conversation of this business."""
    query = select(Message).where(
        col(Message.tenant_id) == tenant_id,
        col(Message.conversation_id) == conversation_id,
        col(Message.seq) == seq,
    )
    found: Message | None = session.scalar(query)
    return found


def transcript(
    session: Session, tenant_id: int, conversation_id: int, *, before: int | None = None, limit: int = 200
) -> list[Message]:
    """The newest `limit` lines (those below seq `before`, where given), oldest first."""
    given = {"tenant": tenant_id, "conversation": conversation_id, "most": limit, "below": before}
    return list(reversed(session.scalars(_transcript(paged=before is not None), given).all()))


@cache
def _transcript(*, paged: bool) -> Select[Message]:
    query = (
        select(Message)
        .where(col(Message.tenant_id) == bindparam("tenant"))
        .where(col(Message.conversation_id) == bindparam("conversation"))
        .order_by(col(Message.seq).desc())
        .limit(bindparam("most", type_=Integer))
    )
    return query.where(col(Message.seq) < bindparam("below")) if paged else query
