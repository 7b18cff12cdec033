"""Tables and the rules about them. Knows no Flask, no httpx and no settings."""

from models import (
    appointment,
    audit,
    catalog,
    conversation,
    customer,
    delivery,
    handoff,
    message,
    reminder,
    run,
    staff,
    tenant,
    waitlist,
    worker,
)

__all__ = [
    "appointment",
    "audit",
    "catalog",
    "conversation",
    "customer",
    "delivery",
    "handoff",
    "message",
    "reminder",
    "run",
    "staff",
    "tenant",
    "waitlist",
    "worker",
]
