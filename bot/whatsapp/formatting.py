"""A model's Markdown in the marks that WhatsApp shows. Pure."""

import re
from collections.abc import Callable

from bot.core import sanitise

_FENCED = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
_LANGUAGE = re.compile(r"\A```[\w+#-]+[ \t]*\n")


def whatsapp_text(markdown: str) -> str:
    """The same words with WhatsApp's marks: *bold*, _italic_, ~struck~, "- " lists, plain links.

    A text that has WhatsApp's marks already stays as it is.
    """
    pieces = _FENCED.split(sanitise.text(markdown, len(markdown)))
    shown = (
        _LANGUAGE.sub("```\n", piece) if number % 2 else _prose(piece) for number, piece in enumerate(pieces)
    )
    return _MANY_BREAKS.sub("\n\n", "".join(shown)).strip()


_MANY_BREAKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def _prose(text: str) -> str:
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\0{len(kept) - 1}\0"  # no NUL comes in: the text was cleaned

    text = _LINK.sub(_link, _AUTOLINK.sub(r"\1", text))
    text = _AS_IT_IS.sub(keep, text)
    text = "\n".join(line for old in text.split("\n") if (line := _line(old)) is not None)
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    return _KEPT.sub(lambda found: kept[int(found[1])], text)


_LINK = re.compile(
    r"!?\[([^\[\]\n]*)\]\(\s*<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+\"[^\"\n]*\")?\s*\)"
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>")
_AS_IT_IS = re.compile(r"`[^`\n]+`|https?://[^\s*]+")
_KEPT = re.compile("\0(\\d+)\0")
_SCHEME = re.compile(r"\A(?:tel|mailto):")


def _link(found: re.Match[str]) -> str:
    words, target = found[1].strip(), _SCHEME.sub("", found[2])
    return target if not words or words == target else f"{words} ({target})"


_HEADING = re.compile(r"#{1,6}[ \t]+(.+)")
_RULE = re.compile(r"(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?")
_TABLE_ROW = re.compile(r"\|(.+)\|")
_BULLET = re.compile(r"\A([ \t]*)[*+][ \t]+")


def _line(line: str) -> str | None:
    """One line with the marks that stand at its start; None where nothing of it is to be seen."""
    bare = line.strip()
    if _RULE.fullmatch(bare) or _TABLE_RULE.fullmatch(bare):
        return None
    if heading := _HEADING.fullmatch(bare):
        words = heading[1].replace("**", "").replace("__", "").strip("*# \t")
        return f"*{words}*" if words else None
    if row := _TABLE_ROW.fullmatch(bare):
        return " | ".join(cell.strip() for cell in row[1].split("|"))
    return _BULLET.sub(r"\1- ", line)


_Mark = str | Callable[[re.Match[str]], str]
# In this order: the longer mark before the shorter one. The length is bounded: a line full of marks without
# ends would cost its square.
_MARKS: tuple[tuple[re.Pattern[str], _Mark], ...] = (
    (re.compile(r"<br[ \t]*/?>", re.IGNORECASE), "\n"),
    (re.compile(r"\*\*\*(?=\S)([^*\n]{1,600}?)(?<=\S)\*\*\*"), r"*_\1_*"),
    (re.compile(r"\*\*(?=\S)([^\n]{1,600}?)(?<=\S)\*\*"), r"*\1*"),
    (re.compile(r"(?<!\w)__(?=\S)([^\n]{1,600}?)(?<=\S)__(?!\w)"), r"*\1*"),
    (re.compile(r"~~(?=\S)([^\n]{1,600}?)(?<=\S)~~"), r"~\1~"),
    (re.compile(r"\\([*_~`#\[\]()>+.!|-])"), r"\1"),
)
