"""What customers attach, for staff: fetched while somebody looks at it, and kept nowhere."""

from collections.abc import Mapping
from typing import Protocol

from bot.core.http import Http
from bot.core.settings import Settings
from bot.llm import image_blocks
from bot.whatsapp import credentials
from bot.whatsapp.media_download import MediaStore, Unfetched
from models.tenant import Tenant

UNKNOWN = "application/octet-stream"
# What a browser may show by itself, by what the file begins with, never by what it was said to be. All else
# (pages, drawings with scripts, documents) is only ever saved.
SHOWN = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/ogg": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "video/mp4": "mp4",
}
_BEGINNINGS = {
    b"OggS": "audio/ogg",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf3": "audio/mpeg",
    b"\xff\xf2": "audio/mpeg",
}


class Unopened(Exception):
    """The attachment is not to be had; the text is a word for the log."""


class Files(Protocol):
    """Opens attachments. Safe for use by many threads."""

    def open(self, tenant: Tenant, url: str, *, seconds: float) -> bytes:
        """What lies at this address of the business's account. Raises Unopened."""
        ...


class TwilioFiles:
    """Opens what lies in a business's Twilio account."""

    def __init__(self, settings: Settings, environment: Mapping[str, str], store: MediaStore) -> None:
        self._settings = settings
        self._environment = environment
        self._store = store

    def open(self, tenant: Tenant, url: str, *, seconds: float) -> bytes:
        account = credentials.of(tenant, self._settings, self._environment)
        try:
            return self._store.fetch(account, url, seconds=seconds)
        except Unfetched as error:
            raise Unopened(str(error)) from None


def files(settings: Settings, environment: Mapping[str, str], http: Http) -> Files:
    return TwilioFiles(settings, environment, MediaStore(http, settings.twilio_api_url))


def kind_of(content: bytes) -> str:
    """The media type of a file that may be shown, by what it begins with; UNKNOWN for anything else."""
    picture = image_blocks.kind_of(content)
    if picture is not None:
        return picture
    if content[4:8] == b"ftyp":
        return "audio/mp4" if content[8:11] == b"M4A" else "video/mp4"
    return next((kind for begins, kind in _BEGINNINGS.items() if content.startswith(begins)), UNKNOWN)
