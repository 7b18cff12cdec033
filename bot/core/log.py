"""Log lines: one event name and plain fields; no message text, no phone, no secret."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Literal

import structlog

from bot.core.masking import mask


def _masked(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str) and key not in ("timestamp", "exception"):
            event[key] = mask(value)
    return event


def configure(level: str, form: Literal["console", "json"]) -> None:
    """Set up structlog and the standard library's loggers; lines go to standard error."""
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _masked,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=max(logging.getLevelNamesMapping()[level], logging.WARNING), stream=sys.stderr)
