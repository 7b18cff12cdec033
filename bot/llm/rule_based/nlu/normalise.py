"""One spelling for what people write in many: the form in which all of this model compares text.

Lower case without accents, invisible characters and skin tones; abbreviations written out, the commonest
English and Spanish words as ours; number words as digits ("uma" and "um" stay: they are articles more often
than hours); slips in the names of days put right; "," and "?" as words of their own.
"""

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache


def words_of(text: str) -> frozenset[str]:
    """A set of words, written as a text."""
    return frozenset(text.split())


_DROPPED = {"Mn", "Me", "Cf", "Co", "Cs"}
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_LONGEST = 2000  # characters of one message that are read

_WRITTEN_OUT = {
    "hj": "hoje", "oje": "hoje", "amnh": "amanha", "amn": "amanha", "dps": "depois", "vc": "voce",
    "vcs": "voces", "ce": "voce", "q": "que", "oq": "o que", "pq": "porque", "tb": "tambem", "tbm": "tambem",
    "msm": "mesmo", "msma": "mesma", "mto": "muito", "mt": "muito", "n": "nao", "nn": "nao",
    "s": "sim", "ss": "sim", "sm": "sim", "blz": "beleza", "vlw": "valeu", "obg": "obrigado",
    "obgd": "obrigado", "obgda": "obrigada", "brigado": "obrigado", "brigada": "obrigada", "pf": "por favor",
    "pfv": "por favor", "pfvr": "por favor", "qto": "quanto", "qnt": "quanto", "qnto": "quanto",
    "qnd": "quando", "td": "tudo", "fds": "fim de semana", "pra": "para", "p": "para", "pro": "para o",
    "pras": "para as", "pros": "para os", "c": "com", "eh": "e", "ta": "esta", "tah": "esta", "to": "estou",
    "tou": "estou", "tava": "estava", "agr": "agora", "aki": "aqui", "okay": "ok", "okk": "ok",
    "sab": "sabado", "prox": "proxima", "hrs": "horas", "hr": "hora", "hs": "horas", "min": "minutos",
    "mins": "minutos", "qro": "quero", "kero": "quero", "qria": "queria", "mnh": "manha", "hra": "hora",
    "hrio": "horario", "nd": "nada", "vlr": "valor", "msg": "mensagem", "fzr": "fazer",
    "💅": "unha", "💇": "corte", "vdd": "verdade",
}  # fmt: skip

_SAID_FOR = (
    (re.compile(r"\bcabelo (e|mais|,) (a )?barba\b"), r"corte \1 barba"),
    (re.compile(r"\bcabelo barba\b"), "corte e barba"),
    (re.compile(r"\bbarba (e|mais) (o )?cabelo\b"), r"barba \1 corte"),
)

# English and Spanish, as far as customers use it here; what is a word of ours too ("no", "si", "time") only
# where it cannot be that. The longer ones first.
_OURS = {
    r"pasado manana|(?:the )?day after tomorrow": "depois de amanha",
    r"(?:(?:por|en|de|a) la manana|(?:in )?the morning)": "de manha",
    r"(?:(?:por|en|de|a) la tarde|(?:in )?the afternoon)": "a tarde",
    r"(?:(?:por|en|de|a) la noche|(?:in )?the evening|at night)": "a noite",
    r"manana|tomorrow": "amanha",
    r"hoy|today": "hoje",
    r"tonight": "hoje a noite",
    r"hello|hi|hola|good (?:morning|afternoon|evening)|buen[oa]s(?: dias| tardes| noches)?": "ola",
    r"thanks(?: a lot)?|thank you(?: so much)?|thx|(?:muchas )?gracias": "obrigado",
    r"please": "por favor",
    r"(?:yes|yeah|yep)": "sim",
    r"^(?:no|nope)(?= ,| obrigado|$)": "nao",
    r"^si(?= ,| obrigado| por favor|$)": "sim",
    r"(?:how much (?:is|does|for)|how much|cuanto (?:cuesta|sale|vale|es))": "quanto custa",
    r"(?:do you have|have you got|is there|are there|tiene[ns]?|hay)": "tem",
    r"(?:any |free |an |una? )?(?:appointments?|availability|time slots?|slots?|openings?|cita)": "horario",
    r"(?<=\btem )(?:any |some )?time": "horario",
    r"(?:i want|i would like|i d like|i need|quiero|quisiera|necesito)(?: to)?(?: an?(?= ))?": "quero",
    r"(?:(?:can|could|may) i|(?<=quero )to) (?:book|schedule|make)": "quero marcar",
    r"(?:i|we) (?:cant|can t|cannot|won t) (?:make it|come|go)": "nao vou conseguir ir",
    r"cancell?(?: my appointment| it)?": "cancela",
    r"(?<=quero )(?:book|schedule)": "marcar",
    r"reschedule": "remarcar",
    r"haircut|hair cut|corte de (?:pelo|cabello)": "corte",
    r"with|con": "com",
    r"at(?= \d)|a las": "as",
    r"monday|lunes": "segunda",
    r"tuesday|martes": "terca",
    r"wednesday|miercoles": "quarta",
    r"thursday|jueves": "quinta",
    r"friday|viernes": "sexta",
    r"saturday": "sabado",
    r"sunday": "domingo",
    r"(?:speak|talk) (?:to|com)|habl(?:ar|o) com": "falar com",
    r"(?:a |una )?(?:human|person|persona|someone)": "uma pessoa",
}
_AS_OURS = tuple((re.compile(rf"(?<!\w)(?:{theirs})(?!\w)"), ours) for theirs, ours in _OURS.items())
_IS_THEIRS = re.compile(rf"(?<!\w)(?:{'|'.join(_OURS)})(?!\w)")

_NUMBERS = {
    "dois": 2, "duas": 2, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9,
    "dez": 10, "onze": 11, "doze": 12, "treze": 13, "catorze": 14, "quatorze": 14, "quinze": 15,
    "dezesseis": 16, "dezessete": 17, "dezoito": 18, "dezenove": 19, "vinte": 20, "trinta": 30,
    "quarenta": 40, "cinquenta": 50,
}  # fmt: skip
_UNITS = {"um": 1, "uma": 1} | {word: number for word, number in _NUMBERS.items() if number < 10}
_TENS = "|".join(word for word, number in _NUMBERS.items() if number >= 20)
_COMPOUND = re.compile(rf"\b({_TENS}) e ({'|'.join(_UNITS)})\b")

_STEPS = (
    (re.compile(r"§"), " "),
    (re.compile(r"(?<=[a-z])-(?=[a-z])"), " "),
    (re.compile(r"(?<=[2-6]a)-(?=feira)"), " "),
    (re.compile(r"\b([pc])/ ?"), r"\1 "),
    (re.compile(r"(?<=\d de )dez\b"), "dezembro"),
    (re.compile(r"(?<=\d) ?a\.?m\b\.?"), " da manha"),
    (re.compile(r"(?<=\d) ?p\.?m\b\.?"), " da tarde"),
    (re.compile(r"([a-z])\1{2,}"), r"\1"),
    (re.compile(r"\b(\d{1,2})(?:hs|hrs?)\b"), r"\1h"),
    (re.compile(r"[\"'“”‘’()\[\]{}*_~`<>|\\]"), " "),
    (re.compile(r"[!;]|[.:](?!\d)|(?<!\d)[.:]|,(?!\d)|(?<!\d),"), " , "),
    (re.compile(r"([^\w\s,.:/+$%&@#-])"), r" \1 "),
    (re.compile(r"(?<!\d)-|-(?!\d)"), " "),
)


def normalise(text: str) -> str:
    """The comparable form of one message (a line); words are separated by single spaces."""
    kept = _plain_characters(text[:_LONGEST])
    for pattern, replacement in _STEPS:
        kept = pattern.sub(replacement, kept)
    kept = _ours(" ".join(kept.split()))
    for pattern, replacement in _SAID_FOR:
        kept = pattern.sub(replacement, kept)
    written_out = " ".join(_WRITTEN_OUT.get(word, word) for word in kept.split())
    written_out = " ".join(map(_spelled, written_out.split()))
    counted = _COMPOUND.sub(lambda m: str(_NUMBERS[m[1]] + _UNITS[m[2]]), written_out)
    return " ".join(str(_NUMBERS.get(word, word)) for word in counted.split())


_CALENDAR = words_of("segunda terca quarta quinta sexta sabado domingo amanha janeiro fevereiro dezembro")
_RIGHT_ALREADY = words_of(
    "manha quarenta quarto quinto sexto segundo quanta quanto quantas certa quintas quartas sextas tercas "
    "segundas sabados domingos manhas sextou"
)


@lru_cache(maxsize=4096)
def _spelled(word: str) -> str:
    """A word, or the name of the day of which it is a slip of one or two letters ("quitna")."""
    if len(word) < 5 or not word.isalpha() or word in _RIGHT_ALREADY:
        return word
    near = [day for day in get_close_matches(word, _CALENDAR, n=1, cutoff=0.8) if day[0] == word[0]]
    return near[0] if near else word


def _ours(text: str) -> str:
    """English and Spanish words as ours."""
    if _IS_THEIRS.search(text):
        for theirs, ours in _AS_OURS:
            text = theirs.sub(ours, text)
    return text


def _plain_characters(text: str) -> str:
    # NFKC first: it turns "ª" into "a" and full-width digits into digits; NFD then parts the accents off.
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        c for c in decomposed if unicodedata.category(c) not in _DROPPED and ord(c) not in _SKIN_TONES
    )
