"""Who sees pictures: fetches one that a customer sent, if the model can make something of it."""

from collections.abc import Mapping
from typing import Protocol

from bot.core.http import Http
from bot.core.settings import Settings
from bot.llm import image_blocks
from bot.whatsapp import credentials
from bot.whatsapp.media_download import MediaStore, Unfetched
from models.tenant import Tenant

MAX_BYTES = 5 * 1024 * 1024


class Unseen(Exception):
    """The picture is none for the model; the text is a word for the log."""


class Eyes(Protocol):
    """Sees pictures. Safe for use by many threads."""

    def see(self, tenant: Tenant, url: str, *, seconds: float) -> bytes:
        """The picture at this address, of a kind and size that models take. Raises Unseen."""
        ...


class TwilioEyes:
    """Sees what lies in a business's Twilio account. Nothing of it is kept."""

    def __init__(self, settings: Settings, environment: Mapping[str, str], store: MediaStore) -> None:
        self._settings = settings
        self._environment = environment
        self._store = store

    def see(self, tenant: Tenant, url: str, *, seconds: float) -> bytes:
        account = credentials.of(tenant, self._settings, self._environment)
        try:
            content = self._store.fetch(account, url, seconds=seconds, max_bytes=MAX_BYTES)
        except Unfetched as error:
            raise Unseen(str(error)) from None
        if fault := image_blocks.fault_of(content):
            raise Unseen(fault)
        return content


def eyes(settings: Settings, environment: Mapping[str, str], http: Http) -> Eyes | None:
    """None where the model that is asked first sees no pictures."""
    sees = {"anthropic": True, "openai": settings.openai_images, "offline": False}
    if not sees[settings.provider]:
        return None
    return TwilioEyes(settings, environment, MediaStore(http, settings.twilio_api_url))
