"""A sample business, and somebody who calls tools as the model does."""

from dataclasses import replace
from datetime import date, datetime

import pytest

from models.catalog import Closure
from models.db import Database
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tools import TOOLS
from tools.contract import ToolContext
from tools.toolbox import Call, Result, Toolbox


class Model:
    """Calls one tool at a time, each in a turn of its own unless told which."""

    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self._turns = 0

    def __call__(
        self,
        name: str,
        *,
        turn: str | None = None,
        now: datetime | None = None,
        customer: int | None = None,
        **arguments: object,
    ) -> Result:
        self._turns += 1
        context = replace(
            self.context,
            turn_key=turn or f"turn-{self._turns}",
            now=now or self.context.now,
            customer_id=customer or self.context.customer_id,
        )
        box = Toolbox(TOOLS, context, max_identical=1)
        return box.execute([Call("toolu_1", name, arguments)], lambda _result: None)[0]

    def done(self, name: str, **arguments: object) -> str:
        """The text of a call that must succeed."""
        result = self(name, **arguments)
        assert not result.is_error, result.text
        return result.text

    def refused(self, name: str, **arguments: object) -> str:
        """The text of a call that a rule must refuse."""
        result = self(name, **arguments)
        assert result.error_class == "domain_rule", result
        return result.text


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        return agenda.studio(session, now)


@pytest.fixture
def model(db: Database, ids: Ids, now: datetime) -> Model:
    return Model(agenda.context(db, ids, now))


def close(db: Database, ids: Ids, day: date, reason: str = "") -> None:
    with db.writing() as session:
        session.add(Closure(tenant_id=ids.tenant, date=day, reason=reason))
