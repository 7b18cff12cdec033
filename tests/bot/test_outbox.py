"""The way out: each line once, in order, and what fails is retried, looked up or shown to people."""

from models.db import Database
from tests.bot.edge import Edge


def test_a_queued_line_is_sent_once_and_followed_to_the_phone(db: Database) -> None:
    with Edge(db) as edge:
        edge.says("oi")
        edge.queue("Olá! Como posso ajudar?")
        assert edge.send_all() == 1
        assert edge.fake.bodies == ["Olá! Como posso ajudar?"]
        assert edge.statuses() == ["accepted"]
        edge.reports(edge.fake.sent[0], "delivered")
        assert edge.statuses() == ["delivered"]
        assert edge.send_all() == 0
