"""Customers' names as they are looked for."""

import sqlalchemy as sa
from alembic import op

from models.folding import folded

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

AT_ONCE = 1_000


def upgrade() -> None:
    op.add_column(
        "customer", sa.Column("folded_name", sa.String(length=200), nullable=False, server_default="")
    )
    bind, last = op.get_bind(), 0
    while rows := bind.execute(_PAGE, {"last": last, "most": AT_ONCE}).all():
        bind.execute(_FILL, [{"key": row.id, "folded": folded(row.name)[:200]} for row in rows])
        last = rows[-1].id


_PAGE = sa.text("select id, name from customer where id > :last order by id limit :most")
_FILL = sa.text("update customer set folded_name = :folded where id = :key")


def downgrade() -> None:
    op.drop_column("customer", "folded_name")
