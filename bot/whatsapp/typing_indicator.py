"""Shows the customer that an answer is being written. A nicety: it is never waited for, and may fail."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import structlog
from twilio.rest import Client

from bot.whatsapp.base import SendError
from bot.whatsapp.twilio import Patience, calling
from models.tenant import Tenant

PATIENCE = Patience(connect=2, silence=3, total=3)
THREADS = 4
WAITING = 64  # more than this come too late to be seen
_SID = re.compile(r"(?:SM|MM)[0-9a-fA-F]{32}")

log = structlog.get_logger()


class TypingIndicator:
    """Twilio's typing indicator, shown from threads of its own. Safe for use by many threads."""

    def __init__(self, client_for: Callable[[Tenant], Client]) -> None:
        self._client_for = client_for
        self._pool = ThreadPoolExecutor(THREADS, "typing")
        self._places = threading.Semaphore(WAITING)

    def __call__(self, tenant: Tenant, sid: str) -> None:
        """Show it in the chat of this inbound message, and the message as read. Returns at once."""
        if not _SID.fullmatch(sid) or not self._places.acquire(blocking=False):
            return
        try:
            self._pool.submit(self._show, tenant, sid)
        except RuntimeError:  # the program ends
            self._places.release()

    def close(self) -> None:
        """Wait for what is being shown, and show nothing more."""
        self._pool.shutdown(cancel_futures=True)

    def _show(self, tenant: Tenant, sid: str) -> None:
        try:
            indicator = self._client_for(tenant).messaging.v2.typing_indicator
            calling(lambda: indicator.create(channel="whatsapp", message_id=sid))
        except SendError as error:
            log.info("typing_not_shown", tenant_id=tenant.id, code=error.code, error=str(error))
        except Exception:  # a nicety: its failure never matters
            log.exception("typing_failed", tenant_id=tenant.id)
        finally:
            self._places.release()
