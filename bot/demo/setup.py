"""What `horacerta demo` sets up: its own data, secrets and account, the sample businesses, their logins."""

import atexit
import fcntl
import json
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

from flask import Blueprint
from sqlmodel import Session, SQLModel, col, select

from bot.core.services import Services
from bot.core.settings import Settings, SettingsError, load
from bot.demo import sample_data
from bot.demo.fake_twilio import API, Account, Alarm, HttpPost, Line, Person, StandIn
from bot.demo.fake_twilio_content import Option
from bot.demo.fake_twilio_routes import standin
from bot.demo.page import Login, demo
from bot.intents import choices
from bot.process import staff_logins
from bot.process.server import NotListening
from models import business_file, content_template
from models.conversation import Conversation
from models.customer import Customer
from models.message import Direction, Message
from models.password import generate, verify
from models.staff import Staff
from models.tenant import Tenant

BUSINESSES = Path(__file__).parents[2] / "templates" / "business"
PEOPLE = {
    "marina": Person("Marina", "whatsapp:+5511900000001", "whatsapp:BR.9100000000000001"),
    # An older account: WhatsApp writes its number without the ninth digit.
    "joao": Person("João", "whatsapp:+559280000002", "whatsapp:BR.9100000000000002"),
}
PASSWORD = "demo-hora-certa"  # noqa: S105  # known to everybody: only where nobody else can reach the page
REMEMBERED = 2000
OPEN_SINCE = timedelta(days=14)  # before all that happens in `demo_life`, or the log would be out of order
SECRETS, LOCK = "demo.json", "demo.lock"


@dataclass(frozen=True)
class Sample:
    """A business of the demo, and who works on its queue."""

    file: str
    slug: str
    staff: str
    rich: bool = False  # with buttons, lists and pictures

    @property
    def email(self) -> str:
        return f"equipe@{self.slug}.example"


SAMPLES = (
    Sample("studio-bela.yaml", "studio-bela", "Patrícia Gomes", rich=True),
    Sample("barbearia-rio-negro.yaml", "barbearia-rio-negro", "Edson Lima"),
)


@dataclass(frozen=True)
class DemoSetup:
    """What the demo runs with. `logins` by the slug of the business; the lines are for the terminal."""

    settings: Settings
    account: Account
    logins: Mapping[str, Login]
    lines_to_print: list[str]


def prepare(data: Path | None, host: str, port: int, environment: Mapping[str, str]) -> DemoSetup:
    """Settings for a demo on this address. Without a folder its data are gone when the program ends.

    The model comes from the environment as always; database, secrets and Twilio are the demo's own. Port 0
    is a free one. Raises SettingsError, NotListening.
    """
    folder = data or _passing_folder()
    own = _own(folder)
    port = port or _free_port(host)
    address = f"http://{_reachable(host)}:{port}"
    settings = load(
        database_url=f"sqlite:///{folder / 'horacerta.db'}",
        secret_key=own["secret_key"],
        public_url=address,
        host=host,
        port=port,
        twilio_account_sid=own["account_sid"],
        twilio_auth_token=own["auth_token"],
        twilio_api_url=f"{address}{API}",
        limit_customer_runs_per_day=1000,  # whoever tries it out writes more in a day than a customer
    )
    password = PASSWORD if _is_loopback(host) else generate()
    logins = {sample.slug: Login(sample.email, password) for sample in SAMPLES}
    return DemoSetup(
        settings=settings,
        account=Account(own["account_sid"], own["auth_token"]),
        logins=logins,
        lines_to_print=[*_lines(settings, logins, data), *_unused(environment)],
    )


@contextmanager
def alone_in(folder: Path | None) -> Iterator[None]:
    """Makes the folder where there is none, and keeps other demos out of it. Raises SettingsError."""
    if folder is None:
        yield
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = (folder / LOCK).open("w")
    except OSError as error:
        raise SettingsError(f"--data: {folder} cannot be used ({error.strerror}).") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(f"--data: {folder} is in use by a demo that is running already.") from None
        yield  # the lock goes with the file, and with the process


def _passing_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="horacerta-demo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _own(folder: Path) -> dict[str, str]:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _secrets(folder / SECRETS)
    except OSError as error:
        raise SettingsError(f"--data: {folder} cannot be used ({error.strerror}).") from None
    except ValueError:
        raise SettingsError(f"--data: {folder / SECRETS} cannot be read; delete it.") from None


def _secrets(file: Path) -> dict[str, str]:
    """Made at the first start, kept beside the data: sessions and signatures outlive a restart."""
    if file.exists():
        kept: dict[str, str] = json.loads(file.read_text())
        return kept
    made = {
        "secret_key": secrets.token_urlsafe(48),
        "account_sid": f"AC{secrets.token_hex(16)}",
        "auth_token": secrets.token_hex(16),
    }
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as opened:
        json.dump(made, opened)
    return made


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            raise NotListening(host, 0, error) from None
        port: int = probe.getsockname()[1]
        return port


def _reachable(host: str) -> str:
    """Where this machine reaches a server that listens on `host`, as a part of an address."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # not bound here
    return f"[{name}]" if ":" in name else name


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _lines(settings: Settings, logins: Mapping[str, Login], data: Path | None) -> list[str]:
    lines = [
        "Hora Certa, demo",
        f"  The customer's phone   {settings.public_url}/demo",
        f"  The staff page         {settings.public_url}/fila",
        *(f"    login {login.email}  password {login.password}" for login in logins.values()),
        f"  Answers                {_MODELS[settings.provider]}",
        f"  Data                   {data.resolve() if data else 'gone at the end (keep it with --data DIR)'}",
    ]
    if not _is_loopback(settings.host):
        lines.append(
            f"  WARNING: listening on {settings.host}: whoever reaches this port can use all of the demo. "
            "It is meant for this machine alone."
        )
    return [*lines, "  Ctrl-C ends it."]


_MODELS = {
    "offline": "the built-in offline model: rules, no AI, nothing leaves this machine",
    "anthropic": "Claude, with your ANTHROPIC_API_KEY",
    "openai": "the OpenAI-compatible server of OPENAI_BASE_URL",
}


def _unused(environment: Mapping[str, str]) -> list[str]:
    names = ("DATABASE_URL", "SECRET_KEY", "PUBLIC_URL", "TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN")
    found = [name for name in names if environment.get(name)]
    return [f"  Not used by the demo: {', '.join(found)}."] if found else []


def seed(services: Services, setup: DemoSetup) -> None:
    """The sample businesses, their logins with this start's password, and at the first start some life.

    Before the workers start. A business that is there is left as it is.
    """
    for sample in SAMPLES:
        _seed_business(services, sample, setup.logins[sample.slug])


def _seed_business(services: Services, sample: Sample, login: Login) -> None:
    now = services.now()
    opened = now - OPEN_SINCE
    with services.db.writing() as session:
        if not _exists(session, Tenant, slug=sample.slug):
            business_file.apply(session, business_file.load(BUSINESSES / sample.file), opened)
            _show_off(session, sample)
        known = session.exec(select(Staff).where(Staff.email == login.email)).first()
    if known is None:
        staff_logins.add(services.db, opened, sample.slug, login.email, sample.staff, login.password)
    elif not verify(known.password_hash, login.password):
        # What is printed must open; who comes back with it stays logged in.
        staff_logins.reset(services.db, now, login.email, login.password)
    with services.db.reading() as session:
        tenant = session.exec(select(Tenant).where(Tenant.slug == sample.slug)).one()
        staff = session.exec(select(Staff).where(Staff.email == login.email)).one()
        lived = _exists(session, Customer, tenant_id=tenant.id)
    assert staff.id is not None
    if not lived:
        sample_data.begin(services, tenant, staff.id)


def _show_off(session: Session, sample: Sample) -> None:
    """One of the two businesses has what WhatsApp can do beyond words."""
    tenant = session.exec(select(Tenant).where(Tenant.slug == sample.slug)).one()
    tenant.buttons = tenant.images = sample.rich


def _exists(session: Session, model: type[SQLModel], **values: object) -> bool:
    return session.exec(select(model).filter_by(**values).limit(1)).first() is not None


def blueprints(services: Services, setup: DemoSetup) -> tuple[Blueprint, ...]:
    """The demo page, and the Twilio stand-in that it needs, with the phones as they were left."""
    with services.db.writing() as session:
        content_template.forget_all(session)  # the stand-in's own memory of them ended with the program
        tenants = session.exec(select(Tenant)).all()
        lines = list(_remembered(session))
    assert setup.settings.public_url is not None
    stand_in = StandIn(
        setup.account,
        setup.settings.public_url,
        [f"whatsapp:{tenant.whatsapp}" for tenant in tenants],
        now=services.now,
        later=Alarm(),
        post=HttpPost(),
    )
    stand_in.remember(lines)
    return demo(stand_in, PEOPLE, setup.logins), standin(stand_in)


def _remembered(session: Session) -> Iterable[Line]:
    """What had reached a phone, or come from one, when the program ended last; oldest first."""
    query = (
        select(Message, Conversation.address, Tenant.whatsapp)
        .join(Conversation, col(Conversation.id) == col(Message.conversation_id))
        .join(Tenant, col(Tenant.id) == col(Message.tenant_id))
        .where(col(Message.provider_sid).is_not(None))
        .order_by(col(Message.id).desc())
        .limit(REMEMBERED)
    )
    for row, address, number in reversed(session.exec(query).all()):
        yield _line(row, address, f"whatsapp:{number}")


def _line(row: Message, person: str, business: str) -> Line:
    assert row.provider_sid is not None
    inbound = row.direction == Direction.IN
    question = choices.menu_of(row.extra)
    return Line(
        sid=row.provider_sid,
        sender=person if inbound else business,
        recipient=business if inbound else person,
        text="" if row.kind == "location" else row.text,
        at=row.created_at,
        inbound=inbound,
        kind=row.kind,
        place=row.text if row.kind == "location" else "",
        status="delivered" if inbound else row.status,
        options=tuple(Option(**asdict(one)) for one in question.choices) if question else (),
        button=question.button if question else "",
    )
