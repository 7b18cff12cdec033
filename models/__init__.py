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
    run,
    staff,
    tenant,
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
    "run",
    "staff",
    "tenant",
    "worker",
]
