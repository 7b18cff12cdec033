"""Logins by the commands: a role, shut out and let in again, told what a new password is good for."""

from datetime import datetime

import pytest

from bot.process import staff_logins
from bot.process.staff_logins import AccountError
from models import staff
from models.acts import conversation_acts
from models.conversation import Conversation, Holder
from models.db import Database
from models.staff import LoggedIn, Refused
from tests.fakes.talk import PASSWORD, Talk

EMAIL = "ana@bela.test"


@pytest.fixture
def talk(db: Database, now: datetime) -> Talk:
    return Talk(db, now)


def logs_in(talk: Talk, password: str = PASSWORD) -> type:
    return type(staff.log_in(talk.db, talk.now, EMAIL, password, "203.0.113.7"))


def test_disabled_and_enabled_again(talk: Talk) -> None:
    """With the password that they had; what they held waits for others meanwhile."""
    talk.take(talk.ana)
    assert staff_logins.disable(talk.db, talk.now, EMAIL.upper()) == 1
    assert logs_in(talk) is Refused
    with talk.db.reading() as session:
        assert session.get_one(Conversation, talk.id).holder == Holder.QUEUE
    assert staff_logins.disable(talk.db, talk.now, EMAIL) == 0
    staff_logins.enable(talk.db, talk.now, EMAIL)
    assert logs_in(talk) is LoggedIn
    staff_logins.enable(talk.db, talk.now, EMAIL)
    with talk.db.writing() as session:
        conversation_acts.take(session, talk.now, talk.tenant, talk.id, talk.ana)


def test_a_new_password_of_a_disabled_login_says_so(talk: Talk) -> None:
    """Whoever resets it would wait at the door with it."""
    assert staff_logins.reset(talk.db, talk.now, EMAIL, "uma senha bem comprida").disabled is False
    staff_logins.disable(talk.db, talk.now, EMAIL)
    done = staff_logins.reset(talk.db, talk.now, EMAIL, None)
    assert done.disabled is True
    assert logs_in(talk, done.password) is Refused
    staff_logins.enable(talk.db, talk.now, EMAIL)
    assert logs_in(talk, done.password) is LoggedIn


@pytest.mark.parametrize("role", staff.ROLES)
def test_a_login_of_each_role(talk: Talk, role: str) -> None:
    staff_logins.add(talk.db, talk.now, "studio-bela", "nina@bela.test", "Nina", None, role)
    assert any(f"nina@bela.test  Nina  {role}" in line for line in staff_logins.lines(talk.db, None))


@pytest.mark.parametrize("act", [staff_logins.disable, staff_logins.enable])
def test_nobody_is_found_by_another_address(talk: Talk, act: object) -> None:
    assert callable(act)
    with pytest.raises(AccountError, match="--email: there is no login"):
        act(talk.db, talk.now, "ninguem@bela.test")
