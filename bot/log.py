"""Log lines: one event name and plain fields; no message text, no phone, no secret."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Literal

import structlog

# Digits of a phone or a CPF, wherever they slip into a value: the last two stay, for recognition.
_LONG_NUMBER = re.compile(r"(?<!\w)\+?\d[\d .\-]{7,}\d(\d{2})(?!\w)")


def mask(text: str) -> str:
    """The text with phones and document numbers reduced to their last two digits."""
    return _LONG_NUMBER.sub(r"***\1", text)


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
