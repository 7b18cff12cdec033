"""`horacerta business` as it is typed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from tests.stage import BUSINESSES

Typed = Callable[..., Result]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Types a command where two businesses are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///shop.db")

    def run(*command: str) -> Result:
        return CliRunner().invoke(main, command)

    for name in ("studio-bela", "barbearia-rio-negro"):
        run("import", str(BUSINESSES / f"{name}.yaml"))
    return run


def test_a_business_is_listed_disabled_and_enabled(typed: Typed) -> None:
    assert typed("business", "disable", "studio-bela", "--silent").exit_code == 0
    barber, bela = json.loads(typed("business", "list", "--json").stdout)
    assert (bela["slug"], bela["disabled_silently"], barber["disabled_at"]) == ("studio-bela", True, None)
    assert "disabled, silent" in typed("business", "list").stdout
    typed("business", "enable", "studio-bela")
    assert "disabled" not in typed("business", "list").stdout


def test_what_is_exported_is_imported(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "out.yaml").write_text(typed("business", "export", "studio-bela").stdout)
    assert "nothing to change" in typed("import", "out.yaml").stdout


def test_nothing_is_deleted_without_its_name(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is still served" in typed("business", "delete", "studio-bela").stderr
    typed("business", "disable", "studio-bela")
    for said, code in (("studio", 1), ("studio-bela", 0)):
        monkeypatch.setattr("bot.cli.business.piped", lambda _stream, said=said: said)
        assert typed("business", "delete", "studio-bela").exit_code == code
    assert "studio-bela" not in typed("business", "list").stdout


def test_usage_has_three_forms(typed: Typed) -> None:
    head, *rows = typed("business", "usage", "--csv", "--months", "2").stdout.splitlines()
    assert head.startswith("business,month,runs,input_tokens,output_tokens,cost_usd,")
    assert len(rows) == 4
    [month] = json.loads(
        typed("business", "usage", "--json", "--months", "1", "--tenant", "studio-bela").stdout
    )
    assert (month["business"], month["runs"], month["cost_usd"]) == ("studio-bela", 0, "0.0000")
    assert typed("business", "usage").stdout.splitlines()[0].split()[:2] == ["business", "month"]
