"""CPU of one whole turn, beside the bare loop of Anthropic's own tool runner doing the same three calls."""

import contextlib
import io
import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from pathlib import Path

import anthropic

from bot.agent import prompt
from bot.agent.guardrails.evidence import Evidence
from bot.agent.loop import Answered, Limits, Loop
from bot.agent.state import Progress
from bot.answering import turn
from bot.core import log
from bot.core.services import Services
from bot.core.settings import Settings
from bot.llm.base import ModelClient, ModelReply
from bot.process import bootstrap
from bot.sending import outbox
from models import business_file, message, schema
from models.db import Database
from models.handoff import Reason
from models.message import Incoming
from tests.bench.servers import running
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, START, TOKEN
from tests.stage import BUSINESSES, Clock
from tools import TOOLS
from tools.contract import ToolContext
from tools.toolbox import Call, Result, Toolbox

ROUNDS = 60
WARM_UP = 10


def product(url: str, model_url: str, twilio_url: str) -> tuple[Services, Clock]:
    """The product on a database of its own, with the first sample business."""
    db = Database(url)
    schema.migrate(db)
    with db.writing() as session:
        business_file.apply(session, business_file.load(BUSINESSES / "studio-bela.yaml"), START)
    settings = Settings(
        _env_file=None,
        secret_key="s" * 40,
        public_url=PUBLIC_URL,
        twilio_account_sid=ACCOUNT,
        twilio_auth_token=(TOKEN,),
        twilio_api_url=twilio_url,
        llm_provider="anthropic",
        anthropic_api_key="k",
        anthropic_base_url=model_url,
    )
    clock = Clock(START)
    with contextlib.redirect_stderr(io.StringIO()):
        log.configure("INFO", "json")
    real = bootstrap.services(settings, db, {})
    return Services(settings=settings, db=db, model=real.model, sender_for=real.sender_for, now=clock), clock


def whole_turn(services: Services, clock: Clock, number: int) -> None:
    """From the stored message to the sent answer, in a conversation of its own."""
    incoming = Incoming(
        tenant_id=1,
        addresses=(f"whatsapp:+55119{number:08d}",),
        provider_sid=f"MM{number:032x}",
        text="tem horário amanhã com a Ana?",
    )
    message.receive(services.db, incoming, clock(), timedelta(0))
    clock.forward(seconds=1)
    assert turn.take_turn(services)
    assert outbox.send_next(services)


@anthropic.beta_tool
def buscar_servicos() -> str:
    """Lista os serviços."""
    return "Serviços: Corte feminino (servico_id 1)."


@anthropic.beta_tool
def buscar_horarios(data: str, servico_id: int, profissional_id: int) -> str:
    """Horários livres."""
    return "Horários livres: 09:00, 10:00, 11:00"


def bare_loop(client: anthropic.Anthropic) -> None:
    """The same three calls with tools in memory, by the vendor's own loop."""
    runner = client.beta.messages.tool_runner(
        max_tokens=4096,
        model="claude-haiku-5-5",
        messages=[{"role": "user", "content": "tem horário amanhã com a Ana?"}],
        tools=[buscar_servicos, buscar_horarios],
        thread=False,
    )
    assert runner.until_done().stop_reason == "end_turn"


class MemoryToolbox(Toolbox):
    """The real tools' names, answered from memory."""

    def execute(
        self, calls: Sequence[Call], on_result: Callable[[Result], None], *, beside: Collection[str] = ()
    ) -> list[Result]:
        results = [Result(call, "Horários livres: 10:00, 11:00") for call in calls]
        for result in results:
            on_result(result)
        return results


class NoRecorder:
    """Stands where the rows would be written."""

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None: ...
    def result(self, result: Result) -> None: ...
    def nudge(self, kind: str, text: str) -> None: ...
    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None: ...


def our_loop(model: ModelClient, context: ToolContext) -> None:
    """Our loop alone, around the same three calls: the rules checked, nothing written."""
    question = {"role": "user", "content": [{"type": "text", "text": "tem horário amanhã com a Ana?"}]}
    loop = Loop(
        model=model,
        toolbox=MemoryToolbox(TOOLS, context, max_identical=2),
        system="Você atende no WhatsApp.",
        specs=prompt.tool_specs(TOOLS),
        limits=Limits(8, 60_000, 4096, 16_384, 90, 45),
        recorder=NoRecorder(),
        progress=Progress(messages=[question]),
        evidence=Evidence(),
    )
    assert isinstance(loop.run(), Answered)


def milliseconds(step: Callable[[int], None]) -> tuple[float, float, float]:
    """CPU of a step: median and p95 after a warm-up, and the first one."""
    spent = []
    for number in range(WARM_UP + ROUNDS):
        began = time.process_time()
        step(number)
        spent.append((time.process_time() - began) * 1000)
    rest = sorted(spent[WARM_UP:])
    return statistics.median(rest), rest[int(len(rest) * 0.95)], spent[0]


def main() -> None:
    with (
        running("model") as model_url,
        running("twilio") as twilio_url,
        tempfile.TemporaryDirectory() as folder,
    ):
        services, clock = product(f"sqlite:///{Path(folder) / 'bench.db'}", model_url, twilio_url)
        ours = milliseconds(lambda number: whole_turn(services, clock, number))
        context = ToolContext(
            db=services.db, tenant_id=1, customer_id=1, conversation_id=1, turn_key="1:0", now=clock()
        )
        loop = milliseconds(lambda number: our_loop(services.model(), context))
        client = anthropic.Anthropic(api_key="k", base_url=model_url)
        theirs = milliseconds(lambda number: bare_loop(client))
        services.db.dispose()
    print(f"one whole turn (3 calls, 2 tools, all rows)   {ours[0]:6.1f} ms CPU   p95 {ours[1]:.1f}")
    print(f"our loop alone, tools in memory, no rows      {loop[0]:6.1f} ms CPU   p95 {loop[1]:.1f}")
    print(f"Anthropic's tool runner, same calls, no rows  {theirs[0]:6.1f} ms CPU   p95 {theirs[1]:.1f}")
    print(f"the turn ÷ the tool runner                    {ours[0] / theirs[0]:6.2f}")
    print(f"the loop ÷ the tool runner                    {loop[0] / theirs[0]:6.2f}")


if __name__ == "__main__":
    main()
