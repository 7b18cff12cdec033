"""Twilio's error codes, each with what to do about it; the same whether a request or a callback brings it."""

from collections.abc import Mapping
from enum import StrEnum


class Action(StrEnum):
    """What follows a failure of which it is certain that the customer got nothing."""

    RETRY = "retry"  # passes by itself within seconds: send again soon
    ONCE = "once"  # nobody says why: once more, then staff see it
    OUTAGE = "outage"  # the channel itself is away: a few times over some minutes, then staff see it
    LATER = "later"  # withheld for now: send much later
    ALARM = "alarm"  # an operator must mend a setting or an account: keep the line, send much later
    OPT_OUT = "opt_out"  # the customer wants no messages: never again, until they write
    UNREACHABLE = "unreachable"  # nothing reaches this customer now: staff see it
    GIVE_UP = "give_up"  # this line cannot be sent, another one may: staff see it


OUTSIDE_WINDOW = 63016

# From twilio.com/docs/api/errors/<code>: what a sender of WhatsApp messages can meet.
_MEANINGS: Mapping[Action, Mapping[int, str]] = {
    Action.RETRY: {
        14107: "message send rate limit exceeded",
        20429: "too many requests: nothing was created",
        21611: "the sender's queue is full",
        30001: "queue overflow",
        30017: "congestion",
        30022: "over the rate of the sender",
        63017: "account over its rate",
        63018: "sender, or this pair of sender and recipient, over its rate",
    },
    Action.ONCE: {
        30008: "unknown error of the carrier",
        63009: "the channel returned an error that is not named",
        63023: "generic error of the channel",
    },
    Action.OUTAGE: {
        20500: "internal error of Twilio",
        20503: "Twilio is not available",
        30021: "internal failure of the messaging service",
        30410: "the provider timed out",
        63010: "internal error of Twilio's channel",
        63012: "internal error of WhatsApp",
    },
    Action.LATER: {
        63049: "the vendor withheld a marketing template: maybe its category is wrong",
    },
    Action.ALARM: {
        10001: "the account is not active",
        20003: "credentials",
        20005: "the account is not active",
        20006: "access denied",
        20008: "test credentials",
        20404: "the account in the address does not exist",
        21212: "no valid sender",
        21408: "the region is not enabled",
        21606: "the sender is not ours",
        21608: "a trial account writes to verified numbers only",
        21609: "the address for status callbacks is no valid one",
        21660: "the sender belongs to another account",
        21910: "sender and recipient are of two channels",
        30002: "the account is suspended",
        63001: "the channel could not authenticate us",
        63002: "the channel does not know the sender",
        63007: "the sender is no WhatsApp sender of this account",
        63008: "the channel is set up wrong",
        63020: "the business account at Meta: payment or permission",
        63022: "the certificate of the sender's name",
        63038: "the account's daily limit",
        63051: "the sender is locked",
        63062: "Meta's terms were not accepted",
    },
    Action.OPT_OUT: {
        21610: "the recipient said STOP",
        63014: "the recipient blocked the sender, or took their consent back",
    },
    Action.UNREACHABLE: {
        21211: "no valid recipient",
        21612: "this recipient cannot be reached from this sender",
        21614: "the recipient is no mobile",
        30003: "the handset is not reachable",
        30004: "blocked at the recipient",
        30005: "unknown handset",
        30006: "landline, or a carrier that cannot be reached",
        63003: "no such address",
        63015: "the recipient has not joined the sandbox",
        OUTSIDE_WINDOW: "outside the 24-hour window",
        63024: "invalid recipient",
        63032: "the recipient is in an experiment of the vendor",
        63033: "the recipient may not get this message",
    },
    Action.GIVE_UP: {
        21617: "too long",
        21619: "nothing to send",
        21620: "no valid address of media",
        21654: "the content is missing",
        21655: "no such content",
        21656: "variables that do not fit the content",
        30007: "filtered",
        30010: "dearer than allowed",
        63005: "WhatsApp refused the content",
        63006: "the content cannot be formatted for the channel",
        63011: "an invalid request",
        63013: "against the channel's policy",
        63019: "the media could not be fetched",
        63021: "invalid content",
        63025: "the media exists already",
        63027: "no such template in this language",
        63028: "variables that do not fit the template",
        63029: "the recipient could not fetch the template",
        63030: "a parameter that this kind does not take",
        63031: "sender and recipient are the same",
        63040: "the template was rejected",
        63041: "the template is paused",
        63042: "the template is disabled",
    },
}
# A code that is not here is new to us: GIVE_UP.
ACTIONS = {code: action for action, codes in _MEANINGS.items() for code in codes}


# What passes by itself or is mended meanwhile, also where it is only known after Twilio had taken the line.
PASSING = (Action.RETRY, Action.ONCE, Action.OUTAGE, Action.LATER, Action.ALARM)
# Nothing reaches the customer by this sender: to say sorry there is one more line that fails.
SHUT = (Action.ALARM, Action.OPT_OUT, Action.UNREACHABLE)
# Templates, contents and what the vendor's policy says of them.
_OPERATORS = {30007, 63013, 63027, 63028, 63040, 63041, 63042, 63049}


def needs_operator(code: int | None) -> bool:
    """Whether somebody has to look at an account, a setting or a template."""
    return action(code) == Action.ALARM or code in _OPERATORS


def action(code: int | None) -> Action:
    return ACTIONS.get(code, Action.GIVE_UP) if code is not None else Action.GIVE_UP
