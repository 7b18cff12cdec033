"""Who hears voice messages: fetches the recording, and has it put into words."""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from bot.core.http import Http
from bot.core.settings import Settings
from bot.media.transcription import Transcriber, Untranscribed
from bot.whatsapp import credentials
from bot.whatsapp.media_download import MediaStore, Unfetched
from models.tenant import Tenant


class Unheard(Exception):
    """The recording has no words for us; the text is a word for the log."""


class Ears(Protocol):
    """Hears recordings. Safe for use by many threads."""

    def hear(self, tenant: Tenant, url: str, *, seconds: float) -> str:
        """What is said in the recording at this address, never empty. Raises Unheard."""
        ...


class TwilioEars:
    """Hears what lies in a business's Twilio account."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        store: MediaStore,
        transcriber: Transcriber,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._store = store
        self._transcriber = transcriber
        self._clock = clock

    def hear(self, tenant: Tenant, url: str, *, seconds: float) -> str:
        deadline = self._clock() + seconds
        account = credentials.of(tenant, self._settings, self._environment)
        try:
            recording = self._store.fetch(account, url, seconds=seconds)
            return self._transcriber.transcribe(recording, seconds=deadline - self._clock())
        except (Unfetched, Untranscribed) as error:
            raise Unheard(str(error)) from None


def ears(settings: Settings, environment: Mapping[str, str], http: Http) -> Ears | None:
    """Those that the settings configure; None where they name no model for it."""
    found = transcriber(settings, http)
    if found is None:
        return None
    return TwilioEars(settings, environment, MediaStore(http, settings.twilio_api_url), found)


def transcriber(settings: Settings, http: Http) -> Transcriber | None:
    if settings.transcription_model is None:
        return None
    return Transcriber(
        http,
        settings.transcription_base_url,
        settings.transcription_model,
        settings.transcription_api_key,
    )
