"""Twilio's forms as closed values, and their signature. Pure: nothing is fetched, stored or looked up."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from twilio.request_validator import (
    HMAC_SHA1,
    HMAC_SHA256,
    RequestValidator,
)
from werkzeug.datastructures import MultiDict

from bot.core import sanitise
from bot.intents import opt_out
from models.message import Extra, Incoming, Status

PREFIX = "whatsapp:"
MAX_NAME = 200
MAX_MEDIA = 10
MAX_ERROR_CODE = 2**31 - 1

Form = MultiDict[str, str]


@dataclass(frozen=True)
class Inbound:
    """A message from a person. `sender` is our number ("+55…"); the first of `addresses` is who wrote.

    `kind`: "text", "image", "audio", "video", "document", "sticker", "contact", "location", "reaction",
    "system", "unsupported" or "empty"; an answer by button or list is a "text". `text` is what the customer
    wrote or tapped, of a location its name. `media`: {"url", "content_type"}, never fetched here. `extra`
    holds, where the form said so: "button_payload", "list_id", "interactive" (decoded JSON), "latitude",
    "longitude", "address", "label", "quoted_sid", "forwarded", "referral", "event" (the words of a reaction
    or event).
    """

    account_sid: str
    sender: str
    addresses: tuple[str, ...]
    sid: str
    text: str
    kind: str
    profile_name: str = ""
    media: tuple[dict[str, Any], ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    wants_answer: bool = True

    def incoming(self, tenant_id: int) -> Incoming:
        """As the inbox takes it."""
        wish = opt_out.heard(self.text) if self.kind == "text" else None
        return Incoming(
            tenant_id=tenant_id,
            addresses=self.addresses,
            provider_sid=self.sid,
            text=self.text,
            kind=self.kind,
            profile_name=self.profile_name,
            media=self.media,
            extra=cast(Extra, self.extra),
            wants_answer=self.wants_answer,
            wish=wish.wish if wish else None,
            only_wish=wish is not None and wish.only,
        )


@dataclass(frozen=True)
class StatusUpdate:
    """How far a message of ours has come. `status` None: a word that we do not know."""

    account_sid: str
    sender: str
    sid: str
    status: Status | None
    error_code: int | None = None
    channel_message: str = ""  # WhatsApp's own words about a failure; for the log


@dataclass(frozen=True)
class Unusable:
    """A form that says nothing to us; `reason` is for the log."""

    account_sid: str
    sender: str
    reason: str


Event = Inbound | StatusUpdate | Unusable


def verify(
    url: str,
    form: Form,
    signature: str | None,
    tokens: Iterable[str],
    signature_settings: str | None = None,
    shared_keys: Mapping[str, str] = MappingProxyType({}),
) -> bool:
    """Whether one of our secrets signed this request.

    `url` is the address that Twilio was given, with the query as it came (percent-encoding untouched); `form`
    is the MultiDict as it came, since repeated and empty fields are signed too. `signature_settings` is the
    header that says which SharedKey signed: then only that one counts, and never a token.
    """
    if not signature:
        return False
    if signature_settings is not None:
        secret = _shared_secret(signature_settings, shared_keys)
        return secret is not None and _signed_by(secret, url, form, signature, HMAC_SHA256)
    return any(_signed_by(token, url, form, signature, HMAC_SHA1) for token in tokens)


def _signed_by(secret: str, url: str, form: Form, signature: str, algorithm: str) -> bool:
    return bool(RequestValidator(secret).validate(url, form, signature, algorithm))


def _shared_secret(signature_settings: str, shared_keys: Mapping[str, str]) -> str | None:
    """The secret that "key=…,algorithm=HMAC_SHA256" names; None for any other key, algorithm or form."""
    pairs = [part.strip().partition("=") for part in signature_settings.split(",")]
    said = {name: value for name, _, value in pairs}
    if len(said) != len(pairs) or said.keys() != {"key", "algorithm"} or said["algorithm"] != HMAC_SHA256:
        return None
    return shared_keys.get(said["key"]) or None


def parse(form: Form) -> Event:
    """Read one form, whatever is missing from it or new in it. Never raises."""
    progress = _first(form, "MessageStatus", "SmsStatus").lower()
    if progress and progress not in ("received", "receiving"):
        return _status_update(form, progress)
    account, ours = form.get("AccountSid", ""), sender_number(form.get("To", ""))
    sid = _first(form, "MessageSid", "SmsMessageSid", "SmsSid")
    addresses = tuple(dict.fromkeys(_addresses(form)))
    if not _SID.fullmatch(sid):
        return Unusable(account, ours, "no_sid")
    if not addresses:
        return Unusable(account, ours, "no_address")
    return _inbound(form, account, ours, sid, addresses)


_SID = re.compile(r"[A-Za-z0-9]{1,64}")
# What is written to, byte for byte; anything odd is not an address of a person.
_ADDRESS = re.compile(r"whatsapp:[!-~]{1,150}")


_USER_ID = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}")


def is_user_id(address: str) -> bool:
    """Whether an address (without its prefix) is a person's id ("BR.150…") and no number."""
    return bool(_USER_ID.fullmatch(address))


def sender_number(address: str) -> str:
    """Our own number as the business file writes it ("+55…"); "" for what is no WhatsApp address."""
    return address.removeprefix(PREFIX) if address.startswith(PREFIX) else ""


def _first(form: Mapping[str, str], *names: str) -> str:
    return next((value for name in names if (value := form.get(name, ""))), "")


def _addresses(form: Form) -> Iterable[str]:
    for name in ("From", "ExternalUserId"):
        address = form.get(name, "")
        if _ADDRESS.fullmatch(address):
            yield address


def _inbound(form: Form, account: str, ours: str, sid: str, addresses: tuple[str, ...]) -> Inbound:
    media, extra = _media(form), _extra(form)
    words = sanitise.text(_first(form, "Body", "ButtonText", "ListTitle") or _tapped(extra))
    kind = _kind(form.get("MessageType", "").lower(), words, media, extra)
    if kind == "location":
        words = words or _place(extra)
    elif kind == "empty":
        words = ""
    elif kind in EVENTS and words:
        # Not said to us: the model must not read it as the customer's words.
        words, extra = "", extra | {"event": words}
    return Inbound(
        account_sid=account,
        sender=ours,
        addresses=addresses,
        sid=sid,
        text=words,
        kind=kind,
        profile_name=sanitise.line(form.get("ProfileName", ""), MAX_NAME),
        media=media,
        extra=extra,
        wants_answer=kind not in (*EVENTS, "unsupported"),
    )


def _place(extra: Mapping[str, Any]) -> str:
    """The name of a location, as far as the customer's phone gave one."""
    return ", ".join(extra[key] for key in ("label", "address") if key in extra)


def _media(form: Form) -> tuple[dict[str, Any], ...]:
    # NumMedia may be missing or wrong; the fields themselves say what is there.
    urls = ((number, form.get(f"MediaUrl{number}", "")) for number in range(MAX_MEDIA))
    return tuple(
        {
            "url": sanitise.line(url, 2000),
            "content_type": sanitise.line(form.get(f"MediaContentType{number}", ""), 200).lower(),
        }
        for number, url in urls
        if url
    )


EVENTS = ("reaction", "system")
_DECLARED = {
    "image": "image",
    "audio": "audio",
    "voice": "audio",
    "video": "video",
    "document": "document",
    "sticker": "sticker",
    "location": "location",
    "contact": "contact",
    "contacts": "contact",
}
# Somebody pressed a key, and waits; what comes as "unsupported" may be a mere edit or deletion (B21).
_BY_HAND = ("", "text", "interactive", "button")
_BY_CONTENT = {"image/webp": "sticker", "text/vcard": "contact", "text/x-vcard": "contact"}


def _kind(declared: str, words: str, media: tuple[dict[str, Any], ...], extra: Mapping[str, Any]) -> str:
    """What was sent, by its content first: MessageType is a hint that may be missing or new."""
    if declared in EVENTS:
        return declared
    if media:
        return _media_kind(declared, media[0]["content_type"])
    if "latitude" in extra:
        return "location"
    if not sanitise.is_blank(words) or extra.keys() & {"button_payload", "list_id", "interactive"}:
        return "text"
    if declared in _BY_HAND:
        return "empty"
    return _DECLARED.get(declared, "unsupported")


def _media_kind(declared: str, content_type: str) -> str:
    if declared in ("sticker", "contact", "contacts"):
        return _DECLARED[declared]
    plain = content_type.partition(";")[0].strip()
    major = plain.partition("/")[0]
    return _BY_CONTENT.get(plain) or (major if major in ("image", "audio", "video") else "document")


# `ListId` stands on no page of Twilio's; repositories read it beside `ButtonPayload`. Assumed: a tap in a
# list brings one of the two. If neither comes the title does, as the body: `bot.intents.choices` knows it by
# that.
_FIELDS = {
    "button_payload": "ButtonPayload",
    "list_id": "ListId",
    "address": "Address",
    "label": "Label",
    "quoted_sid": "OriginalRepliedMessageSid",
}
_REFERRAL = ("Body", "Headline", "SourceId", "SourceType", "SourceUrl", "CtwaClid")


def _extra(form: Form) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: sanitise.line(value, 1000) for key, name in _FIELDS.items() if (value := form.get(name, ""))
    }
    found |= _coordinates(form.get("Latitude", ""), form.get("Longitude", ""))
    if interactive := _json(_first(form, "InteractiveData", "FlowData")):
        found["interactive"] = interactive
    if form.get("Forwarded") == "true":
        found["forwarded"] = True
    if referral := {
        name: sanitise.line(value, 1000) for name in _REFERRAL if (value := form.get(f"Referral{name}", ""))
    }:
        found["referral"] = referral
    return found


def _coordinates(latitude: str, longitude: str) -> dict[str, float]:
    try:
        north, east = float(latitude), float(longitude)
    except ValueError:
        return {}
    if not (abs(north) <= 90 and abs(east) <= 180):  # also refuses "nan"
        return {}
    return {"latitude": north, "longitude": east}


MAX_JSON = 20_000
MAX_DEPTH = 8


def _json(value: str) -> Any:
    """The cleaned JSON of a form field; None if it is none, too large or too deep."""
    if not value or len(value) > MAX_JSON:
        return None
    try:
        return _cleaned(json.loads(value, parse_constant=str))
    except (ValueError, RecursionError):
        return None


def _cleaned(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("too deep")
    if isinstance(value, str):
        return sanitise.text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # "1e999": no database takes it
    if isinstance(value, list):
        return [_cleaned(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {sanitise.line(key, 100): _cleaned(item, depth + 1) for key, item in value.items()}
    return value


def _tapped(extra: Mapping[str, Any]) -> str:
    """The words of an answer by button or list that has no text; at worst its id, which is ours."""
    title = _title(extra.get("interactive"))
    return title or str(extra.get("button_payload", "") or extra.get("list_id", ""))


def _title(interactive: Any) -> str:
    """Wherever the JSON of an interactive answer keeps it."""
    if isinstance(interactive, dict):
        own = interactive.get("title")
        if isinstance(own, str) and own:
            return own
        return next((found for item in interactive.values() if (found := _title(item))), "")
    return ""


_STATUSES = {
    "accepted": Status.ACCEPTED,
    "scheduled": Status.ACCEPTED,
    "queued": Status.ACCEPTED,
    "sending": Status.ACCEPTED,
    "sent": Status.SENT,
    "delivered": Status.DELIVERED,
    "partially_delivered": Status.DELIVERED,
    "read": Status.READ,
    "failed": Status.FAILED,
    "undelivered": Status.FAILED,
    "canceled": Status.FAILED,
}


def status_of(word: str) -> Status | None:
    """Twilio's word for how far a message has come, in ours; None for one that says nothing to us."""
    return _STATUSES.get(word.lower())


def error_code_of(value: object) -> int | None:
    """A vendor's error code as a number that the database takes; None where there is none."""
    text = str(value)
    code = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else 0
    return code if 0 < code <= MAX_ERROR_CODE else None


def _status_update(form: Form, progress: str) -> StatusUpdate | Unusable:
    account, ours = form.get("AccountSid", ""), sender_number(form.get("From", ""))
    sid = _first(form, "MessageSid", "SmsSid")
    if not _SID.fullmatch(sid):
        return Unusable(account, ours, "no_sid")
    return StatusUpdate(
        account,
        ours,
        sid,
        status_of(progress),
        error_code_of(form.get("ErrorCode", "")),
        sanitise.line(form.get("ChannelStatusMessage", ""), 200),
    )
