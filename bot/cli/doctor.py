"""`horacerta doctor`: every setting checked against the real thing, one line each."""

import io
import wave
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

import httpx
from sqlalchemy.exc import DBAPIError

from bot.cli import doctor_twilio
from bot.cli.finding import Finding
from bot.core.http import ThreadClients
from bot.core.pricing import with_given
from bot.core.settings import Provider, Settings, SettingsError
from bot.escalation.smtp import Unsent
from bot.llm.base import ModelError, ModelRequest, Usage
from bot.media import voice
from bot.media.transcription import NO_WORDS, Untranscribed
from bot.process import bootstrap, staff_logins
from bot.whatsapp.twilio import API
from models import schema
from models.db import Database, missing_file

MAX_SKEW = timedelta(seconds=30)
SECONDS = 20.0
TRANSCRIPTION_SETTINGS = "TRANSCRIPTION_MODEL, TRANSCRIPTION_API_KEY and TRANSCRIPTION_BASE_URL"


def examine(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """All findings, in the order in which they help."""
    context = httpx.create_ssl_context()
    with httpx.Client(verify=context, timeout=10, follow_redirects=False) as http:
        return [
            *_secrets(settings),
            *_database(settings),
            *(_model(provider, settings, http) for provider in settings.providers),
            *_recordings(settings),
            *_transcription(settings, http),
            _mail(settings),
            _push(settings),
            *_twilio(settings, environment),
            _public_url(settings, http),
            _clock(settings, http, lambda: datetime.now(UTC)),
            _zone_data(),
        ]


def _secrets(settings: Settings) -> Iterator[Finding]:
    if settings.secret_key:
        yield Finding(True, "SECRET_KEY", "set")
    else:
        cure = "make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'"
        yield Finding(False, "SECRET_KEY", f"not set; {cure}")


def _database(settings: Settings) -> Iterator[Finding]:
    if missing := missing_file(settings.database_url):
        text = f"there is no file {missing}; if the address is right, run: horacerta migrate"
        yield Finding(False, "DATABASE_URL", text)
        return
    try:
        db = Database(settings.database_url, pool_size=1)
    except OSError as error:
        yield Finding(False, "DATABASE_URL", f"cannot be used ({error.filename}: {error.strerror})")
        return
    try:
        yield from _contents(db)
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
        yield Finding(False, "DATABASE_URL", f"cannot be used ({reason})")
    finally:
        db.dispose()


def _contents(db: Database) -> Iterator[Finding]:
    found, wanted = schema.current(db), schema.newest()
    if found != wanted:
        state = f"schema {found}" if found else "no schema"
        cure = bootstrap.newer_schema(found) or f"{state}, {wanted} is wanted; run: horacerta migrate"
        yield Finding(False, "DATABASE_URL", cure)
        return
    yield Finding(True, "DATABASE_URL", f"{db.url.get_backend_name()}, schema {found}")
    if not staff_logins.any_business(db):
        yield Finding(False, "business", "none yet; run: horacerta import FILE.yaml")


def _model(provider: Provider, settings: Settings, http: httpx.Client) -> Finding:
    """A real, tiny question: it proves the key, the name of the model and the way to it at once."""
    subject = f"model ({provider})"
    if provider == "offline":
        return Finding(True, subject, "the built-in one; set ANTHROPIC_API_KEY for Claude")
    client = bootstrap.provider_client(provider, settings, http)
    question = [{"role": "user", "content": [{"type": "text", "text": "Responda só: ok"}]}]
    try:
        client.complete(
            ModelRequest("Responda em uma palavra.", question, (), max_tokens=64), seconds=SECONDS
        )
    except ModelError as error:
        prefix = provider.upper()
        names = f"{prefix}_API_KEY, {prefix}_MODEL and {prefix}_BASE_URL"
        return Finding(False, subject, f"{client.model} does not answer ({error}); see {names}")
    today = datetime.now(UTC).date()
    known = with_given(settings.model_prices).microdollars(client.model, Usage(), today) is not None
    unpriced = "" if known else ", but what it costs is not known: give it in MODEL_PRICES"
    return Finding(True, subject, f"{client.model} answers{unpriced}")


def _recordings(settings: Settings) -> Iterator[Finding]:
    """Only where they are wished for: to most it is no concern."""
    try:
        if bootstrap.recordings(settings):
            yield Finding(True, "RECORD_DIR", f"what models are told is written into {settings.record_dir}")
    except SettingsError as error:
        yield Finding(False, "RECORD_DIR", str(error).removeprefix("RECORD_DIR: ").removesuffix("."))


def _transcription(settings: Settings, http: httpx.Client) -> Iterator[Finding]:
    """A second of silence, really sent: what matters is that the server takes it, not what it hears."""
    subject = "transcription"
    transcriber = voice.transcriber(settings, http)
    if transcriber is None:
        yield Finding(True, subject, "none; who sends a voice message is asked to write")
        return
    try:
        transcriber.transcribe(_silence(), seconds=SECONDS)
    except Untranscribed as error:
        if str(error) != NO_WORDS:
            text = f"{settings.transcription_model} does not hear ({error}); see {TRANSCRIPTION_SETTINGS}"
            yield Finding(False, subject, text)
            return
    yield Finding(True, subject, f"{settings.transcription_model} hears voice messages")


def _mail(settings: Settings) -> Finding:
    """Into the server and out again: no mail is written."""
    post = bootstrap.post(settings)
    if post is None:
        return Finding(True, "mail", "none; staff are told on their page alone")
    try:
        post.greet()
    except Unsent as error:
        text = f"{settings.smtp_host} does not let us in ({error}); see SMTP_HOST and the lines below it"
        return Finding(False, "mail", text)
    return Finding(True, "mail", f"{settings.smtp_host} takes mail")


def _push(settings: Settings) -> Finding:
    """The key was looked at when the settings were read."""
    if settings.vapid_private_key is None:
        return Finding(True, "push", "none; browsers tell nothing with no page open")
    if not (settings.public_url or "").startswith("https://"):
        return Finding(
            False, "push", "VAPID_PRIVATE_KEY is set, but PUBLIC_URL is not https: no browser has it"
        )
    return Finding(True, "push", "browsers may tell staff with no page open")


def _silence() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(16_000)
        recording.writeframes(bytes(2 * 16_000))
    return file.getvalue()


def _twilio(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    http = ThreadClients(verify=httpx.create_ssl_context())
    try:
        yield from doctor_twilio.examine(settings, environment, http)
    finally:
        http.close()


def _public_url(settings: Settings, http: httpx.Client) -> Finding:
    """Whether what Twilio will call leads here."""
    subject = "PUBLIC_URL"
    if not settings.public_url:
        return Finding(False, subject, "not set; it is the https address that Twilio's webhook is set to")
    try:
        answer = http.get(f"{settings.public_url}/healthz")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Finding(False, subject, f"no answer ({type(error).__name__}); is the tunnel or proxy running?")
    if answer.status_code != httpx.codes.OK:
        text = f"answers {answer.status_code} at /healthz; it must lead to `horacerta web` or `serve`"
        return Finding(False, subject, text)
    if not settings.public_url.startswith("https://"):
        return Finding(False, subject, "is not https; Twilio will not send customers' messages to it safely")
    return Finding(True, subject, f"webhook address: {settings.public_url}/twilio/inbound")


# The clock


def _clock(settings: Settings, http: httpx.Client, now: Callable[[], datetime]) -> Finding:
    """Compared with the first server that answers; what stands behind PUBLIC_URL may have our own clock."""
    for url in _clocks(settings):
        theirs = _date_of(http, url)
        if theirs is not None:
            skew = abs(now() - theirs)
            server = httpx.URL(url).host
            cure = "" if skew <= MAX_SKEW else "; have the system set its clock by NTP"
            text = f"{skew.total_seconds():.0f} s away from that of {server}{cure}"
            return Finding(skew <= MAX_SKEW, "clock", text)
    return Finding(False, "clock", "no server was reached to compare it with; is this machine online?")


def _clocks(settings: Settings) -> Iterator[str]:
    yield settings.twilio_api_url or API
    yield from {"anthropic": [settings.anthropic_base_url], "openai": [settings.openai_base_url]}.get(
        settings.provider, []
    )
    if settings.public_url:
        yield settings.public_url


def _date_of(http: httpx.Client, url: str) -> datetime | None:
    """What the server's clock says, whatever else it answers."""
    try:
        header = http.head(url).headers.get("date", "")
        found = parsedate_to_datetime(header)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _zone_data() -> Finding:
    """Old data still knows summer time in Brazil: everything would be an hour off from November on."""
    zone = ZoneInfo("America/Sao_Paulo")
    for month in (7, 12):
        offset = datetime(2026, month, 15, tzinfo=zone).utcoffset()
        if offset != timedelta(hours=-3):
            return Finding(False, "time zone data", "out of date; run: pip install --upgrade tzdata")
    return Finding(True, "time zone data", "São Paulo is at -03:00 all year")
