"""What `horacerta doctor` finds out about the models: each that may be asked is asked."""

from pathlib import Path

from bot import doctor
from bot.finding import Finding
from bot.settings import Settings
from tests.fakes.claude import FakeClaude, answer, error, text
from tests.fakes.openai import FakeOpenAI, completion


def models(tmp_path: Path, **settings: object) -> dict[str, Finding]:
    """The findings about models, by their subject."""
    given = Settings(_env_file=None, database_url=f"sqlite:///{tmp_path / 'd.db'}", **settings)
    found = doctor.examine(given, {})
    return {one.subject: one for one in found if one.subject.startswith("model")}


def test_every_model_is_asked(tmp_path: Path) -> None:
    """The second one too, which customers would meet only when the first is away."""
    with FakeClaude([answer(text("ok"))]).serve() as claude, FakeOpenAI([completion("ok")]).serve() as other:
        found = models(
            tmp_path,
            anthropic_api_key="k",
            anthropic_base_url=claude,
            llm_fallback="openai",
            openai_api_key="k",
            openai_model="local",
            openai_base_url=other,
        )
    assert found["model (anthropic)"] == Finding(True, "model (anthropic)", "claude-haiku-5-5 answers")
    assert found["model (openai)"].ok
    assert found["model (openai)"].text.endswith("what it costs is not known: give it in MODEL_PRICES")


def test_wrong_key_is_not_hidden_by_the_second_model(tmp_path: Path) -> None:
    with FakeClaude([error(401, "authentication_error")]).serve() as claude:
        found = models(tmp_path, anthropic_api_key="k", anthropic_base_url=claude, llm_fallback="offline")
    assert not found["model (anthropic)"].ok
    assert "ANTHROPIC_API_KEY" in found["model (anthropic)"].text
    assert found["model (offline)"].ok
