"""The built-in model: rules instead of a network, so that everything runs without a key."""

from bot.llm.rule_based.model import OfflineModel

__all__ = ["OfflineModel"]
