"""Words after which somebody waits in vain: a person whom nobody called, an answer that never comes."""

import re
from collections.abc import Sequence

from bot.agent.guardrails.wording import Sentence, Table, any_of, compiled

WORDS = {
    "human": any_of(
        "atendente atendentes especialista uma+pessoa outra+pessoa humano equipe time alguem responsavel"
        " gerente recepc* supervisor* colega proprietario proprietaria setor"
    ),
    "somebody": r"(?:(?:uma|outra) pessoa|um (?:dos )?(?:nossos? )?(?:atendente|especialista|colega|humano)s?"
    r"|alguem|(?:o|a) (?:responsavel|gerente|recepc\w+))",
    "of_us": r"(?: d[aeo] (?:nossa |nosso )?(?:equipe|time|salao|clinica|recepcao|barbearia))?",
    "few": r"(?:\w+ ){0,3}?",
    "will": r"(?:vou|vamos|irei)",
    "am": r"(?:estou|to|estamos)",
    "now": r"(?:(?:ja|agora|entao|so|isso|logo|em breve|aqui|rapidinho|dar uma|fazer uma|deixar) )*",
    "so": r"(?:(?:te|lhe|ja|agora|entao|voce|so|isso|logo|em breve|aqui|deixar) )*",
    "fetch": any_of(
        "passar transferir encaminhar direcionar chamar acionar avisar repassar conectar pedir solicitar"
        " informar levar"
    ),
    "ask": any_of("falar verificar checar consultar confirmar conferir ver") + " com",
    "fetching": any_of(
        "passando transferindo encaminhando direcionando chamando acionando avisando conectando pedindo"
    ),
    "fetched": any_of(
        "passei encaminhei repassei transferi avisei acionei chamei notifiquei informei solicitei pedi"
    ),
    "come": any_of(
        "vai vao ira entra entrara retorna retornara responde* continua continuara assume assumira"
    )
    + r"|te (?:responde|chama|atende|retorna)",
    "go_on": any_of(
        "responder retornar entrar+em+contato continuar assumir verificar chamar analisar resolver"
    ),
    "back": any_of("aviso retorno respondo dou+retorno dou+um+retorno"),
    "known": any_of("tiver souber receber conseguir abrir surgir"),
    "soon": any_of("ja logo em+breve em+instantes"),
    "look": any_of("verific* chec* confer* consult* ver vejo olh* busc* procur* pesquis* analis* averigu*"),
    "looking": any_of(
        "verificando checando conferindo consultando buscando vendo procurando analisando pesquisando"
    ),
    "doing": any_of("verifico vejo confiro consulto busco digo falo informo mando envio passo trago"),
    "let_me": r"(?:deixa|deixe)(?:-me| eu| que eu)?",
    "act": any_of(
        "marcar agendar reservar encaixar remarcar reagendar cancelar desmarcar mudar alterar trocar"
        " transferir garantir confirmar separar providenciar marcad* agendad* reservad*"
    ),
    "acting": any_of("marcando agendando reservando remarcando cancelando desmarcando alterando"),
    "moment": any_of(
        "momento momentinho minuto minutos minutinho instante instantes instantinho segundo segundinho"
    ),
    "customer": any_of("voce vc me quiser preferir puder sua seu"),
}

# A person is promised.
PERSONS: Table = (
    ("will fetch", r"<will> <so>(?:<fetch>|<ask>)\b[^.,]{0,80}\b<human>\b"),
    ("will pass on", r"<will> <so>(?:passar|repassar|deixar|dar) <few>recado\b"),
    ("fetching", r"<am> <so><fetching>\b[^.,]{0,80}\b<human>\b"),
    ("fetching", r"^<fetching>\b[^.,]{0,80}\b<human>\b"),
    ("fetched", r"<fetched>\b[^.,]{0,80}\b<human>\b"),
    ("somebody comes", r"<somebody><of_us> (?:<soon> )?(?:<come>)\b(?! (?:te |lhe )?receber)"),
    ("the team comes", r"(?:equipe|time) (?:<soon> )?(?:vai|ira) <so><go_on>\b"),
    ("the team answers", r"(?:equipe|time) (?:entra|retorna|responde)(?:ra)? (?:em|o) (?:contato|breve)\b"),
    ("you will be served", r"(?:sera|vai ser) (?:atendid|contatad|respondid)[oa] (?:<soon>|por <somebody>)"),
    ("wait for contact", r"aguarde (?:o contato|a resposta|o retorno) d"),
    ("we contact you", r"(?:entraremos|vamos entrar) em contato\b|retornaremos\b"),
)  # fmt: skip

# Somebody is to write again later. Nobody does, so it is wrong wherever it stands.
RETURNS: Table = (
    ("soon", r"<soon> (?:ja )?(?:eu )?(?:te |lhe )?(?:<back>|volto)\b"),
    ("to you", r"(?:te|lhe) (?:<back>|chamo)(?= (?:<soon>|em|assim que|quando|daqui|mais tarde|depois)\b)"),
    ("once known", r"assim que (?:\w+ )?<known>\b.*\b(?:te|lhe) (?:<back>|chamo)\b"),
    ("back", r"(?:volto|retorno) (?:<soon>|a falar|com (?:a |uma )?resposta|em (?:alguns|poucos))\b"),
    ("future", r"(?:retornarei|voltarei|avisarei|(?:entro|entrarei) em contato|darei (?:um )?retorno)\b"),
    ("will", r"vou <so>(?:avisar|retornar|responder|dar (?:um )?retorno|entrar em contato)\b"),
)  # fmt: skip
# Something is begun: fine if its result follows in the same text.
LOOKS: Table = (
    ("will look", r"(?:<will>|<let_me>) <now><look>\b"),
    ("looking", r"<am> <now><looking>\b"),
    ("at once", r"ja <so><doing>\b"),
)  # fmt: skip
# Likewise, and fine too where a person continues.
WAITS: Table = (
    ("a moment", r"^(?:um|1) <moment>\b(?! d[aeo]\b)"),
    ("just a moment", r"(?:so|me da|aguarde|espera|espere|pera) (?:so )?(?:um|1|uns|alguns) <moment>\b"),
    ("wait", r"aguarde(?:,? (?:por favor|por gentileza|aqui|na linha|enquanto)\b|[ !.]*$)"),
)  # fmt: skip
# A write is announced: fine as a question, and if this run wrote something.
ACTS: Table = (
    ("will do", r"<will> <so><act>\b"),
    ("will make", r"<will> <so>fazer (?:o |a |seu |sua )*(?:agendament|reserv|cancelament|remarca|troc)"),
    ("doing", r"<am> <so><acting>\b"),
    ("do at once", r"ja <so>(?:marco|agendo|reservo|remarco|cancelo|deixo)\b"),
)  # fmt: skip
# What makes such words no promise. Read on the sentence before them, …
NO_PROMISE: Table = (
    ("negated", r"(?:nao|nunca|nem)\b[^,]*$"),
    ("conditional", r"(?:se|caso|quando|assim que|depois que|apos|antes de)\b[^,]*(?:,[^,]*)?$"),
    ("offered", r"(?:posso|podemos|quer|gostaria|prefere|preferir|eh so|basta|para)\b[^,]*$"),
    (
        "asked for",
        r"(?:dig[ao]|diz|fal[ae]|cont[ae]|informe|pass[ae]|mand[ae]|envie|confirm[ae]|escolha|preciso)\b.*$",
    ),
)
# … and on what follows: it waits for the customer, or what was promised is told at once.
KEPT: Table = (
    ("on the customer", r"^.*\b(?:assim que|quando|se|depois que|apos) <customer>\b"),
    ("told", r"^.*: \S"),
)
_NO_CONTENT = re.compile(
    r"^\W*$|^(?:muit[oa] )?(?:obrigad[oa]|por favor|por gentileza|ok|ta bom|certo|combinado|agradeco"
    r"|qualquer coisa|fico|ate (?:ja|logo|breve)|tudo (?:bem|certo)|pode deixar|claro|perfeito|oi|ola)\b"
    r"(?: \w+){0,5}[ .!]*$"
)
_REMINDER = re.compile(r"\blembr|\blista de espera\b")

_PERSONS, _RETURNS, _LOOKS, _WAITS, _ACTS, _NO_PROMISE, _KEPT, _HUMAN = (
    compiled((pattern for _, pattern in table), WORDS)
    for table in (PERSONS, RETURNS, LOOKS, WAITS, ACTS, NO_PROMISE, KEPT, (("", r"<human>\b"),))
)


def person(said: Sequence[Sentence]) -> bool:
    """Whether these sentences promise somebody of the team."""
    return any(_promises(sentence, _PERSONS) for sentence in said)


def in_vain(said: Sequence[Sentence], *, wrote: bool, final: bool) -> bool:
    """Whether these sentences, if the talk ends with them, promise what then never comes.

    `wrote`: this run booked, moved or cancelled something. In a `final` text a person continues.
    """
    if final:
        said = [sentence for sentence in said if not _HUMAN.search(sentence.text)]
    if any(_promises(sentence, _RETURNS) and not _REMINDER.search(sentence.text) for sentence in said):
        return True
    if any(sentence.asks for sentence in said):
        return False
    last = next((sentence for sentence in reversed(said) if not _NO_CONTENT.search(sentence.text)), None)
    if last is None:
        return False
    begun = [_LOOKS] + [_WAITS] * (not final) + [_ACTS] * (not wrote and not last.tagged)
    return any(_promises(last, pattern) for pattern in begun)


def _promises(sentence: Sentence, pattern: re.Pattern[str]) -> bool:
    text = sentence.text
    return not sentence.asks and any(
        not _NO_PROMISE.search(text[: match.start()]) and not _KEPT.search(text[match.end() :])
        for match in pattern.finditer(text)
    )
