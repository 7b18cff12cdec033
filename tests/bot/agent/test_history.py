"""What is shown of a conversation: whatever was stored, and wherever it is cut, the request is valid."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent import history
from bot.agent.history import Past
from bot.llm.base import ChatMessage, ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules
from models.handoff import Handoff, Reason
from models.message import Author, Direction, Message, Status
from models.run import Outcome, Run, RunStep, StepKind

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)
TOOL = ToolSpec("ver", "Ver.", {"type": "object", "properties": {}, "additionalProperties": False})
WORDS = st.sampled_from(["oi", "quero marcar", "x" * 300, " ", "", "[Sistema] oi", "<contexto>"])


class Story:
    """A conversation that is written down line by line, as the product does."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.runs: list[Run] = []
        self.steps: dict[int, list[RunStep]] = {}
        self.episodes: list[Handoff] = []

    @property
    def past(self) -> Past:
        return Past(self.messages, self.runs, self.steps, self.episodes, ZoneInfo("America/Sao_Paulo"))

    def line(self, text: str, direction: Direction, **more: Any) -> int:
        seq = len(self.messages) + 1
        row = Message(
            tenant_id=1,
            conversation_id=1,
            seq=seq,
            direction=direction,
            text=text,
            created_at=NOW,
            **{"author": Author.CUSTOMER, "status": Status.RECEIVED, **more},
        )
        self.messages.append(row)
        return seq

    def run(self, turn: dict[str, Any]) -> None:
        """One run: what was said, its answers with calls, the results that are there, its last words."""
        before = len(self.messages)
        for words in turn["said"]:
            self.line(words, Direction.IN, kind=turn["kind"])
        key = len(self.runs) + 1
        self.runs.append(
            Run(
                id=key,
                tenant_id=1,
                conversation_id=1,
                from_seq=before,
                through_seq=len(self.messages),
                epoch=0,
                provider="anthropic",
                model="m",
                prompt_version="v",
                started_at=NOW,
                outcome=turn["outcome"],
                handoff_reason=turn["reason"],
            )
        )
        self.steps[key] = list(_steps(key, turn["answers"]))
        if turn["answer"]:
            self.line(turn["answer"], Direction.OUT, author=Author.BOT, status=turn["status"], run_id=key)

    def end_of_an_episode(self) -> None:
        if self.messages:
            self.episodes.append(
                Handoff(
                    tenant_id=1,
                    conversation_id=1,
                    reason=Reason.PEDIDO_DO_CLIENTE,
                    opened_at=NOW,
                    closed_at=NOW,
                    closed_seq=self.messages[-1].seq,
                )
            )


def _steps(run: int, answers: list[tuple[bool, list[tuple[bool, bool]]]]) -> list[RunStep]:
    found: list[RunStep] = []

    def add(kind: StepKind, content: Any, **more: Any) -> None:
        found.append(
            RunStep(tenant_id=1, run_id=run, position=len(found), kind=kind, content=content, at=NOW, **more)
        )

    for number, (kept, calls) in enumerate(answers):
        ids = [f"toolu_{number}_{place}" for place in range(len(calls))]
        blocks = [{"type": "tool_use", "id": one, "name": "ver", "input": {}} for one in ids]
        add(
            StepKind.ANSWER,
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ""}, *blocks],
            kept=kept,
        )
        for one, (there, wrong) in zip(ids, calls, strict=True):
            if there:
                result = {"tool_use_id": one, "name": "ver", "input": {}, "text": "Nada livre."}
                add(StepKind.RESULT, result, is_error=wrong)
    return found


CALLS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=3)
TURN = st.fixed_dictionaries(
    {
        "said": st.lists(WORDS, min_size=1, max_size=3),
        "kind": st.sampled_from(["text", "audio", "sticker"]),
        "outcome": st.sampled_from([*Outcome, None]),
        "reason": st.sampled_from([None, Reason.REFUSAL, Reason.LIMITE_TEMPO]),
        "answers": st.lists(st.tuples(st.booleans(), CALLS), max_size=4),
        "answer": WORDS,
        "status": st.sampled_from([Status.ACCEPTED, Status.DROPPED]),
    }
)
OUTSIDE = st.tuples(WORDS, st.sampled_from([Author.STAFF, Author.SYSTEM, Author.CUSTOMER]), st.booleans())
EVENTS = st.lists(TURN | OUTSIDE | st.none(), max_size=12)


def story(events: list[Any]) -> Story:
    told = Story()
    for event in events:
        if event is None:
            told.end_of_an_episode()
        elif isinstance(event, dict):
            told.run(event)
        else:
            words, author, note = event
            direction = Direction.IN if author is Author.CUSTOMER else Direction.OUT
            status = Status.NOTE if note and direction is Direction.OUT else Status.RECEIVED
            told.line(words, direction, author=author, status=status)
    return told


@settings(max_examples=300)
@given(events=EVENTS, tokens=st.integers(0, 3000))
def test_any_story_cut_anywhere_is_a_valid_request(events: list[Any], tokens: int) -> None:
    """R1, R2, R4: no pair is parted, no result missing, a user begins and ends, wherever it is cut."""
    past = story(events).past
    asked: ChatMessage = {"role": "user", "content": [{"type": "text", "text": "e agora?"}]}
    for turns in range(len(events) + 2):
        shown = history.window(past, max_turns=turns, max_tokens=tokens)
        request = ModelRequest("Você é o assistente.", history.joined([*shown, asked]), (TOOL,), "auto", 1000)
        assert broken_rules(request) == []


def test_what_was_refused_leaves_no_trace() -> None:
    """R33: neither the words nor the calls, for they would be refused again."""
    told = Story()
    told.run(
        {
            "said": ["algo proibido"],
            "kind": "text",
            "outcome": Outcome.HANDED_OFF,
            "reason": Reason.REFUSAL,
            "answers": [(True, [(True, False)])],
            "answer": "Uma pessoa continua.",
            "status": Status.ACCEPTED,
        }
    )
    shown = history.window(told.past, max_turns=5, max_tokens=3000)
    assert [message["role"] for message in shown] == ["user", "assistant"]
    assert "proibido" not in str(shown)
    assert "tool_use" not in str(shown)
