"""The environment: defaults, refusals that name the setting, and that .env.example tells all of it."""

import re
from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, load

EXAMPLE = Path(__file__).parents[2] / ".env.example"


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
