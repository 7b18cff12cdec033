"""What is due when nobody answers, from one moment's state. Times are of December 2026 in São Paulo."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from models.attendance import Attendance
from models.conversation import Holder
from models.unanswered import Patience, Standing, Step, due

ZONE = ZoneInfo("America/Sao_Paulo")
WEEK = {str(day): [[540, 1080]] for day in range(5)} | {"5": [[540, 780]]}
PATIENCE = Patience(
    Attendance(ZONE, WEEK), timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=20)
)


def local(text: str) -> datetime:
    day, clock = text.split()
    return datetime(2026, 12, int(day), int(clock[:2]), int(clock[3:]), tzinfo=ZONE).astimezone(UTC)


CAME = local("02 10:00")  # a Wednesday
UNCLAIMED = Standing(
    tenant_id=1,
    conversation_id=1,
    episode_id=1,
    holder=Holder.QUEUE,
    assignee_id=None,
    disabled=False,
    held_since=CAME,
    waiting_since=CAME,
    last_inbound_at=CAME,
    snoozed_until=None,
    reason="pedido_do_cliente",
    reopened=False,
    spoke_at=None,
    acknowledged_at=None,
    realerted_at=None,
    second_text_at=None,
    window_warned_at=None,
)
CLAIMED = replace(UNCLAIMED, holder=Holder.STAFF, assignee_id=7)
A, R, S, L, W = Step.ACKNOWLEDGE, Step.REALERT, Step.SECOND_TEXT, Step.RELEASE, Step.WARN


@pytest.mark.parametrize(
    ("changes", "at", "steps"),
    [
        ({}, "02 10:04", []),
        ({}, "02 10:05", [R]),
        ({"realerted_at": CAME}, "02 10:14", []),
        ({"realerted_at": CAME}, "02 10:15", [S]),
        ({}, "02 10:15", [S, R]),
        ({"realerted_at": CAME, "second_text_at": CAME}, "02 17:00", []),
        # Nobody waits: no words to the customer, but staff are told all the same.
        ({"waiting_since": None}, "02 11:00", [R]),
        # Counted in the time in which people answer.
        ({"held_since": local("01 17:58"), "last_inbound_at": local("01 17:58")}, "02 09:02", []),
        ({"held_since": local("01 17:58"), "last_inbound_at": local("01 17:58")}, "02 09:03", [R]),
        # A window that is shut takes no text.
        ({"realerted_at": CAME, "last_inbound_at": local("01 10:00")}, "02 10:15", []),
        # Released meanwhile: counted anew.
        ({"held_since": local("02 11:00")}, "02 11:04", []),
    ],
)
def test_while_nobody_has_it(changes: dict[str, Any], at: str, steps: list[Step]) -> None:
    assert due(replace(UNCLAIMED, **changes), PATIENCE, local(at)) == steps


@pytest.mark.parametrize(
    ("changes", "at", "steps"),
    [
        ({}, "02 10:19", []),
        ({}, "02 10:20", [L]),
        ({"waiting_since": None}, "02 17:00", []),  # answered
        ({"waiting_since": local("02 11:00")}, "02 11:19", []),  # answered, and asked again
        ({"waiting_since": local("02 11:00")}, "02 11:20", [L]),
        ({"held_since": local("02 10:30")}, "02 10:49", []),
        ({"snoozed_until": local("02 12:00")}, "02 12:19", []),
        ({"snoozed_until": local("02 12:00")}, "02 12:20", [L]),
        ({"held_since": local("02 17:50")}, "03 09:09", [W]),
        ({"held_since": local("02 17:50")}, "03 09:10", [L, W]),
        ({"disabled": True}, "02 10:00", [L]),
        ({"disabled": True, "waiting_since": None}, "02 22:00", [L]),
    ],
)
def test_while_somebody_has_it(changes: dict[str, Any], at: str, steps: list[Step]) -> None:
    assert due(replace(CLAIMED, **changes), PATIENCE, local(at)) == steps


@pytest.mark.parametrize(
    ("changes", "at", "steps"),
    [
        ({"spoke_at": local("02 09:56")}, "02 10:00", []),  # in the middle of a talk
        ({"spoke_at": local("02 09:56")}, "02 10:01", [A]),
        ({"spoke_at": local("02 08:30")}, "02 10:00", [A]),
        ({"spoke_at": local("02 08:30"), "acknowledged_at": CAME}, "02 10:00", []),
        ({"spoke_at": local("02 08:30"), "waiting_since": None}, "02 10:00", []),
    ],
)
def test_who_came_back_is_told_once(changes: dict[str, Any], at: str, steps: list[Step]) -> None:
    came_back = replace(UNCLAIMED, reopened=True, reason=None, **changes)
    assert due(came_back, PATIENCE, local(at)) == steps


def test_who_did_not_come_back_was_told_by_the_run() -> None:
    assert due(replace(UNCLAIMED, spoke_at=local("02 08:00")), PATIENCE, CAME) == []


@pytest.mark.parametrize(
    ("wrote", "warned", "at", "warns"),
    [
        ("02 10:00", None, "03 05:59", False),
        ("02 10:00", None, "03 06:00", True),  # four hours before, whatever the hour
        ("02 10:00", None, "03 09:59", True),
        ("02 10:00", None, "03 10:00", False),  # too late: it is shut
        ("02 10:00", "03 06:00", "03 07:00", False),
        ("02 10:00", "01 06:00", "03 06:00", True),  # of an earlier window
        # Friday 17:50: on Saturday people leave at 13:00, long before it shuts.
        ("04 17:50", None, "05 11:59", False),
        ("04 17:50", None, "05 12:00", True),
    ],
)
@pytest.mark.parametrize("held", [UNCLAIMED, CLAIMED], ids=["nobody's", "somebody's"])
def test_the_window_is_warned_of_while_there_is_time(
    held: Standing, wrote: str, warned: str | None, at: str, warns: bool
) -> None:
    moment = local(wrote)
    standing = replace(
        held,
        held_since=moment,
        waiting_since=moment,
        last_inbound_at=moment,
        window_warned_at=local(warned) if warned else None,
    )
    assert (Step.WARN in due(standing, PATIENCE, local(at))) is warns


def test_who_is_answered_needs_no_warning() -> None:
    answered = replace(CLAIMED, waiting_since=None)
    assert due(answered, PATIENCE, local("03 09:00")) == []
