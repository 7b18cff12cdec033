"""A message on a page as WhatsApp shows it: its marks as bold, italic, struck and typewriter text. Pure."""

import re

from markupsafe import Markup, escape

_TAGS = {"*": "b", "_": "em", "~": "s"}
# WhatsApp takes a mark only at the edge of a word: 2*3*4 and snake_case stay as they are.
_MARKED = re.compile(r"(?<![\w/])([*_~])(?=\S)((?:(?!\1)[^\n])*?(?!\1)\S)\1(?!\w)")
# Up to the marks around it: in *https://a.br/x_y* the link ends before the star.
_LINK = re.compile(r"https?://\S*[^\s*_~]")
_KEPT = re.compile("\0(\\d+)\0")
_TYPED = re.compile(r"```(.+?)```", re.DOTALL)


def shown(text: str) -> Markup:
    """The text, escaped, with its marks as tags; a link and what is typed between ``` are left alone."""
    links: list[str] = []
    pieces = _TYPED.split(_LINK.sub(lambda found: _keep(links, found), str(escape(text)).replace("\0", "")))
    done = (f"<code>{piece}</code>" if number % 2 else _prose(piece) for number, piece in enumerate(pieces))
    whole = _KEPT.sub(lambda found: links[int(found[1])], "".join(done))
    return Markup(whole)  # noqa: S704  # escaped just here


def _keep(links: list[str], found: re.Match[str]) -> str:
    links.append(found.group())
    return f"\0{len(links) - 1}\0"


def _prose(text: str) -> str:
    return _MARKED.sub(_tagged, text)


def _tagged(found: re.Match[str]) -> str:
    tag = _TAGS[found[1]]
    return f"<{tag}>{_prose(found[2])}</{tag}>"
