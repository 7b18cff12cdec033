"""/ajustes: the business's own settings, which its file also holds.

Each module adds its pages to the one blueprint.
"""

from bot.web.business import catalogue, history, questions, sections
from bot.web.business.shared import blueprint

__all__ = ["blueprint", "catalogue", "history", "questions", "sections"]
