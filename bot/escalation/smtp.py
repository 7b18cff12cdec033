"""Mail to staff, over the SMTP server of the settings. It carries no word of a customer."""

import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Protocol

from bot.core.settings import SmtpSecurity

TIMEOUT = 15


@dataclass(frozen=True)
class Mail:
    """One mail to one person."""

    to: str
    subject: str
    text: str


class Unsent(Exception):
    """The server was not reached, or would not take it. The text names the kind of fault, no address."""


class Post(Protocol):
    """Takes mails away."""

    def deliver(self, mails: Sequence[Mail]) -> int:
        """Send them; gives how many were taken. Raises Unsent where not one could be."""
        ...


@dataclass(frozen=True)
class SmtpPost:
    """One connection each time: mails are rare."""

    host: str
    port: int
    sender: str
    security: SmtpSecurity = "starttls"
    user: str | None = None
    password: str | None = None
    timeout: float = TIMEOUT

    def deliver(self, mails: Sequence[Mail]) -> int:
        try:
            with self._connected() as server:
                return sum(self._hand_over(server, mail) for mail in mails)
        except (OSError, smtplib.SMTPException) as error:
            raise Unsent(type(error).__name__) from error

    def greet(self) -> None:
        """Come in as for a mail, and leave. Raises Unsent."""
        self.deliver([])

    def _connected(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if self.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=self.timeout, context=context
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        try:
            if self.security == "starttls":
                server.starttls(context=context)
            if self.user and self.password:
                server.login(self.user, self.password)
        except BaseException:  # also Ctrl-C: the socket is ours until it is handed on
            server.close()
            raise
        return server

    def _hand_over(self, server: smtplib.SMTP, mail: Mail) -> bool:
        """One mail; a person whom the server does not know keeps the others from nothing."""
        try:
            server.send_message(written(mail, self.sender))
        except smtplib.SMTPRecipientsRefused:
            return False
        return True


def written(mail: Mail, sender: str) -> EmailMessage:
    """The mail as it is sent. A line end in a name stays within its line: it begins no header."""
    message = EmailMessage()
    address = Address(display_name="Hora Certa", addr_spec=sender)
    message["From"] = address
    message["To"] = Address(addr_spec=mail.to)
    message["Subject"] = " ".join(mail.subject.split())
    message["Message-ID"] = make_msgid(domain=address.domain)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    return message
