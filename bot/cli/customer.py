"""`horacerta customer`: what is kept of a customer, given out or forgotten."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from bot.cli.common import database_in_use, in_terminal, piped, settings_given
from bot.process import bootstrap, retention, staff_logins
from models import appointment, audit, conversation, customer_data, erasure
from models.conversation import Holder
from models.db import Database
from models.errors import Conflict, NotFound
from models.tenant import Tenant


class Phone(click.ParamType[str]):
    """A phone with its country, with whatever spaces and signs."""

    name = "+55…"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return customer_data.parse_phone(value)
        except ValueError as error:
            self.fail(f"{value}: {error}.", param, ctx)


def _customer_options(command: Callable[..., None]) -> Callable[..., None]:
    command = click.option("--phone", required=True, type=Phone(), help="The customer's phone.")(command)
    return click.option("--tenant", required=True, help="The business's slug.")(command)


@click.group()
def customer() -> None:
    """What is kept of a customer: given out, or forgotten."""


@customer.command("export")
@_customer_options
def customer_export(tenant: str, phone: str) -> None:
    """Print all data of one customer as JSON."""
    with database_in_use(settings_given()).writing() as session, _known_customer(tenant, phone):
        tenant_id = staff_logins.tenant_id(session, tenant)
        found = customer_data.find(session, tenant_id, phone)
        data = customer_data.export(session, session.get_one(Tenant, tenant_id), found)
        audit.record(session, bootstrap.system_clock(), tenant_id, "customer.export", subject_id=found.id)
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


@customer.command("forget")
@_customer_options
@click.option("--yes", is_flag=True, help="Do not ask first, nor heed an answer that is piped in.")
def customer_forget(tenant: str, phone: str, yes: bool) -> None:
    """Make one customer anonymous, for good. Appointments and figures stay, without the person.

    In a terminal it asks first. In a script it does not; an answer that is piped in counts all the same.
    """
    settings = settings_given()
    db = database_in_use(settings)
    if not _is_agreed(_at_stake(db, tenant, phone), yes):
        raise click.ClickException("Nothing was forgotten.")
    try:
        with db.writing() as session, _known_customer(tenant, phone):
            erasure.forget(session, bootstrap.system_clock(), staff_logins.tenant_id(session, tenant), phone)
    except Conflict as conflict:
        raise click.ClickException(f"Not now: {conflict}; try again in a minute.") from None
    retention.forget_recordings(db, settings.record_dir)
    click.echo(f"Forgotten: {phone}. Appointments and figures stay, without the person.")
    if not erasure.scrub(db):
        click.echo("The database was too busy to be rebuilt: old words may still be read in its file.")


@dataclass(frozen=True)
class _Stake:
    """Whom it is about; `open` says what is lost with them beyond words, empty if nothing."""

    who: str
    open: str


def _at_stake(db: Database, tenant: str, phone: str) -> _Stake:
    """A wrong digit may be somebody else's phone."""
    with db.reading() as session, _known_customer(tenant, phone):
        tenant_id = staff_logins.tenant_id(session, tenant)
        found = customer_data.find(session, tenant_id, phone)
        assert found.id is not None
        talk = conversation.of_customer(session, tenant_id, found.id)
        ahead = len(appointment.upcoming(session, tenant_id, found.id, bootstrap.system_clock()))
    waits = {Holder.QUEUE: "waits in the queue", Holder.STAFF: "is talking with a person"}
    parts = [waits.get(Holder(talk.holder), "") if talk else "", _ahead(ahead)]
    return _Stake(f"{found.name or 'the nameless customer'} ({phone})", " and ".join(filter(None, parts)))


def _ahead(visits: int) -> str:
    if not visits:
        return ""
    return "has a visit ahead" if visits == 1 else f"has {visits} visits ahead"


def _is_agreed(stake: _Stake, yes: bool) -> bool:
    if in_terminal() and not yes:
        who = f"{stake.who}, who {stake.open}," if stake.open else stake.who
        return click.confirm(f"Forget {who} for good?")
    if stake.open:
        click.echo(f"Note: the customer {stake.open}.")
    said = None if yes else piped(sys.stdin)
    return said is None or said.strip().casefold() in ("y", "yes", "s", "sim")


@contextmanager
def _known_customer(tenant: str, phone: str) -> Iterator[None]:
    try:
        yield
    except NotFound:
        raise click.ClickException(f"{tenant} has no customer with the phone {phone}.") from None
