"""The way in: what is signed is stored once and answered with an empty TwiML; what is not is refused."""

from models.db import Database
from tests.bot.edge import Edge


def test_a_signed_message_is_stored_and_wakes_the_agent(db: Database) -> None:
    edge = Edge(db)
    answer = edge.says("quero marcar um corte")
    assert (answer.status_code, answer.text, answer.mimetype) == (200, "<Response/>", "text/xml")
    assert [(line.text, line.author, line.kind) for line in edge.messages()] == [
        ("quero marcar um corte", "customer", "text")
    ]
    assert edge.conversation().due_at == edge.clock.at + edge.services.debounce
    assert edge.services.wake_agent.is_set()
