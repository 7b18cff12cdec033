"""Staff accounts: logins, throttling, sessions."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import event
from sqlmodel import select

from models import login_throttle, staff
from models import password as passwords
from models.acts import team_acts
from models.audit import AuditEvent
from models.db import Database
from models.errors import NotFound
from models.login_throttle import LoginAttempt
from models.password import Unacceptable
from models.staff import LoggedIn, Refused, Staff, StaffSession, Throttled
from models.tenant import Tenant

CARLA, RAI = "carla@bela.com.br", "rai@rionegro.com.br"
SECRET, WRONG = "cavalo correto bateria", "cavalo errado bateria"
HOME = "203.0.113.7"
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
# Hashed once: the tests of sessions need no argon2 of their own.
HASH = passwords.hash(SECRET)


@pytest.fixture
def house(db: Database, now: datetime) -> Database:
    """Two businesses; Carla (1) works for the first, Rai (2) for the second."""
    with db.writing() as session:
        for slug in ("bela", "rio-negro"):
            session.add(
                Tenant(slug=slug, name=slug, whatsapp=slug, timezone="America/Sao_Paulo", created_at=now)
            )
            session.flush()
        for tenant_id, email in ((1, CARLA), (2, RAI)):
            session.add(
                Staff(tenant_id=tenant_id, email=email, name=email, password_hash=HASH, created_at=now)
            )
            session.flush()
    return db


def rows(db: Database, model: type[Any]) -> list[Any]:
    with db.reading() as session:
        return list(session.exec(select(model).order_by(model.id)))


def enter(
    db: Database,
    now: datetime,
    password: str = SECRET,
    *,
    email: str = CARLA,
    address: str = HOME,
    browser: str = "",
) -> Any:
    return staff.log_in(db, now, email, password, address, browser=browser)


def token_of(db: Database, now: datetime) -> str:
    outcome = enter(db, now)
    assert isinstance(outcome, LoggedIn)
    return outcome.token


def who(db: Database, now: datetime, token: str, active: bool = True) -> str | None:
    with db.reading() as session:
        found = staff.visit(session, now, token)
    if found is None:
        return None
    if active and found.is_news(now):
        with db.writing() as session:
            staff.touch(session, now, found.session_id)
    return found.staff.email


# Accounts


def test_add(house: Database, now: datetime) -> None:
    """The e-mail is kept in lower case, the password as argon2id only."""
    with house.writing() as session:
        made = staff.add(session, now, 1, " Bia@Bela.com.BR ", " Bia  Lima ", SECRET)
        assert made.id == 3
    kept = rows(house, Staff)[-1]
    assert (kept.tenant_id, kept.email, kept.name, kept.role) == (1, "bia@bela.com.br", "Bia Lima", "owner")
    assert kept.password_hash.startswith("$argon2id$")
    assert isinstance(enter(house, now, email="BIA@bela.com.br"), LoggedIn)
    added = rows(house, AuditEvent)[0]
    assert (added.tenant_id, added.action, added.subject_id) == (1, "staff.add", 3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"email": "bia"}, '"bia" is no e-mail address.'),
        ({"email": "bia@bela"}, '"bia@bela" is no e-mail address.'),
        ({"email": "bia lima@bela.com"}, '"bia lima@bela.com" is no e-mail address.'),
        ({"email": "b" * 250 + "@b.com"}, "is no e-mail address."),
        ({"email": CARLA.upper()}, f"{CARLA} has a login already."),
        ({"email": RAI}, f"{RAI} has a login already."),
        ({"name": "  "}, "The name must have 1 to 120 characters."),
        ({"name": "B" * 121}, "The name must have 1 to 120 characters."),
        ({"role": "boss"}, '"boss" is no role; there are attendant, manager, owner.'),
        ({"password": "short"}, "The password must have at least 12 characters."),
        ({"password": "x" * 129}, "The password must have at most 128 characters."),
    ],
)
def test_add_refuses(house: Database, now: datetime, change: dict[str, str], sentence: str) -> None:
    """One clear sentence, and no row. An e-mail is taken by a login of any business."""
    wanted = {"email": "bia@bela.com.br", "name": "Bia", "password": SECRET} | change
    with pytest.raises(Unacceptable) as caught, house.writing() as session:
        staff.add(session, now, 1, **wanted)
    assert str(caught.value).endswith(sentence)
    assert len(rows(house, Staff)) == 2


@pytest.mark.parametrize(
    ("email", "found"),
    [
        (CARLA, True),
        (f" {CARLA.upper()} ", True),
        ("nobody@bela.com.br", False),
        ("", False),
        ("a@b.c\x00", False),
    ],
)
def test_find_by_email(house: Database, email: str, found: bool) -> None:
    with house.reading() as session:
        assert (staff.find_by_email(session, email) is not None) is found


def test_list_is_of_one_business(house: Database, now: datetime) -> None:
    with house.writing() as session:
        staff.add(session, now, 1, "ana@bela.com.br", "Ana", SECRET, role="attendant")
        assert [row.email for row in staff.list_of(session, 1)] == ["ana@bela.com.br", CARLA]
        assert [row.email for row in staff.list_of(session, 2)] == [RAI]


@pytest.mark.parametrize(
    "act",
    [
        lambda session, now: staff.reset_password(session, now, 99, SECRET),
    ],
)
def test_an_unknown_account_is_not_found(house: Database, now: datetime, act: Callable[..., None]) -> None:
    with pytest.raises(NotFound), house.writing() as session:
        act(session, now)


# Logging in


def test_log_in(house: Database, now: datetime) -> None:
    """The right password opens a session, leaves no failure behind, and is audited."""
    outcome = enter(house, now, email=" Carla@BELA.com.br ")
    assert isinstance(outcome, LoggedIn)
    assert outcome.staff.email == CARLA
    assert who(house, now, outcome.token) == CARLA
    assert rows(house, LoginAttempt) == []
    assert [(row.tenant_id, row.action, row.staff_id) for row in rows(house, AuditEvent)] == [
        (1, "staff.log_in", 1)
    ]


@pytest.mark.parametrize(
    ("email", "password"),
    [
        (CARLA, WRONG),
        (CARLA, ""),
        (CARLA, SECRET + "x" * 200),
        ("nobody@bela.com.br", SECRET),
        ("not an address", SECRET),
        ("a\x00@b.c", SECRET),
        ("", ""),
    ],
)
def test_refused(house: Database, now: datetime, email: str, password: str) -> None:
    """Unknown, malformed or wrong: the same answer, and no session."""
    assert enter(house, now, password, email=email) == Refused()
    assert rows(house, StaffSession) == []


def test_each_login_has_a_session_of_its_own(house: Database, now: datetime) -> None:
    first, second = token_of(house, now), token_of(house, now)
    assert first != second
    assert who(house, now, first) == who(house, now, second) == CARLA


def test_the_database_holds_no_token_and_no_address(house: Database, now: datetime) -> None:
    """Whoever reads the tables can neither enter nor see who tried."""
    token = token_of(house, now)
    enter(house, now, WRONG)
    kept = str([row.model_dump() for model in (StaffSession, LoginAttempt) for row in rows(house, model)])
    assert len(token) >= 43
    assert token not in kept
    assert CARLA not in kept
    assert HOME not in kept


def test_an_outdated_hash_is_made_anew(house: Database, now: datetime) -> None:
    """Stronger parameters reach an old account at its next login."""
    with house.writing() as session:
        session.get_one(Staff, 1).password_hash = PasswordHasher(time_cost=1, memory_cost=8192).hash(SECRET)
    token_of(house, now)
    kept = rows(house, Staff)[0].password_hash
    assert not passwords.is_outdated(kept)
    assert passwords.verify(kept, SECRET)


class Watched(str):
    """A password that calls back at the moment when it is looked at."""

    def __new__(cls, text: str, seen: Callable[[], None]) -> "Watched":
        made = super().__new__(cls, text)
        made.seen = seen
        return made

    seen: Callable[[], None]

    def __getitem__(self, part: Any) -> str:
        self.seen()
        return super().__getitem__(part)


def test_no_transaction_is_open_while_the_password_is_checked(house: Database, now: datetime) -> None:
    """Argon2 takes its time: nobody may wait for the database meanwhile."""
    happened: list[str] = []
    watches = {kind: lambda _, kind=kind: happened.append(kind) for kind in ("begin", "commit")}
    for kind, watch in watches.items():
        event.listen(house.engine, kind, watch)
    outcome = enter(house, now, Watched(SECRET, lambda: happened.append("checked")))
    for kind, watch in watches.items():
        event.remove(house.engine, kind, watch)
    assert isinstance(outcome, LoggedIn)
    assert happened == ["begin", "commit", "checked", "begin", "commit"]


def disabled(db: Database, now: datetime) -> None:
    team_acts.disable(db, now, 1)


def reset(db: Database, now: datetime) -> None:
    with db.writing() as session:
        staff.reset_password(session, now, 1, "um outro segredo longo")


@pytest.mark.parametrize("meanwhile", [disabled, reset])
def test_a_change_while_the_password_is_checked_wins(
    house: Database, now: datetime, meanwhile: Callable[[Database, datetime], None]
) -> None:
    """Somebody dismissed in this very moment does not get in."""
    assert enter(house, now, Watched(SECRET, lambda: meanwhile(house, now))) == Refused()
    assert rows(house, StaffSession) == []


# Throttling


@pytest.mark.parametrize(
    ("failures", "ago", "seconds"),
    [
        (0, None, 0),
        (4, 0, 0),
        (5, 0, 30),
        (5, 29.5, 1),
        (5, 30, 0),
        (5, 31, 0),
        (6, 0, 60),
        (7, 20, 100),
        (10, 0, 900),
        (500, 0, 900),
        (500, 900, 0),
    ],
)
def test_waits_grow_up_to_a_limit(now: datetime, failures: int, ago: float | None, seconds: int) -> None:
    last = None if ago is None else now - timedelta(seconds=ago)
    assert login_throttle.PER_GUESSER.wait(failures, last, now) == seconds


def test_the_sixth_try_has_to_wait(house: Database, now: datetime) -> None:
    """After five failures not even the right password is heard, until the time is over."""
    assert [enter(house, now, WRONG) for _ in range(5)] == [Refused()] * 5
    assert enter(house, now) == Throttled(30)
    assert enter(house, now + 29 * SECOND) == Throttled(1)
    assert isinstance(enter(house, now + 30 * SECOND), LoggedIn)
    assert enter(house, now + 31 * SECOND, WRONG) == Refused()


def test_the_wait_doubles_with_each_failure(house: Database, now: datetime) -> None:
    for _ in range(5):
        enter(house, now, WRONG)
    assert enter(house, now + 30 * SECOND, WRONG) == Refused()
    assert enter(house, now + 30 * SECOND) == Throttled(60)
    assert enter(house, now + 90 * SECOND, WRONG) == Refused()
    assert enter(house, now + 90 * SECOND) == Throttled(120)


def test_tries_that_were_not_heard_do_not_count(house: Database, now: datetime) -> None:
    """Hammering on a throttled account does not keep its owner out for longer."""
    for _ in range(15):
        enter(house, now, WRONG)
    assert enter(house, now) == Throttled(30)


def test_unknown_accounts_are_throttled_like_known_ones(house: Database, now: datetime) -> None:
    """Otherwise the throttle itself would tell which accounts exist."""
    for _ in range(5):
        enter(house, now, WRONG, email="nobody@bela.com.br")
    assert enter(house, now, email="NOBODY@bela.com.br") == Throttled(30)


def test_one_account_does_not_throttle_another(house: Database, now: datetime) -> None:
    """Colleagues behind the same address still get in."""
    for _ in range(5):
        enter(house, now, WRONG)
    assert enter(house, now) == Throttled(30)
    assert isinstance(enter(house, now, email=RAI), LoggedIn)


def test_nobody_locks_the_owner_out(house: Database, now: datetime) -> None:
    """K11: a stranger's failures slow the stranger; those of a thousand networks slow each try by seconds."""
    for _ in range(6):
        enter(house, now, WRONG, address="198.51.100.7")
    assert isinstance(enter(house, now), LoggedIn)
    for number in range(60):
        enter(house, now + timedelta(minutes=number), WRONG, address=f"198.51.100.{number + 10}")
    later = now + timedelta(minutes=59)
    assert enter(house, later) == Throttled(10)
    assert isinstance(enter(house, later + 10 * SECOND), LoggedIn)


def test_a_known_browser_waits_for_nobody_else(house: Database, now: datetime) -> None:
    """Not for strangers in the same shop; and it is no way to guess for ever."""
    for _ in range(5):
        enter(house, now, WRONG)
    assert enter(house, now) == Throttled(30)
    assert isinstance(enter(house, now, browser="b1"), LoggedIn)
    assert [enter(house, now, WRONG, browser="b1") for _ in range(5)] == [Refused()] * 5
    assert enter(house, now, browser="b1") == Throttled(30)


@pytest.mark.parametrize(
    ("addresses", "other"),
    [
        (lambda number: HOME, "203.0.113.8"),
        (lambda number: f"2001:db8:1:1::{number:x}", "2001:db8:1:2::1"),
        (lambda number: "", HOME),
    ],
    ids=["IPv4", "one network of IPv6", "unknown"],
)
def test_one_address_is_throttled_over_all_accounts(
    house: Database, now: datetime, addresses: Callable[[int], str], other: str
) -> None:
    """Trying one password on many accounts is slowed down too, but never for long."""
    with house.writing() as session:
        for number in range(30):
            *_, place = login_throttle.of_login("", addresses(number), "")
            session.add(LoginAttempt(subject=place.subject, at=now))
    assert enter(house, now, address=addresses(30)) == Throttled(10)
    assert isinstance(enter(house, now, address=other), LoggedIn)
    assert isinstance(enter(house, now + MINUTE, address=addresses(31)), LoggedIn)


def test_success_forgets_the_accounts_failures_only(house: Database, now: datetime) -> None:
    """Whoever has a login of their own cannot wash their address clean with it."""
    for _ in range(3):
        enter(house, now, WRONG)
    token_of(house, now)
    assert [enter(house, now, WRONG) for _ in range(5)] == [Refused()] * 5
    subjects = Counter(row.subject for row in rows(house, LoginAttempt))
    assert sorted(subjects.values()) == [5, 8, 8]


def test_old_failures_are_forgotten_and_pruned(house: Database, now: datetime) -> None:
    for _ in range(5):
        enter(house, now, WRONG)
    assert isinstance(enter(house, now + 12 * HOUR, email=RAI), LoggedIn)
    assert rows(house, LoginAttempt) == []


def test_throttling_survives_a_restart(house: Database, now: datetime) -> None:
    """The counters are rows, not memory."""
    for _ in range(5):
        enter(house, now, WRONG)
    again = Database(house.url)
    assert enter(again, now) == Throttled(30)
    again.dispose()


def test_many_at_once_are_not_heard_more_often(house: Database, now: datetime) -> None:
    """Twelve tries in the same moment: five are checked, seven have to wait."""
    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(lambda _: enter(house, now, WRONG), range(12)))
    assert Counter(type(outcome) for outcome in outcomes) == {Refused: 5, Throttled: 7}


# Sessions


@pytest.mark.parametrize("token", ["", "nonsense", "\ud800", "\x00", "x" * 100_000])
def test_nonsense_is_no_session(house: Database, now: datetime, token: str) -> None:
    assert who(house, now, token) is None


def test_a_session_ends_when_idle(house: Database, now: datetime) -> None:
    token = token_of(house, now)
    assert who(house, now + 8 * HOUR - SECOND, token, active=False) == CARLA
    assert who(house, now + 8 * HOUR, token) is None


def test_activity_keeps_a_session_alive_up_to_the_absolute_limit(house: Database, now: datetime) -> None:
    token = token_of(house, now)
    assert who(house, now + 7 * HOUR, token) == CARLA
    assert who(house, now + 12 * HOUR - SECOND, token) == CARLA
    assert who(house, now + 12 * HOUR, token) is None


def test_polling_is_no_activity(house: Database, now: datetime) -> None:
    """A page left open that refreshes itself does not stay logged in for ever."""
    token = token_of(house, now)
    for hours in range(1, 8):
        assert who(house, now + hours * HOUR, token, active=False) == CARLA
    assert who(house, now + 8 * HOUR, token, active=False) is None


def test_polling_needs_no_writing(house: Database, now: datetime) -> None:
    token = token_of(house, now)
    with house.reading() as session:
        assert staff.visit(session, now + HOUR, token) is not None


def test_a_visit_is_written_down_once_a_minute(house: Database, now: datetime) -> None:
    token = token_of(house, now)
    seen = []
    for seconds in (30, 59, 60, 100, 120):
        who(house, now + seconds * SECOND, token)
        seen.append((rows(house, StaffSession)[0].last_seen_at - now) / SECOND)
    assert seen == [0, 0, 60, 60, 120]


def test_log_out_ends_one_session(house: Database, now: datetime) -> None:
    first, second = token_of(house, now), token_of(house, now)
    with house.writing() as session:
        staff.log_out(session, now, first)
        staff.log_out(session, now, "nonsense")
    assert who(house, now, first) is None
    assert who(house, now, second) == CARLA


def test_end_all_ends_every_session_of_one(house: Database, now: datetime) -> None:
    tokens = [token_of(house, now), token_of(house, now)]
    other = enter(house, now, email=RAI).token
    with house.writing() as session:
        staff.end_all(session, now, 1)
    assert [who(house, now, token) for token in tokens] == [None, None]
    assert who(house, now, other) == RAI


def test_reset_password(house: Database, now: datetime) -> None:
    """The old password and every session are dead, and the account is not throttled any more."""
    token = token_of(house, now)
    for _ in range(5):
        enter(house, now, WRONG)
    reset(house, now)
    assert who(house, now, token) is None
    assert enter(house, now) == Refused()
    assert isinstance(enter(house, now, "um outro segredo longo"), LoggedIn)
    with pytest.raises(Unacceptable), house.writing() as session:
        staff.reset_password(session, now, 1, "short")


def test_disable(house: Database, now: datetime) -> None:
    """A dismissed person is out at once."""
    token = token_of(house, now)
    disabled(house, now)
    disabled(house, now + HOUR)
    assert rows(house, Staff)[0].disabled_at == now
    assert who(house, now, token) is None
    assert enter(house, now) == Refused()
    acts = [row.action for row in rows(house, AuditEvent)]
    assert acts == ["staff.log_in", "staff.disable"]


def test_a_disabled_login_is_out_even_with_a_session(house: Database, now: datetime) -> None:
    """The account's state is looked at with each request, not only when its sessions are ended."""
    token = token_of(house, now)
    with house.writing() as session:
        session.get_one(Staff, 1).disabled_at = now
    assert who(house, now, token) is None


def test_sessions_of_long_ago_are_pruned(house: Database, now: datetime) -> None:
    token_of(house, now)
    token_of(house, now + timedelta(days=7))
    assert [row.created_at for row in rows(house, StaffSession)] == [now + timedelta(days=7)]
