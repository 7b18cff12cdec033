"""/agenda: the staff's own calendar.

Each module adds its pages to the one blueprint; `calendar` is for programs without a login.
"""

from bot.web.agenda import blocking, booking, day, export, visit, waiting_list
from bot.web.agenda.base import blueprint
from bot.web.agenda.feeds import calendar

__all__ = ["blocking", "blueprint", "booking", "calendar", "day", "export", "visit", "waiting_list"]
