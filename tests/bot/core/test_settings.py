"""The environment: defaults, refusals that name the setting, and that .env.example tells all of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core.settings import Settings, SettingsError, environment, load
from tests.fakes.push import KEY

EXAMPLE = Path(__file__).parents[3] / ".env.example"


def test_defaults_are_those_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each setting stands in .env.example, with the default that the code has."""
    told = dict(re.findall(r"^(?:# )?([A-Z_]+)=(.*)$", EXAMPLE.read_text(), re.MULTILINE))
    assert set(told) == {name.upper() for name in Settings.model_fields}
    for name in told:
        monkeypatch.delenv(name, raising=False)
    settings = load(None)
    for name, value in told.items():
        default = getattr(settings, name.lower())
        if isinstance(default, bool):
            assert value == str(default).lower()
        elif isinstance(default, int | float):
            assert float(value) == default
        else:
            assert value == (default or "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "short"),
        ("DATABASE_URL", "mysql://x/y"),
        ("DATABASE_URL", "nonsense"),
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("PUBLIC_URL", "example.com"),
        ("TWILIO_ACCOUNT_SID", "AC123"),
        ("AGENT_MAX_ITERATIONS", "0"),
        ("LLM_PROVIDER", "bard"),
        ("LOG_LEVEL", "LOUD"),
        ("TWILIO_SHARED_KEYS", "sharedkey"),
        ("TWILIO_SHARED_KEYS", "k1=s,=x"),
        ("LLM_FALLBACK", "bard"),
        ("LIMIT_CUSTOMER_RUNS_PER_DAY", "0"),
        ("LIMIT_TENANT_INPUT_TOKENS_PER_DAY", "many"),
        ("MODEL_PRICES", "{"),
        ("VAPID_PRIVATE_KEY", "short"),
        ("VAPID_PRIVATE_KEY", "A" * 43),
        ("VAPID_SUBJECT", "dona@bela.test"),
        ("MODEL_PRICES", '{"gpt": {"input": 1}}'),
    ],
)
def test_wrong_setting_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, with the name, without the value (it may be a secret)."""
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load(None)
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"llm_provider": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"openai_api_key": "k"}, "OPENAI_MODEL"),
        ({"vapid_private_key": KEY}, "VAPID_SUBJECT"),
        ({"llm_fallback": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"anthropic_api_key": "k", "llm_fallback": "openai"}, "OPENAI_MODEL"),
        ({"agent_max_tokens": 100, "agent_retry_max_tokens": 50}, "AGENT_RETRY_MAX_TOKENS"),
    ],
)
def test_settings_that_do_not_fit_together(settings: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load(None, **settings)


@pytest.mark.parametrize(
    ("settings", "provider"),
    [
        ({}, "offline"),
        ({"anthropic_api_key": "k"}, "anthropic"),
        ({"openai_api_key": "k", "openai_model": "m"}, "openai"),
        ({"anthropic_api_key": "k", "openai_api_key": "k", "openai_model": "m"}, "anthropic"),
        ({"anthropic_api_key": "k", "llm_provider": "offline"}, "offline"),
    ],
)
def test_provider_follows_the_keys(settings: dict[str, object], provider: str) -> None:
    assert load(None, **settings).provider == provider


def test_a_token_of_sixteen_characters_will_do() -> None:
    assert load(None, metrics_token="t" * 16).metrics_token == "t" * 16


def test_model_behind_the_first_one() -> None:
    """The same one again is no other."""
    assert load(None, anthropic_api_key="k", llm_fallback="offline").providers == ("anthropic", "offline")
    assert load(None, llm_fallback="offline").providers == ("offline",)
    assert load(None, anthropic_api_key="k").providers == ("anthropic",)


def test_two_tokens_while_one_is_rotated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWILIO_AUTH_TOKEN", " new , old ")
    assert load(None).twilio_auth_token == ("new", "old")


def test_shared_keys_are_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret may hold "=" itself; it is never shown."""
    monkeypatch.setenv("TWILIO_SHARED_KEYS", " k1=abc== , k2=d ")
    settings = load(None)
    assert settings.twilio_shared_keys == (("k1", "abc=="), ("k2", "d"))
    assert "abc" not in repr(settings)


def test_missing_setting_is_named_with_its_cure() -> None:
    with pytest.raises(SettingsError, match=r"^SECRET_KEY is not set; make one"):
        load(None).require("secret_key")


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("PORT", "eighty", "must be a whole number, at least 0 and at most 65535"),
        ("PORT", "70000", "must be a whole number, at least 0 and at most 65535"),
        ("AGENT_MAX_ITERATIONS", "2.5", "must be a whole number, at least 1 and at most 50"),
        ("LIMIT_TENANT_INPUT_TOKENS_PER_DAY", "many", "must be a whole number, at least 1"),
        ("LLM_TIMEOUT_SECONDS", "nan", "must be a number, more than 0 and at most 600"),
        ("INBOUND_DEBOUNCE_SECONDS", "-1", "must be a number, at least 0 and at most 60"),
        ("TYPING_INDICATOR", "perhaps", "must be true or false"),
        ("LLM_PROVIDER", "bard", "must be anthropic, openai or offline"),
        ("LOG_FORMAT", "xml", "must be console or json"),
        ("SECRET_KEY", "s" * 31, "must have at least 32 characters"),
        ("METRICS_TOKEN", "t", "must have at least 16 characters"),
        ("METRICS_TOKEN", "t" * 15, "must have at least 16 characters"),
        ("TWILIO_ACCOUNT_SID", "AC1", "must look like AC and 32 digits or letters from a to f"),
    ],
)
def test_what_is_wanted_is_said_in_our_words(
    name: str, value: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load(None)
    assert str(caught.value) == f"{name}: {wanted}."


@pytest.mark.parametrize("value", ["?", "-1", "0", "1.5", "nan", "99999999999", "http://x/?a=b", "x" * 40])
def test_no_setting_is_refused_in_the_words_of_a_library(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = []
    for name in map(str.upper, Settings.model_fields):
        monkeypatch.setenv(name, value)
        try:
            load(None)
        except SettingsError as error:
            refusals.append(str(error))
        monkeypatch.delenv(name)
    for said in refusals:
        assert re.match(r"[A-Z_]+:? (must|has|is no|is missing, and) ", said), said
        assert not re.search(r"[Ii]nput|[Vv]alid|not understood", said), said


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("https://x.example/hora", "must be without a path"),
        ("https://x.example/twilio/inbound/", "must be without a path"),
        ("https://x.example?a=b", "must end before any ? or #"),
        ("https://x.example/?", "must end before any ? or #"),
        ("https://x.example#rc=2", "must end before any ? or #"),
        ("https://u:p@x.example", "must be without a user and a password"),
        ("https://my_shop.example", "must be a name without an underscore"),
        ("https://", "has no name of a server"),
        ("https://:8000", "has no name of a server"),
        ("https://x.example:99999", "is no address"),
        ("https://[::1", "is no address"),
        ("ftp://x.example", "must begin with https://"),
    ],
)
def test_public_url_is_a_bare_address(value: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBLIC_URL", value)
    with pytest.raises(SettingsError, match=re.escape(f"PUBLIC_URL: {reason}")):
        load(None)


@pytest.mark.parametrize("given", ["https://x.example", "https://x.example/", "http://127.0.0.1:8000"])
def test_public_url_is_kept_without_a_slash(given: str) -> None:
    assert load(None, public_url=given).public_url == given.rstrip("/")


def test_a_base_address_may_have_a_path() -> None:
    assert load(None, openai_base_url="http://gpu.local/v1/").openai_base_url == "http://gpu.local/v1"


# .env


def _folder(file: Path) -> None:
    file.mkdir()


def _latin(file: Path) -> None:
    file.write_bytes("OPENAI_MODEL=não".encode("latin-1"))


def _dangling(file: Path) -> None:
    file.symlink_to(file.with_name("loop"))
    file.with_name("loop").symlink_to(file)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_folder, r"cannot be read \(Is a directory\)"),
        (_latin, "is not written in UTF-8"),
        (_dangling, r"cannot be read \(Too many levels"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    make: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    make(tmp_path / ".env")
    for read in (load, environment):
        with pytest.raises(SettingsError, match=reason):
            read(tmp_path / ".env")


def test_a_forbidden_file_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs this may be root, who is forbidden nothing: so the system's answer is given by hand."""

    def forbidden(_path: Path, _encoding: str) -> str:
        raise PermissionError(13, "Permission denied")

    (tmp_path / ".env").write_text("")
    monkeypatch.setattr(Path, "read_text", forbidden)
    with pytest.raises(SettingsError, match=r"\.env: cannot be read \(Permission denied\)"):
        load(tmp_path / ".env")


def test_a_token_of_a_business_may_stand_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process was given counts more."""
    (tmp_path / ".env").write_text("BELA_TOKEN=a\nRIO_TOKEN=b\nNOTHING\n")
    monkeypatch.setenv("RIO_TOKEN", "given")
    found = environment(tmp_path / ".env")
    assert (found["BELA_TOKEN"], found["RIO_TOKEN"]) == ("a", "given")
    assert "NOTHING" not in found
    assert environment(tmp_path / "none")["RIO_TOKEN"] == "given"
