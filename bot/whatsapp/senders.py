"""Who sends for which business: `Services.sender_for`."""

import ssl
import threading
from collections.abc import Mapping

from twilio.rest import Client

from bot.core.http import ThreadClients
from bot.core.settings import Settings
from bot.whatsapp import credentials
from bot.whatsapp.base import Archive, Forms, Inbox, Sender, SendError
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import (
    CREDENTIALS,
    Patience,
    TwilioArchive,
    TwilioForms,
    TwilioInbox,
    TwilioSender,
    twilio_client,
)
from models.db import Database
from models.tenant import Tenant

PATIENCE = Patience()


class Senders:
    """Twilio senders by business; each thread has clients of its own, all share one SSL context."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        environment: Mapping[str, str],
        context: ssl.SSLContext | None = None,
        patience: Patience = PATIENCE,
    ) -> None:
        self._settings = settings
        self._db = db
        self._environment = environment
        self._patience = patience
        self._http = ThreadClients(verify=context)
        self._of_thread = threading.local()

    def sender_for(self, tenant_id: int) -> Sender:
        """The calling thread's sender for a business. Raises SendError where a setting is missing."""
        with self._db.reading() as session:
            tenant = session.get_one(Tenant, tenant_id)
        return TwilioSender(self.client_for(tenant), tenant.whatsapp, self._settings.public_url)

    def forms_for(self, tenant_id: int) -> Forms:
        """The calling thread's forms for a business. Raises SendError as above."""
        with self._db.reading() as session:
            tenant = session.get_one(Tenant, tenant_id)
        return TwilioForms(self.client_for(tenant))

    def inbox_for(self, tenant: Tenant) -> Inbox:
        """The calling thread's inbox of a business. Raises SendError as above."""
        return TwilioInbox(self.client_for(tenant), self._settings.twilio_api_url)

    def archive_for(self, tenant: Tenant) -> Archive:
        """The calling thread's archive of a business. Raises SendError as above."""
        return TwilioArchive(self.client_for(tenant))

    def client_for(self, tenant: Tenant) -> Client:
        """The calling thread's REST client on a business's account. Raises SendError as above."""
        account = credentials.of(tenant, self._settings, self._environment)
        missing = account.missing if not account.tokens else "" if account.sid else "TWILIO_ACCOUNT_SID"
        if missing:
            raise SendError(f"{missing} is not set", permanent=False, surely_not_sent=True, code=CREDENTIALS)
        return self._client(account)

    def close(self) -> None:
        """Close the connections of all threads."""
        self._http.close()

    def _client(self, account: Account) -> Client:
        clients: dict[Account, Client] = self._of_thread.__dict__.setdefault("clients", {})
        if account not in clients:
            api_url = self._settings.twilio_api_url
            clients[account] = twilio_client(account, self._http, api_url, self._patience)
        return clients[account]
