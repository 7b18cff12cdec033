"""The bot in the terminal: what is typed, what comes back, and who answers once people have taken over."""

import io
import queue
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.cli import chat
from bot.cli.chat import Chat, typed
from bot.sending.terminal import TerminalAware
from bot.whatsapp.base import Sender
from models.acts import conversation_acts
from models.db import Database
from models.staff import Staff
from tests.fakes.twilio import START
from tests.stage import Stage

HELD = "https://example.com/fila/1"


def nobody() -> Sender:
    raise LookupError("nobody but the customer at the terminal is written to")


class Talk:
    """A customer in the terminal of a business with the offline model, and somebody of its staff."""

    def __init__(self, db: Database) -> None:
        self.stage = Stage(db, START)
        self.tenant_id = self.stage.tenant().id or 0
        self.services = replace(self.stage.services, sender_for=lambda _tenant: TerminalAware(nobody))
        with db.writing() as session:
            person = Staff(
                tenant_id=self.tenant_id,
                email="p@example.com",
                name="Paula",
                password_hash="x",
                created_at=START,
            )
            session.add(person)
            session.flush()
            self.staff_id = person.id or 0

    def open(self) -> Chat:
        return Chat(self.services, self.tenant_id, "https://example.com")

    def answer(self, text: str) -> None:
        with self.stage.db.writing() as session:
            seen = self.stage.messages[-1].seq
            conversation_acts.reply(
                session,
                START,
                self.tenant_id,
                1,
                self.staff_id,
                text=text,
                last_seen_seq=seen,
                client_key=text,
            )

    def give_back(self) -> None:
        with self.stage.db.writing() as session:
            conversation_acts.give_back(session, START, self.tenant_id, 1, self.staff_id)


@pytest.fixture
def talk(sqlite_db: Database) -> Talk:
    return Talk(sqlite_db)


def test_what_is_said_is_answered_once(talk: Talk) -> None:
    one = talk.open()
    [hello] = one.say("oi")
    assert "Studio Bela" in hello
    assert one.news() == []
    assert "Então seria: Manicure" in "".join(one.say("manicure amanhã"))


def test_hand_over_is_said_plainly_and_once(talk: Talk) -> None:
    """That people have it, where they answer, and how to come back."""
    one = talk.open()
    *_, note = one.say("quero falar com uma pessoa")
    assert HELD in note
    assert "escreva BOT" in note
    assert one.say("alô?") == []


def test_a_persons_answer_is_shown_when_it_comes(talk: Talk) -> None:
    one = talk.open()
    one.say("quero falar com uma pessoa")
    talk.answer("Oi, aqui é a Paula!")
    assert one.news() == ["[pessoa da equipe] Oi, aqui é a Paula!"]
    assert one.news() == []


def test_what_staff_note_is_not_shown(talk: Talk) -> None:
    one = talk.open()
    one.say("quero falar com uma pessoa")
    with talk.stage.db.writing() as session:
        conversation_acts.note(
            session, START, talk.tenant_id, 1, talk.staff_id, text="Cliente antiga", client_key="k"
        )
    assert one.news() == []


def test_the_word_leads_back_to_the_bot(talk: Talk) -> None:
    one = talk.open()
    one.say("quero falar com uma pessoa")
    assert one.say("BOT") != []
    assert "Manicure" in "".join(one.say("manicure amanhã"))
    assert HELD in one.say("quero falar com uma pessoa")[-1]


def test_given_back_by_staff_the_bot_answers_again(talk: Talk) -> None:
    one = talk.open()
    one.say("quero falar com uma pessoa")
    talk.answer("Resolvido!")
    talk.give_back()
    assert "Manicure" in "".join(one.say("manicure amanhã"))


def test_another_session_goes_on_without_repeating(talk: Talk) -> None:
    talk.open().say("quero falar com uma pessoa")
    one = talk.open()
    [note] = one.resume()
    assert HELD in note
    assert one.say("alguém?") == []


def test_a_session_begins_with_what_was_written_since_the_last(talk: Talk) -> None:
    """By staff and by the bot; staff see that it has been read, and nobody is shown it again."""
    assert talk.open().resume() == []
    talk.open().say("quero falar com uma pessoa")
    talk.answer("Oi, aqui é a Paula!")
    talk.answer("Pode ser às 15h?")
    said = ["[pessoa da equipe] Oi, aqui é a Paula!", "[pessoa da equipe] Pode ser às 15h?"]
    *new, note = talk.open().resume()
    assert (new, HELD in note) == (said, True)
    assert [line.status for line in talk.stage.messages if line.author == "staff"] == ["read", "read"]
    talk.give_back()
    assert talk.open().resume() == []


def test_who_wants_no_more_messages_is_told_so_while_people_answer(talk: Talk) -> None:
    one = talk.open()
    one.say("quero falar com uma pessoa")
    [said] = one.say("sair")
    assert said.startswith("[mensagem automática] Tudo bem! Studio Bela não vai mais enviar lembretes")


def test_only_the_terminal_s_own_talk_is_taken_up(talk: Talk) -> None:
    """Not that of a customer on WhatsApp, nor of another business."""
    talk.stage.say("oi")
    assert talk.open().resume() == []
    other = Chat(talk.services, talk.tenant_id + 1)
    talk.open().say("oi")
    assert other.resume() == []


# Typing


def test_lines_come_without_the_empty_ones() -> None:
    source = io.StringIO("oi\n\n   \n  quero marcar \nfim sem quebra")
    assert list(typed(source, None)) == ["oi", "quero marcar", "fim sem quebra"]
    assert list(typed(io.StringIO(""), None)) == []


def test_at_a_terminal_news_are_shown_above_the_prompt(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person writes while nothing is typed; the end of input ends the line of the prompt."""
    monkeypatch.setattr(chat, "LOOK_SECONDS", 0.01)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    class Keyboard(io.StringIO):
        def __next__(self) -> str:
            line = lines.get()
            if not line:
                raise StopIteration
            return line

    said = iter([["[pessoa da equipe] Oi!"], []])

    def news() -> list[str]:
        shown = next(said, None)
        if shown == []:
            lines.put("")  # Ctrl-D
        return shown or []

    assert list(typed(Keyboard(), news)) == []
    assert capsys.readouterr().out == "> \r[pessoa da equipe] Oi!\n> \n"


def test_ctrl_c_ends_the_talk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(chat, "LOOK_SECONDS", 0.01)
    never: Callable[[], str] = queue.SimpleQueue[str]().get

    class Silent(io.StringIO):
        def __next__(self) -> str:
            return never()

    assert list(typed(Silent(), interrupted)) == []
    assert capsys.readouterr().out == "> \n"
