"""Whether a customer says that they want no more messages, or want them again. Pure.

Most words of ceasing are everyday words here ("cancelar", "posso sair antes das 15h?"). So only two things
count: a verb of ceasing with a kind of message as its object, or one of a few words alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.customer import Wish
from tools.portuguese import folded

MAX_READ = 1000  # characters; nobody says it at greater length


@dataclass(frozen=True)
class Heard:
    """The wish, and whether nothing else was asked in the same message."""

    wish: Wish
    only: bool


def heard(text: str) -> Heard | None:
    """The wish in a message of a customer; None in doubt, which is nearly always."""
    clauses = list(_clauses(text[:MAX_READ]))
    said = _POLITE.sub(" ", " ".join(clauses)).split()
    if " ".join(said) in _ALONE:
        return Heard(_ALONE[" ".join(said)], only=True)
    for wish, pattern in _PATTERNS:
        rest = [_without(pattern, clause) for clause in clauses]
        if any(left != clause for left, clause in zip(rest, clauses, strict=True)):
            if wish is Wish.STOP and all(_is_of_promotion(pattern, clause) for clause in clauses):
                wish = Wish.PROMOTION
            return Heard(wish, only=_nothing_else(" ".join(rest), asked="?" in text))
    return None


def _nothing_else(rest: str, *, asked: bool) -> bool:
    """Whether what was said beside the wish asks for nothing."""
    return not _ERRAND.search(rest) and not (asked and _ASKING.sub("", rest).strip())


def _clauses(text: str) -> Iterator[str]:
    """What stands between stops and commas, folded, words alone."""
    for clause in re.split(r"[.!?;,:\n]+|\s[-–—]\s", text):
        words = re.sub(r"[^\w\s]", " ", folded(clause)).split()
        if words:
            yield " ".join(words)


def _is_of_promotion(pattern: re.Pattern[str], clause: str) -> bool:
    """Whether nothing but advertising is unwanted here: what belongs to a visit is another thing."""
    found = pattern.search(clause)
    if found is None:
        return not _AS_WELL.search(clause)
    words, rest = found[0], clause[found.end() :]
    named = _PROMOTION.search(words) and not _OF_VISITS.search(words)
    return bool(named or _OF_PROMOTION.match(rest)) and not _AS_WELL.search(rest)


def _without(pattern: re.Pattern[str], clause: str) -> str:
    """The clause without the words of the wish; the same clause where they do not say it after all."""
    found = pattern.search(clause)
    if found is None:
        return clause
    if _NOT_THAT.search(clause[: found.start()]) or _LIMITED.match(clause[found.end() :]):
        return clause
    return f"{clause[: found.start()]} {clause[found.end() :]}"


_ALONE = dict.fromkeys(
    (
        *("parar", "pare", "parem", "sair", "stop", "stopall", "stop all", "unsubscribe", "end", "quit"),
        *("revoke", "optout", "opt out", "descadastrar", "descadastre", "desinscrever"),
    ),
    Wish.STOP,
) | dict.fromkeys(("voltar", "start", "unstop", "reativar"), Wish.START)
_POLITE = re.compile(r"\b(?:por favor|pf|pfv|pfvr|obrigad[oa]|ola|oi|bom dia|boa tarde|boa noite)\b")

# What is sent, as far as a customer calls it anything; of some of it only the plural means all of it.
_MANY = (
    r"(?:mensagens|msgs|lembretes|avisos|notificacoes|promocoes|propagandas?|divulgacoes|ofertas|anuncios|"
    r"novidades|marketing|spam|newsletter|campanhas)"
)
_KINDS = (
    r"(?:mensage(?:m|ns)|msgs?|lembretes?|avisos?|notificac(?:ao|oes)|promoc(?:ao|oes)|propagandas?|"
    r"divulgac(?:ao|oes)|ofertas|anuncios|novidades|marketing|spam|newsletter|whats(?:app)?|zap|campanhas?)"
)
_SMALL = (
    r"(?:(?:me|nos|as?|os?|de|d[ao]s?|com|ess[ae]s?|est[ae]s?|tant[ao]s?|tod[ao]s?|qualquer|nenhuma?|suas?|"
    r"seus?|mais|voces?|ficar|tipo) )"
)
_SENDING = r"(?:mandar|mandando|enviar|enviando|receber|recebendo|encher|escrever|enviarem|mandarem)"
_NOTHING = r"(?:nada|isso|disso)"
_HERE = r"(?: (?:por )?aqui| daqui| de voces?| no (?:meu )?(?:whats(?:app)?|zap|celular))*"
_END = r"(?= (?:por favor|obrigad[oa]|e)\b|$)"
_I_DO_NOT = r"nao (?:quero|queria|desejo|gostaria de|aceito|autorizo)"
_DO_NOT = r"nao (?:me |nos )?(?:mande|mandem|manda|mandar|envie|enviem|envia|enviar|escreva|escrevam)"
_SWITCH_OFF = (
    r"(?:cancel(?:ar|a|e|em)|desativ(?:ar|a|e|em)|deslig(?:ar|a|ue)|bloque(?:ar|ia|ie)|suspend(?:er|a)|"
    r"interromp(?:er|a)|par(?:ar|e|em))"
)
_TAKE_OFF = r"(?:sair|saia|tir(?:ar|a|e|em)|remov(?:er|a|am)|exclu(?:ir|a|am))"
_LISTS = r"(?:transmissao|envios?|contatos?|mensagens|divulgacao|promocoes|whats(?:app)?)"

_STOP = (
    # para de me mandar mensagem; pare com essas propagandas; chega de spam; parar de receber
    rf"(?:parar|parem?|para|chega|basta|deix(?:ar|em?)) (?:de|com) {_SMALL}{{0,4}}"
    rf"(?:(?:{_SENDING} {_SMALL}{{0,4}})?{_KINDS}|{_SENDING} {_NOTHING}|"
    rf"(?:mandar|enviar|receber|escrever){_HERE}{_END})",
    # não quero mais receber nada; não quero que me mandem lembretes
    rf"{_I_DO_NOT} (?:mais )?(?:voltar a )?(?:que )?{_SMALL}{{0,3}}(?:mandem|enviem|{_SENDING}|ser) "
    rf"{_SMALL}{{0,4}}(?:{_KINDS}|{_NOTHING}|contat\w+|contact\w+)",
    rf"{_I_DO_NOT} mais (?:receber{_HERE}{_END}|{_SMALL}{{0,3}}{_KINDS})",
    rf"{_I_DO_NOT} {_SMALL}{{0,3}}(?:mensagens|lembretes|notificacoes|propagandas?|spam)",
    # não me mande mais mensagem; não enviem mensagens; não entrem mais em contato
    rf"{_DO_NOT} mais(?:{_HERE}{_END}| {_SMALL}{{0,3}}(?:{_KINDS}|{_NOTHING}))",
    rf"{_DO_NOT} {_SMALL}{{0,3}}(?:{_MANY}|nada mais)",
    r"nao entr(?:e|em|ar) (?:mais )?em contato",
    # cancelar os lembretes; desativa as notificações; cancelar minha inscrição
    rf"{_SWITCH_OFF} {_SMALL}{{0,3}}(?:(?:envio|recebimento) )?"
    rf"{_SMALL}{{0,2}}(?:minha )?(?:{_MANY}|inscricao)",
    # me tira da lista de transmissão; descadastra meu número
    rf"{_TAKE_OFF} (?:\w+ ){{0,3}}lista de {_LISTS}",
    r"(?:descadastr|desinscrev)(?:ar|er|a|am|e|em) (?:me|meu (?:numero|contato|telefone|whats\w*))",
    r"me (?:descadastr|desinscrev)\w+",
)
_START = (
    rf"voltar a (?:me )?(?:receber|mandar|enviar)(?: {_SMALL}{{0,3}}{_KINDS})?",
    rf"receber (?:{_SMALL}{{0,3}}{_KINDS} )?(?:de novo|novamente|outra vez)",
    rf"(?:re)?ativ(?:ar|a|e|em) {_SMALL}{{0,3}}{_MANY}",
    rf"(?:mand|envi)(?:ar|a|e|em) {_SMALL}{{0,3}}{_KINDS} (?:de novo|novamente|outra vez)",
)
_PATTERNS = tuple(
    (wish, re.compile(rf"\b(?:{'|'.join(ways)})\b"))
    for wish, ways in ((Wish.STOP, _STOP), (Wish.START, _START))
)

_ADS = r"(?:promoc|propagand|oferta|anuncio|marketing|divulgac|novidade|newsletter|campanha)"
_PROMOTION, _OF_PROMOTION = re.compile(rf"\b{_ADS}"), re.compile(rf" (?:de|com|sobre) (?:\w+ )?{_ADS}")
_VISITS = r"(?:mensage|msg|lembrete|aviso|notificac|nada\b)"
_OF_VISITS = re.compile(rf"\b(?:{_VISITS}|isso\b|contat|zap|whats)")
_AS_WELL = re.compile(rf"\b(?:nem|ou|tambem)\b(?: \w+){{0,3}}? {_VISITS}")

# Before the words of the wish: "não quero parar de…", "por que parou de…", "vocês vão parar de…?".
_NOT_THAT = re.compile(r"\b(?:nao|nunca|nem|por que|porque|pq|vao|vai|se)\b(?: \w+){0,2} ?$")
# After them: not for good, or not of every kind.
_LIMITED = re.compile(
    r" (?:\w+ )?(?:agora|hoje|ainda|cedo|tarde|antes|depois|enquanto|ate|durante|de audio|de voz|de video|"
    r"audios?|[ad]e? noite|de madrugada|de manha|que (?:vem|nao)|para (?:[oa]|outr\w+)|d[oa] outr[oa]|"
    r"segunda|terca|quarta|quinta|sexta|sabado|domingo|repetid\w+|duplicad\w+)\b"
)
_ASKING = re.compile(r"\b(?:eu|pode\w*|voces?|vcs?|quero|queria|gostaria|tem|como|por favor|gente|de|que)\b")
# What else somebody may want of a business that takes bookings.
_ERRAND = re.compile(
    r"\b(?:horario\w*|agend\w+|marc\w+|remarc\w+|desmarc\w+|cancel\w+|consulta\w*|corte\w*|atende[mr]?|preco\w*|"
    r"valor\w*|quanto|quanta|amanha|hoje|segunda|terca|quarta|quinta|sexta|sabado|domingo|servico\w*|"
    r"endereco|reserv\w+|pagar|pix|vaga\w*|encaix\w+|\d+h?)\b"
)
