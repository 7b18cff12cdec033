"""What the database writes as a file, the versions that changes leave, and pages beside files."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from bot.demo.setup import BUSINESSES
from models import business_file
from models.business_file import BusinessFile, BusinessFileErrors, Code, Edit, Ids, Plan, Source, versions
from models.business_file.values import fold
from models.db import Database
from tests.models.businesses import BASE, MINIMAL, edited, imported

SLUG = "studio-bela"
OWN_MODEL = "  model: {provider: openai, name: m-1, key_env: BELA_KEY, fallback: offline}\n"
EVERYTHING = (
    BASE.replace("closed: true}", "closed: true, city: São Paulo, optional: all, open: [Natal, 2027-01-01]}")
    .replace(
        "rules:",
        f"  buttons: true\n  images: true\n{OWN_MODEL}rules:",
    )
    .replace('price: "80.00"}', "on_holidays: true}")
    .replace("reason: Natal}", 'hours: "09:00-10:30", reason: "Natal: \'yes\'"}')
    .replace("reason: Carnaval}", 'from: "12:00", to: "24:00"}')
    + """
assistant: {greeting: "Oi! Aqui é a Lia.", tone: "Leve.\\nSem gírias.", never_say: [desconto, "sim: sempre"]}
faq:
  - {question: "Vocês aceitam cartão?", answer: "Sim:\\ncrédito e débito."}
handoff: {realert_minutes: 7, second_text_minutes: 8, release_minutes: 9, reopen_minutes: 10}
retention: {customers_days: 365, media_days: 90}
limits: {customer_runs_per_day: 30, input_tokens_per_day: 100000, monthly_budget: "50.00"}
templates: {reminder: HX0123456789abcdef0123456789abcdef}
"""
)
SAMPLES = [(BUSINESSES / name).read_text() for name in ("studio-bela.yaml", "barbearia-rio-negro.yaml")]


def exported(db: Database, slug: str = SLUG) -> str:
    with db.reading() as session:
        return business_file.export(session, slug)


def sorted_offers(file: BusinessFile) -> BusinessFile:
    people = tuple(replace(each, services=tuple(sorted(each.services))) for each in file.professionals)
    return replace(file, professionals=people)


def current(db: Database) -> BusinessFile:
    with db.reading() as session:
        return business_file.current(session, SLUG)


def page(db: Database, now: datetime, file: BusinessFile, **more: Any) -> Plan:
    with db.writing() as session:
        return business_file.apply(session, file, now, edit=Edit(source=Source.PAGE, **more))


@pytest.mark.parametrize("text", [BASE, EVERYTHING, MINIMAL, *SAMPLES], ids=lambda text: text[:0])
def test_what_is_exported_is_what_was_imported(sqlite_db: Database, now: datetime, text: str) -> None:
    """Importing it changes nothing, and it says all that the file said."""
    slug = business_file.parse(text).settings.slug
    imported(sqlite_db, text, now)
    written = exported(sqlite_db, slug)
    assert sorted_offers(business_file.parse(written)) == sorted_offers(business_file.parse(text))
    assert imported(sqlite_db, written, now).changes == ()


def test_it_reads_as_people_write_it(sqlite_db: Database, now: datetime) -> None:
    imported(sqlite_db, EVERYTHING, now)
    written = exported(sqlite_db)
    for line in ("name: Corte feminino", "price: '120.00'", "mon-fri:", "- 09:00-12:00", "optional: all"):
        assert line in written, written


# Pages and files


def named(file: BusinessFile, old: str, new: str) -> BusinessFile:
    services = tuple(replace(each, name=new) if each.name == old else each for each in file.services)
    people = tuple(
        replace(each, services=tuple(new if name == old else name for name in each.services))
        for each in file.professionals
    )
    return replace(file, services=services, professionals=people)


def test_a_service_that_a_page_renames_stays_the_same_row_and_comes_back(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    file = current(db)
    assert page(db, now, named(file, "Escova", "Escova lisa"), ids=Ids({fold("Escova lisa"): 2})).applied
    with db.reading() as session:
        newest, first = versions.page(session, 1)
    assert (newest.source, first.source) == (Source.PAGE, Source.FILE)
    assert current(db).services[1].name == "Escova lisa"
    back = page(db, now, business_file.of_document(first.document), ids=first.names)
    assert [(change.kind, change.name) for change in back.changes] == [("changed", "Escova")]
    assert current(db) == file


def test_two_services_exchange_their_names(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    ids = Ids({fold("Escova"): 1, fold("Corte feminino"): 2})
    swapped = named(
        named(named(current(db), "Escova", "x"), "Corte feminino", "Escova"), "x", "Corte feminino"
    )
    assert page(db, now, swapped, ids=ids).applied
    assert [each.name for each in current(db).services] == ["Escova", "Corte feminino"]
    assert current(db).services[0].duration_minutes == 60


def test_the_name_of_a_row_out_of_use_is_taken(sqlite_db: Database, now: datetime) -> None:
    imported(sqlite_db, BASE, now)
    file = current(sqlite_db)
    one = replace(file, services=file.services[:1], professionals=())
    page(sqlite_db, now, one)
    taken = replace(one, services=(replace(one.services[0], name="escova"),))
    with pytest.raises(BusinessFileErrors) as caught:
        page(sqlite_db, now, taken, ids=Ids({"escova": 1}))
    assert [error.code for error in caught.value.errors] == [Code.NAME_TAKEN]


OVER = {
    "what the page changed": ("name: Studio Bela", "name: Bela Studio", True),
    "what it left alone": ("horizon_days: 60", "horizon_days: 30", False),
    "nothing": ("name: Studio Bela", "name: Bela Nova", False),
}


@pytest.mark.parametrize(("old", "new", "blocked"), OVER.values(), ids=OVER.keys())
def test_a_file_does_not_undo_a_page_unseen(
    sqlite_db: Database, now: datetime, old: str, new: str, blocked: bool
) -> None:
    """What both changed wants --force; what a file took over from the export, or left alone, does not."""
    imported(sqlite_db, BASE, now)
    file = current(sqlite_db)
    page(sqlite_db, now, replace(file, settings=replace(file.settings, name="Bela Nova")))
    text = edited(old, new)
    if old.startswith("horizon"):
        text = text.replace("name: Studio Bela", "name: Bela Nova")
    found = imported(sqlite_db, text, now)
    assert found.is_blocked is blocked
    if blocked:
        assert any("changed on the settings pages" in line for line in business_file.render(found))
        assert imported(sqlite_db, text, now, force=True).applied
        assert not imported(sqlite_db, BASE, now).is_blocked  # now the file has the last word


def test_only_the_newest_versions_are_kept(
    sqlite_db: Database, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "KEPT", 3)
    for number in range(6):
        imported(sqlite_db, edited("name: Studio Bela", f"name: Bela {number}"), now)
    with sqlite_db.reading() as session:
        kept = versions.page(session, 1)
    assert [each.document["tenant"]["name"] for each in kept] == ["Bela 5", "Bela 4", "Bela 3"]
