"""How fast the webhook answers while hundreds of runs wait for the model: one process, SQLite."""

import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import httpx

from models import business_file, schema
from models.db import Database
from tests.bench.servers import running
from tests.fakes.twilio import ACCOUNT, START, TOKEN, FakeTwilio
from tests.stage import BUSINESSES

RATE = 80  # messages a second: the limit of one WhatsApp sender
SECONDS = 12
WAITING = 500
SENDERS = 64  # connections at once
PORT = 18777


def flood(url: str, times: "multiprocessing.Queue[list[float]]", first: int, count: int, rate: float) -> None:
    """Send signed forms at a steady rate, each from a person of its own; report how long each took.

    Over bare sockets: an httpx client for each request costs more CPU than the server's whole answer.
    """
    twilio = FakeTwilio(public_url=url)
    requests = [_request(twilio, first + n) for n in range(count)]
    began = time.perf_counter()
    with ThreadPoolExecutor(SENDERS) as senders:
        spent = list(senders.map(lambda n: _send(requests[n], began + n / rate), range(count)))
    times.put(spent)


def _request(twilio: FakeTwilio, number: int) -> tuple[bytes, dict[str, str]]:
    headers, form = twilio.inbound_form(
        "tem horário?",
        From=f"whatsapp:+55119{number:08d}",
        To="whatsapp:+551130001000",
        ExternalUserId=None,
        MessageSid=f"MM{number:032x}",
    )
    return urlencode(form).encode(), headers | {"content-type": "application/x-www-form-urlencoded"}


def _send(request: tuple[bytes, dict[str, str]], due: float) -> float:
    """Seconds from when it was due (not from when a thread was free for it) to the answer."""
    time.sleep(max(0.0, due - time.perf_counter()))
    connection = HTTPConnection("127.0.0.1", PORT, timeout=30)
    connection.request("POST", "/twilio/inbound", *request)
    assert connection.getresponse().status == 200
    connection.close()
    return time.perf_counter() - due


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
