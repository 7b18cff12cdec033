"""What is answered without asking the model: a table of pure functions from what there is to answer to a
decision, or None.
"""

from collections.abc import Callable, Sequence

from bot.answering.context import TurnContext
from bot.answering.decision import (
    ConfirmVisit,
    Decision,
    GoOn,
    HandOver,
    KeepChoice,
    LeaveWaitlist,
    Reply,
    Silence,
)
from bot.intents import choices
from bot.intents.choices import Choice, Question
from bot.sending import fixed_texts
from models.customer import Wish
from models.handoff import CloseReason, Reason, is_way_back
from models.message import Direction, Message, Status

WRITE, PERSON = Choice("write", "Vou escrever"), Choice("person", "Falar com uma pessoa")
UNREADABLE = ("audio", "image", "video", "document")
EMPTY = "empty"
_EVENTS = ("reaction", "system", "unsupported")


def nothing_said(turn: TurnContext) -> Decision | None:
    return None if turn.inputs else Silence()


def not_served(turn: TurnContext) -> Decision | None:
    """The business is disabled: no model is asked, and nobody is handed over."""
    if turn.tenant.disabled_at is None:
        return None
    return Silence() if turn.tenant.disabled_silently else Reply(fixed_texts.not_served(turn.tenant))


def opt_out(turn: TurnContext) -> Decision | None:
    """They only said that they want no more messages, or them or the bot again: it was heeded already."""
    if _is_back(turn):
        return Reply(fixed_texts.back_text(turn.tenant))
    wishes = [_only_wish(message) for message in _said(turn)]
    if not wishes or None in wishes:
        return None
    if wishes[-1] == Wish.STOP:
        return Reply(fixed_texts.stopped(turn.tenant, booked=bool(turn.appointments)))
    if wishes[-1] == Wish.PROMOTION:
        return Reply(fixed_texts.no_promotion(turn.tenant))
    return Reply(fixed_texts.started(turn.tenant))


def leave_waitlist(turn: TurnContext) -> Decision | None:
    """They ask to be taken off the waiting list. Where they ask for more, the model is told of it."""
    leaves = turn.answering.leaves
    if not leaves.entries:
        return None
    deed = LeaveWaitlist(leaves.entries)
    return Reply(fixed_texts.left_list(leaves.waited_for), deed=deed) if leaves.only else GoOn(deed)


def confirm_reminder(turn: TurnContext) -> Decision | None:
    visit = turn.answering.visit
    if visit is None or not turn.answering.confirms:
        return None
    return Reply(fixed_texts.confirmed(turn.tenant, visit, turn.now), deed=ConfirmVisit(visit))


def usage_limit(turn: TurnContext) -> Decision | None:
    """Over a limit the model is not asked."""
    if turn.over is None:
        return None
    return HandOver(Reason.LIMITE_DE_USO, detail=fixed_texts.limit_detail(turn.over))


def tapped_choice(turn: TurnContext) -> Decision | None:
    """A number or words that choose one of what our last line offered."""
    said = _said(turn)
    choice = choices.chosen(choices.offered(_last_line(turn)), said[0]) if len(said) == 1 else None
    if choice is None:
        return None
    if choice == PERSON:
        return HandOver(Reason.PEDIDO_DO_CLIENTE)
    if choice == WRITE:
        return Reply(fixed_texts.WRITE_ON)
    return GoOn(KeepChoice(said[0], choice.id)) if choices.tells_more(choice.id) else None


def unreadable_media(turn: TurnContext) -> Decision | None:
    """Nothing of it could be read: they are asked to write, and who insists gets a person."""
    said = _said(turn)
    if not said or not all(_is_wordless(message) for message in said):
        return None
    unread = next((message.kind for message in said if message.kind in UNREADABLE), None)
    if unread is None:
        return Reply(fixed_texts.EMPTY if said[0].kind == EMPTY else fixed_texts.STICKER)
    if choices.offered(_last_line(turn)) == (WRITE, PERSON):
        return HandOver(Reason.MIDIA_NAO_SUPORTADA)
    asked = Question(fixed_texts.unread(unread), (WRITE, PERSON))
    return Reply(asked.numbered(), extra=asked.extra(tappable=turn.tenant.buttons))


Shortcut = Callable[[TurnContext], Decision | None]
# Before recordings are heard and pictures are looked at, which takes time, and after it.
SHORTCUTS: tuple[Shortcut, ...] = (
    nothing_said,
    not_served,
    opt_out,
    leave_waitlist,
    confirm_reminder,
    usage_limit,
)
SHORTCUTS_ONCE_HEARD: tuple[Shortcut, ...] = (tapped_choice, opt_out, unreadable_media)


def _said(turn: TurnContext) -> Sequence[Message]:
    """What there is to answer; a message without anything in it only where there is nothing else."""
    said = [message for message in turn.inputs if message.kind not in _EVENTS]
    return [message for message in said if message.kind != EMPTY] or said


def _is_back(turn: TurnContext) -> bool:
    """Whether the customer only said the word that ended their wait for people."""
    if not turn.past.episodes or not turn.inputs:
        return False
    last = turn.past.episodes[-1]
    ended_by_word = last.close_reason == CloseReason.CUSTOMER_CANCELLED
    just_now = last.closed_seq == turn.inputs[0].seq - 1
    return ended_by_word and just_now and all(is_way_back(message.text) for message in turn.inputs)


def _only_wish(message: Message) -> Wish | None:
    return Wish(message.extra["wish"]) if message.extra.get("only_wish") else None


def _is_wordless(message: Message) -> bool:
    """Whether nothing in it could be read: a caption or a transcript is words, a picture may be shown."""
    if message.kind not in (*UNREADABLE, "sticker", EMPTY):
        return False
    return not message.text.strip() and not message.extra.keys() & {"transcript", "seen"}


def _last_line(turn: TurnContext) -> Message | None:
    """The last thing that we said to the customer before this turn."""
    first = turn.inputs[0].seq
    ours = (
        line for line in reversed(turn.past.messages) if line.direction == Direction.OUT and line.seq < first
    )
    return next((line for line in ours if line.status not in (Status.NOTE, Status.DROPPED)), None)
