"""A model's Markdown becomes what WhatsApp shows; what is right already stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.whatsapp.formatting import whatsapp_text


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**Corte** às __10h__", "*Corte* às *10h*"),
        ("***muito***", "*_muito_*"),
        ("~~80~~ 70", "~80~ 70"),
        ("# Horários", "*Horários*"),
        ("### Horários **livres** ###", "*Horários livres*"),
        ("* Ana\n+ Bia\n- Cris", "- Ana\n- Bia\n- Cris"),
        ("  * item", "- item"),
        ("a\n  * item", "a\n  - item"),
        ("1. Ana\n2. Bia", "1. Ana\n2. Bia"),
        ("[site](https://ex.com/a_(b))", "site (https://ex.com/a_(b))"),
        ('[site](https://ex.com "título")', "site (https://ex.com)"),
        ("[https://ex.com](https://ex.com)", "https://ex.com"),
        ("[](https://ex.com)", "https://ex.com"),
        ("[ligue](tel:+551130001000)", "ligue (+551130001000)"),
        ("![foto](https://ex.com/f.png)", "foto (https://ex.com/f.png)"),
        ("<https://ex.com>", "https://ex.com"),
        ("antes\n\n---\n\ndepois", "antes\n\ndepois"),
        ("| Serviço | Preço |\n|---|---:|\n| Corte | R$ 120 |", "Serviço | Preço\nCorte | R$ 120"),
        ("uma<br>duas<br/>três", "uma\nduas\ntrês"),
        (r"1\. não é lista, 2 \* 3", "1. não é lista, 2 * 3"),
        ("```python\n**x**\n```", "```\n**x**\n```"),
        ("`**x**`", "`**x**`"),
        ("https://ex.com/__a__b**", "https://ex.com/__a__b**"),
        ("**veja https://ex.com/a__b__ hoje**", "*veja https://ex.com/a__b__ hoje*"),
        ("a\n\n\n\nb", "a\n\nb"),
    ],
)
def test_marks(markdown: str, shown: str) -> None:
    assert whatsapp_text(markdown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "*negrito* e _itálico_",
        "2 * 3 * 4",
        "a_b_c e snake__case__x",
        "R$ 120,00 (**",
        "[sem link]",
        "> citação",
    ],
)
def test_what_is_no_markdown_stays(text: str) -> None:
    assert whatsapp_text(text) == text


@given(st.text(alphabet=st.sampled_from("ab *_~`#[]()<>|-\n\\1.:/h"), max_size=60))
def test_no_word_is_lost(text: str) -> None:
    """Whatever the marks: the letters stay, in order."""

    def letters(value: str) -> str:
        return "".join(char for char in value if char in "ab")

    assert letters(whatsapp_text(text).replace("<br", "")) == letters(text.replace("<br", ""))
