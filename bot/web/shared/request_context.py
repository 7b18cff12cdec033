"""What a view asks for: the program's parts, who is logged in, their business, the time."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, cast

from flask import current_app, g
from flask_login import current_user

from bot.core.services import Services
from models.staff import ROLES, Staff
from models.tenant import Tenant

EXTENSION = "horacerta"


@dataclass(frozen=True)
class Me:
    """The logged-in person, as Flask-Login wants one. The cookie holds nothing but the session's token."""

    token: str
    staff: Staff
    session_id: int

    is_authenticated: ClassVar[bool] = True
    is_active: ClassVar[bool] = True
    is_anonymous: ClassVar[bool] = False

    def get_id(self) -> str:
        return self.token


def services() -> Services:
    return cast(Services, current_app.extensions[EXTENSION])


def now() -> datetime:
    """The time of this request: the same for everything in it."""
    if "now" not in g:
        g.now = services().now()
    return cast(datetime, g.now)


def current_staff() -> Staff:
    """The logged-in person. Only for views behind `login.require`."""
    return cast(Me, current_user).staff


def staff_id() -> int:
    found = current_staff().id
    assert found is not None
    return found


def may(role: str) -> bool:
    """Whether the logged-in person has this role, or one above it."""
    return ROLES.index(current_staff().role) >= ROLES.index(role)


def session_id() -> int:
    """The login session of this request."""
    return cast(Me, current_user).session_id


def tenant_id() -> int:
    """The only tenant that this request may see: the logged-in person's, never one from the address."""
    return current_staff().tenant_id


def current_tenant() -> Tenant:
    """The logged-in person's business, read once a request."""
    if "tenant" not in g:
        with services().db.reading() as session:
            g.tenant = session.get_one(Tenant, tenant_id())
    return cast(Tenant, g.tenant)
