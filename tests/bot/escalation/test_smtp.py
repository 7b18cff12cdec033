"""Mail to staff, through a real SMTP server on this machine."""

import smtplib
import socket
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword

from bot.cli import doctor
from bot.cli.finding import Finding
from bot.escalation.smtp import Mail, SmtpPost, Unsent
from tests.bot.edge import settings

FROM = "avisos@horacerta.test"


class Box:
    """Takes every mail but those to strangers, and remembers who logged in."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.people: list[str] = []

    async def handle_RCPT(  # aiosmtpd's name
        self, server: object, session: object, envelope: Envelope, address: str, options: object
    ) -> str:
        if address.startswith("ninguem"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: object, session: object, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        found: Any = message_from_bytes(envelope.content, policy=policy.default)
        self.mails.append(found)
        return "250 OK"

    def knows(self, server: object, session: object, envelope: object, how: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.people.append(data.login.decode())
        return AuthResult(success=data.password == b"segredo", handled=False)


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def server(box: Box) -> Iterator[Controller]:
    controller = Controller(
        box, hostname="127.0.0.1", port=free_port(), authenticator=box.knows, auth_require_tls=False
    )
    controller.start()
    yield controller
    controller.stop()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def post(server: Controller, **more: Any) -> SmtpPost:
    return SmtpPost(**{"host": "127.0.0.1", "port": server.port, "sender": FROM, "security": "none"} | more)


def test_each_person_gets_a_mail_of_their_own(server: Controller, box: Box) -> None:
    mails = [Mail(f"{name}@bela.test", "Conversa aguardando", "Olá, é você?\n") for name in ("ana", "bruno")]
    assert post(server).deliver(mails) == 2
    assert [mail["To"] for mail in box.mails] == ["ana@bela.test", "bruno@bela.test"]
    [first, _] = box.mails
    assert first["From"] == f"Hora Certa <{FROM}>"
    assert first["Subject"] == "Conversa aguardando"
    assert first["Auto-Submitted"] == "auto-generated"
    assert first.get_content().strip() == "Olá, é você?"
    assert first["Message-ID"].endswith("@horacerta.test>")


def test_one_whom_the_server_does_not_know_keeps_nobody_from_theirs(server: Controller, box: Box) -> None:
    mails = [Mail(f"{name}@bela.test", "x", "y") for name in ("ninguem", "ana")]
    assert post(server).deliver(mails) == 1
    assert [mail["To"] for mail in box.mails] == ["ana@bela.test"]


@pytest.mark.parametrize("odd", ["Bela\r\nBcc: evil@evil.test", "Bela\nBcc: evil@evil.test\n\n<script>"])
def test_a_line_end_in_a_name_begins_no_header(server: Controller, box: Box, odd: str) -> None:
    assert post(server).deliver([Mail("ana@bela.test", f"Conversa · {odd}", "x")]) == 1
    [mail] = box.mails
    assert mail["Bcc"] is None
    assert mail["Subject"].startswith("Conversa · Bela Bcc: evil@evil.test")
    assert mail.get_content().strip() == "x"


def test_the_account_is_used_where_there_is_one(server: Controller, box: Box) -> None:
    assert post(server, user="bela", password="segredo").deliver([Mail("ana@bela.test", "x", "y")]) == 1
    assert box.people == ["bela"]


def test_a_refused_account_is_told_without_the_password(server: Controller, box: Box) -> None:
    with pytest.raises(Unsent, match=r"^SMTPAuthenticationError$"):
        post(server, user="bela", password="errado").deliver([Mail("ana@bela.test", "x", "y")])
    assert box.mails == []


def test_coming_in_and_leaving_writes_nothing(server: Controller, box: Box) -> None:
    post(server, user="bela", password="segredo").greet()
    assert (box.mails, box.people) == ([], ["bela"])
    with pytest.raises(Unsent):
        post(server, user="bela", password="errado").greet()


def test_the_doctor_tells_whether_mail_goes_out(server: Controller) -> None:
    given = {"smtp_host": "127.0.0.1", "smtp_port": server.port, "smtp_from": FROM, "smtp_security": "none"}
    assert doctor._mail(settings(**given)) == Finding(True, "mail", "127.0.0.1 takes mail")
    shut = doctor._mail(settings(**given | {"smtp_port": free_port()}))
    assert (shut.ok, shut.text) == (
        False,
        "127.0.0.1 does not let us in (ConnectionRefusedError); see SMTP_HOST and the lines below it",
    )
    assert doctor._mail(settings()).ok


def test_without_a_server_nothing_is_sent() -> None:
    with pytest.raises(Unsent, match=r"^ConnectionRefusedError$"):
        SmtpPost("127.0.0.1", free_port(), FROM).deliver([Mail("ana@bela.test", "x", "y")])


def test_a_server_without_encryption_is_not_spoken_to_in_the_clear(server: Controller, box: Box) -> None:
    """`starttls` means it: where the server cannot, nothing goes out, and no password before."""
    with pytest.raises(Unsent, match=f"^{smtplib.SMTPNotSupportedError.__name__}$"):
        post(server, security="starttls", user="bela", password="segredo").deliver(
            [Mail("ana@bela.test", "x", "y")]
        )
    assert (box.mails, box.people) == ([], [])
