"""What stands under deploy/ speaks of what there is: commands, metrics, settings."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.cli import main
from bot.process import metrics
from models.db import Database
from tests.bot.web.office import Office

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
METRIC = re.compile(r"\bhoracerta_[a-z_]+")


def expressions() -> list[str]:
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())
    board = json.loads((DEPLOY / "grafana/horacerta.json").read_text())
    return [
        *(rule["expr"] for group in rules["groups"] for rule in group["rules"]),
        *(target["expr"] for panel in board["panels"] for target in panel["targets"]),
    ]


def test_rules_and_board_ask_for_metrics_that_there_are(sqlite_db: Database, now: datetime) -> None:
    """And for labels that these have; what the board does not show, nobody needs."""
    office = Office(sqlite_db)
    office.client().get("/healthz")
    text = metrics.text(metrics.registry(office.services)).decode()
    there = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    families = {name.removesuffix("_total") for name in there}
    for expression in expressions():
        for name in METRIC.findall(expression):
            family = re.sub(r"_(?:total|bucket|count|sum)$", "", name)
            assert family in families, expression
            assert name.endswith("_total") == (f"{family}_total" in there), expression


@pytest.mark.parametrize("service", ["migrate", "web", "worker"])
def test_compose_runs_commands_that_there_are(service: str) -> None:
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert services[service]["command"] in main.commands
    assert services[service]["depends_on"] == (
        {"postgres": {"condition": "service_healthy"}}
        if service == "migrate"
        else {"migrate": {"condition": "service_completed_successfully"}}
    )


def test_units_run_commands_that_there_are() -> None:
    units = [*(DEPLOY / "systemd").glob("*.service"), ROOT / "compose.yaml"]
    text = "\n".join(unit.read_text() for unit in units)
    found = set(re.findall(r"(?:bin/|^\s+)horacerta (\w+)", text, re.MULTILINE))
    assert found == {"serve", "backup"}
    assert found <= main.commands.keys()
