"""Yes, no and "whichever". A yes is a yes only if nothing else is said: "sim, mas outro horário" and "pode
ser às 15?" are not, for a booking hangs on it. Whoever asks passes the words that agree with that very
question.
"""

import re
from typing import Literal

from bot.llm.rule_based.nlu.negation import MASK
from bot.llm.rule_based.nlu.normalise import words_of

Answer = Literal["yes", "no", "later", ""]

_YES = words_of(
    "sim isso pode fechou fechado fechada beleza ok certo certinho confirmo confirmado confirmada "
    "confirma confirmar confirme bora claro perfeito perfeita show top combinado combinada uhum aham "
    "quero queremos positivo vamos aceito maravilha otimo otima exato exatamente correto joia massa boa "
    "manda yes isto serve rola demorou partiu topo tmj 👍 ✅ 👌 ☑ ✔ 🆗 🤝 💯"
)
_YES_PHRASES = (
    "esta bom", "esta bem", "esta otimo", "tudo bem", "tudo certo", "com certeza", "de acordo", "por favor",
    "por mim", "faz favor", "pode ser",
)  # fmt: skip
_NO = words_of("nao naum negativo nunca desisto desisti esquece esqueca nops nope jamais 👎 ❌")
_NO_PHRASES = (
    "deixa para la", "deixa quieto", "deixa assim", "mudei de ideia", "claro que nao", "nem pensar",
    "nem a pau", "de jeito nenhum", "nao confirmo", "confirma nao",
)  # fmt: skip
_FILLER = words_of(
    "mesmo mesma ai por favor ja entao e muito muita obrigado obrigada valeu grato grata querido "
    "querida amor linda lindo moca moco flor amigo amiga o a os as esse essa este esta horario hora com "
    "certeza bem tudo bom de do da acordo ser para mim me tambem ne k la agora sempre assim deus aqui "
    "eu voce tu oi ola perfeitamente fazer faz que no na em dia isso nosso nossa meu minha haha rs , § "
    "ele ela vaga mano mana cara brother bro parceiro chefe irmao vida gata "
    "🙏 😊 😁 😃 😄 🙂 😀 🥰 😍 ❤ 💕 😘 🎉 🙌"
)
_NO_FILLER = words_of(
    "quero mais mas acho melhor precisa posso vou conseguir consigo poder hoje so nada pode quer era "
    "necessario preciso deixa dessa vez ainda pensar"
)
_LATER = re.compile(
    r"\bdeixa eu (?:ver|pensar|confirmar|checar|olhar)\b|"
    r"\bvou (?:ver|pensar|conferir|olhar|confirmar com)\b|"
    r"\bte (?:falo|aviso|chamo|retorno)\b|"
    r"\bdepois (?:eu )?(?:falo|vejo|te|chamo|aviso|confirmo|volto)\b|"
    r"\bacho que nao vou (?:conseguir|poder)\b|"
    r"\bnao sei se (?:vou|consigo|posso)\b|"
    r"\bpreciso (?:ver|falar) (?:com|se)\b|\btalvez\b"
)
_ASIDE = words_of(
    "ah ai e entao bom ok sim por favor obrigado obrigada valeu ne viu mesmo flor amor querida linda moca oi "
    "olha eu me para mim k gente serve"
)
_BETTER = r"(?: (?:que )?(?:fica |for |ser )?(?:mais )?(?:melhor|facil|bom|livre|vag[oa]|disponivel|cedo))?"
_WHICHEVER = (
    r"(?:"
    r"tanto faz(?: [oa]s? (?:horario|hora)s?)?"
    r"|qualquer (?:um|uma|horario|hora|opcao)(?: (?:d?ess[ea]s|del[ea]s))?"
    r"|(?:[oa]s? que|como|qual|quem|quando|o melhor que) (?:voces? )?"
    r"(?:ach\w+|prefer\w+|quiser\w*|decidi\w*|escolhe\w*|for|estiver|tiver|der|puder)"
    rf"(?: que)?{_BETTER}(?: voces?)?"
    r"|voces? (?:que )?(?:sabem?|mandam?|escolhem?|decidem?)"
    r"|(?:pode )?escolh(?:e|er|a)(?: (?:voce|um|uma))?"
    r"|indiferente|(?:sem|nao tenho) preferencia|nao faz diferenca|a seu criterio|pode ser(?: ess[ea]s?)?)"
)
_LEAVES = re.compile(rf"{_WHICHEVER}(?: {_WHICHEVER})*")
_GREETING = re.compile(r"\b(?:oi+e?|ola|opa|bom dia|boa tarde|boa noite)\b")


def answer_in(
    rest: str,
    *,
    agreeing: frozenset[str] = frozenset(),
    refusing: frozenset[str] = frozenset(),
    repeating: frozenset[str] = frozenset(),
) -> Answer:
    """Whether the normalised, masked `rest` of what was said is a plain yes, a plain no, or "I will see".

    `agreeing`: words that also say yes to the question asked ("marcar"); `refusing` likewise ("cancela"
    where a booking is proposed). `repeating`: words of the question that may stand beside a yes (its names).
    """
    text = _GREETING.sub(" ", rest)
    words = set(re.sub(f"{MASK}+", f" {MASK} ", text).split())
    if _LATER.search(text):
        return "later"
    if words & (_NO | refusing) or any(phrase in text for phrase in _NO_PHRASES):
        return "no" if _only(words, text, _NO | _NO_FILLER | refusing, _NO_PHRASES) else ""
    if text.strip(" ,") == "esta":  # "tá"
        return "yes"
    said_yes = words & (_YES | agreeing) or any(phrase in text for phrase in _YES_PHRASES)
    return "yes" if said_yes and _only(words, text, _YES | agreeing | repeating, _YES_PHRASES) else ""


def _only(words: set[str], text: str, core: frozenset[str], phrases: tuple[str, ...]) -> bool:
    in_phrases = {word for phrase in phrases if phrase in text for word in phrase.split()}
    return words <= core | _FILLER | in_phrases


def leaves_choice(text: str) -> bool:
    """Whether normalised `text` says only that any of what was offered will do: "tanto faz", "pode ser"."""
    words = [word for word in text.split() if word.isalnum() and word not in _ASIDE]
    return bool(_LEAVES.fullmatch(" ".join(words)))
