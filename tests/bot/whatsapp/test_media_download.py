"""Attachments: fetched with our credentials from our own account alone, and from nowhere but Twilio."""

from collections import deque
from collections.abc import Callable, Iterator

import httpx
import pytest

from bot.core.http import ThreadClients
from bot.whatsapp.credentials import Account
from bot.whatsapp.media_download import MAX_BYTES, MediaStore, Unfetched
from tests.fakes.media import API, CDN, OGG, FakeMedia, media_url
from tests.fakes.twilio import ACCOUNT, TOKEN

OURS = Account(ACCOUNT, (TOKEN, "old"), "TWILIO_AUTH_TOKEN")
OTHERS = "AC" + "b2" * 16
STAND_IN = "http://127.0.0.1:8000/demo/twilio"


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def clock(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def fake() -> FakeMedia:
    return FakeMedia()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def store_of(fake: FakeMedia, time: Time) -> Iterator[Callable[..., MediaStore]]:
    http = ThreadClients(transport=fake.transport())

    def make(api_url: str | None = None, address: str = "54.172.60.1") -> MediaStore:
        return MediaStore(http, api_url, sleep=time.sleep, clock=time.clock, resolve=lambda host: [address])

    yield make
    http.close()


@pytest.fixture
def store(store_of: Callable[..., MediaStore]) -> MediaStore:
    return store_of()


def refused(store: MediaStore, url: str, account: Account = OURS) -> str:
    with pytest.raises(Unfetched) as caught:
        store.fetch(account, url, seconds=20)
    return str(caught.value)


def test_the_password_goes_to_the_api_and_no_farther(store: MediaStore, fake: FakeMedia) -> None:
    """B14: with Basic authentication, through the redirect, which it does not follow along."""
    assert store.fetch(OURS, media_url(), seconds=20) == OGG
    (_, first, password), (_, second, none) = fake.requests
    assert (first, second, none) == (media_url(), f"{CDN}/asset/1", None)
    assert password is not None


def test_what_is_not_there_yet_is_waited_for(store: MediaStore, fake: FakeMedia, time: Time) -> None:
    fake.missing = 2
    assert store.fetch(OURS, media_url(), seconds=20) == OGG
    assert time.slept == [1.0, 3.0]


@pytest.mark.parametrize(("seconds", "slept"), [(20, [1.0, 3.0]), (3, [1.0]), (0.5, [])])
def test_nothing_is_waited_for_longer_than_allowed(
    store: MediaStore, fake: FakeMedia, time: Time, seconds: float, slept: list[float]
) -> None:
    fake.missing = 9
    with pytest.raises(Unfetched, match="http_404"):
        store.fetch(OURS, media_url(), seconds=seconds)
    assert time.slept == slept


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/x",  # B17
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "",
        media_url(account=OTHERS),
        media_url().replace("https:", "http:"),
        media_url().replace("api.twilio.com", "api.twilio.com.evil.example"),
        media_url().replace("api.twilio.com", "api.twilio.com:8443"),
        media_url().replace("api.twilio.com", "evil@api.twilio.com"),
        media_url().replace("https://api.twilio.com", "https://api.twilio.com@evil.example"),
        media_url() + "/../../../Messages.json",
        media_url() + "?x=1",
        f"{API}/2010-04-01/Accounts/{ACCOUNT}/Messages.json",
        media_url(api=STAND_IN),
    ],
)
def test_an_address_that_is_not_ours_is_never_asked(store: MediaStore, fake: FakeMedia, url: str) -> None:
    assert refused(store, url) == "not_ours"
    assert fake.requests == []


@pytest.mark.parametrize(
    ("target", "word"),
    [
        ("http://mms.twiliocdn.com/asset/1", "foreign_host"),  # not encrypted
        ("https://mms.twiliocdn.com:444/asset/1", "foreign_host"),
        ("https://evil.example.com/asset", "foreign_host"),
        ("https://mms.twiliocdn.com.evil.example/asset", "foreign_host"),
        ("https://127.0.0.1/asset", "foreign_host"),
        ("http://169.254.169.254/latest/meta-data", "foreign_host"),
        ("https://[::1]/asset", "foreign_host"),
        ("https://[/asset", "bad_address"),
        ("ftp://mms.twiliocdn.com/asset", "foreign_host"),
        ("", "too_many_redirects"),
    ],
)
def test_a_redirect_leads_nowhere_else(store: MediaStore, fake: FakeMedia, target: str, word: str) -> None:
    fake.redirects = deque([target] * 5)
    found = refused(store, media_url())
    assert found == word if target else found in (word, "http_401")
    assert all(url.startswith((API, CDN)) for _, url, _ in fake.requests)
    assert [password for _, _, password in fake.requests[1:]] == [None] * len(fake.requests[1:])


def test_two_redirects_are_followed_and_no_third(store: MediaStore, fake: FakeMedia) -> None:
    fake.redirects = deque([f"{CDN}/1", f"{CDN}/2"])
    assert store.fetch(OURS, media_url(), seconds=20) == OGG
    fake.redirects = deque([f"{CDN}/1", f"{CDN}/2", f"{CDN}/3"])
    assert refused(store, media_url()) == "too_many_redirects"


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "fd00::1"])
def test_a_name_that_leads_into_our_own_net_is_refused(
    store_of: Callable[..., MediaStore], fake: FakeMedia, address: str
) -> None:
    assert refused(store_of(address=address), media_url()) == "private_address"
    assert fake.requests == []


def test_a_name_that_only_a_proxy_knows_is_the_proxys_matter(fake: FakeMedia, time: Time) -> None:
    with httpx.Client(transport=fake.transport()) as http:
        store = MediaStore(http, None, sleep=time.sleep, clock=time.clock, resolve=lambda host: [])
        assert store.fetch(OURS, media_url(), seconds=20) == OGG


def test_a_stand_in_takes_the_place_of_twilio(store_of: Callable[..., MediaStore], fake: FakeMedia) -> None:
    """In the demo and in tests: its address counts as Twilio's own, and Twilio's does not."""
    store = store_of(STAND_IN, "127.0.0.1")
    fake.redirects.clear()
    assert store.fetch(OURS, media_url(api=STAND_IN), seconds=20) == OGG
    assert refused(store, media_url()) == "not_ours"


def test_what_is_too_large_is_not_read_to_its_end(store: MediaStore, fake: FakeMedia) -> None:
    fake.content = b"OggS" + b"x" * MAX_BYTES
    assert refused(store, media_url()) == "too_large"


def test_a_wrong_password_is_not_tried_again(store: MediaStore, fake: FakeMedia, time: Time) -> None:
    assert refused(store, media_url(), Account(ACCOUNT, ("wrong",), "")) == "http_401"
    assert (len(fake.requests), time.slept) == (1, [])


def test_without_a_password_nothing_is_asked(store: MediaStore, fake: FakeMedia) -> None:
    assert refused(store, media_url(), Account(ACCOUNT, (), "X")) == "no_credentials"
    assert fake.requests == []


def test_a_broken_line_is_tried_again(time: Time) -> None:
    """And its error's text, which may hold an address, goes nowhere."""
    answers: list[Exception | httpx.Response] = [
        httpx.ConnectTimeout("secret"),
        httpx.Response(503),
        httpx.Response(200, content=OGG),
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        store = MediaStore(http, None, sleep=time.sleep, clock=time.clock, resolve=lambda host: [])
        assert store.fetch(OURS, media_url(), seconds=20) == OGG
        answers.extend([httpx.ConnectTimeout("secret")] * 3)
        assert refused(store, media_url()) == "ConnectTimeout"
