"""`horacerta staff`: logins for the staff page."""

import sys

import click

from bot.cli.common import database_in_use, settings_given
from bot.process import bootstrap, staff_logins
from models.staff import ROLES


@click.group()
def staff() -> None:
    """Logins for the staff page."""


@staff.command("add")
@click.option("--tenant", required=True, help="The business's slug.")
@click.option("--email", required=True)
@click.option("--name", required=True)
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="owner",
    show_default=True,
    help="What they may do: an attendant answers, a manager also sees figures and manages attendants.",
)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def staff_add(tenant: str, email: str, name: str, role: str, password_stdin: bool) -> None:
    """Add a login; prints a generated password where none is piped in."""
    given = sys.stdin.readline().rstrip("\n") if password_stdin else None
    now = bootstrap.system_clock()
    password = staff_logins.add(database_in_use(settings_given()), now, tenant, email, name, given, role)
    click.echo(f"Login: {email}")
    if given is None:
        click.echo(f"Password: {password}")


@staff.command("list")
@click.option("--tenant", help="Only this business (slug).")
def staff_list(tenant: str | None) -> None:
    """All logins: business, e-mail, name, role, state."""
    for line in staff_logins.lines(database_in_use(settings_given()), tenant):
        click.echo(line)


@staff.command("reset-password")
@click.option("--email", required=True)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def staff_reset(email: str, password_stdin: bool) -> None:
    """Give a login a new password and end its sessions."""
    given = sys.stdin.readline().rstrip("\n") if password_stdin else None
    done = staff_logins.reset(database_in_use(settings_given()), bootstrap.system_clock(), email, given)
    click.echo(f"New password for {email}" + ("" if given else f": {done.password}"))
    if done.disabled:
        cure = f"horacerta staff enable --email {email}"
        click.echo(f"This login is disabled: the password opens nothing until you run: {cure}", err=True)


@staff.command("disable")
@click.option("--email", required=True)
def staff_disable(email: str) -> None:
    """Shut a login out at once; the conversations that it held wait for others again."""
    freed = staff_logins.disable(database_in_use(settings_given()), bootstrap.system_clock(), email)
    click.echo(f"Disabled: {email}")
    if freed:
        click.echo(f"Back in the queue: {freed} conversation{'' if freed == 1 else 's'}")


@staff.command("enable")
@click.option("--email", required=True)
def staff_enable(email: str) -> None:
    """Let a disabled login in again, with the password that it had."""
    staff_logins.enable(database_in_use(settings_given()), bootstrap.system_clock(), email)
    click.echo(f"Enabled: {email}")
