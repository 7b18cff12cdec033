"""A run step by step, for managers: what the model got, said and did, with no private number in it."""

import html
import re

import pytest
from flask.testing import FlaskClient

from models.db import Database
from models.run import NewStep, Outcome, StepKind
from models.staff import Staff
from tests.bot.web.office import BRUNO, Office, result

XSS = "</pre><script>alert(1)</script>"
CPF, FONE = "123.456.789-09", "(11) 98765-4321"


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    made = Office(sqlite_db)
    with made.db.writing() as session:
        session.get_one(Staff, made.ana).role = "manager"
    return made


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def traced(office: Office, *steps: NewStep, client: FlaskClient | None = None, **values: object) -> str:
    """The page of a run with these steps."""
    talk = office.says(f"Meu telefone é {FONE}")
    run_id = office.works(talk, *steps, **values)
    answer = (client or office.client()).get(f"/fila/{talk}/execucao/{run_id}")
    assert answer.status_code == 200
    return answer.text


def answer(*blocks: dict[str, object], stop: str | None = "end_turn", **more: object) -> NewStep:
    usage = {"input_tokens": 1200, "output_tokens": 30, "cache_read_tokens": 800, "cache_write_tokens": 0}
    values = {"usage": usage, "milliseconds": 1840, "model": "claude-haiku-5-5-20261007", **more}
    return NewStep(StepKind.ANSWER, list(blocks), stop_reason=stop, **values)


TEXT = {"type": "text", "text": "Vou ver."}
CALL = {"type": "tool_use", "id": "t", "name": "agendar", "input": {"hora": "9h"}}


def test_each_call_of_the_model_with_what_it_cost(office: Office) -> None:
    page = words(traced(office, answer(TEXT, CALL, stop="tool_use")))
    for said in (
        "O modelo pediu uma ferramenta tool_use",
        "claude-haiku-5-5-20261007 · 2.000 tokens lidos · 800 do cache · 30 escritos · 1,8 s",
        "Vou ver.",
        'Pediu: Agendamento agendar { "hora": "9h" }',
    ):
        assert said in page, said


def test_each_call_of_a_tool_with_arguments_result_and_class(office: Office) -> None:
    step = result("agendar", {"hora": "9h"}, "A hora é HH:MM.", error_class="invalid_input")
    page = words(traced(office, step, result("buscar_horarios", {"data": "2026-12-03"}, "09:00, 10:00")))
    assert (
        'Recusa: Agendamento dados inválidos invalid_input 0 ms Pedido { "hora": "9h" } Erro A hora é HH:MM.'
        in page
    )
    assert 'Resultado: Busca de horários 0 ms Pedido { "data": "2026-12-03" } Resposta 09:00, 10:00' in page


def test_what_we_asked_to_be_corrected(office: Office) -> None:
    step = NewStep(StepKind.NUDGE, {"kind": "promise", "text": "Você não marcou nada."})
    assert "Pedimos que corrigisse promise" in words(traced(office, step))
    assert "Você não marcou nada." in traced(office, step)


def test_what_the_model_thought_and_what_was_not_used(office: Office) -> None:
    thought = {"type": "thinking", "thinking": "O dia está cheio.", "signature": "assinatura"}
    page = words(traced(office, answer(thought, TEXT, stop="max_tokens", kept=False)))
    assert "Raciocínio O dia está cheio." in page
    assert "assinatura" not in page
    assert "Resposta cortada no limite de tamanho max_tokens" in page
    assert "Esta resposta não foi usada." in page


@pytest.mark.parametrize("outcome", [*Outcome, None])
def test_every_end(office: Office, outcome: Outcome | None) -> None:
    assert "Resultado" in words(traced(office, outcome=outcome))


def test_private_numbers_are_masked_everywhere(office: Office) -> None:
    """In what the customer wrote, what the model got, thought, said and called, and what tools answered."""
    text = f"CPF {CPF}, fone {FONE}"
    blocks = ({"type": "text", "text": text}, {"type": "thinking", "thinking": text})
    call = {"type": "tool_use", "id": "t", "name": "agendar", "input": {"nome_cliente": text}}
    page = traced(
        office,
        NewStep(StepKind.INPUT, [blocks[0]]),
        answer(*blocks, call),
        result("agendar", {"x": text}, text),
        NewStep(StepKind.NUDGE, {"kind": "k", "text": text}),
    )
    assert "4321" not in page
    assert "789-09" not in page
    assert page.count("***09") == 7
    assert page.count("***21") == 8


def test_nothing_in_it_is_code(office: Office) -> None:
    page = traced(
        office,
        answer(
            {"type": "text", "text": XSS}, {"type": "tool_use", "id": "t", "name": XSS, "input": {"x": XSS}}
        ),
        result(XSS, {XSS: XSS}, XSS, error_class="unknown_tool"),
        model=XSS,
    )
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert") >= 6


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        "text",
        [None],
        [{"type": "image", "source": {"data": "AAAA"}}],
        [{"type": "later", "x": 1}],
    ],
)
def test_odd_contents_do_not_break_it(office: Office, content: object) -> None:
    """Blocks that a later model may send, and rows of an older program."""
    steps = [
        NewStep(kind, content) for kind in (StepKind.INPUT, StepKind.ANSWER, StepKind.NUDGE, StepKind.FINAL)
    ]
    page = traced(office, *steps)
    assert "AAAA" not in page
    assert "sem stop_reason" in page


def test_only_for_managers(office: Office) -> None:
    talk = office.says()
    run_id = office.works(talk)
    assert office.client(BRUNO).get(f"/fila/{talk}/execucao/{run_id}").status_code == 403
