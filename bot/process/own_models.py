"""The model of a business that has one of its own: its provider, its name, its key."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from bot.core.call_stats import Calls
from bot.core.settings import Settings
from bot.llm.base import ModelClient
from models.tenant import Tenant

log = structlog.get_logger()

Make = Callable[[Settings, Calls], Callable[[], ModelClient]]


class OwnModels:
    """Makes each model once, and anew after the business has chosen another. Safe for threads."""

    def __init__(self, settings: Settings, environment: Mapping[str, str], calls: Calls, make: Make) -> None:
        self._settings = settings
        self._environment = environment
        self._calls = calls
        self._make = make
        self._lock = threading.Lock()
        self._made: dict[str, tuple[dict[str, Any], Callable[[], ModelClient]]] = {}

    def __call__(self, tenant: Tenant) -> ModelClient | None:
        """For one run of the business; None where it has no model of its own."""
        changes = own_settings(tenant, self._environment)
        if not changes:
            return None
        with self._lock:
            known, made = self._made.get(tenant.slug, ({}, None))
            if made is None or known != changes:
                if changes.get(f"{tenant.model_provider}_api_key") == "":
                    log.error("own_model_key_missing", tenant=tenant.slug, variable=tenant.model_key_env)
                own = self._settings.model_copy(update=changes)
                made = self._make(own, self._calls.of(tenant.slug))
                self._made[tenant.slug] = changes, made
        return made()


def own_settings(tenant: Tenant, environment: Mapping[str, str]) -> dict[str, Any]:
    """What of the settings is another for this business. A key that is not there is "", and never ours."""
    provider = tenant.model_provider
    changes: dict[str, Any] = {"llm_fallback": tenant.model_fallback} if tenant.model_fallback else {}
    if provider:
        changes["llm_provider"] = provider
    if provider and tenant.model_name:
        changes[f"{provider}_model"] = tenant.model_name
    if provider and tenant.model_key_env:
        changes[f"{provider}_api_key"] = environment.get(tenant.model_key_env, "")
    return changes
