"""What is expressly not wanted, by the words around it: the same for days, hours, services and people."""

import re

MASK = "§"  # stands for each letter of what was read already

_BEFORE = re.compile(
    r"(?:\b(?:menos|exceto|tirando|fora|sem ser|que nao (?:seja|for)|nada de|sem)|"
    r"\bnao (?:(?:pode|tem que|precisa) ser|posso|consigo|vou|quero|gosto|poderei|estarei|vai dar|"
    r"rola|serve|da|"
    r"pode)(?: \w+){0,3}?|(?<!, )\bnao(?= com))"
    r"(?: (?:n[ao]s?|em|de|d[ao]s?|para|com|as?|os?|a das|o das))* ?$"
)
_AFTER = re.compile(
    r"^ (?:eu |tambem )*nao(?: (?:posso|consigo|da|vou|vai|rola|serve|quero|pode)\b[^,?]*)?(?= ?(?:,|$))"
)
_MAYBE = re.compile(r"\bnao (?:da|pode|tem)\b")


def is_refused(before: str, after: str) -> bool:
    """Whether what stands between `before` and `after` is not wanted. "Não dá amanhã?" wishes for it."""
    clause = after.split(" , ", 1)[0].rstrip()
    match = _BEFORE.search(before)
    asked = clause.endswith("?") and match is not None and _MAYBE.search(match[0])
    return bool(_AFTER.search(after)) or (match is not None and not asked)
