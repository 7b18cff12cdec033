"""How fast the webhook answers while hundreds of runs wait for the model: one process, SQLite."""

import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

from models import business_file, schema
from models.db import Database
from tests.bench.servers import running
from tests.fakes.twilio import ACCOUNT, START, TOKEN, FakeTwilio
from tests.stage import BUSINESSES

RATE = 80  # messages a second: the limit of one WhatsApp sender
SECONDS = 12
WAITING = 500
PORT = 18777


def flood(url: str, times: "multiprocessing.Queue[list[float]]", first: int, count: int, rate: float) -> None:
    """Send signed forms at a steady rate, each from a person of its own; report how long each took."""
    twilio = FakeTwilio(public_url=url)
    spent: list[float] = []
    lock = threading.Lock()

    def send(number: int) -> None:
        headers, form = twilio.inbound_form(
            "tem horário?",
            From=f"whatsapp:+55119{number:08d}",
            To="whatsapp:+551130001000",
            ExternalUserId=None,
            MessageSid=f"MM{number:032x}",
        )
        began = time.perf_counter()
        answer = httpx.post(f"{url}/twilio/inbound", data=form, headers=headers, trust_env=False, timeout=30)
        with lock:
            spent.append(time.perf_counter() - began)
        assert answer.status_code == 200

    threads = []
    began = time.perf_counter()
    for n in range(count):
        time.sleep(max(0.0, began + n / rate - time.perf_counter()))
        thread = threading.Thread(target=send, args=(first + n,))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    times.put(spent)


def main() -> None:
    with (
        running("model", delay=30.0) as model_url,
        running("twilio") as twilio_url,
        tempfile.TemporaryDirectory() as folder,
    ):
        url = f"http://127.0.0.1:{PORT}"
        database = f"sqlite:///{Path(folder) / 'bench.db'}"
        db = Database(database)
        schema.migrate(db)
        with db.writing() as session:
            business_file.apply(session, business_file.load(BUSINESSES / "studio-bela.yaml"), START)
        db.dispose()
        environment = os.environ | {
            "DATABASE_URL": database,
            "SECRET_KEY": "s" * 40,
            "PUBLIC_URL": url,
            "PORT": str(PORT),
            "TWILIO_ACCOUNT_SID": ACCOUNT,
            "TWILIO_AUTH_TOKEN": TOKEN,
            "TWILIO_API_URL": twilio_url,
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": model_url,
            "WORKER_CONCURRENCY": str(WAITING),
            "LOG_LEVEL": "ERROR",
        }
        server = subprocess.Popen([sys.executable, "-m", "bot", "serve"], env=environment)
        try:
            _until_ready(url)
            waiting = _spent(url, 0, WAITING, 100)
            time.sleep(3)  # now all of them wait for the model
            measured = _spent(url, 10_000, RATE * SECONDS, RATE)
        finally:
            server.kill()
            server.wait()
    print(f"{len(waiting)} runs wait for the model; {RATE} messages/s for {SECONDS} s:")
    ordered = sorted(measured)
    p99 = ordered[int(len(ordered) * 0.99)]
    print(
        f"webhook p50 {statistics.median(measured) * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, "
        f"max {ordered[-1] * 1000:.0f} ms"
    )


def _until_ready(url: str) -> None:
    for _ in range(200):
        try:
            httpx.get(f"{url}/healthz", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return


def _spent(url: str, first: int, count: int, rate: float) -> list[float]:
    context = multiprocessing.get_context("spawn")
    times: multiprocessing.Queue[list[float]] = context.Queue()
    process = context.Process(target=flood, args=(url, times, first, count, rate))
    process.start()
    spent = times.get()
    process.join()
    return spent


if __name__ == "__main__":
    main()
