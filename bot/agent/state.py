"""Where a run stands. It only changes by what happens (an answer, a result, a nudge), so that after a crash
it is made anew from the recorded steps and goes on as if nothing had been.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.agent.history import result_block
from bot.agent.stop_reasons import Step
from bot.llm.base import Block, ChatMessage, ModelReply
from tools import facts
from tools.facts import Done, Fact, PersonCalled
from tools.toolbox import Call, ErrorClass, Result

PAUSE = "pause"
OUR_FAULT = (ErrorClass.infrastructure, ErrorClass.bug)


@dataclass
class Progress:
    """`messages` is what the next request sends; `undecided` the last answer while nothing followed from it.

    `cuts` counts answers cut off in a row, `iterations` every answer; `input_tokens` sums all three usage
    fields; `facts` are those of all results of this run; `broken_tools` failed by our fault, and the model
    was told that a person continues.
    """

    messages: list[ChatMessage]
    iterations: int = 0
    input_tokens: int = 0
    last_input_tokens: int = 0
    cuts: int = 0
    nudges: set[str] = field(default_factory=set)
    facts: list[Fact] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    broken_tools: set[str] = field(default_factory=set)
    undecided: ModelReply | None = None
    step: Step = Step.ANSWER
    open_calls: list[Call] = field(default_factory=list)
    _results: list[Result] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def with_fresh_ids(self, content: Sequence[Block]) -> list[Block]:
        """The blocks, with every call's id unique in this run: the API refuses a repeated one on replay."""
        fresh = []
        for block in content:
            if block.get("type") == "tool_use":
                block = block | {"id": self._fresh(str(block.get("id")))}
            fresh.append(block)
        return fresh

    def _fresh(self, wanted: str) -> str:
        candidate, number = wanted, 1
        while candidate in self._ids:
            number += 1
            candidate = f"{wanted}-{number}"
        self._ids.add(candidate)
        return candidate

    def take_answer(self, reply: ModelReply, step: Step) -> None:
        """An answer came, and `step` follows from it. Whole calls are kept and open at once."""
        self.iterations += 1
        self.input_tokens += reply.usage.total_input
        self.last_input_tokens = reply.usage.total_input
        self.undecided, self.step = reply, step
        self.cuts = self.cuts + 1 if step == Step.TRUNCATED else 0
        if step == Step.RUN_TOOLS and calls_of(reply.content):
            self.keep(reply.content)

    def keep(self, content: Sequence[Block]) -> None:
        """The answer becomes part of the messages, without blank texts, calls last; its calls are open."""
        self.undecided = None
        blocks = replayable(content)
        if blocks:
            self.messages = [*self.messages, {"role": "assistant", "content": blocks}]
        self.open_calls = calls_of(blocks)
        self._results = []

    def drop(self) -> None:
        """The answer leaves no trace."""
        self.undecided = None

    def take_result(self, result: Result) -> None:
        """One result came; when all are there they become one message, in the order of the calls."""
        if self.undecided is not None:
            self.keep(self.undecided.content)  # replayed: calls of an answer that said it was finished
        self._results.append(result)
        if result.error_class in OUR_FAULT:
            self.broken_tools.add(result.call.name)
        elif not result.is_error:
            self.broken_tools.discard(result.call.name)
        self.facts += result.facts
        if any(isinstance(fact, Done) for fact in result.facts):
            self.writes.append(result.text)
        by_id = {done.call.id: done for done in self._results}
        if all(call.id in by_id for call in self.open_calls):
            content = [_block(by_id[call.id]) for call in self.open_calls]
            self.messages = [*self.messages, {"role": "user", "content": content}]
            self.open_calls = []

    @property
    def wants_person(self) -> str | None:
        """The motive of who asks for a person, in the model's words (untrusted, for staff)."""
        return next((fact.motive for fact in reversed(self.facts) if isinstance(fact, PersonCalled)), None)

    @property
    def done(self) -> tuple[Done, ...]:
        """What write tools did in this run, or found done."""
        return tuple(fact for fact in self.facts if isinstance(fact, Done))

    @property
    def missing_calls(self) -> list[Call]:
        """Calls of the last answer that have no result yet."""
        done = {result.call.id for result in self._results}
        return [call for call in self.open_calls if call.id not in done]

    @property
    def pauses(self) -> int:
        return sum(kind.startswith(PAUSE) for kind in self.nudges)

    def take_nudge(self, kind: str, text: str) -> None:
        """A text of ours to the model, once for each kind."""
        if self.undecided is not None:
            self.keep([block for block in self.undecided.content if block.get("type") != "tool_use"])
        self.nudges.add(kind)
        block: Block = {"type": "text", "text": text}
        last = self.messages[-1]
        if last["role"] == "user":
            self.messages = [*self.messages[:-1], {"role": "user", "content": [*last["content"], block]}]
        else:
            self.messages = [*self.messages, {"role": "user", "content": [block]}]


def _block(result: Result) -> Block:
    told = facts.dump(result.facts)
    return result_block(result.call.id, result.text, is_error=result.is_error, facts=told)


def calls_of(content: Sequence[Block]) -> list[Call]:
    return [
        Call(block["id"], block["name"], block.get("input"))
        for block in content
        if block.get("type") == "tool_use"
    ]


def text_of(content: Sequence[Block]) -> str:
    """The words for the customer: text blocks alone, picked by type; "" where nothing of it can be seen."""
    texts = [block["text"].strip() for block in content if block.get("type") == "text"]
    return "\n\n".join(text for text in texts if is_visible(text))


def is_visible(text: str) -> bool:
    """Whether there is a character to see: controls, joiners and blanks alone are silence."""
    return any(unicodedata.category(char)[0] not in "CZ" for char in text)


def replayable(content: Sequence[Block]) -> list[Block]:
    """The blocks as the API takes them back: no blank texts, and calls at the end."""
    kept = [block for block in content if block.get("type") != "text" or str(block.get("text", "")).strip()]
    return sorted(kept, key=lambda block: block.get("type") == "tool_use")
