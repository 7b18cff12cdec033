"""Run the revisions on the connection that `models.schema` hands over."""

from typing import Any, Literal

from alembic import context
from sqlalchemy.types import TypeEngine
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

import models
from models.db import UtcDateTime

assert models  # importing it registers every table


def render(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write our own and SQLModel's column types into a new revision in the form that stays valid."""
    if kind == "type" and isinstance(item, TypeEngine):
        if isinstance(item, AutoString):
            return f"sa.String(length={item.length})" if item.length else "sa.String()"
        if isinstance(item, UtcDateTime):
            return "models.db.UtcDateTime()"
    return False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=SQLModel.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    render_item=render,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
