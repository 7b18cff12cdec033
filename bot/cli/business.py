"""`horacerta business`: the businesses of this installation."""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import click
from sqlmodel import Session, col, select

from bot.cli.common import database_in_use, in_terminal, piped, settings_given
from bot.process import bootstrap, staff_logins
from models import business as businesses
from models import business_file, erasure, monthly_usage
from models.business import Standing
from models.monthly_usage import Month
from models.tenant import Tenant


@click.group()
def business() -> None:
    """The businesses of this installation."""


@business.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_command(as_json: bool) -> None:
    """All of them: slug, number, whether it is served, customers, and who waits for a person."""
    with database_in_use(settings_given()).reading() as session:
        found = businesses.standings(session)
    if as_json:
        click.echo(json.dumps([_as_json(each) for each in found], ensure_ascii=False, indent=2))
        return
    head = ("business", "number", "state", "customers", "waiting", "since", "last message")
    _table([head, *(_line(each) for each in found)], right={3, 4})


def _as_json(each: Standing) -> dict[str, Any]:
    moments = {"disabled_at", "waiting_since", "last_message_at"}
    return {
        key: value.isoformat() if key in moments and value is not None else value
        for key, value in vars(each).items()
    }


def _line(each: Standing) -> tuple[str, ...]:
    state = "served" if each.disabled_at is None else "disabled" + ", silent" * each.disabled_silently
    times = (_minute(each.waiting_since), _minute(each.last_message_at))
    return (each.slug, each.whatsapp, state, str(each.customers), str(each.waiting), *times)


def _minute(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%MZ}"


@business.command("disable")
@click.argument("slug")
@click.option("--silent", is_flag=True, help="Its customers get no answer at all, not even the fixed text.")
def disable_command(slug: str, silent: bool) -> None:
    """Serve it no longer: a fixed text for its customers, no model, no reminders. Nothing is deleted."""
    with database_in_use(settings_given()).writing() as session:
        tenant_id = staff_logins.tenant_id(session, slug)
        businesses.disable(session, bootstrap.system_clock(), tenant_id, silently=silent)
    click.echo(f"Disabled: {slug}. To serve it again: horacerta business enable {slug}")


@business.command("enable")
@click.argument("slug")
def enable_command(slug: str) -> None:
    """Serve a disabled business again."""
    with database_in_use(settings_given()).writing() as session:
        tenant_id = staff_logins.tenant_id(session, slug)
        businesses.enable(session, bootstrap.system_clock(), tenant_id)
    click.echo(f"Enabled: {slug}.")


@business.command("delete")
@click.argument("slug")
def delete_command(slug: str) -> None:
    """Delete a disabled business with its customers, talks, visits and logins, for good.

    It wants the slug typed once more, in a terminal or piped in. What lies at Twilio is not deleted there.
    """
    db = database_in_use(settings_given())
    with db.reading() as session:
        tenant_id = staff_logins.tenant_id(session, slug)
        if session.get_one(Tenant, tenant_id).disabled_at is None:
            raise click.ClickException(f"{slug} is still served; first: horacerta business disable {slug}")
        [found] = [each for each in businesses.standings(session) if each.slug == slug]
    if not _is_typed(slug, found.customers):
        raise click.ClickException("Nothing was deleted.")
    with db.writing() as session:
        rows = businesses.remove(session, tenant_id)
    click.echo(f"Deleted: {slug}, {rows:,} rows.")
    if not erasure.scrub(db):
        click.echo("The database was too busy to be rebuilt: old words may still be read in its file.")


def _is_typed(slug: str, customers: int) -> bool:
    lost = f"{customers} customer{'' if customers == 1 else 's'} and all that belongs to them"
    if in_terminal():
        question = f"{slug}: {lost} go for good. Type {slug} to go on"
        return str(click.prompt(question, default="", show_default=False)).strip() == slug
    return (piped(sys.stdin) or "").strip() == slug


@business.command("export")
@click.argument("slug")
def export_command(slug: str) -> None:
    """Print the business's file, which `horacerta import` reads."""
    with database_in_use(settings_given()).reading() as session:
        staff_logins.tenant_id(session, slug)
        click.echo(business_file.export(session, slug), nl=False)


@business.command("usage")
@click.option("--tenant", help="Only this business (slug).")
@click.option("--months", type=click.IntRange(1, 60), default=3, show_default=True, help="This one included.")
@click.option("--csv", "form", flag_value="csv", help="As CSV.")
@click.option("--json", "form", flag_value="json", help="As JSON.")
def usage_command(tenant: str | None, months: int, form: str | None) -> None:
    """Runs, tokens, money and messages of each business by month, in its own time zone.

    Money is in USD; runs of a model without a price (MODEL_PRICES) are counted as unpriced.
    """
    with database_in_use(settings_given()).reading() as session:
        now = bootstrap.system_clock()
        used = [
            _used(each.slug, month)
            for each in _tenants(session, tenant)
            for month in monthly_usage.months(session, now, each, months)
        ]
    if form == "json":
        click.echo(json.dumps(used, indent=2))
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, list(used[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(used)
    else:
        _table([tuple(used[0]), *(tuple(map(str, row.values())) for row in used)], right=set(range(2, 9)))


def _tenants(session: Session, slug: str | None) -> Sequence[Tenant]:
    query = select(Tenant).order_by(col(Tenant.slug))
    if slug is not None:
        query = query.where(Tenant.id == staff_logins.tenant_id(session, slug))
    return session.exec(query).all()


def _used(slug: str, month: Month) -> dict[str, str | int]:
    return {
        "business": slug,
        "month": f"{month.first:%Y-%m}",
        "runs": month.runs,
        "input_tokens": month.input_tokens,
        "output_tokens": month.output_tokens,
        "cost_usd": f"{month.cost_microdollars / 1_000_000:.4f}",
        "unpriced_runs": month.unpriced,
        "messages_in": month.messages_in,
        "messages_out": month.messages_out,
    }


def _table(rows: Sequence[Sequence[str]], *, right: Iterable[int]) -> None:
    """Columns as wide as their widest value; those in `right` are numbers."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [
            value.rjust(width) if place in right else value.ljust(width)
            for place, (value, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
