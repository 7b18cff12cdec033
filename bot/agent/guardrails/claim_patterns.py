"""How somebody says that something was booked, moved, cancelled, noted or queued; and what only looks like it.

A table of deeds (how each thing that the bot can do is called) times a table of frames (how it is said to be
done), and set phrases beside them. A new word goes into WORDS or DEEDS; what looks like a claim and is none, into
one of the tables of exemptions. Each row has its examples in the tests.
"""
# ruff: noqa: E501  # a row of a table is read along its line

from dataclasses import dataclass
from enum import Enum

from bot.agent.guardrails.wording import DAY, Table, any_of, filled


class Kind(Enum):
    BOOKED = "booked"  # the bot did it: needs a write, or an appointment at the time that is named
    STANDS = "stands"  # it is so: any appointment that fits will do
    MOVED = "moved"
    CANCELLED = "cancelled"
    REPORTED = "reported"  # cancelled some time ago: needs only that no such appointment stands
    WAITING = "waiting"  # is on the waiting list
    KEPT = "kept"  # as STANDS; an offer of the waiting list is kept too
    EXPECTED = "expected"  # as STANDS, but a claim only where a time is named and nothing is asked
    NOTED = "noted"  # "anotei aqui": something was written down, a claim only where nothing is asked


WORDS = {
    "fixed": any_of("marcad agendad reservad encaixad garantid") + "(?:inh)?[oa]s?|booked|scheduled|reserved",
    "sure_of": "confirmad(?:inh|issim)?[oa]s?|confirmed",
    "booked": "<fixed>|<sure_of>",
    "again": "(?:remarcad|reagendad|reprogramad)(?:inh)?[oa]s?|rescheduled",
    "cancelled": "(?:cancelad|desmarcad)(?:inh)?[oa]s?|cancell?ed",
    "moved": any_of(
        "remarcad reagendad transferid alterad mudad trocad adiad antecipad cambiad movid reprogramad"
    )
    + "[oa]s?|moved|changed|rescheduled",
    "kept": any_of("salv guardad separad") + "[oa]s?|saved|held",
    "finished": any_of("feit realizad efetuad concluid registrad criad confirmad hech list") + "[oa]s?"
    "|made|confirmed|complete[d]?|done",
    "is": r"(?:(?:est|t)(?:a|ao|an)|fic(?:ou|aram)|qued(?:o|aron)|fo(?:i|ram)|ha(?:n)? sido"
    r"|seguem?|siguen?|continuam?|permanecem?|constam?|is|are|has been|have been|was|'s|'re)",
    "was": any_of("foi foram estava tinha+sido havia+sido consta+como"),
    "sure": r"(?:(?:ja|ya|tudo|todo|bem|bien|agora|sim|mesmo|entao|certinho|certo|aqui|como|e|all|now|already) )*",
    "few": r"(?:(?!eh )\w+ ){0,4}?",
    "yours": r"(?:(?:o|a|os|as) )?(?:seu|sua|seus|suas|teu|tua|esse|essa|este|esta|voce|vc|tu|your|you)\b",
    "visit": any_of("horario agendamento consulta atendimento sessao visita reserva corte cita turno hora")
    + "s?|appointment|booking|visit|slot|spot|reservation",
    "place": "(?:<visit>|vaga|lugar|cadeira)",
    "to": r"(?:(?:para|pra|pras|pro|n[ao]|em|as|o|a|dia|el|las?|on|for|at) )+",
    "day": rf"(?:\d|(?:{DAY})\b)",
    "made": r"(?:fiz|hice|conclui|realizei|efetuei|<i>made) (?:(?:[ao]|la|the|a|an) )?(?:seu |sua |tu |your )?",
    "managed": r"(?:consegui|conseguimos|acabei de|acabamos de|pude|logre|acabo de|<i>managed to"
    r"|(?:i was|we were) able to) (?:te |lhe )?",
    "changed": any_of(
        "mudei alterei transferi passei troquei adiei adiantei antecipei movi puxei joguei empurrei"
    )
    + "|te (?:cambie|movi)"
    "|(?:he|hemos) (?:cambiado|movido)|<i>(?:moved|changed|switched)",
    "if": r"(?:se(?! preocup| encontr)|(?<!seu )(?<!sse )(?<!ste )caso|sempre que|desde que|ate que|uma vez"
    r"|quando|assim que|logo que|depois (?:que|de)|antes de|apos|si|cuando|una vez|despues de"
    r"|if|once|when|as soon as|after|before|until|unless)",
    "removed": any_of("cancelamos desmarcamos removi tirei retirei exclui apaguei elimine") + "|<i>removed",
    "i": r"(?:i|we)(?:'ve| have|'d)?(?: just| already| now| also)* ",
    "he": r"(?:te |le |ya )*(?:he|hemos) ",
    "queue": "(?:lista|fila) de espera|wait(?:ing)?[ -]?list",
    # A headline: "Agendado!", "Prontinho, Maria! Corte feminino com Ana confirmado:"
    "head": r"(?<!.)(?:\w+(?: \w+){0,2}[,!] )?"
    r"(?:(?!tem\b|temos\b|est[ao]|fo[ir]|fic|segue|continu|is\b|are\b)\w+ ){0,5}?\b",
    "end": r"(?: com sucesso)? ?(?=$|[!,:.(-])",
}


@dataclass(frozen=True)
class Deed:
    """How a thing that the bot can do is called: "marquei", "marcado", "marcar", "agendamento"."""

    did: str
    done: str
    do: str
    noun: str


DEEDS = {
    Kind.BOOKED: Deed(
        did="marquei|agendei|reservei|encaixei|<i>(?:booked|scheduled|reserved|(?:got|put) you down)"
        "|<he>(?:reservado|agendado)|(?:te|le|ya) (?:agende|reserve|aparte)",
        done="<fixed>",
        do="marcar|agendar|reservar|encaixar|book|schedule|reserve",
        noun="agendamento|reserva|marcacao|booking|appointment|cita",
    ),
    Kind.MOVED: Deed(
        did="remarquei|reagendei|<i>rescheduled|<he>(?:reprogramado|reagendado)|(?:te|le|ya) (?:reprograme|reagende)",
        done="<again>",
        do="remarcar|reagendar|mudar|alterar|trocar|transferir|cambiar|reprogramar|move|reschedule|change",
        noun="remarcacao|alteracao|mudanca|troca|cambio",
    ),
    Kind.CANCELLED: Deed(
        did="cancelei|desmarquei|<i>cancell?ed|<he>cancelado|(?:te|le|ya) cancele|cancele (?:tu|su) cita",
        done="<cancelled>",
        do="cancelar|desmarcar|cancel",
        noun="cancelamento|cancelacion|cancellation",
    ),
}
FRAMES: Table = (
    ("did", r"<did>\b"),
    ("made", r"<made><noun>\b"),
    ("managed", r"<managed><do>\b"),
    ("noun", r"<noun> <few><finished>\b"),
    ("headline", r"<head><done><end>"),
)
PHRASES: tuple[tuple[Kind, str, str], ...] = (
    (Kind.BOOKED, "did yours", r"(?:confirmei|garanti|garantimos|anotei|registrei|<i>confirmed) <yours> <few><place>\b"),
    (Kind.BOOKED, "we did", r"(?:marcamos|agendamos|reservamos|encaixamos) <yours>"),
    (Kind.BOOKED, "left", r"deix(?:ei|amos) <few>(?:<booked>|<kept>|(?:em|no) seu nome)\b"),
    (Kind.BOOKED, "agenda", r"(?:coloquei|inclui|botei|pus|adicionei) <few>n?a (?:nossa )?agenda\b"),
    (Kind.BOOKED, "put you", r"(?:(?:te|voce|vc) (?:coloquei|botei|pus)|(?:coloquei|botei|pus) (?:voce|vc)) <few>(?:<to><day>|as \d)"),
    (Kind.STANDS, "confirmed", r"<head><sure_of><end>"),
    (Kind.STANDS, "is", r"<is> <sure>(?:<booked>|mantid[oa])\b"),
    (Kind.KEPT, "kept it", r"(?:separei|guardei|segurei|bloqueei|salvei) <few>(?:<place>|agenda)\b"),
    (Kind.KEPT, "is kept", r"<place> <few><is> <sure><kept>\b"),
    (Kind.STANDS, "for a day", r"<booked> <few><to><day>"),
    (Kind.STANDS, "came to a day", r"(?:ficou|quedo) <few><to><day>"),
    (Kind.STANDS, "you have", r"(?:(?:voce|vc) (?:ja |so )?tem|(?:ya )?tienes|you(?:'ve got| already have| have)) <few><visit> <booked>\b"),
    (Kind.STANDS, "your list", r"(?:seus|teus) (?:proximos )?(?:horarios|agendamentos|compromissos|reservas)(?: <booked>)? ?:$"),
    (Kind.STANDS, "is yours", r"(?:o horario|a vaga) (?:ja )?eh (?:todo |toda )?(?:seu|sua)\b|(?:esta|ta) (?:ja )?na (?:nossa )?agenda\b|ja (?:esta|ta) no sistema\b"),
    (Kind.STANDS, "all set", r"(?:you're|you are|voce esta|vc ta) (?:all |now )*(?:set|booked|confirmed|scheduled)\b"),
    (Kind.EXPECTED, "yours is", r"<yours>(?: \w+){1,6}?(?::| eh| es| is| sera| vai ser| fica) (?:com \w+(?: \w+){0,2},? )?(?:<to>)?<day>"),
    (Kind.EXPECTED, "you have it", r"(?:(?:voce|vc) (?:ja |so )?tem|tienes|you have) <few><visit> <few><to><day>"),
    (Kind.EXPECTED, "so it is", r"entao (?:eh|sera|vai ser|fica) (?:<to>)?<day>|(?:(?<!.)|(?:ta|esta) )tudo (?:certo|ok|pronto) <to><day>|<visit> (?:esta|ta) (?:ok|certo) <to><day>"),
    (Kind.EXPECTED, "becomes", r"fica <few><booked>\b|fic(?:a|ou) assim\b"),
    (Kind.EXPECTED, "awaited", r"(?:te|lhe|nos|los|les) (?:esper|aguard|ve[jm]|veo)|(?:esper|aguard)amos (?:por )?voce|see you\b|(?:expecting|waiting for) you\b"),
    (Kind.EXPECTED, "may come", r"pode (?:vir|aparecer) (?!.*\bdas \d)<few>(?:<to><day>|as \d)"),
    (Kind.EXPECTED, "until", r"(?<!.)(?:ate|hasta) (?:\w+ )?<day>"),
    (Kind.EXPECTED, "opener", r"(?<!.)(?!.*\b(?:cancel|desmar[cq]))(?:prontinho|pronto|feito|combinado|fechado|fechou|anotado|listo|all done|all set|done)(?:,? \w+)?[!,.:]|(?:fechado|fechou|combinado) (?:entao )?(?:pra |para )?<day>"),
    (Kind.MOVED, "did yours", r"<changed> <yours> <few><visit>\b"),
    (Kind.MOVED, "did to a day", r"<changed> (?:(?!eh )\w+ ){0,7}?<to><day>"),
    (Kind.MOVED, "for a day", r"<again> <few><to><day>"),
    (Kind.MOVED, "is", r"<is> <sure><again>\b"),
    (Kind.MOVED, "visit is", r"<visit> <few><is> <sure><moved>\b"),
    (Kind.MOVED, "changed", r"<yours> <few><visit> (?:\w+ )?(?:mudou|passou) para\b"),
    (Kind.CANCELLED, "did yours", r"<removed> <yours>"),
    (Kind.CANCELLED, "is", r"<is> <sure><cancelled>\b"),
    (Kind.REPORTED, "was", r"ja <was> <cancelled>\b"),
    (Kind.WAITING, "put", r"(?:(?:coloquei|inclui|botei|pus|adicionei|deixei|puse|agregue)\b|(?:<i>(?:put|added))) <few><queue>\b"),
    (Kind.WAITING, "is", r"(?:esta|ta|ficou|entrou|estas|quedaste|you're|you are) <few><queue>\b"),
    (Kind.NOTED, "noted", r"(?:anotei|registrei|deixei anotado)(?: ja)?(?: <yours>(?: \w+)? (?:pedido|solicitacao)| tudo| certinho| direitinho| aqui(?! que\b))\b(?!.*\b(?:lembrete|aviso|mensage))"),
    (Kind.NOTED, "is noted", r"(?:pedido|solicitacao) <few>(?:anotad|registrad)[oa]\b"),
)  # fmt: skip


CLAIMS = (
    *((kind, name, filled(frame, vars(deed))) for kind, deed in DEEDS.items() for name, frame in FRAMES),
    *PHRASES,
)

# What makes such words no claim. Read on the sentence up to their end, …
NO_CLAIM: Table = (
    ("negated", r"(?:nao|nunca|nem|nada|ninguem|nenhum\w*|sem|falta|not|never|nothing|none|ningun\w*)\b[^,]*$"),
    ("negated", r"(?:\w+n't|cannot|no (?:he|hemos|esta|quedo|hay|tienes|pude|appointment|booking|slot)s?)\b[^,]*$"),
    ("conditional", r"<if>\b[^,]*(?:,[^,]*)?$"),
    ("cited", r"(?:voce|vc|cliente) (?:disse|falou|mencionou|comentou|perguntou|pediu|escreveu|achou)\b.*$"),
    ("cited", r"(?:you|you've) (?:said|mentioned|asked|wrote|told)\b.*$|(?:dijiste|mencionaste|pediste)\b.*$"),
    ("past", r"(?:tinha[ms]?(?! sido)|havia[ms]?(?! sido)|estava[ms]?|era[ms]?|costuma\w*|tenias?|habias?|had)\b[^,]*$"),
    ("past", r"(?:ultim[oa]s? (?:vez|visita|corte)|(?:semana|mes|ano) passad[oa]|ontem|ayer|yesterday|last \w+)\b[^,]*$"),
    ("of others", r"(?:outr[oa]s? (?:clientes?|pessoas?)|alguem|(?:tem|com) clientes?)\b[^,]*$"),
    ("of others", r"(?:otr[oa]s? (?:client[ea]s?|personas?)|alguien|another (?:client|customer)|some(?:one|body))\b[^,]*$"),
    ("of other things", r"(?:pagamento|pix|feriado|desconto|promocao|cadastro|endereco|valor|preco)\b[^,]*$"),
    ("of other things", r"(?:evento|estacionamento|sinal|orcamento|(?<!(?:no|em) seu )nome(?! (?:esta |ta )?na (?:lista|fila|agenda))|telefone|dados|vaga de(?! <day>)|contato|horario de (?:atendi|funciona)mento)\b[^,]*$"),
    ("of other things", r"(?:lembretes?|avisos?|mensagens|reminders?|recordatorios?|mensajes)\b[^,]*$"),
    ("of other things", r"(?:payment|address|parking|price|event|direccion|pago|precio|estacionamiento)\b[^,]*$"),
    ("how we work", r"(?:com|por|so|somente|apenas) (?:hora|horario|agendamento)s? <booked>$"),
)  # fmt: skip
# … also, but not of "marquei" and the like, …
WISHED: Table = (
    ("offered", r"(?:posso|podemos|poderia|vou|vamos|iria|consigo|da para|eh so|basta)\b[^,]*$"),
    (
        "offered",
        r"(?:can|could|shall|should|may|let me|i'll|going to|puedo|podria|voy a|vamos a|deja)\b[^,]*$",
    ),
    ("wanted", r"(?:quer|quero|queria|quiser|gostaria|deseja|prefere|precisa|preciso)\b[^,]*$"),
    ("wanted", r"(?:want|need|needs|would|prefer|quieres|quisieras|necesitas?|necesito|prefieres)\b[^,]*$"),
    (
        "not yet",
        r"(?:ser|estar|ficar(?! (?:tranquil|sossegad|despreocupad|em paz))|seja|sejam|sera|serao|seria|fosse|for(?= \w+d[oa]s?$)|be|being)\b[^,]*$",
    ),
)
# … and on what follows.
NO_CLAIM_AFTER: Table = (
    ("conditional", r"^[^,]*\b(?:assim que|depois que|apos|mediante|se (?:voce|vc|nao|houver)|caso)\b"),
    ("conditional", r"^[^,]*\b(?:once|after|as soon as|if|until|cuando|despues de|si (?:tu|me|no))\b"),
    ("of others", r"^[^,]*\b(?:por|para|pra|com|by|for) (?:outr[oa]|otr[oa]|another|someone)\b"),
    ("of other things", r"^(?: \w+){0,2} (?:lembretes?|avisos?|mensagens|reminders?|recordatorios?)\b"),
    ("past", r"^[^,]*\b(?:(?:semana|mes|ano) passad[oa]|ontem|por (?:voce|vc)|last (?:week|month|year|time)|ayer)\b"),
    ("a rule", r"^[^,]*\b(?:pod[ae]m?|dev[ae]m?|precisam?|sao|costumam?|com (?:menos|antecedencia))\b"),
    ("a rule", r"^[^,]*\b(?:must|can be|in advance|con anticipacion|deben?|pueden?)\b"),
)  # fmt: skip
