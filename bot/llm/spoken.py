"""What of a model's text is said to the customer: no thinking, no mark of its format, nobody else's turn.

Told by structure: a mark is a short name between brackets of any kind, a turn is a label at the head of a
line. Everything is linear in the length of the text.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bot.llm.json_safe import safe_text


@dataclass(frozen=True)
class Spoken:
    """`text` may be empty: nothing of it can be said. `ended`: the model went on in somebody else's name, and
    whatever it wrote behind that, calls too, rests on what nobody said.
    """

    text: str
    ended: bool = False


def spoken(text: str) -> Spoken:
    """What may be said of a text. An honest one comes back as it is, but for blanks at its ends."""
    before, token, after = _up_to_token(_without_thinking(_without_fences(_of_channels(_unescaped(text)))))
    said = _own_turn(_after_label(_of_strange_pairs(before)).strip())
    return Spoken(said.text, said.ended or bool(token and _TOKEN.sub("", after).strip()))


# Channels: "<|channel|>analysis<|message|>…<|start|>assistant<|channel|>final<|message|>…", also bare.

_BARE = re.compile(r"assistant[ \t\n]{0,3}final", re.IGNORECASE)


def _of_channels(text: str) -> str:
    if "<|message|>" in text:
        _, _, final = text.rpartition("<|channel|>final")
        _, begun, answer = final.partition("<|message|>")
        return answer.partition("<|")[0] if begun and "<|channel|>final" in text else ""
    if text[:8].lower() == "analysis" and text[8:9].isalpha():
        ends = [found.end() for found in _BARE.finditer(text)]
        return text[ends[-1] :] if ends else ""
    return text


# Tokens of a chat template, which end an answer: "<|im_end|>", "</s>", "<start_of_turn>", "[INST]".

_TOKEN = re.compile(r"[<＜][|｜][^<>＜＞\n]{1,40}[|｜][>＞]|</?s>|<(?:end|start)_of_turn>|\[/?INST\]")


def _up_to_token(text: str) -> tuple[str, str, str]:
    found = _TOKEN.search(text)
    return (text, "", "") if found is None else (text[: found.start()], found[0], text[found.end() :])


# Marks: <think>, [THINK], ◁think▷, <|START_THINKING|>, [BEGIN FINAL RESPONSE]; ends have a slash or a word.

_MARK = re.compile(
    r"[<\[{◁【⟨〈«＜]{1,2}\s{0,2}[|｜]?\s{0,2}(/?)"
    r"([^\W\d_][\w :.▁-]{0,40}?)"
    r"\s{0,2}[|｜]?\s{0,2}[>\]}▷】⟩〉»＞]{1,2}"
)
_THINKING = re.compile(
    r"think|thought|reason|reflect|scratch|analy[sz]|rationale|cot$|monologue|deliberat|introspect|"
    r"pens[ae]|racioc|reflex|analis|monolog|思|推理"
)
_ANSWER = re.compile(r"answer|final|response|reply|output|solution|box|resposta|mensagem$|message$")
_AROUND = {
    *("begin", "start", "end", "close", "of", "my", "the", "inner", "internal", "deep", "seed", "chain"),
    *("step", "steps", "process", "block", "section", "content", "text", "here", "is", "model", "assistant"),
    *("processo", "de", "do", "da", "inicio", "fim", "interno", "interna", "minha", "meu", "pad", "budget"),
}
_ENDS = {"end", "close", "fim"}
_HTML = {
    *("a", "b", "i", "u", "s", "p", "em", "br", "li", "ul", "ol", "strong", "span", "font", "code", "small"),
    *("mark", "center", "blockquote", "title", "div", "del", "ins", "sub", "sup"),
}


def _without_fences(text: str) -> str:
    """Without what stands in a fence that is labelled as thinking."""
    first, *fences = text.split("```")
    if not any(_THINKING.match(_plain(inside[:20]).strip()) for inside in fences[::2]):
        return text
    return first + "".join(fences[1::2])


def _without_thinking(text: str) -> str:
    """The text behind what is marked as thinking, or before it; inside of what is marked as the answer."""
    kept: list[str] = []
    before, hidden, at = "", False, 0
    for found, kind, closes in _marks(text):
        if not hidden:
            kept.append(text[at : found.start()])
        at = found.end()
        if kind is _ANSWER and closes:
            hidden = True
            continue
        if kind is _THINKING and closes and not hidden:
            before = ""  # the mark that opens it stands in the prompt
        elif kind is _THINKING and not closes and any(map(str.strip, kept)):
            before = "".join(kept)
        kept.clear()
        hidden = kind is _THINKING and not closes
    if not hidden:
        kept.append(text[at:])
    return "".join(kept) if any(map(str.strip, kept)) else before


def _marks(text: str) -> Iterator[tuple[re.Match[str], re.Pattern[str], bool]]:
    """Each mark of thinking or answering, which of the two, and whether it closes."""
    for found in _MARK.finditer(text):
        words = re.findall(r"[^\W\d_]+", _plain(found[2]))
        telling = [word for word in words if word not in _AROUND]
        for kind in (_THINKING, _ANSWER):
            if telling and all(kind.match(word) for word in telling):
                yield found, kind, bool(found[1]) or not _ENDS.isdisjoint(words)
                break


def _of_strange_pairs(text: str) -> str:
    """Without what a pair of marks of an unknown name holds at the head; "" where one stands elsewhere, since
    nobody knows what it means. (Tags of HTML are told elsewhere.)
    """
    head = _MARK.match(text.lstrip())
    if head is not None and not head[1] and head[2].lower() not in _HTML:
        end = head[0].replace(head[2], f"/{head[2]}", 1)
        _, closed, rest = text.partition(end)
        if closed and rest.strip():
            return rest
    odd = any(found[1] and found[0][0] not in "<＜" for found in _MARK.finditer(text))
    return "" if odd else text


# Labels: "Raciocínio: … Resposta: …"

_LABEL_OF_THINKING = re.compile(
    r"^[ \t*_#>(\[]{0,8}(?:thinking|thoughts?|reasoning|pensamentos?|pensando|racioc[ií]nio|chain of thought)"
    r"[ \t]{0,2}[*_]{0,3}[ \t]{0,2}(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_OF_ANSWER = re.compile(
    r"^[ \t*_#>]{0,8}(?:(?:final )?(?:answer|response|reply)|resposta(?: final)?|mensagem(?: ao cliente)?)"
    r"[ \t]{0,2}[*_]{0,3}[ \t]{0,2}(?::[ \t*_]{0,4}|$)",
    re.IGNORECASE | re.MULTILINE,
)


def _after_label(text: str) -> str:
    """What stands behind the label of the answer, where the thinking has one; "" where only that has."""
    if not _LABEL_OF_THINKING.search(text):
        return text
    ends = [found.end() for found in _LABEL_OF_ANSWER.finditer(text)]
    return text[ends[-1] :] if ends else ""


# Escapes of other media.

_ESCAPE = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}\d{0,2});|(?:\\u[0-9a-fA-F]{4}){1,40}|\\r?\\n|\\[nt\"]"
)


def _unescaped(text: str) -> str:
    """Entities of HTML and escapes of JSON as what they stand for."""
    return safe_text(_ESCAPE.sub(_meant, text))


def _meant(found: re.Match[str]) -> str:
    if found[0][0] == "&":
        return html.unescape(found[0])
    return str(json.loads(f'"{found[0]}"'))


# Turns of the other side.

_ENGLISH = r"humans?|users?|customers?|clients?|system|tool|function|developer|assistant|ai|agent|chatbot"
_OWN = r"assistant|assistente(?: virtual)?|atendente(?: virtual)?|bot|rob[oô]|ai|ia|agent|agente|chatbot"
_OTHER = (
    r"humans?|users?|customers?|clients?|system|tool|function|developer|"
    r"sistema|clientes?|usu[aá]ri[oa]s?|human[oa]s?|pacientes?|consumidor[ea]?s?|pessoa"
)
_TURN = re.compile(
    r"[^\w\n]{0,8}"
    r"(?:(?:resposta|mensagem|fala|turno|pergunta|response|message|turn)[ \t]{1,2}(?:d[oae]s?|of|from)"
    r"[ \t]{1,2}(?:the[ \t]{1,2})?)?"
    rf"(?:(?P<english>{_ENGLISH})|(?P<own>{_OWN})|{_OTHER}|[^\W\d_][\w ]{{0,30}}\((?:{_OWN}|{_OTHER})\))"
    r"(?:[ \t]{0,2}\([^()\n]{1,40}\))?"
    r"(?:[ \t]{1,2}(?:responde|diz|escreve|disse|respondeu|says|replies|said)(?:ria)?)?"
    r"[^\w:：]{0,6}?(?:[:：]|(?<=[ \t])[-–—](?=[ \t])|$)[^\w\n]{0,8}",
    re.IGNORECASE,
)
# In the middle of a line only what no honest text has there.
_INLINE = re.compile(
    rf"(?<=[\w.!?…)])[ \t]{{1,3}}(?=(?:[*_]{{1,2}}(?:{_ENGLISH}|{_OWN}|{_OTHER})[*_]{{0,2}}[:：][*_]|"
    r"(?-i:Human|User|Assistant|USER|ASSISTANT)[:：]))",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[^\w\n]{0,8}[^\W\d_]\w{0,20}(?: \w{1,20}){0,2}[^\w:：]{0,4}[:：]")
_LITTLE = {"de", "da", "do", "das", "dos", "e", "d", "van", "von", "del", "di", "la"}


def _own_turn(text: str) -> Spoken:
    """The text up to where a turn of the other side, or another one of its own, begins. A label of its own at
    the head falls away; what would break off in the middle is nothing.
    """
    lines = _INLINE.sub("\n", text).split("\n")
    own = _TURN.match(lines[0])
    named = (own["english"] or own["own"] or "") if own is not None else ""
    if own is not None and re.fullmatch(_OWN, named, re.IGNORECASE) and not _is_listed(lines, 0):
        lines[0] = lines[0][own.end() :]
    for number, line in enumerate(lines):
        label = _TURN.match(line)
        if label is not None and not _is_field(lines, number, label):
            before = "\n".join(lines[:number]).rstrip()
            return Spoken("" if before.endswith((":", ",", ";")) else before, ended=True)
    return Spoken("\n".join(lines).strip())


def _is_field(lines: list[str], number: int, label: re.Match[str]) -> bool:
    """Whether this is a line of a summary ("Cliente: Ana Souza"), not somebody's turn."""
    if label["english"]:
        return False
    value = lines[number][label.end() :] or next(iter(lines[number + 1 : number + 2]), "")
    value = value.strip(" \t*_\"'”“).")
    words = re.findall(r"[^\W\d_]+", value)
    if _is_listed(lines, number):
        return len(words) <= 6 and not value.endswith(("?", "!"))
    asked = next((line for line in reversed(lines[max(0, number - 3) : number]) if line.strip()), "")
    named = all(word[0].isupper() or word in _LITTLE for word in words)
    return len(words) > 1 and len(value) <= 80 and named and not asked.rstrip(" *_").endswith("?")


def _is_listed(lines: list[str], number: int) -> bool:
    """Whether a line right before or after this one is a field of something else."""
    return any(
        _FIELD.match(line) and not _TURN.match(line) and not line.rstrip(" *_").endswith("?")
        for line in (*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2])
    )


def _plain(text: str) -> str:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return "".join(c for c in unicodedata.normalize("NFKD", parted).lower() if not unicodedata.combining(c))
