"""Taking persons and secrets out of recorded model traffic: the same one always becomes the same stand-in."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+")
_CPF = re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])|(?<![\w.-])\d{9}-\d{2}(?![\w-])")
_PHONE = re.compile(
    r"\+\d[\d\s().-]{6,18}\d"  # of any country
    r"|(?<![\w.-])(?:55[\s.-]?)?\(?\d{2}\)?[\s.-]?9?\d{4}[\s.-]?\d{4}(?![\w-])"  # of Brazil, with its area
    r"|(?<![\w.-])9\d{4}[\s.-]\d{4}(?![\w-])"
)
_KEY = re.compile(r"\b(?:sk|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{12,}|\bBearer\s+\S+")
_CUSTOMER = re.compile(r"^Cliente: (.+?)\.?$", re.MULTILINE)
_ARGUMENT = "nome_cliente"
_UNKNOWN = "nome desconhecido"
# One pixel: stands for any picture, and is taken as one by whoever replays the recording.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
_SMALL_WORDS = {"da", "das", "de", "do", "dos", "e"}


class Scrubber:
    """Takes out these secrets wherever they stand, and the names that it has come to know."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = [secret for secret in secrets if secret]
        self._known: dict[tuple[str, str], str] = {}
        self._names: set[str] = set()

    def scrubbed(self, value: Any) -> Any:
        """A JSON value with every string in it scrubbed; numbers and keys are left as they are."""
        self._names |= {word.lower() for name in _names(value) for word in _words(name)}
        return self._value(value)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return {key: self._of(key, item) for key, item in _faceless(value).items()}
        return value

    def _of(self, key: str, value: Any) -> Any:
        """Arguments that come as JSON in a text may hide a name behind escapes."""
        inner = _arguments(key, value)
        return self._value(value) if inner is None else json.dumps(self._value(inner), ensure_ascii=False)

    def _text(self, text: str) -> str:
        if text == DOT or text.startswith("data:image/"):
            return text if text == DOT else f"data:image/png;base64,{DOT}"
        for secret in self._secrets:
            text = text.replace(secret, "(chave)")
        for pattern, stand_in in self._patterns():
            text = pattern.sub(stand_in, text)
        return text

    def _patterns(self) -> Iterator[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]:
        yield _KEY, lambda _hit: "(chave)"
        yield _MAIL, self._stand_in("mail", "pessoa{}@example.com", str.lower)
        yield _CPF, self._stand_in("cpf", "000.000.000-{:02d}", _digits)
        yield _PHONE, self._stand_in("phone", "+55 11 90000-{:04d}", _last_digits)
        if self._names:
            words = "|".join(sorted(map(re.escape, self._names), key=len, reverse=True))
            yield (
                re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE),
                self._stand_in("name", "Fulano{}", str.lower),
            )

    def _stand_in(self, kind: str, form: str, same: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
        def replace(hit: re.Match[str]) -> str:
            number = sum(known == kind for known, _ in self._known) + 1
            return self._known.setdefault((kind, same(hit.group())), form.format(number))

        return replace


def _faceless(value: dict[str, Any]) -> dict[str, Any]:
    """A picture's source shows another picture; any other value is as it was."""
    if value.get("type") == "base64" and "data" in value:
        return {"type": "base64", "media_type": "image/png", "data": DOT}
    return value


def _names(value: Any, key: str = "") -> Iterator[str]:
    """What is known to be a customer's name: in the context, and where a tool is told it."""
    if isinstance(value, str):
        if key == _ARGUMENT:
            yield value
        elif "<contexto>" in value:
            yield from (name for name in _CUSTOMER.findall(value) if name != _UNKNOWN)
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            inner = _arguments(name, item)
            yield from _names(item if inner is None else inner, name)


def _arguments(key: str, value: Any) -> Any:
    if key != "arguments" or not isinstance(value, str):
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _words(name: str) -> Sequence[str]:
    return [word for word in re.findall(r"\w+", name) if len(word) > 1 and word.lower() not in _SMALL_WORDS]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _last_digits(text: str) -> str:
    """A phone with and without country, area and ninth digit is the same one."""
    return _digits(text)[-8:]
