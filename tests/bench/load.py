"""Many conversations at once: time to reply beside the model's own time, and turns a second on PostgreSQL."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select

from models import business_file, message, schema
from models.db import Database, table
from models.message import Incoming, Message, Status
from tests.bench.servers import running
from tests.databases import postgres_server
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, TOKEN
from tests.stage import BUSINESSES

CALLS = 3  # of the model in a turn


@contextmanager
def workers(number: int, url: str, model_url: str, twilio_url: str, concurrency: int) -> Iterator[None]:
    environment = os.environ | {
        "DATABASE_URL": url,
        "PUBLIC_URL": PUBLIC_URL,
        "TWILIO_ACCOUNT_SID": ACCOUNT,
        "TWILIO_AUTH_TOKEN": TOKEN,
        "TWILIO_API_URL": twilio_url,
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": model_url,
        "WORKER_CONCURRENCY": str(concurrency),
        "LOG_LEVEL": "ERROR",
        "LIMIT_TENANT_RUNS_PER_DAY": "1000000",
    }
    command = [sys.executable, "-m", "bot", "worker"]
    processes = [subprocess.Popen(command, env=environment) for _ in range(number)]
    time.sleep(4)
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def flood(db: Database, count: int, due: datetime) -> None:
    """One message each of so many people, all due at the same moment."""
    now = datetime.now(UTC)
    for number in range(count):
        incoming = Incoming(
            tenant_id=1,
            addresses=(f"whatsapp:+55119{number:08d}",),
            provider_sid=f"MM{number:032x}",
            text="tem horário amanhã com a Ana?",
        )
        message.receive(db, incoming, now, due - now)


def answered(db: Database) -> int:
    messages = table(Message)
    query = select(func.count()).where(messages.c.direction == "out", messages.c.status == Status.ACCEPTED)
    with db.reading() as session:
        return int(session.execute(query).scalar_one())


def replied_after(db: Database, due: datetime, count: int, patience: float) -> list[float]:
    """Seconds from the due moment to the accepted answer, of each conversation."""
    deadline = time.monotonic() + patience
    while answered(db) < count and time.monotonic() < deadline:
        time.sleep(0.2)
    messages = table(Message)
    query = select(messages.c.sent_at).where(
        messages.c.direction == "out", messages.c.status == Status.ACCEPTED
    )
    with db.reading() as session:
        times = session.execute(query).scalars().all()
    return sorted((at - due).total_seconds() for at in times if at is not None)


def measure(url: str, count: int, delay: float, number: int) -> None:
    with ExitStack() as stack:
        model_url = stack.enter_context(running("model", delay=delay))
        twilio_url = stack.enter_context(running("twilio"))
        db = Database(url)
        schema.migrate(db)
        with db.writing() as session:
            file = business_file.load(BUSINESSES / "studio-bela.yaml")
            business_file.apply(session, file, datetime.now(UTC))
        stack.callback(db.dispose)
        due = datetime.now(UTC) + timedelta(seconds=6 + count / 60)
        flood(db, count, due)
        stack.enter_context(workers(number, url, model_url, twilio_url, count))
        wait = (due - datetime.now(UTC)).total_seconds()
        time.sleep(max(wait, 0))
        times = replied_after(db, due, count, 180)
    kind = url.split(":", 1)[0]
    thinking = CALLS * delay
    p99 = times[int(len(times) * 0.99)]
    print(
        f"{kind}, {number} worker(s), {count} conversations, model {delay} s × {CALLS}: "
        f"{len(times)} answered, p50 {statistics.median(times):.1f} s, p99 {p99:.1f} s, "
        f"÷ model's own time {statistics.median(times) / thinking:.2f}, "
        f"{len(times) / times[-1]:.0f} turns/s",
        flush=True,
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure(f"sqlite:///{Path(folder) / 'bench.db'}", 500, 2.0, 1)
    for number in (1, 2):
        with postgres_server() as url:
            measure(url, 500, 2.0, number)
        with postgres_server() as url:
            measure(url, 500, 0.2, number)


if __name__ == "__main__":
    main()
