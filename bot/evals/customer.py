"""Who talks to the bot: somebody with a script, with a goal, or a second model that plays a person."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.evals.task import Goal, Persona, Task, found
from bot.llm.base import Block, ChatMessage, ModelClient, ModelRequest
from bot.llm.blocks import joined_text
from tools.facts import Booked, Cancelled, Fact, Moved, Proposed, Visit

END = "FIM"
SECONDS = 60.0
MAX_TOKENS = 500
ACTS = {"agendar": Booked, "remarcar": Moved, "cancelar": Cancelled}


@dataclass(frozen=True)
class Heard:
    """What came back to the customer's last message, and the facts of what the bot looked up and did for it.

    Nothing at all where people hold the conversation.
    """

    text: str = ""
    facts: tuple[Fact, ...] = ()


class Customer(Protocol):
    """Says one thing after another; None where there is nothing more to say. The first is said to silence."""

    def next(self, heard: Heard) -> str | None: ...


class ScriptedCustomer:
    """Says what the task has to say to the bot's last words, and goes on by its goal where it has one."""

    def __init__(self, task: Task) -> None:
        self._says = iter(task.says)
        self._answers = [(answer, answer.times) for answer in task.answers]
        self._goal = GoalCustomer(task.goal) if task.goal else None

    def next(self, heard: Heard) -> str | None:
        for place, (answer, left) in enumerate(self._answers):
            if heard.text and left and found(answer.when, heard.text):
                self._answers[place] = (answer, left - 1)
                return answer.says
        scripted = next(self._says, None)
        if scripted is not None or self._goal is None:
            return scripted
        return self._goal.next(heard)


class GoalCustomer:
    """Agrees to what fits, corrects what does not, tells a detail where nothing was proposed."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._details = iter(goal.details)
        self._satisfied = False

    def next(self, heard: Heard) -> str | None:
        if self._satisfied or not heard.text:
            return None
        if any(self._is_done(fact) for fact in heard.facts):
            self._satisfied = True
            return self._goal.thanks
        proposed = [fact for fact in heard.facts if isinstance(fact, Proposed)]
        if proposed:
            return self._goal.yes if self._agrees(proposed[-1]) else self._goal.correction
        if self._is_asked_for_it(heard.text):
            return self._goal.yes
        return next(self._details, None)

    def _is_done(self, fact: Fact) -> bool:
        kind = ACTS[self._goal.act]
        return (
            isinstance(fact, kind) and isinstance(fact, Booked | Moved | Cancelled) and self._fits(fact.visit)
        )

    def _agrees(self, proposed: Proposed) -> bool:
        return proposed.tool == self._goal.act and self._fits(proposed.visit)

    def _fits(self, visit: Visit) -> bool:
        goal = self._goal
        names = {service.name for service in visit.services}
        return (
            (not goal.services or names == set(goal.services))
            and goal.professional in ("", visit.professional.name)
            and (not goal.at or visit.starts_at.replace(tzinfo=None) in goal.at)
        )

    def _is_asked_for_it(self, text: str) -> bool:
        """Where the bot asks in its own words: a question that names an hour that will do, and no list."""
        return (
            "?" in text and not found(r" 2\. ", text) and any(found(_hour(at), text) for at in self._goal.at)
        )


def _hour(at: datetime) -> str:
    full = rf"\b0?{at.hour} ?h\b" if not at.minute else rf"\b0?{at.hour}h{at:%M}"
    return rf"\b0?{at.hour}:{at:%M}|{full}"


PLAYED = """Você faz o papel de um cliente que escreve por WhatsApp para um negócio. Quem responde é o
atendimento.
O que você quer: {wants}
O que você sabe e diz se perguntarem: {knows}
O que você não diz sem que perguntem duas vezes: {hides}
Seu jeito: {temper}. Você escreve assim: {writes}.
Escreva só a próxima mensagem do cliente, sem aspas nem explicações. Nunca invente que algo foi marcado.
Quando o que você quer estiver resolvido, ou não houver mais o que fazer, escreva apenas {end}."""


class ModelCustomer:
    """A person played by a model, through the same interface as the bot's own. Raises ModelError."""

    def __init__(self, persona: Persona, opening: str, model: ModelClient) -> None:
        self._system = PLAYED.format(**persona.model_dump(), end=END)
        self._model = model
        self._opening = opening
        self._talk: list[ChatMessage] = []

    def next(self, heard: Heard) -> str | None:
        if not self._talk:
            self._talk = [_message("user", "(O atendimento espera a sua mensagem.)")]
            said = self._opening
        elif not heard.text:
            return None
        else:
            self._talk.append(_message("user", heard.text))
            request = ModelRequest(self._system, list(self._talk), (), "auto", MAX_TOKENS)
            said = joined_text(self._model.complete(request, seconds=SECONDS).content).strip()
        self._talk.append(_message("assistant", said or END))
        return None if not said or said.strip(' .!*"').upper() == END else said


def _message(role: str, text: str) -> ChatMessage:
    block: Block = {"type": "text", "text": text}
    return {"role": role, "content": [block]}
