"""What a message is about, from normalised text: a table of topics with the words that give them away."""

import re
from enum import StrEnum, auto


class Topic(StrEnum):
    """A wish or question. One message may have several."""

    GREETING = auto()
    THANKS = auto()
    GOODBYE = auto()
    PERSON = auto()
    ROBOT = auto()
    UPSET = auto()  # insults, complaints: a person must see to it
    PRICE = auto()
    DURATION = auto()
    SERVICES = auto()
    TEAM = auto()
    WHERE = auto()
    OPENING = auto()
    CONTACT = auto()  # a telephone, an e-mail: of the business or of somebody
    MINE = auto()
    CANCEL = auto()
    MOVE = auto()
    CHANGE = auto()  # "trocar", "mudar": of an appointment, or of what is being talked about
    CHANGE_OWN = auto()  # "mudar meu horário": of an appointment
    LATE = auto()
    ON_THE_WAY = auto()
    AT_THE_DOOR = auto()
    HEALTH = auto()  # what only who knows the person and the product may answer
    DISCOUNT = auto()  # another price, or another way to pay it
    AS_SHOWN = auto()  # "cor igual dessa"
    REPEATED = auto()  # "toda quinta"
    ONE_MORE = auto()  # "quero mais um"
    SLIP = auto()  # "errei, era quinta"
    MENU = auto()  # "o que você faz?"
    EMERGENCY = auto()
    UNABLE = auto()  # "não vou conseguir ir"
    NOTICE = auto()  # until when one may cancel
    PAUSE = auto()  # "pera aí"
    MISTAKE = auto()  # "foi engano"
    HOLIDAY = auto()
    LANGUAGE = auto()  # "do you speak English?"
    STOP_MESSAGES = auto()
    BOOK = auto()
    BOOK_NEW = auto()  # in so many words: "quero marcar"
    WHEN_FREE = auto()  # "que dia ela tem?"
    USUAL = auto()
    ANYONE = auto()
    OTHER_DAY = auto()
    OTHER_TIME = auto()
    RIGHT_AFTER = auto()  # "logo depois" of what was just booked
    SAME_DAY = auto()  # as an appointment that there is already
    OTHER_PERSON = auto()
    OTHER_SERVICE = auto()
    ALSO = auto()
    RESTART = auto()
    WAITLIST = auto()  # "me avisa se abrir"
    NONE_FITS = auto()


_TALK = r"\b(?:falar|conversar|ser atendid[oa])"
_MY = r"(?:o |a )?(?:meu|minha)"
COMPARES_PRICES = (
    r"\b(?:mais (?:barat\w+|car[oa]s?|em conta)|(?:muito|meio|tao|bem|ta|esta|achei|que) car[oa]s?|"
    r"caro demais|(?:algo|alguma coisa|opcao|tem) (?:\w+ )?barat\w+)\b"
)
CONTACT = (
    r"(?:telefone|celular|fone|whats(?:app)?|zap|wpp|contato|"
    r"insta(?:gram)?|face(?:book)?|tiktok|e ?mail|site)s?"
)
_SEND = r"(?:pass|mand|envi|inform)\w+"
_ASKS_CONTACT = (
    rf"(?:qual(?: (?:e|que e))?|quais|(?:me )?(?:{_SEND}|da)|tem|teria|quero|queria|preciso(?: d[eo])?|sabe)"
    rf"(?: me)?(?: voces?)?(?: {_SEND})?(?: (?:o|a|os|um|algum|seu|de|numero(?= d[aeo])|endereco|e))*"
)


# Each topic with the patterns of which any one will do.
_PATTERNS: dict[Topic, tuple[str, ...]] = {
    Topic.GREETING: (
        r"(?:^|[,?] )(?:oi+e?|ola|opa|alo|hello|hey|eae|e ai|salve|bom dia|boa tarde|boa noite)\b",
    ),
    Topic.THANKS: (
        r"\b(?:obrigad[oa]|valeu|agradecid[oa]|agradeco|grat[oa])\b",
        r"🙏",
    ),
    Topic.GOODBYE: (r"\b(?:tchau|ate (?:logo|mais|la|amanha|breve)|falou|abracos?|bjs|beijos?|fui)\b",),
    Topic.ROBOT: (
        r"\b(?:voce|isso|aqui|ai) e (?:um |uma )?(?:robo|bot|human[oa]|pessoa|maquina|ia|gente)\b",
        r"^e (?:um )?(?:robo|bot)\b|\b(?:robo|bot|chatbot|inteligencia artificial) ?\?",
        r"\b(?:quem|(?:o )?que) (?:e voce|voce e)\b|\bvoce e (?:a|o) \w+ ?\?|"
        r"\bcom quem (?:eu )?(?:falo|estou falando)\b",
        r"\bfalando com (?:um |uma )?(?:robo|bot|maquina|pessoa|human[oa])\b",
    ),
    Topic.PERSON: (
        r"\b(?:atendente|atendimento humano|humano|(?:pessoa|alguem|gente) de verdade|tem alguem ai)\b",
        rf"{_TALK} (?:\w+ ){{0,2}}?(?:com|por) (?!voce|meu|minha|ela\b|ele\b|eles)",
        r"^(?:eu )?(?:quero|queria|preciso de|gostaria de|chama|(?:me )?passa para) "
        r"(?:uma pessoa|alguem|(?:um |o |a )?(?:responsavel|gerente|dono|dona))\b",
        r"\bcham\w+ (?:alguem|uma pessoa|o dono|a dona|o gerente|a gerente)\b",
    ),
    Topic.UPSET: (
        r"\b(?:merda|porra|caralho|bosta|pqp|vsf|vtnc|fdp|idiotas?|imbeci\w+|lixo|inuti\w+|palhacada)\b",
        r"\b(?:ridicul\w+|pessim[oa]s?|horrive\w+|decepcion\w+|insatisfeit\w+|que (?:absurdo|vergonha))\b",
        r"\b(?:brav|irritad|chatead|indignad|revoltad)[oa]\b",
        r"\b(?:reclamar|reclamacao|procon|processar voces|prejuizo|reembolso|dinheiro de volta)\b",
        r"\bningue?m (?:me )?(?:responde|respondeu|atende|atendeu|resolve|resolveu)\b",
    ),
    Topic.EMERGENCY: (
        r"\b(?:passando mal|me matar|suicid\w+|emergencia|desmai\w+|sangrando|ambulancia|samu)\b",
        r"\b(?:falta de ar|nao consigo respirar|me (?:machuc|queim)ou)\b",
    ),
    Topic.HEALTH: (
        r"\b(?:alergi\w+|gravid\w+|gestante|gestacao|amament\w+|diabet\w+|quimioterapia|medicament\w+|"
        r"remedio|antibiotico|cirurgia|infeccao|infeccionad\w+|inflamad\w+|micose|fungo|ferida|queimadura|"
        r"coceira|dermatit\w+|psoriase|hipertens\w+|pressao alta|faz mal|epilepsia|cancer)\b",
    ),
    Topic.DISCOUNT: (
        r"\b(?:descont\w+|parcel\w+|promoc\w+|pacotes?|cortesia|fiado|negoci\w+|de graca)\b",
        r"\b(?:faz\w*|deixa|da) (?:\w+ ){0,3}?por (?:r\$ ?)?\d+(?! ?(?:min|h\b|hora))",
        r"\bmais (?:barat[oa]|em conta) (?:para|se)\b|\bcrianca paga\b|\b(?:meia|preco) (?:para|"
        r"de) crianca\b",
        r"\b(?:em|quantas) (?:\d+ )?(?:vezes|x)\b|\b\d+ ?x\b",
    ),
    Topic.AS_SHOWN: (
        r"\b(?:igual|iguais|parecid[oa]|como|tipo) (?:a |ao |com )?(?:n?d?(?:ess|est)[ae]|a (?:da|"
        r"dessa) foto|na foto)\b",
        r"\b(?:da|na|nessa|essa|dessa) (?:foto|imagem)\b",
    ),
    Topic.REPEATED: (
        r"\btod[ao]s? (?:as? |os? )?(?:segunda|terca|quarta|quinta|sexta|sabado|domingo|semana|mes|"
        r"dia|quinzena)s?\b",
        r"\b(?:as|aos|nas|nos) (?:segunda|terca|quarta|quinta|sexta|sabado|domingo)s\b",
        r"\b(?:semanal\w*|quinzenal\w*|mensal\w*|(?:uma|1|2) vez(?:es)? (?:por|na) (?:semana|mes)|"
        r"a cada \d+)\b",
    ),
    Topic.ONE_MORE: (
        r"\b(?:mais um|mais uma|outro horario tambem|um segundo horario)\b(?! (?:pouco|vez|pouquinho))",
    ),
    Topic.SLIP: (
        r"\b(?:errei|me enganei|confundi|me confundi|escrevi errado|quis dizer|queria dizer|"
        r"digitei errado)\b",
        r"\bera (?:para |na |no |as )?(?:ser )?(?:o |a )?(?:segunda|terca|quarta|quinta|sexta|sabado|"
        r"dia|amanha|hoje|\d)",
        r"\b(?:na verdade|pensando bem|mudei de ideia|alias)\b",
    ),
    Topic.MENU: (
        r"^(?:menu|ajuda|help|opcoes)$|\bo que voce (?:faz|sabe fazer|pode fazer)\b|\bcomo funciona\b",
    ),
    Topic.STOP_MESSAGES: (
        r"\b(?:par\w*|nao quero(?: mais)?|deix\w+|cans\w+) de (?:me )?(?:receber|mandar|enviar|mensage)",
        r"\bnao (?:quero|desejo) (?:mais )?(?:receber|mensage)",
        r"\bdescadastr\w+",
        r"^(?:sair|parar|stop|pare)$",
    ),
    Topic.NOTICE: (
        r"\b(?:quanto tempo antes|quanta antecedencia|ate quando)\b.*\b(?:cancel|desmarc|remarc|mud)",
        r"\bse eu (?:quiser|precisar|tiver que|for) (?:cancel|desmarc|remarc|mud)\w+",
    ),
    Topic.PAUSE: (
        r"^(?:oi , )?(?:pera ?(?:ai)?|espera(?: ai| um pouco)?|calma(?: ai)?|ja volto|aguarda|"
        r"(?:so )?(?:um|1) (?:moment|minut|segund|instant)\w+)(?: por favor| ai| so)?(?: ,)?$",
    ),
    Topic.MISTAKE: (
        r"\b(?:(?:foi|e) engano|(?:numero|pessoa|contato|lugar|conversa) errad[oa]|mandei errado)\b",
        r"\bnao era para (?:ca|voces?|aqui)\b|^(?:ops |opa |ih )?(?:, )?errei\b",
    ),
    Topic.HOLIDAY: (r"\bferiad(?:o|os|ao)\b",),
    Topic.LANGUAGE: (
        r"\b(?:do you speak|english|spanish|habla[ns]?|hablas|espanol)\b",
        r"\bfalam? (?:em )?(?:ingles|espanhol)\b",
    ),
    Topic.DURATION: (r"\b(?:quanto tempo|(?<!a )(?<!pela )demora|dura|duracao|leva quanto)\b",),
    Topic.PRICE: (
        r"\bquanto (?:custam?|e|ficam?|sai|saem|esta|cobram?|voces|que|vai|seria|para)\b",
        r"\b(?:precos?|valor|valores|orcamento|quanto$)\b",
        COMPARES_PRICES,
    ),
    Topic.SERVICES: (
        r"\bservicos\b|\bqual servico\b",
        r"\bvoces (?:fazem|tem|oferecem) (?:o )?que\b",
        r"\bo que (?:e que )?(?:voces |voce )?(?:fazem|faz|tem|oferecem)\b",
        r"\b(?:cardapio|catalogo)\b",
    ),
    Topic.TEAM: (
        r"\bquem (?:atende|faz|corta|trabalha|sao|esta|tem)\b",
        r"\b(?:quais|que|os) profissionais\b",
        r"\bprofissionais (?:tem|voces)\b",
    ),
    Topic.WHERE: (
        r"\bonde (?:ficam?|e|voces|esta|estao|que)\b",
        r"\bcomo (?:chego|chegar|faco para chegar)\b",
        r"\b(?:endereco(?! de e ?mail| eletronico)|localizacao|fica onde|estacionamento|mapa)\b",
        r"\bqual (?:a )?(?:rua|bairro)\b",
    ),
    Topic.OPENING: (
        r"\bque horas? (?:que )?(?:voces |ai |o \w+ )?(?:abrem?|fecham?|funciona|comeca)\b",
        r"\bhorarios? de (?:funcionamento|atendimento)\b",
        r"\b(?:abrem?|fecham?|funcionam?|voces atendem|ate que horas?|(?:esta|estao) abert[oa]s?)\b",
    ),
    Topic.CONTACT: (
        rf"\b{_ASKS_CONTACT} {CONTACT}\b",
        rf"^(?:e )?(?:o |a |os )?{CONTACT}(?: de contato)?(?: d[aeo]s? (?:\w+ ?){{1,3}})? ?\??$",
        rf"\b{_ASKS_CONTACT} numero(?: (?:d[aeo]s? (?!rua|casa|predio|lista|opcao)|para|pessoal)|$| \?)",
        r"\bcomo (?:eu )?(?:entro|entrar|faco para entrar) em contato\b",
    ),
    Topic.MINE: (
        rf"^(?:e )?{_MY} (?:\w+ )?(?:horario|agendamento|consulta|reserva|hora|corte|visita)\b(?: \w+){{0,3}}"
        r" (?:que horas?|que dia|quando|qual)\b",
        r"\bnao (?:marquei|agendei|tenho|tinha) (?:\w+ )?(?:nada|nenhum)\b",
        r"\b(?:eu )?(?:tenho|tinha|marquei|agendei) (?:\w+ )?(?:algo|nada|alguma coisa|horario|"
        r"hora) ?(?:\w+ ){0,3}\?",
        r"\b(?:ver|mostra|mostrar|consultar|conferir) (?:os )?(?:meus|o meu)\b",
        r"\bmeus (?:\w+ )?(?:horarios|agendamentos|compromissos)\b",
        r"\bminhas (?:consultas|marcacoes|reservas)\b",
        r"\b(?:qual|quais|ver|saber|consultar|lembr\w+|conferir|confirmar|cade|sobre)(?: \w+){0,2} "
        r"(?:meu|minha) (?:\w+ )?(?:horario|agendamento|consulta|reserva|hora)\b",
        r"^(?:o |a )?(?:meu|minha) (?:horario|agendamento|consulta|reserva)(?: mesmo)? ?\??$",
        r"\bja (?:marquei|agendei|tinha marcado|deixei marcado)\b",
        r"^(?:ja )?(?:esta|ficou|foi) (?:tudo )?(?:confirmad|marcad|agendad)[oa] ?(?:mesmo )?\?",
        r"^(?:voces? )?(?:ja )?(?:(?:cancel|desmarc)(?:aram|ou)|(?:foi|esta) cancelado)(?: \w+){0,3} ?\?",
        r"^(?:para )?(?:que|qual) (?:dia|hora|horario) (?:mesmo|ficou|e mesmo)(?: mesmo)? ?\??$",
        rf"\bque (?:horas?|dia) (?:(?:e|ficou|esta|era) {_MY}|(?:eu )?marquei)\b",
        rf"\bquando (?:e|ficou|esta|vai ser) {_MY}\b",
        r"\b(?:tenho|tinha) (?:algo|alguma coisa|algum|alguma|horario|hora)? ?(?:\w+ )?(?:marcad|agendad)\w*",
    ),
    Topic.MOVE: (r"\b(?:remarc|reagend)\w*", r"\b(?:adiar|adiant\w+|antecip\w+)\b"),
    Topic.CANCEL: (r"\b(?:cancel|desmarc|desagend)\w*",),
    Topic.CHANGE: (r"\b(?:mud|troc|alter|transfer|pass)(?:ar|a|o|ou|e|em|ando)\b",),
    Topic.CHANGE_OWN: (
        r"\b(?:mud|troc|alter|transfer|pass)(?:ar|a|o|ou|e|em|ando)\b (?:(?:de|d?[oa]) )?(?:d?o |d?a )?"
        r"(?:meu|minha) (?:\w+ )?(?:horario|hora|agendamento|consulta|visita|reserva|marcacao)\b",
        r"\b(?:mud|troc|alter|transfer|pass)(?:ar|a|o|ou|e|em|ando)\b (?:\w+ ){1,3}"
        r"(?:(?:eu )?(?:ja )?(?:tenho|tinha|marquei|agendei))\b",
    ),
    Topic.LATE: (
        r"\b(?:atrasad[oa]|(?:me )?atrasar(?! (?:o|meu|para))|atraso|vou (?:me )?atrasar|chego mais tarde)\b",
        r"\b(?:vou|posso|devo) (?:me )?(?:demorar|chegar) (?:\w+ ){0,2}(?:minutos|mais tarde|depois)\b",
    ),
    Topic.ON_THE_WAY: (r"\bestou (?:quase )?(?:chegando|a caminho|indo)\b",),
    Topic.AT_THE_DOOR: (
        r"\b(?:ja )?cheguei\b|\bestou (?:aqui )?(?:na|em) (?:porta|frente|recepcao)\b|"
        r"\bestou aqui (?:fora|embaixo)\b",
    ),
    Topic.UNABLE: (
        r"\bnao (?:vou|vo) (?:mais )?(?:conseguir|poder|dar)\b",
        r"\bnao (?:consigo|posso|vou|vo) (?:mais )?(?:ir|comparecer)\b",
        r"\bimprevisto\b|\bnao (?:vou|vo) (?:poder|mais|n[ao]|amanha|hoje|ness[ea])\b|\b(?:esqueci|"
        r"perdi) (?:o|meu) horario\b",
    ),
    Topic.USUAL: (r"\bde sempre\b", r"\bcomo sempre\b", r"\bd[oa] ultima vez\b"),
    Topic.BOOK: (
        r"\b(?:marc(?:ar|a|o|amos|acao|ando)|agend\w*|vagas?|encaix\w*|reserv\w*)\b",
        r"\bhorari\w+\b(?! de (?:funcionamento|atendimento))",
        r"\b(?:posso|consigo|da para) ir\b",
        r"\b(?:disponib\w+|disponive\w+|hora marcada|tem hora|uma hora|consegue (?:me )?atender)\b",
    ),
    Topic.WHEN_FREE: (
        r"^(?:e )?(?:com quem|(?:a )?que horas?|qua(?:l|is) (?:os? )?horarios?|que dias?|qual dia) ?\??$",
        r"\b(?:qual|que|quais) (?:o |os )?(?:dias?|horas?) (?:que )?(?:\w+ )?(?:tem|teria|pode|esta livre)\b",
    ),
    Topic.BOOK_NEW: (
        r"(?<!acabei de )(?<!acabo de )\b(?:marcar|agendar|reservar)\b",
        r"\b(?:marc[ae]|agend[ae]|reserv[ae]) (?:para mim )?(?:uma?|outr[oa]|a|o)\b",
    ),
    Topic.ANYONE: (
        r"\btanto faz\b(?! o (?:dia|horario)| a hora)",
        r"\bqualquer (?:um|uma|pessoa|profissional)\b",
        r"\bquem (?:tiver|estiver|puder|for)\b",
        r"\b(?:sem|nao tenho) preferencia\b",
        r"\b(?:indiferente|pode escolher)\b",
    ),
    Topic.OTHER_DAY: (r"\boutr[oa]s? (?:dia|data)s?\b", r"\bdia diferente\b"),
    Topic.OTHER_TIME: (
        r"\boutr[oa]s? (?:horario|hora|opca|opco)\w*\b",
        r"\bmais (?:horarios|opcoes)\b",
        r"\bhorario diferente\b",
    ),
    Topic.RIGHT_AFTER: (
        r"\b(?:em|na|logo) seguida\b|\blogo (?:depois|apos)\b(?! do almoco)|\bna sequencia\b",
        r"\b(?:quando|assim que|depois que) (?:eu )?(?:terminar|acabar)\b",
        r"^(?:pode ser |quero |so )?depois d(?:ele|ela|isso|o corte|a primeira)\b",
    ),
    Topic.SAME_DAY: (r"\b(?:mesmo|nesse|esse) dia\b",),
    Topic.OTHER_PERSON: (
        r"\bcom quem (?:mais )?(?:voces? )?(?:tem|teria|pode|seria|faz)\b",
        r"\boutr[oa]s? (?:profissional|pessoa|cabeleireir[oa]|barbeir[oa]|manicure)\w*\b",
        r"\bcom outr[oa]\b",
    ),
    Topic.OTHER_SERVICE: (r"\boutr[oa]s? servicos?\b",),
    Topic.ALSO: (r"\b(?:tambem|junto|alem|mais (?:um|uma)|e (?:uma|a|o|fazer))\b",),
    Topic.WAITLIST: (
        r"\blista de (?:espera|desistencia)\b|\bfila de espera\b",
        r"\bavis\w+ (?:\w+ ){0,2}?(?:se|quando|caso)\b",
        r"\b(?:se|quando|caso) (?:\w+ ){0,2}?(?:abrir|vagar|desistir|surgir|aparecer|desmarcar|sobrar)\b",
    ),
    Topic.NONE_FITS: (
        r"^(?:ai |hoje |entao )?nao (?:da|posso|consigo|rola|serve|vai dar)(?: nao)?(?: ,)?$",
        r"\bnenhuma?\b(?! problema| preferencia)",
        r"\bnao (?:posso|consigo|da|rola|servem?|quero) (?:em )?n?(?:esses|essas|estes|estas)\b",
        r"\b(?:esses|essas|estes|estas) (?:\w+ )?nao (?:da|posso|consigo|servem?|rola)\b",
    ),
    Topic.RESTART: (r"\b(?:comecar de novo|recomecar|do zero|comecar outra vez|reiniciar)\b",),
}
_COMPILED = {topic: re.compile("|".join(patterns)) for topic, patterns in _PATTERNS.items()}
# "Meu cabelo está horrível, preciso cortar" is no complaint.
_OWN_LOOKS = re.compile(
    r"\b(?:meus?|minhas?|o|a|as) (?:cabelos?|unhas?|barba|sobrancelhas?|franja|raiz|pele)\b"
)
_ABOUT_US = re.compile(
    r"\b(?:voces?|atend\w+|ningue?m|reclam\w+|reembolso|dinheiro|prejuizo|procon|estrag\w+|queim\w+|"
    r"insatisf\w+)\b"
)
_WANTS_TO_TALK = re.compile(
    r"\b(?:quero|queria|preciso|prefiro|chama\w*|passa) (?:\w+ ){0,3}(?:pessoa|humano|atendente|alguem)\b"
)
_ASKS_WHETHER = re.compile(r"\b(?:cancel|desmarc|confirm|marc|agend)(?:aram|ou|ad[oa])\b")
_DENIED = re.compile(
    r"\bnao (?:e para|quero|precisa|preciso|vou|era para) (?:mais )?(?:cancel|desmarc|remarc)\w*"
)


def topics_in(text: str) -> frozenset[Topic]:
    """The topics of one normalised text; what is expressly not wanted ("não quero cancelar") is left out."""
    told = _DENIED.sub(" ", text)
    found = {topic for topic, pattern in _COMPILED.items() if pattern.search(told)}
    if Topic.ROBOT in found and not _WANTS_TO_TALK.search(told):
        found.discard(Topic.PERSON)
    if Topic.UPSET in found and _OWN_LOOKS.search(told) and not _ABOUT_US.search(told):
        found.discard(Topic.UPSET)
    if Topic.MINE in found and told.rstrip().endswith("?") and _ASKS_WHETHER.search(told):
        found -= {Topic.CANCEL, Topic.BOOK, Topic.BOOK_NEW}  # asked, not ordered
    if Topic.CONTACT in found:
        found -= {Topic.CHANGE, Topic.CHANGE_OWN}  # "me passa o telefone"
    if found & {Topic.LATE, Topic.ON_THE_WAY}:
        found -= {Topic.MOVE, Topic.BOOK, Topic.DURATION}
    if Topic.NOTICE in found:
        found.discard(Topic.WAITLIST)
    if Topic.DISCOUNT in found:
        found.discard(Topic.PRICE)
    if Topic.MENU in found:
        found.discard(Topic.SERVICES)
    if found & {Topic.MINE, Topic.ROBOT}:
        found.discard(Topic.BOOK)
    if Topic.WAITLIST in found:
        found -= {Topic.BOOK, Topic.CANCEL}
    return frozenset(found)
