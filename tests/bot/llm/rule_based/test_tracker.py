"""What the offline model writes of its own state, it reads back; and what it reads of tools' texts."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.entities import appointment_services, unpacked
from bot.llm.rule_based.nlu.times import PARTS, Hours
from bot.llm.rule_based.policy.search import PERIOD_WORDS
from bot.llm.rule_based.state.tracker import (
    Asked,
    Full,
    Memory,
    booking_proposal,
    can_wait,
    cancel_proposal,
    move_proposal,
    numbered,
    question,
    remembered,
    wait_proposal,
)
from bot.llm.rule_based.state.wish import Wish, joined, names_of, read_told
from bot.llm.rule_based.tool_results import (
    Appointment,
    Catalogue,
    Gaps,
    Person,
    Result,
    Service,
    Slot,
    appointments_in,
    catalogue_in,
    done_in,
    found_in,
    nearest_in,
    reason_in,
    result_of,
)

# Anything but a name that is itself the words of a day or an hour ("bem cedo").
NAME = st.text(st.sampled_from("abcdefghijklmnop ãéÇ'+,?().-0123456789"), min_size=1, max_size=20).filter(
    lambda name: name == " ".join(name.split()) and read_told(name) == (name, None, None)
)
PEOPLE = st.lists(NAME, min_size=2, max_size=4, unique=True).map(
    lambda names: tuple(Person(key, name) for key, name in enumerate(names, start=1))
)
MINUTES = st.integers(0, 24 * 60 - 1).map(lambda minutes: time(*divmod(minutes, 60)))
WINDOWS = st.one_of(
    st.sampled_from([*PARTS.values(), (time.min, time(23, 59))]),
    st.tuples(MINUTES, MINUTES).map(lambda pair: (min(pair), max(pair))),
)
HOURS = st.one_of(
    st.lists(MINUTES, min_size=1, max_size=2, unique=True).map(lambda starts: Hours(starts=tuple(starts))),
    st.builds(
        lambda window, ends, pick: Hours(earliest=window[0], latest=window[1], ends_by=ends, pick=pick),
        WINDOWS,
        st.none() | MINUTES,
        st.sampled_from(["", "first", "last"]),
    ),
)
DAYS = st.lists(st.dates(date(2026, 1, 1), date(2030, 12, 31)), min_size=1, max_size=4, unique=True).map(
    lambda dates: Days(tuple(sorted(dates)))
)
QUESTIONS = st.sampled_from(
    [
        Asked.SERVICE,
        Asked.PERSON,
        Asked.DAY,
        Asked.WHICH_DAY,
        Asked.TIME,
        Asked.SLOT,
        Asked.CHANGES,
        Asked.STAFF,
    ]
)


@st.composite
def wishes(draw: st.DrawFn) -> tuple[Wish, Catalogue]:
    """A wish, and the catalogue that it comes from."""
    people = draw(PEOPLE)
    names = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    services = tuple(Service(key, name, 30, "R$ 50,00", people) for key, name in enumerate(names, start=1))
    anyone = draw(st.booleans())
    wish = Wish(
        services=services[: draw(st.integers(0, 1))],
        later=services[1 : draw(st.integers(1, 3))],
        person=None if anyone else draw(st.none() | st.sampled_from(people)),
        anyone=anyone,
        days=draw(st.none() | DAYS),
        hours=draw(st.none() | HOURS.filter(lambda hours: not hours.whole_day or bool(hours.pick))),
    )
    return wish, Catalogue(services)


@given(wishes(), QUESTIONS, st.lists(NAME, max_size=3))
def test_what_is_settled_is_read_back(
    known: tuple[Wish, Catalogue], asked: Asked, options: list[str]
) -> None:
    """Days, hours, names, choices and the question, whatever the names are made of."""
    wish, _ = known
    memory = remembered("Olá!\n\n" + question(wish, asked, numbered(options)))
    assert memory.asked == asked
    assert (memory.days, memory.hours) == (wish.days, wish.hours)
    assert memory.names == names_of(wish)
    assert memory.later == joined(wish.later)
    assert [choice.text for choice in memory.choices] == options


@given(wishes(), st.dates(date(2026, 1, 1), date(2030, 12, 31)), MINUTES)
def test_proposals_are_read_back(known: tuple[Wish, Catalogue], day: date, start: time) -> None:
    _, catalogue = known
    person = catalogue.team[0]
    chosen = Wish(services=catalogue.services[:1], person=person)
    memory = remembered(booking_proposal(chosen, day, start) + " São 30 min, R$ 50,00.")
    assert (memory.asked, memory.days, memory.hours) == (Asked.BOOK, Days((day,)), Hours(starts=(start,)))
    assert memory.names == names_of(chosen)
    appointment = Appointment(7, catalogue.services[0].name, person, day, start)
    memory = remembered(cancel_proposal(appointment))
    assert memory.visit is not None
    assert (memory.asked, memory.visit.is_of(appointment)) == (Asked.CANCEL, True)
    memory = remembered(move_proposal(appointment, day, start, catalogue.team[1]))
    assert memory.visit is not None
    assert memory.visit.is_of(appointment)
    assert memory.names == f"com {catalogue.team[1].name}"


@given(
    wishes(), st.dates(date(2026, 1, 1), date(2030, 12, 31)), st.sampled_from(["", *PERIOD_WORDS.values()])
)
def test_what_one_may_wait_for_is_read_back(known: tuple[Wish, Catalogue], day: date, part: str) -> None:
    """Beside other questions, and as the proposal itself."""
    wish, catalogue = known
    full = Full(day, part)
    memory = remembered(question(wish, Asked.SLOT, can_wait(full)))
    assert (memory.asked, memory.full, memory.names) == (Asked.SLOT, full, names_of(wish))
    names = names_of(Wish(services=catalogue.services[:1], person=wish.person))
    memory = remembered(wait_proposal(names, full))
    assert (memory.asked, memory.full, memory.names) == (Asked.WAIT, full, names)


@given(wishes())
def test_names_are_found_in_the_catalogue_again(known: tuple[Wish, Catalogue]) -> None:
    """Unless two combinations are written alike, the very same ones."""
    wish, catalogue = known
    found = unpacked(names_of(Wish(services=wish.services, person=wish.person)), catalogue)
    assert found is not None
    services, person = found
    assert names_of(Wish(services=services, person=person)) == names_of(Wish(wish.services, wish.person))


def test_a_move_keeps_who_and_when() -> None:
    appointment = Appointment(7, "Corte", Person(1, "Ana"), date(2026, 12, 4), time(10))
    wish = Wish(person=Person(2, "Bia"), days=Days((date(2026, 12, 5),)), moving=appointment)
    memory = remembered(question(wish, Asked.TIME))
    assert memory.visit is not None
    assert memory.visit.is_of(appointment)
    assert (memory.names, memory.days, memory.booking) == ("com Bia", wish.days, False)
    assert memory.settled_words in question(wish, Asked.TIME)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Tudo certo!",
        "Posso confirmar?",
        "Posso confirmar: amanhã às 10?",
        "Posso marcar para sexta às 10?",
    ],
)
def test_other_texts_leave_nothing_open(said: str) -> None:
    assert remembered(said) == Memory()


def test_only_the_last_paragraph_is_open() -> None:
    proposal = "Posso confirmar: Corte com Ana, quinta-feira, 03/12/2026, às 10:00?"
    assert remembered(proposal).asked == Asked.BOOK
    assert remembered(f"{proposal}\n\nTudo bem, deixo como está.").asked == Asked.NOTHING


# --- the tools' texts ---------------------------------------------------------------------------------------

ANA, BIA = Person(1, "Ana Souza"), Person(2, "Bia Lima")


def test_services_are_read() -> None:
    catalogue = catalogue_in(
        "Serviços de Studio Bela:\n"
        "- Corte feminino (servico_id 1): 60 min, R$ 1.120,00. Com: Ana Souza (profissional_id 1), "
        "Bia Lima (profissional_id 2).\n"
        "- Escova, com brilho (nova) (servico_id 2): 45 min, preço sob consulta. "
        "Com: Ana Souza (profissional_id 1).\n"
        "- Massagem (servico_id 3): 50 min, R$ 90,00. Sem profissional disponível no momento."
    )
    assert catalogue == Catalogue(
        (
            Service(1, "Corte feminino", 60, "R$ 1.120,00", (ANA, BIA)),
            Service(2, "Escova, com brilho (nova)", 45, "preço sob consulta", (ANA,)),
            Service(3, "Massagem", 50, "R$ 90,00", ()),
        )
    )
    assert catalogue.team == (ANA, BIA)


def test_a_cut_list_is_known_as_one() -> None:
    assert catalogue_in(
        "Serviços:\n- A (servico_id 1): 5 min, R$ 1,00. Com: Z (profissional_id 1).\ne mais 30"
    ).cut
    assert catalogue_in("- A (servico_id 1): 5 min, R$ 1,00. Com: Z (profissional_id 1) e mais 4.").cut


def test_free_times_are_read() -> None:
    text = (
        "Horários livres para Corte feminino (servico_id 1) na quarta-feira, 02/12/2026:\n"
        "- Ana Souza (profissional_id 1): 11:30, 13:00\n"
        "- Bia Lima (profissional_id 2): 12:00, 15:00 e mais 3"
    )
    day = date(2026, 12, 2)
    found = found_in(text, day)
    assert found.slots == (
        Slot(day, time(11, 30), ANA),
        Slot(day, time(13), ANA),
        Slot(day, time(12), BIA),
        Slot(day, time(15), BIA),
    )
    [gaps] = found.gaps
    assert gaps == Gaps(Slot(day, time(12), BIA), time(15))
    wanted = [time(11, 59), time(12), time(12, 1), time(14, 59), time(15), time(15, 1)]
    assert [gaps.may_hold(start, start) for start in wanted] == [False, False, True, True, False, False]
    assert gaps.may_hold(time(9), time(13))
    assert not gaps.may_hold(time(9), time(12))


def test_a_refusal_has_a_reason_and_what_is_near() -> None:
    text = (
        "Não há horário livre para Corte feminino (servico_id 1) no domingo, 06/12/2026: o Studio Bela não "
        "abre nesse dia.\nHorários mais próximos:\n"
        "- segunda-feira, 07/12/2026, às 09:00, com Ana Souza (profissional_id 1)"
    )
    assert reason_in(text) == (
        "Não há horário livre para Corte feminino no domingo, 06/12/2026: o Studio Bela não abre nesse dia."
    )
    assert nearest_in(text) == (Slot(date(2026, 12, 7), time(9), ANA),)
    assert found_in(text, date(2026, 12, 6)).slots == ()


def test_appointments_are_read_from_the_context_and_the_tool() -> None:
    line = (
        "- agendamento_id 7: Corte com lavagem com Ana Souza (profissional_id 1), "
        "quarta-feira, 02/12/2026, às 11:30."
    )
    expected = (Appointment(7, "Corte com lavagem", ANA, date(2026, 12, 2), time(11, 30)),)
    assert appointments_in(f"Agendamentos de Maria:\n{line}") == expected
    assert appointments_in("Nenhum agendamento futuro.") == ()


def test_a_write_is_told_in_its_own_words() -> None:
    assert done_in("Agendado (agendamento_id 7): Corte com Ana (60 min, R$ 1,00).\n\n[Sistema] Fim.") == (
        "Agendado",
        "Corte com Ana (60 min, R$ 1,00).",
    )
    assert done_in("Já estava agendado (agendamento_id 7): Corte.") == ("Já estava agendado", "Corte.")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Não agendei Corte com Ana: a agenda de Ana já está ocupada.", "refused"),
        ("Não cancelei o agendamento_id 7: já começou.", "refused"),
        ("O sistema está indisponível no momento. Não tente de novo.", "failed"),
        ("Houve um erro interno e nada foi feito. Não tente de novo.", "failed"),
        ("Não executada: a conversa foi interrompida antes.", "failed"),
        ("A ferramenta “x” não existe.", "failed"),
        ("`servico_id`: deve ser um identificador.", "failed"),
        ("", "failed"),
    ],
)
def test_refusals_and_failures_are_told_apart(text: str, kind: str) -> None:
    assert result_of(text, is_error=True) == Result(kind, text)


def test_services_of_an_appointment_are_found() -> None:
    services = tuple(
        Service(key, name, 30, "", ()) for key, name in enumerate(("Corte", "Barba", "Corte e Barba"), 1)
    )
    catalogue = Catalogue(services)
    assert appointment_services("Corte e Barba", catalogue) == (services[2],)
    assert appointment_services("Barba e Corte", catalogue) == (services[1], services[0])
    assert appointment_services("Botox", catalogue) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Posso confirmar: A com B, sexta-feira, 31/02/2027, às 10:00?",
        "Posso confirmar: A com B, sexta-feira, 05/02/2027, às 99:00?",
        "1. sexta-feira, 31/02/2027\nQual desses dias?",
    ],
)
def test_dates_that_do_not_exist_are_not_ours(said: str) -> None:
    assert remembered(said) == Memory()
