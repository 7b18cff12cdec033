"""What follows each of Twilio's error codes, as a table."""

import pytest

from bot.whatsapp.error_codes import ACTIONS, Action, action

EXPECTED = {
    Action.RETRY: {20429, 63017, 63018},
    Action.ALARM: {20003, 20404, 21408, 21606, 63007, 63038, 63051},
    Action.ONCE: {30008},
    Action.LATER: {63049},
    Action.OPT_OUT: {21610},
    Action.UNREACHABLE: {21211, 63003, 63016, 63024, 63032},
    Action.GIVE_UP: {21617, 63005, 63013, 63021},
}


def test_every_code_has_its_action() -> None:
    assert {kind: {code for code in ACTIONS if ACTIONS[code] == kind} for kind in Action} == EXPECTED


@pytest.mark.parametrize("code", [None, 0, 99999])
def test_an_unknown_code_is_shown_to_people(code: int | None) -> None:
    assert action(code) == Action.GIVE_UP
