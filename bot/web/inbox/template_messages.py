"""What may be said to a customer outside WhatsApp's 24 hours: approved templates of the business. Pure."""

from dataclasses import dataclass
from datetime import datetime

from bot.sending import fixed_texts, proactive
from models.appointment import Details
from models.customer import Customer
from models.message import Content
from models.tenant import Tenant


@dataclass(frozen=True)
class Template:
    """One that may be chosen: `key` names it in a form, `text` is what we know it to say."""

    key: str
    label: str
    text: str
    content: Content


def offered(
    tenant: Tenant, customer: Customer, last_at: datetime | None, upcoming: list[Details], now: datetime
) -> list[Template]:
    """The templates that fit this customer now; `last_at` is when they last wrote.

    None for who asked for no messages: a template is one that nobody waits for.
    """
    if customer.opted_out_at is not None:
        return []
    first = fixed_texts.first_name(customer.name)
    found = [_contact(tenant, first, last_at, now)]
    found += [_reminder(tenant, first, upcoming[0], now)] if upcoming else []
    return [template for template in found if template is not None]


def _contact(tenant: Tenant, first: str, last_at: datetime | None, now: datetime) -> Template | None:
    when = f"{(last_at or now).astimezone(tenant.zone):%d/%m/%Y}"
    content = proactive.content(tenant.template_contact, first, when)
    if content is None:
        return None
    return Template("contato", "Retomar o contato", fixed_texts.contact(tenant, first, when), content)


def _reminder(tenant: Tenant, first: str, visit: Details, now: datetime) -> Template | None:
    when = fixed_texts.when(tenant, visit.starts_at, now)
    content = proactive.content(tenant.template_reminder, first, when, fixed_texts.what(visit), str(visit.id))
    if content is None:
        return None
    return Template(
        "lembrete", "Lembrete do próximo horário", fixed_texts.reminder(tenant, first, visit, now), content
    )
