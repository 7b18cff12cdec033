"""What follows each of Twilio's error codes, as a table."""

import pytest

from bot.whatsapp.error_codes import ACTIONS, Action, action

EXPECTED = {
    Action.RETRY: {14107, 20429, 21611, 30001, 30017, 30022, 63017, 63018},
    Action.ONCE: {30008, 63009, 63023},
    Action.OUTAGE: {20500, 20503, 30021, 30410, 63010, 63012},
    Action.LATER: {63049},
    Action.ALARM: {
        *(10001, 20003, 20005, 20006, 20008, 20404, 21212, 21408, 21606, 21608, 21609, 21660, 21910, 30002),
        *(63001, 63002, 63007, 63008, 63020, 63022, 63038, 63051, 63062),
    },
    Action.OPT_OUT: {21610, 63014},
    Action.UNREACHABLE: {
        *(21211, 21612, 21614, 30003, 30004, 30005, 30006),
        *(63003, 63015, 63016, 63024, 63032, 63033),
    },
    Action.GIVE_UP: {
        *(21617, 21619, 21620, 21654, 21655, 21656, 30007, 30010, 63005, 63006, 63011, 63013, 63019, 63021),
        *(63025, 63027, 63028, 63029, 63030, 63031, 63040, 63041, 63042),
    },
}


def test_every_code_has_its_action() -> None:
    assert {kind: {code for code in ACTIONS if ACTIONS[code] == kind} for kind in Action} == EXPECTED


@pytest.mark.parametrize("code", [None, 0, 99999])
def test_an_unknown_code_is_shown_to_people(code: int | None) -> None:
    assert action(code) == Action.GIVE_UP
