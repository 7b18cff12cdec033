"""Where attachments lie: Twilio's API, its CDN, and a server that puts recordings into words.

One httpx transport plays all three. It refuses what the real ones refuse.
"""

import base64
import email.message
import email.parser
import email.policy
import json
from collections import deque
from dataclasses import dataclass, field

import httpx

from tests.fakes.twilio import ACCOUNT, TOKEN

API = "https://api.twilio.com"
CDN = "https://mms.twiliocdn.com"
SPEECH = "https://speech.example.com/v1"
KEY, MODEL = "the-speech-key", "whisper-1"
OGG = b"OggS\x00\x02" + b"\x00" * 64


def media_url(number: int = 1, *, account: str = ACCOUNT, api: str = API) -> str:
    """The address of an attachment as Twilio's form has it."""
    return f"{api}/2010-04-01/Accounts/{account}/Messages/MM{number:032x}/Media/ME{number:032x}"


@dataclass
class FakeMedia:
    """`content` is what lies behind each address of `media_url`; `missing` is how often it is 404 first.

    `redirects` replaces where the API leads to, hop by hop. `words` are what the speech server hears, and
    `speech` its next answers instead. `requests` are all that came: (method, url, authorization).
    """

    content: bytes = OGG
    missing: int = 0
    redirects: deque[str] = field(default_factory=lambda: deque([f"{CDN}/asset/1"]))
    words: str = "quero marcar um corte amanhã"
    speech: deque[httpx.Response | Exception] = field(default_factory=deque)
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    recordings: list[bytes] = field(default_factory=list)

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url, given = str(request.url), request.headers.get("authorization")
        self.requests.append((request.method, url, given))
        if url.startswith(SPEECH):
            return self._speech(request)
        if url.startswith(CDN):
            return httpx.Response(400) if given else self._found()
        return self._api(given)

    def _api(self, given: str | None) -> httpx.Response:
        if given != f"Basic {base64.b64encode(f'{ACCOUNT}:{TOKEN}'.encode()).decode()}":
            return httpx.Response(401, json={"code": 20003})
        if self.missing:
            self.missing -= 1
            return httpx.Response(404, json={"code": 20404})
        return self._found()

    def _found(self) -> httpx.Response:
        if self.redirects:
            return httpx.Response(307, headers={"location": self.redirects.popleft()})
        return httpx.Response(200, content=self.content)

    def _speech(self, request: httpx.Request) -> httpx.Response:
        form = _form(request)
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return httpx.Response(401, json={"error": {"message": "Incorrect API key provided"}})
        if form.get("model") != MODEL.encode() or "file" not in form:
            return httpx.Response(400, json={"error": {"message": "model and file are needed"}})
        self.recordings.append(form["file"])
        if self.speech:
            answer = self.speech.popleft()
            if isinstance(answer, Exception):
                raise answer
            return answer
        return httpx.Response(200, content=json.dumps({"text": self.words}))


def _form(request: httpx.Request) -> dict[str, bytes]:
    """The parts of a multipart request; of the file only its content."""
    head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode()
    whole = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + request.read())
    parts: dict[str, bytes] = {}
    for part in whole.iter_parts():
        assert isinstance(part, email.message.Message)
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        parts[str(part.get_param("name", header="content-disposition"))] = content
    return parts
