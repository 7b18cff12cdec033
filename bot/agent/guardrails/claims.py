"""What a text says was booked, moved, cancelled, noted or queued, and whether that is so.

A claim must be backed by a write of this run or by an appointment that the customer has, and all that the
text names of it (day, time, person, service, price) must fit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.agent.guardrails.claim_patterns import CLAIMS, NO_CLAIM, NO_CLAIM_AFTER, WISHED, WORDS, Kind
from bot.agent.guardrails.evidence import Evidence, Facts, Names, Said, any_fits
from bot.agent.guardrails.visit_matching import JOINT, is_parted
from bot.agent.guardrails.wording import DAY, Sentence, compiled, named

_TAKEN = re.compile(
    r"^(?!.*\b(?:seu|sua|voce|vc|te|your|you|tu)\b).*(?:horario|vaga|dia|as \d|\d\d:\d\d|\bess?[ea]\b"
    r"|\best[ea]s|slot|time|that)"
    r".*\b(?:(?:ja|ya) (?:est\w+|fo\w+|fue|tinha\w* sido) (?:reservad|marcad|agendad)"
    r"|(?:is|are|has been|was) (?:already )?(?:booked|reserved|taken))"
)
_OFFER = re.compile(
    r"\b(?:livres?|disponiv\w+|vagas?|opc(?:ao|oes)|temos|tenho|horarios|ultimo"
    r"|available|free|options?|libres?|disponibles?|tenemos|we have)\b"
)
_FREE = re.compile(r"\b(?:livres?|disponiv\w+|vagas?|opc(?:ao|oes)|available|free|options?|libres?)\b")
_TO = re.compile(r" (?:pra|to) ")
_TO_CONFIRM = re.compile(
    r"\b(?:respond[ae]|digite|confirme|me confirm\w+|diga sim|aguardo (?:a |sua )+confirmacao|so confirmar"
    r"|(?:please )?(?:reply|confirm)\b|responde|confirma(?:me)?\b)"
)
_NEAR = (
    200  # characters around a claim that can tell it from none; without a bound a babbling text costs seconds
)
_BY_US = re.compile(
    r"\w+(?:ei|amos)\b|(?:consegui|fiz|inclui|garanti|transferi|movi|removi|exclui|pude|logre|hice)\b"
    r"|(?:i|we)\b|(?:te|le|ya|he|hemos)\b"
)
_DETAIL = re.compile(
    rf"^(?:- |\d{{1,2}}[/:h]|as \d|(?:{DAY}|data|dia|hora|horario|quando|novo|inicio)\b"
    r"|(?:com|servico|profissional)\b|(?:o |a )?(?:valor|preco|total|price|precio)\b"
    r"|\w+(?: \w+){0,4} ?$)"
)
_KEEPS = re.compile(r"\b(?:mantive(?:mos)?|mantenho|deixei|deixamos|kept)\b")
_CLAIMS = compiled(
    (f"(?P<{kind.name}>{'|'.join(pattern for of, _, pattern in CLAIMS if of is kind)})" for kind in Kind),
    WORDS,
)
_NO_CLAIM, _WISHED, _AFTER = (
    compiled((pattern for _, pattern in table), WORDS) for table in (NO_CLAIM, WISHED, NO_CLAIM_AFTER)
)


@dataclass(frozen=True)
class Claim:
    """`said` is what its sentence names, in the `words` of it; `then` what is named from the claiming words
    on, none of which may be made up; `target` what stands behind the "para" of a move, `source` before it.
    """

    kind: Kind
    said: Said
    then: Said
    target: Said
    source: Said
    words: str


@dataclass(frozen=True)
class Reader:
    """Finds the claims of one text."""

    said: Sequence[Sentence]
    names: Names
    today: date | None = None

    def claims(self, n: int) -> Iterator[Claim]:
        """Those of the sentence at this place."""
        kinds = _kinds(self.said[n])
        if kinds:
            yield from self._claims(self.said[n], kinds, self._details(n))

    def clauses(self, n: int) -> "Iterator[Reader]":
        """Each way to read a sentence of a cancellation as two, at this place and the next: what is gone and
        what stays may stand in one breath.
        """
        sentence = self.said[n]
        if sentence.asks or Kind.CANCELLED not in _kinds(sentence):
            return
        for joint in JOINT.finditer(sentence.cased):
            halves = [
                Sentence(half.lower(), half)
                for half in (sentence.cased[: joint.start()], sentence.cased[joint.end() :])
            ]
            yield replace(self, said=[*self.said[:n], *halves, *self.said[n + 1 :]])

    def _claims(self, sentence: Sentence, kinds: dict[Kind, slice], details: str) -> Iterator[Claim]:
        asked = self._proposed(sentence)
        here = self.names_in(sentence.cased + details)
        for kind, words in kinds.items():
            if kind is Kind.NOTED and any(one.asks for one in self.said):
                continue
            if kind is Kind.EXPECTED and (not here.when.times or asked):
                continue
            cased = sentence.cased[words] + details
            then = Said() if _OFFER.search(sentence.text) else self.names_in(cased)
            source, target = self._move(sentence, words, details) if kind is Kind.MOVED else (Said(), Said())
            whole = "" if _FREE.search(sentence.text) else sentence.cased[: words.stop] + details
            yield Claim(kind, here, then, target, source, whole)

    def _details(self, n: int) -> str:
        """The lines right behind a claim that only say when, what and how much: "Data: quarta", "- 11:30"."""
        told = ""
        bare = not self.names_in(self.said[n].cased)
        for line in self.said[n + 1 :]:
            if line.asks or line.tagged or not (_DETAIL.match(line.text) or (bare and self._says_when(line))):
                break
            bare = False
            if not named(self.said[n].text).times or not named(line.text).times:
                told += f"; {line.cased}"
        return told

    def _says_when(self, line: Sentence) -> bool:
        """Whether a line may be what the word before it ("Marcado!") is about."""
        return bool(named(line.text).times) and not _OFFER.search(line.text) and not _kinds(line)

    def _proposed(self, sentence: Sentence) -> bool:
        """Whether a sentence is an offer, or the text asks for a yes."""
        asked = sentence.tagged or any(one.asks or _TO_CONFIRM.search(one.text) for one in self.said)
        return asked or bool(_OFFER.search(sentence.text))

    def names_in(self, cased: str) -> Said:
        """What words with the capitals that they had name."""
        return self.names.said(cased.lower(), cased, self.today)

    def _move(self, sentence: Sentence, words: slice, details: str) -> tuple[Said, Said]:
        """What is said before the first "para" of a move, from the last comma on, and behind the last."""
        begin = sentence.text.rfind(",", 0, words.start) + 1
        told = _TO.sub(" para ", sentence.cased[begin : words.stop] + details)
        offset = words.start - begin
        if " para " not in told[offset:]:
            return Said(), Said()
        source = told[: told.index(" para ", offset)]
        target = told[told.rindex(" para ") :]
        return self.names_in(source), self.names_in(target.strip())


def _kinds(sentence: Sentence) -> dict[Kind, slice]:
    """The kinds of claim in a sentence, each with where in it its words begin."""
    text = sentence.text.rpartition(",")[0] if sentence.asks else sentence.text
    bullet = 2 if text.startswith("- ") else 0
    return {
        Kind[match.lastgroup or ""]: slice(match.start() + bullet, len(text))
        for match in _CLAIMS.finditer(text[bullet:])
        if _is_claim(match, asked=sentence.asks)
    }


def _is_claim(match: re.Match[str], *, asked: bool) -> bool:
    text, by_us = match.string, _BY_US.match(match[0])
    before, after = text[max(0, match.start() - _NEAR) : match.end()], text[match.end() :][:_NEAR]
    if (asked or _WISHED.search(before)) and not by_us:
        return False
    return not (_NO_CLAIM.search(before) or _AFTER.search(after) or _TAKEN.search(before + after))


# Whether it is so


def unbacked(said: Sequence[Sentence], evidence: Evidence, *, final: bool = False) -> bool:
    """Whether these sentences claim something that is not so. In a `final` text a person goes on, who reads
    what was said: noted it is then.
    """
    if not any(_kinds(sentence) for sentence in said):
        return False
    names = Names(evidence.offers())
    facts = Facts.of(evidence, names)
    judge = Judge(facts, final=final)
    reader = Reader(said, names, evidence.today)
    return not all(
        judge.is_so(reader, n) or any(judge.is_apart(each, n) for each in reader.clauses(n))
        for n in range(len(said))
    )


@dataclass(frozen=True)
class Judge:
    """Holds sentences against the facts."""

    facts: Facts
    final: bool

    def is_so(self, reader: Reader, n: int) -> bool:
        """Whether all that the sentence at this place claims is so."""
        return all(
            (_backed(claim, self.facts) and is_parted(claim.words, self.facts.visits, reader.names_in))
            or (self.final and claim.kind is Kind.NOTED)
            for claim in reader.claims(n)
        )

    def is_apart(self, reader: Reader, n: int) -> bool:
        """Whether the two clauses from this place on tell each of its own: one of what is gone."""
        return all(self.is_so(reader, m) and self._tells(reader, m) for m in (n, n + 1))

    def _tells(self, reader: Reader, n: int) -> bool:
        clause = reader.said[n]
        if _kinds(clause):
            return True
        kept = reader.names_in(clause.cased)
        return bool(_KEEPS.search(clause.text)) and any_fits([*self.facts.standing.values()], kept)


def _backed(claim: Claim, facts: Facts) -> bool:
    said, made, standing = claim.said, facts.made.values(), facts.standing.values()
    if claim.kind is Kind.REPORTED and not any_fits([*standing], said):
        return True
    if not facts.know(claim.then):
        return False
    match claim.kind:
        case Kind.BOOKED:
            return any_fits([*made, *standing] if said.when else [*made], said)
        case Kind.STANDS | Kind.EXPECTED:
            return any_fits([*standing], said)
        case Kind.KEPT:
            return any_fits([*standing, *facts.offered], said)
        case Kind.MOVED:
            moved = claim.target.when and any_fits([*standing], claim.target)
            return (bool(moved) or any_fits([*made], said)) and facts.moved_from(claim.source)
        case Kind.CANCELLED | Kind.REPORTED:
            return any_fits(facts.cancelled, said)
        case Kind.WAITING:
            return any_fits(facts.waiting, said)
        case Kind.NOTED:
            return bool(facts.made or facts.cancelled or facts.waiting)
