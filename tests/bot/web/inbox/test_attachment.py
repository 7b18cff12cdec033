"""What customers attach: shown where it is harmless, else only saved; for who may read the conversation."""

import httpx
import pytest
from flask.testing import FlaskClient

from bot.media.staff_downloads import Unopened, files, kind_of
from models.db import Database
from models.message import Author
from models.tenant import Tenant
from tests.bot.edge import settings
from tests.bot.web.office import STRANGER, Office
from tests.fakes.media import CDN, OGG, FakeMedia, media_url

JPEG, PNG = b"\xff\xd8\xff\xe0 picture", b"\x89PNG\r\n\x1a\n picture"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
HTML = b"<!doctype html><script>alert(1)</script>"
MP4, M4A = b"\x00\x00\x00\x20ftypisom", b"\x00\x00\x00\x20ftypM4A "


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


@pytest.mark.parametrize(
    ("content", "said", "shown", "how"),
    [
        (JPEG, "image/jpeg", "image/jpeg", 'inline; filename="anexo-1-1.jpg"'),
        (PNG, "image/jpeg", "image/png", 'inline; filename="anexo-1-1.png"'),
        (OGG, "audio/ogg", "audio/ogg", 'inline; filename="anexo-1-1.ogg"'),
        (MP4, "video/mp4", "video/mp4", 'inline; filename="anexo-1-1.mp4"'),
        (M4A, "audio/mp4", "audio/mp4", 'inline; filename="anexo-1-1.m4a"'),
        # What it is, and not what it was said to be.
        (SVG, "image/svg+xml", "application/octet-stream", 'attachment; filename="anexo-1-1.bin"'),
        (SVG, "image/png", "application/octet-stream", 'attachment; filename="anexo-1-1.bin"'),
        (HTML, "image/jpeg", "application/octet-stream", 'attachment; filename="anexo-1-1.bin"'),
        (b"%PDF-1.7", "application/pdf", "application/octet-stream", 'attachment; filename="anexo-1-1.bin"'),
        (b"", "image/png", "application/octet-stream", 'attachment; filename="anexo-1-1.bin"'),
        # A picture that is a page as well: it is a picture to everybody.
        (JPEG + HTML, "text/html", "image/jpeg", 'inline; filename="anexo-1-1.jpg"'),
    ],
)
def test_only_what_is_harmless_is_shown(
    office: Office, client: FlaskClient, content: bytes, said: str, shown: str, how: str
) -> None:
    talk = office.says("", kind="image", file=(said, content))
    answer = client.get(f"/fila/{talk}/anexo/1/0")
    assert (answer.status_code, answer.data, answer.mimetype) == (200, content, shown)
    assert answer.headers["Content-Disposition"] == how
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


@pytest.mark.parametrize(
    ("wanted", "found", "told"),
    [
        ("bytes=0-", OGG, f"bytes 0-{len(OGG) - 1}/{len(OGG)}"),
        ("bytes=0-1", OGG[:2], f"bytes 0-1/{len(OGG)}"),
        ("bytes=-4", OGG[-4:], f"bytes {len(OGG) - 4}-{len(OGG) - 1}/{len(OGG)}"),
    ],
)
def test_a_player_may_ask_for_a_part(
    office: Office, client: FlaskClient, wanted: str, found: bytes, told: str
) -> None:
    """Safari plays nothing of a server that does not know parts."""
    talk = office.says("", kind="audio", file=("audio/ogg", OGG))
    answer = client.get(f"/fila/{talk}/anexo/1/0", headers={"Range": wanted})
    assert (answer.status_code, answer.data, answer.mimetype) == (206, found, "audio/ogg")
    assert answer.headers.get("Content-Range") == told
    assert int(answer.headers["Content-Length"]) == len(found)
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("wanted", ["bytes=99999-", "lines=1-2", "x"])
def test_a_part_that_is_not_there_is_refused(office: Office, client: FlaskClient, wanted: str) -> None:
    talk = office.says("", kind="audio", file=("audio/ogg", OGG))
    assert client.get(f"/fila/{talk}/anexo/1/0", headers={"Range": wanted}).status_code == 416


def test_the_page_leads_to_it(office: Office, client: FlaskClient) -> None:
    talk = office.says("", kind="image", file=("image/jpeg", JPEG))
    office.says("", kind="audio", file=("audio/ogg", OGG))
    office.says("", kind="document", file=("application/pdf", b"%PDF-"))
    page = client.get(f"/fila/{talk}").text
    assert f'href="/fila/{talk}/anexo/1/0" target="_blank" rel="noopener noreferrer">Ver<' in page
    assert f'<audio controls preload="none" src="/fila/{talk}/anexo/2/0"' in page
    assert f'href="/fila/{talk}/anexo/3/0" target="_blank" rel="noopener noreferrer">Baixar<' in page
    assert office.drawer.asked == [], "nothing is fetched before somebody wants it"


@pytest.mark.parametrize("path", ["1/1", "1/99", "2/0", "3/0", "9/0"])
def test_what_is_not_there_is_missing(office: Office, client: FlaskClient, path: str) -> None:
    """Another place, a line without any, a line of ours, no line."""
    talk = office.says("", kind="image", file=("image/jpeg", JPEG))
    office.says("só texto")
    office.answers(talk, "x", author=Author.STAFF, staff_id=office.ana)
    assert client.get(f"/fila/{talk}/anexo/{path}").status_code == 404
    assert office.drawer.asked == []


def test_another_business_gets_nothing_and_nobody_asks_for_it(office: Office) -> None:
    talk = office.says("", kind="image", file=("image/jpeg", JPEG))
    stranger = office.client(STRANGER)
    foreign, missing = stranger.get(f"/fila/{talk}/anexo/1/0"), stranger.get("/fila/987654/anexo/1/0")
    assert (foreign.status_code, foreign.text) == (404, missing.text)
    assert office.client(None).get(f"/fila/{talk}/anexo/1/0").status_code == 303
    assert office.drawer.asked == []


def test_what_cannot_be_had_is_said_in_words(office: Office, client: FlaskClient) -> None:
    talk = office.says("", kind="image", file=("image/jpeg", JPEG))
    office.drawer.contents.clear()
    answer = client.get(f"/fila/{talk}/anexo/1/0")
    assert answer.status_code == 502
    assert "O WhatsApp não entregou o arquivo agora." in answer.text
    assert "http_404" not in answer.text


def test_fetched_with_the_account_of_the_business_and_never_farther(sqlite_db: Database) -> None:
    """Through the store that checks every address: H37."""
    tenant = Tenant(slug="a", name="A", whatsapp="+551130001000", timezone="America/Sao_Paulo")
    lies = FakeMedia(content=JPEG)
    with httpx.Client(transport=lies.transport()) as http:
        opens = files(settings(twilio_api_url=None), {}, http)
        assert opens.open(tenant, media_url(), seconds=5) == JPEG
        assert [given is not None for _, _, given in lies.requests] == [True, False], "the password stays"
        asked = len(lies.requests)
        for hostile in (
            "https://evil.test/x",
            f"{CDN}/asset/1",
            "http://169.254.169.254/",
            media_url(account="AC" + "9" * 32),
        ):
            with pytest.raises(Unopened):
                opens.open(tenant, hostile, seconds=5)
        assert len(lies.requests) == asked


@pytest.mark.parametrize(
    "content", [b"", b"GIF", b"RIFF0000WAVE", b"ftyp", SVG, HTML, b"\x00" * 40, b"PK\x03\x04"]
)
def test_what_is_not_known_is_not_shown(content: bytes) -> None:
    assert kind_of(content) == "application/octet-stream"
