"""Twilio's error codes, each with what to do about it; the same whether a request or a callback brings it."""

from enum import StrEnum


class Action(StrEnum):
    """What follows a failure of which it is certain that the customer got nothing."""

    RETRY = "retry"  # passes by itself: send again later
    ONCE = "once"  # nobody says why: once more, then staff see it
    LATER = "later"  # withheld for now: send much later
    ALARM = "alarm"  # an operator must mend a setting or an account: keep the line, send much later
    OPT_OUT = "opt_out"  # the customer wants no messages: never again, until they write
    UNREACHABLE = "unreachable"  # nothing reaches this customer now: staff see it
    GIVE_UP = "give_up"  # this line cannot be sent, another one may: staff see it


OUTSIDE_WINDOW = 63016

# From twilio.com/docs/api/errors/<code>. A code that is not here is new to us: GIVE_UP.
ACTIONS = {
    20003: Action.ALARM,  # credentials
    20404: Action.ALARM,  # the account in the address does not exist
    20429: Action.RETRY,  # too many requests: nothing was created
    21211: Action.UNREACHABLE,  # no valid recipient
    21408: Action.ALARM,  # the region is not enabled
    21606: Action.ALARM,  # the sender is not ours
    21610: Action.OPT_OUT,  # the recipient said STOP
    21617: Action.GIVE_UP,  # too long
    30008: Action.ONCE,  # unknown error of the carrier
    63003: Action.UNREACHABLE,  # no such address
    63005: Action.GIVE_UP,  # WhatsApp refused the content
    63007: Action.ALARM,  # the sender is no WhatsApp sender of this account
    63013: Action.GIVE_UP,  # against the channel's policy
    OUTSIDE_WINDOW: Action.UNREACHABLE,  # outside the 24-hour window
    63017: Action.RETRY,  # account over its rate
    63018: Action.RETRY,  # sender, or this pair of sender and recipient, over its rate
    63021: Action.GIVE_UP,  # invalid content
    63024: Action.UNREACHABLE,  # invalid recipient
    63032: Action.UNREACHABLE,  # the recipient is in an experiment of the vendor
    63038: Action.ALARM,  # the account's daily limit
    63049: Action.LATER,  # the vendor withheld a marketing template: maybe its category is wrong
    63051: Action.ALARM,  # the sender is locked
}


# What passes by itself or is mended meanwhile, also where it is only known after Twilio had taken the line.
PASSING = (Action.RETRY, Action.ONCE, Action.LATER, Action.ALARM)
_POLICY = (63013, 63049)


def needs_operator(code: int | None) -> bool:
    """Whether somebody has to look at an account, a setting or a template."""
    return action(code) == Action.ALARM or code in _POLICY


def action(code: int | None) -> Action:
    return ACTIONS.get(code, Action.GIVE_UP) if code is not None else Action.GIVE_UP
