"""Numbers, shares, times and money as people in Brazil write them, and how they compare with before."""

from datetime import timedelta

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_CENT = 10_000  # microdollars


def number(value: int) -> str:
    """ "1.234" """
    return f"{value:,}".replace(",", ".")


def decimal(value: float, places: int = 1) -> str:
    """ "1.234,5" """
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def percent(part: int, whole: int) -> str:
    """ "82%"; what is neither none nor all is never said to be."""
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 1:
        return "menos de 1%"
    return "mais de 99%" if 99 < share < 100 else f"{share:.0f}%"


def dollars(microdollars: int) -> str:
    """ "US$ 1,23"; of less than a cent four digits: "US$ 0,0012"."""
    if 0 < microdollars < _CENT / 100:
        return "menos de US$ 0,0001"
    return f"US$ {decimal(microdollars / 1_000_000, 4 if 0 < microdollars < _CENT else 2)}"


def length(span: timedelta | None) -> str:
    """ "40 s", "12 min", "1 h 05", "2 dias 3 h"; a dash for none."""
    if span is None:
        return "–"
    if span < _MINUTE:
        return f"{span // timedelta(seconds=1)} s"
    if span < _HOUR:
        return f"{span // _MINUTE} min"
    if span < _DAY:
        return f"{span // _HOUR} h {span % _HOUR // _MINUTE:02}"
    days, rest = span // _DAY, span % _DAY // _HOUR
    return f"{days} {'dia' if days == 1 else 'dias'}" + (f" {rest} h" if rest else "")


def change(now: float, before: float) -> str:
    """By how much it rose or fell: "+25%", "-8%", "igual"; nothing where there was nothing."""
    if not before:
        return ""
    by = round(100 * (now - before) / before)
    return f"{by:+d}%".replace("-", "−") if by else "igual"


def points(now: tuple[int, int], before: tuple[int, int]) -> str:
    """By how much a share (part, whole) rose or fell, in points of percent."""
    if not now[1] or not before[1]:
        return ""
    by = round(100 * now[0] / now[1]) - round(100 * before[0] / before[1])
    unit = "ponto" if abs(by) == 1 else "pontos"
    return f"{by:+d} {unit}".replace("-", "−") if by else "igual"
