"""Messages on a page as WhatsApp shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from bot.web.shared.whatsapp_html import shown
from models.db import Database
from tests.bot.web.office import Office

MARKED = [
    ("*sim*", "<b>sim</b>"),
    ("a *b c* d", "a <b>b c</b> d"),
    ("*a* e *b*", "<b>a</b> e <b>b</b>"),
    ("~não~ é _assim_.", "<s>não</s> é <em>assim</em>."),
    ("_*x*_ (*oi*)", "<em><b>x</b></em> (<b>oi</b>)"),
    ("```a *b*``` *c*", "<code>a *b*</code> <b>c</b>"),
    ("*it's*", "<b>it&#39;s</b>"),
    ("*veja https://a.br/x_y_z*", "<b>veja https://a.br/x_y_z</b>"),
    ("<b>*x*</b>", "&lt;b&gt;<b>x</b>&lt;/b&gt;"),
]
LEFT_ALONE = ["2*3*4", "* ponto", "*a\nb*", "*a*b*", "* a *", "snake_case_a", "_", "**", "*", "___", ""]
LINKS = [
    "https://x.com/_a_/b_c_?d=1*2*3",
    "https://x.com/a-_b_-c?d=*e*&f=~g~",
    "veja http://a.br/?x=_y_ logo",
]


@pytest.mark.parametrize(("written", "html"), MARKED)
def test_marks_are_what_whatsapp_takes_for_marks(written: str, html: str) -> None:
    assert shown(written) == html


@pytest.mark.parametrize("written", [*LEFT_ALONE, *LINKS])
def test_what_is_no_mark_stays_as_it_was_written(written: str) -> None:
    assert shown(written) == escape(written)


@given(st.text("*_~`<>&'\"a \n/"))
def test_nothing_of_a_text_is_lost_but_its_marks(text: str) -> None:
    """However it is marked: the letters are all there, in order, and no tag but ours."""
    html = shown(text)
    for tag in ("b", "em", "s", "code"):
        html = Markup(html.replace(f"<{tag}>", "").replace(f"</{tag}>", ""))
    assert "<" not in html
    kept = [letter for letter in str(html) if letter not in "*_~`"]
    assert kept == [letter for letter in str(escape(text)) if letter not in "*_~`"]


def test_staff_read_a_message_as_the_customer_does(sqlite_db: Database) -> None:
    office = Office(sqlite_db)
    talk = office.says("Quero *muito* <b>hoje</b>")
    assert "Quero <b>muito</b> &lt;b&gt;hoje&lt;/b&gt;" in office.client().get(f"/fila/{talk}").text
