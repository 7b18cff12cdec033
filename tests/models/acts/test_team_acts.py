"""Who manages whom, and what happens when several do at once."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from models import staff
from models.acts import team_acts
from models.acts.team_acts import LINK_LIFE
from models.db import Database
from models.errors import NotFound, Refusal
from models.staff import Staff
from tests.fakes.talk import Talk, together

NEW = "outra senha bem comprida"
AGAIN = range(3)


@pytest.fixture
def talk(db: Database, now: datetime) -> Talk:
    made = Talk(db, now)
    for staff_id in (made.ana, made.bruno):
        role(made, staff_id, "owner")
    return made


def role(talk: Talk, staff_id: int, name: str) -> None:
    with talk.db.writing() as session:
        session.get_one(Staff, staff_id).role = name


def in_force(talk: Talk) -> list[str]:
    with talk.db.reading() as session:
        return [person.name for person in staff.list_of(session, talk.tenant) if person.disabled_at is None]


def link(talk: Talk, email: str = "nina@bela.test") -> str:
    with talk.db.writing() as session:
        return team_acts.invite(
            session, talk.now, talk.tenant, talk.ana, email=email, name="Nina", role="attendant"
        )


@pytest.mark.parametrize("time", AGAIN)
def test_two_owners_disable_each_other_and_one_is_left(talk: Talk, time: int) -> None:
    results = together(
        [
            lambda: team_acts.disable(talk.db, talk.now, talk.bruno, by=talk.ana),
            lambda: team_acts.disable(talk.db, talk.now, talk.ana, by=talk.bruno),
        ]
    )
    refused = [each for each in results if isinstance(each, Refusal)]
    assert [each.code for each in refused] == ["SEM_PODER"]
    assert len(in_force(talk)) == 1


@pytest.mark.parametrize("time", AGAIN)
def test_two_owners_lower_each_other_and_one_is_left(talk: Talk, time: int) -> None:
    def lower(by: int, whom: int) -> Callable[[], None]:
        def act() -> None:
            with talk.db.writing() as session:
                team_acts.set_role(session, talk.now, talk.tenant, by, whom, "attendant")

        return act

    results = together([lower(talk.ana, talk.bruno), lower(talk.bruno, talk.ana)])
    assert sum(isinstance(each, Refusal) for each in results) == 1
    with talk.db.reading() as session:
        roles = [person.role for person in staff.list_of(session, talk.tenant)]
    assert sorted(roles) == ["attendant", "owner"]


@pytest.mark.parametrize("time", AGAIN)
def test_a_link_opens_once_also_for_several_at_once(talk: Talk, time: int) -> None:
    token = link(talk)
    results = together([lambda: team_acts.accept(talk.db, talk.now, token, NEW) for _ in range(4)])
    assert sorted(results, key=str) == [False, False, False, True]
    assert in_force(talk).count("Nina") == 1


def test_an_address_that_got_a_login_meanwhile_opens_nothing(talk: Talk) -> None:
    token = link(talk)
    with talk.db.writing() as session:
        staff.add(session, talk.now, talk.other.tenant, "nina@bela.test", "Nina de lá", NEW)
    assert team_acts.accept(talk.db, talk.now, token, NEW) is False
    assert "Nina" not in in_force(talk)


@pytest.mark.parametrize(("later", "opens"), [(LINK_LIFE - timedelta(seconds=1), True), (LINK_LIFE, False)])
def test_the_hour_is_half_open(talk: Talk, later: timedelta, opens: bool) -> None:
    token = link(talk)
    assert team_acts.accept(talk.db, talk.now + later, token, NEW) is opens


@pytest.mark.parametrize("nonsense", ["", "x", "\ud800", "\x00"])
def test_nonsense_is_no_link(talk: Talk, nonsense: str) -> None:
    assert team_acts.accept(talk.db, talk.now, nonsense, NEW) is False


POWER = [
    ("owner", "owner", True),
    ("owner", "manager", True),
    ("owner", "attendant", True),
    ("manager", "owner", False),
    ("manager", "manager", False),
    ("manager", "attendant", True),
    ("attendant", "owner", False),
    ("attendant", "manager", False),
    ("attendant", "attendant", False),
]


@pytest.mark.parametrize(("actor", "other", "may"), POWER)
def test_who_may_manage_whom(talk: Talk, actor: str, other: str, may: bool) -> None:
    role(talk, talk.ana, actor)
    role(talk, talk.bruno, other)
    if may:
        assert team_acts.disable(talk.db, talk.now, talk.bruno, by=talk.ana) == 0
        return
    with pytest.raises(Refusal) as refusal:
        team_acts.disable(talk.db, talk.now, talk.bruno, by=talk.ana)
    assert refusal.value.code == "SEM_PODER"
    assert "Bruno Reis" in in_force(talk)


@pytest.mark.parametrize(("actor", "other", "may"), POWER)
def test_nobody_gives_a_role_that_they_do_not_manage(talk: Talk, actor: str, other: str, may: bool) -> None:
    role(talk, talk.ana, actor)
    role(talk, talk.bruno, "attendant")

    def give() -> None:
        with talk.db.writing() as session:
            team_acts.set_role(session, talk.now, talk.tenant, talk.ana, talk.bruno, other)

    if may:
        give()
        return
    with pytest.raises(Refusal, match="SEM_PODER"):
        give()


@pytest.mark.parametrize("act", ["disable", "enable", "set_role", "new_link", "end_sessions"])
def test_a_colleague_of_another_business_is_missing(talk: Talk, act: str) -> None:
    role(talk, talk.carla, "attendant")

    def run(staff_id: int) -> str:
        with pytest.raises(NotFound) as missing:
            if act == "disable":
                team_acts.disable(talk.db, talk.now, staff_id, by=talk.ana)
            with talk.db.writing() as session:
                place = (session, talk.now, talk.tenant, talk.ana, staff_id)
                match act:
                    case "enable":
                        team_acts.enable(session, talk.now, staff_id, by=talk.ana)
                    case "end_sessions":
                        team_acts.end_sessions(*place)
                    case "set_role":
                        team_acts.set_role(*place, "manager")
                    case "new_link":
                        team_acts.new_link(*place)
        return str(missing.value)

    assert run(talk.carla) == run(987654)
    with talk.db.reading() as session:
        carla = session.exec(select(Staff).where(Staff.id == talk.carla)).one()
    assert (carla.role, carla.disabled_at) == ("attendant", None)
