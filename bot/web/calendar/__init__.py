"""/agenda: the staff's own calendar.

Each module adds its pages to the one blueprint; `calendar` is for programs without a login.
"""

from bot.web.calendar import blocked_time, day, day_csv, new_visit, visit, waitlist
from bot.web.calendar.feeds import calendar
from bot.web.calendar.shared import blueprint

__all__ = ["blocked_time", "blueprint", "calendar", "day", "day_csv", "new_visit", "visit", "waitlist"]
